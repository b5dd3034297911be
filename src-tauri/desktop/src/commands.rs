//! The functions behind the command table, a line or two each.
//! No command decides anything: the engine's are handed on, the shell's answer about the shell.

use tauri::{Runtime, State, ipc::Invoke};

use crate::folder::LaunchFolder;

/// Routes each call of the page to the function of that name.
pub(crate) fn dispatch<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    macro_rules! functions {
        (shell: [$($shell:ident),*] engine: [$($engine:ident),*]) => {
            tauri::generate_handler![$($shell,)* $($engine),*]
        };
    }
    commands!(functions)
}

/// Answers with the program's version, which shows that the page reaches the backend.
#[tauri::command]
fn ping() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The folder that the latest start of the program named, once: the next call answers `null`.
#[tauri::command]
fn launch_folder(folder: State<'_, LaunchFolder>) -> Option<String> {
    folder.take()
}
