//! One process per data folder: an operating-system lock on a file that also says who holds it.
//! It doesn't raise the other process' window; that is the host's part.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::io::Errno;
#[cfg(unix)]
use rustix::process::{Pid, test_kill_process};

use crate::error::StoreError;

/// The held lock. The system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct InstanceLock {
    file: File,
    /// What the file said before: how the last holder left the database.
    pub(crate) left: Left,
}

/// How the database was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nobody was here before.
    Never,
    /// Closed in order; the database file then had this mark.
    Clean(String),
    /// Killed, or closed after damage was met.
    Uncertain {
        /// Whether there was a database by then.
        history: bool,
    },
}

/// How long a lock that a dead process left to its child is waited for: starting a program takes milliseconds.
const REMAINS: Duration = Duration::from_secs(2);

/// Between two looks at it.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// The file's content after an orderly end, before the mark.
const CLEAN: &str = "closed ";

/// The file's second line, once there is a database.
const HISTORY: &str = "\nhistory";

impl InstanceLock {
    /// Takes `folder/lock`. When another process holds it, the error names that process as far as it can be read.
    pub(crate) fn take(folder: &Path) -> Result<Self, StoreError> {
        // The system tells nobody when a lock that a dead process left is let go of.
        Self::take_pausing(folder, || std::thread::sleep(LOOK_AGAIN))
    }

    /// The same; `pause` is called between two looks at a lock whose holder is dead.
    fn take_pausing(folder: &Path, mut pause: impl FnMut()) -> Result<Self, StoreError> {
        let wrap = |error: &std::io::Error| StoreError::io("taking the lock of the data folder", error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(folder.join("lock")).map_err(|error| wrap(&error))?;
        let deadline = Instant::now() + REMAINS;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(wrap(&error)),
            }
            let holder = Holder::read(&mut file).map_err(|error| wrap(&error))?;
            if holder.may_live() || Instant::now() >= deadline {
                return Err(StoreError::InUse { holder: holder.name });
            }
            pause();
        }
        let mut content = String::new();
        file.read_to_string(&mut content).map_err(|error| wrap(&error))?;
        let left = match content.strip_prefix(CLEAN) {
            Some(mark) => Left::Clean(mark.to_owned()),
            None if content.is_empty() => Left::Never,
            None => Left::Uncertain { history: content.ends_with(HISTORY) },
        };
        let mut lock = Self { file, left };
        // A second uncertain start must not forget that there was a history.
        let history = !matches!(lock.left, Left::Never | Left::Uncertain { history: false });
        lock.write(&(own_name() + if history { HISTORY } else { "" })).map_err(|error| wrap(&error))?;
        Ok(lock)
    }

    /// Notes that there is a database now.
    pub(crate) fn note_history(&mut self) -> std::io::Result<()> {
        self.write(&(own_name() + HISTORY))
    }

    /// Notes that the database was closed in order, and how its file looked then.
    pub(crate) fn note_clean(&mut self, mark: &str) -> std::io::Result<()> {
        self.write(&format!("{CLEAN}{mark}"))
    }

    fn write(&mut self, content: &str) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(content.as_bytes())
    }
}

impl Drop for InstanceLock {
    fn drop(&mut self) {
        // Closing alone would not do while a child that is just being started still has a copy of the handle.
        let _ = self.file.unlock();
    }
}

/// This process, for the message that a second one shows.
fn own_name() -> String {
    let program = std::env::current_exe().ok();
    let kind = program.as_deref().and_then(Path::file_stem).map_or("assent".into(), std::ffi::OsStr::to_string_lossy);
    format!("{kind} (process {})", std::process::id())
}

/// Who holds the lock, as far as the file says.
struct Holder {
    /// For people.
    name: String,
    /// None: a holder that is just writing, or one that left no name.
    process: Option<u32>,
}

impl Holder {
    /// On Windows a locked file can't be read.
    fn read(file: &mut File) -> std::io::Result<Self> {
        let mut content = String::new();
        file.seek(SeekFrom::Start(0))?;
        let is_read = file.read_to_string(&mut content).is_ok();
        let name = content.lines().next().filter(|name| is_read && !name.starts_with(CLEAN));
        let process = name.and_then(|name| name.rsplit_once("(process ")?.1.strip_suffix(')')?.parse().ok());
        Ok(Self { name: name.map_or_else(|| "another process".to_owned(), str::to_owned), process })
    }

    /// Whether the process that wrote its name may still be there. A program that was killed while it started a child
    /// leaves a copy of the lock to it for the moment until the child becomes another program.
    #[cfg(unix)]
    fn may_live(&self) -> bool {
        let process = self.process.and_then(|process| i32::try_from(process).ok()).and_then(Pid::from_raw);
        process.is_some_and(|process| test_kill_process(process) != Err(Errno::SRCH))
    }

    #[cfg(not(unix))]
    fn may_live(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
