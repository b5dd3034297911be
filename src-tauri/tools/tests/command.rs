//! `run_command` from the card to the end of its last process, with real shells, a real supervisor and real kills.
//! The splitting of texts and the environment's filter have tests of their own beside their code.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of it is tests")]

#[path = "command/call.rs"]
mod call;
#[path = "command/cards.rs"]
mod cards;
#[path = "command/ends.rs"]
mod ends;
#[path = "command/runs.rs"]
mod runs;
#[cfg(target_os = "linux")]
#[path = "command/sandbox.rs"]
mod sandbox;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use assent_tools::command::Supervisor;
use tempfile::TempDir;

/// The stand-in for the app.
const TRIAL: &str = env!("CARGO_BIN_EXE_assent-command-trial");

/// A workspace `ROOT` and a folder `OUT` beside it, with the supervisor appointed.
struct Ground {
    _folder: TempDir,
    root: PathBuf,
    out: PathBuf,
}

fn ground() -> Ground {
    Supervisor { program: TRIAL.into() }.appoint();
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (root, out) = (base.join("ROOT 文件夹"), base.join("OUT"));
    std::fs::create_dir(&root).unwrap();
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("canary.txt"), "CANARY-OUT").unwrap();
    Ground { _folder: folder, root, out }
}

impl Ground {
    fn call(&self, command: &str) -> call::Call {
        call::Call::of(&self.root, command)
    }

    fn output(&self, command: &str) -> assent_tools::ToolOutput {
        self.call(command).complete()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn program(&self, path: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(path, text);
        std::fs::set_permissions(self.root.join(path), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Looks at a condition until it holds, for ten seconds at most.
fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let last = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < last, "waited in vain: {what}");
        std::thread::yield_now();
    }
}

/// How many processes have `mark` in their command line.
fn processes_with(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(mark)).count()
}

/// A number of seconds for `sleep` that no other process on the machine has: long, and found again by its digits.
fn long_sleep() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("300.{}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
