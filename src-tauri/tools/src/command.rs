//! Commands: the tool `run_command`, and the helper mode of our own binary under which each command runs.
//! A program that runs commands calls [`supervise_if_asked`] before anything else; nothing here decides what may run.

mod denied;
mod environment;
mod launch;
#[cfg(unix)]
mod login_shell;
mod named;
#[cfg(unix)]
mod order;
mod output;
mod program;
mod report;
mod run_command;
mod sandbox;
mod scripts;
mod secrets;
mod supervise;
mod visible;
mod words;
mod wrappers;

use std::sync::Arc;

pub use launch::Supervisor;
pub use sandbox::{SandboxStatus, sandbox_status};
pub use secrets::keep_from_commands;

use crate::tool::Tool;

/// The first argument that asks a program of ours to supervise a command.
const SUPERVISE: &str = "__supervise";

/// The tool `run_command`.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(run_command::RunCommand::new())
}

/// To be called first in `main`, before any thread is started. Asked to supervise a command, it does that and never
/// returns; otherwise it makes this program the supervisor of its own commands.
pub fn supervise_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|first| first == SUPERVISE) {
        supervisor_main();
    }
    if let Ok(own) = Supervisor::own() {
        own.appoint();
    }
}

/// The helper mode itself. It exits with 0 once nothing of its command is left, and with 2 when it was given no command.
pub fn supervisor_main() -> ! {
    let code = match supervise::supervise() {
        Ok(()) => 0,
        Err(error) => {
            use std::io::Write as _;
            // Where this can't be written there is nobody to read it.
            let _ = writeln!(std::io::stderr(), "{SUPERVISE} is for Assent itself, which gives it a command: {error}");
            2
        }
    };
    std::process::exit(code)
}

/// Asks the login shell for the user's environment now, so that the first command needn't wait for it. May take up to
/// three seconds; to be called off the main thread.
pub fn resolve_environment() {
    environment::of_user();
}
