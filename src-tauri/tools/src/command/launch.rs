//! Runs one command text under a supervisor, and gathers what it prints until nothing of it is left.
//! What may run was decided before; what the result is called is said elsewhere.

#[cfg(unix)]
mod ahead;
mod stream;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::environment::Variables;
use super::output::Whole;
use crate::tool::{Live, OpenSpool};
#[cfg(unix)]
pub(super) use ahead::prepare;
#[cfg(unix)]
pub(super) use unix::launch;
#[cfg(windows)]
pub(super) use windows::launch;

/// The program that supervises commands: one that calls [`supervise_if_asked`](super::supervise_if_asked) first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supervisor {
    /// Its path.
    pub program: PathBuf,
}

static APPOINTED: OnceLock<Supervisor> = OnceLock::new();

impl Supervisor {
    /// This program itself. On Linux by the kernel's own link, so that an update of the file on disk changes nothing.
    pub fn own() -> io::Result<Self> {
        let program =
            if cfg!(target_os = "linux") { PathBuf::from("/proc/self/exe") } else { std::env::current_exe()? };
        Ok(Self { program })
    }

    /// Makes it the supervisor of all commands of this process. The first one stays.
    pub fn appoint(self) {
        APPOINTED.get_or_init(|| self);
    }

    /// The one that was appointed. Without one no command runs: a program that doesn't know the helper mode would do
    /// something else when it is asked for it.
    fn appointed() -> Result<&'static Self, NotLaunched> {
        APPOINTED.get().ok_or(NotLaunched::NoSupervisor)
    }
}

/// One command to run.
#[cfg_attr(windows, expect(dead_code, reason = "folders are known by path there, and there is no sandbox"))]
pub(super) struct Launch<'a> {
    /// The text for the shell.
    pub command: &'a str,
    /// The folder to run in, by handle.
    pub folder: File,
    /// The same by path, where the system knows no other way.
    #[cfg(windows)]
    pub folder_path: &'a Path,
    /// The workspace that writes are limited to: its handle and its path. `None` runs without a sandbox.
    pub limit: Option<(File, &'a Path)>,
    /// The environment, whole.
    pub environment: &'a Variables,
    /// How long it may take.
    pub timeout: Duration,
    /// A person's stop.
    pub cancel: &'a CancellationToken,
    /// Takes output as it comes.
    pub live: Live<'a>,
    /// Opens the place where long output is kept while it comes.
    pub spool: OpenSpool<'a>,
}

/// A command that was run, and of which nothing is left.
#[derive(Debug)]
pub(super) struct Finished {
    /// How the shell ended.
    pub how: How,
    /// Who ended it, if it wasn't itself.
    pub cut: Option<Cut>,
    /// Processes that could not be ended.
    pub left: u32,
    /// What it printed.
    pub output: Whole,
    /// How long it took.
    pub took: Duration,
}

/// What ended a command before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// A person.
    Stopped,
    /// Its time limit.
    TimedOut,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotLaunched {
    /// This process never appointed one.
    #[error("this program has no supervisor for commands")]
    NoSupervisor,
    /// The system refused a pipe, a process or a read.
    #[error("the command's supervisor could not be used: {0}")]
    System(#[from] io::Error),
}

/// How a command ended, as its supervisor saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg(unix)]
pub(super) struct Ending {
    /// How the shell ended.
    pub how: How,
    /// Descendants that could not be ended.
    pub left: u32,
}

/// How the shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "a supervisor says no more than an exit code there"))]
pub(super) enum How {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It never ran: what failed, and the system's error number (zero where there is none).
    NotStarted(Stage, i32),
    /// Nobody knows: the supervisor was killed, or didn't answer a stop. Processes may be left.
    Lost,
}

/// What a supervisor was doing when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "a supervisor says no more than an exit code there"))]
pub(super) enum Stage {
    /// Making itself the one that orphans return to.
    Adopt,
    /// Making the private folder for temporary files.
    Temporary,
    /// Limiting writes.
    Sandbox,
    /// Starting the shell.
    Shell,
}

impl Stage {
    /// The stage as the end of "the command could not be started: ".
    pub fn words(self) -> &'static str {
        match self {
            Stage::Adopt => "the supervisor could not take charge of its processes",
            Stage::Temporary => "its folder for temporary files could not be made",
            Stage::Sandbox => "the sandbox could not be set up",
            Stage::Shell => "the shell did not start",
        }
    }
}
