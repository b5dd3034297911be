//! Contents that live as files beside the database, each named by its hash: long outputs, written while they came.
//! Which of them are needed says the table `contents`; a file that no row names is never read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use assent_protocol::ids::Sha;
use sha2::{Digest as _, Sha256};

use crate::error::StoreError;
use crate::open::{private_file, private_folder};

/// Name of their folder in the data folder.
pub(crate) const FOLDER: &str = "contents";

/// What the name of a file begins with as long as it is being written.
const UNFINISHED: &str = "new-";

/// The folder of one data folder.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    /// Number of the next unfinished file.
    next: AtomicU64,
    /// Those that took their place since the last sync. Only the writer's thread adds to it and takes from it.
    unsynced: Mutex<Vec<PathBuf>>,
    /// Those that may have lost their row, or never got one: looked at after the next commits.
    doubtful: Mutex<Vec<Sha>>,
}

/// A file that isn't anyone's yet. It is removed with the last that holds this, unless it took its place by then.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It isn't there any more once it took its place; and what can't be removed goes at a later start.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Files {
    /// Those of a data folder; nothing is made yet.
    pub(crate) fn of(home: &Path) -> Self {
        Self {
            folder: home.join(FOLDER),
            next: AtomicU64::new(0),
            unsynced: Mutex::new(Vec::new()),
            doubtful: Mutex::new(Vec::new()),
        }
    }

    /// Begins a file.
    pub(crate) fn begin(&self) -> Result<(File, Unfinished), StoreError> {
        private_folder(&self.folder)?;
        let path = self.folder.join(format!("{UNFINISHED}{}", self.next.fetch_add(1, Ordering::Relaxed)));
        let file = private_file(&path)?;
        // One that a killed process left, and that could not be removed, may stand there.
        file.set_len(0).map_err(|error| StoreError::io("beginning a long output", &error))?;
        Ok((file, Unfinished(path)))
    }

    /// Gives a whole file its place. Done again, it changes nothing. Whether a row names it is looked at after the commit.
    pub(crate) fn adopt(&self, file: &Unfinished, hash: Sha) -> Result<(), StoreError> {
        let target = self.path(hash);
        match std::fs::rename(&file.0, &target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && target.is_file() => {}
            Err(error) => return Err(StoreError::io("putting a long output in its place", &error)),
        }
        lock(&self.unsynced).push(target);
        self.doubt(hash);
        Ok(())
    }

    /// At most `length` bytes from `offset` on.
    pub(crate) fn part(&self, hash: Sha, offset: u64, length: u64) -> Result<Vec<u8>, StoreError> {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(self.path(hash))?;
            let total = file.metadata()?.len();
            let start = offset.min(total);
            let length = length.min(total - start);
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
            file.take(length).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|error| StoreError::io(format!("reading the stored output {hash}"), &error))
    }

    /// What is wrong with a file, in words that follow its name; none: it is what its name says.
    pub(crate) fn wrong_with(&self, hash: Sha, length: u64) -> Option<String> {
        let digest = || -> io::Result<(u64, Sha)> {
            let mut file = File::open(self.path(hash))?;
            let mut digest = Sha256::new();
            let mut piece = vec![0; 64 * 1024];
            let mut length = 0;
            loop {
                match file.read(&mut piece) {
                    Ok(0) => return Ok((length, Sha::from_bytes(digest.finalize().into()))),
                    Ok(bytes) => {
                        digest.update(&piece[..bytes]);
                        length += bytes as u64;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        };
        match digest() {
            Ok(found) if found == (length, hash) => None,
            Ok(_) => Some("doesn't fit its hash".to_owned()),
            Err(error) => Some(format!("can't be read from its file: {error}")),
        }
    }

    /// Notes a content whose row may be gone.
    pub(crate) fn doubt(&self, hash: Sha) {
        lock(&self.doubtful).push(hash);
    }

    /// Removes those among the doubtful that no row names. To be called outside of a transaction.
    pub(crate) fn settle(&self, mut is_named: impl FnMut(Sha) -> Result<bool, StoreError>) {
        let doubtful = std::mem::take(&mut *lock(&self.doubtful));
        for hash in doubtful {
            // One that can't be asked for, or not be removed, takes up room and harms nobody.
            if is_named(hash) == Ok(false) {
                let _ = std::fs::remove_file(self.path(hash));
            }
        }
    }

    /// Whether anything waits for a sync.
    pub(crate) fn is_unsynced(&self) -> bool {
        !lock(&self.unsynced).is_empty()
    }

    /// Returns once all that took their place are on the disk, by content and by name.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        let mut unsynced = lock(&self.unsynced);
        if unsynced.is_empty() {
            return Ok(());
        }
        let sync = || -> io::Result<()> {
            for path in unsynced.iter() {
                match OpenOptions::new().write(true).open(path) {
                    Ok(file) => file.sync_all()?,
                    // It lost its row since, and was removed.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            for folder in [Some(self.folder.as_path()), self.folder.parent()].into_iter().flatten() {
                sync_folder(folder)?;
            }
            Ok(())
        };
        sync().map_err(|error| StoreError::io("writing a long output to the disk", &error))?;
        unsynced.clear();
        Ok(())
    }

    /// Removes what a killed process left unfinished. To be called before anything is begun. What can't be removed takes up
    /// room until the next of its name is written over it, and is no reason not to start.
    pub(crate) fn clear_unfinished(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    fn path(&self, hash: Sha) -> PathBuf {
        self.folder.join(hash.to_string())
    }
}

/// Brings the names in a folder to the disk, where the system has that.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

fn lock<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
