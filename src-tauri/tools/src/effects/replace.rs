//! Puts new content in the place of a file in one step: temporary file beside it, sync, rename, sync.
//! It keeps the mode and checks the present content, but knows nothing of paths, guards or encodings.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};

use assent_protocol::ids::Sha;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, OpenOptions};

use super::folder::{Sync, hash_of, open_leaf, rename_apart};

/// Temporary files are called this, then sixteen hex digits, then [`TEMPORARY_END`].
const TEMPORARY_START: &str = ".assent-";
const TEMPORARY_END: &str = ".tmp";
/// Names that are tried before giving up; a second one is hardly ever needed.
const TEMPORARY_TRIES: u32 = 16;

/// Why content was not, or not surely, put in place.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The file is not what it was expected to be; nothing was changed.
    #[error("the file changed")]
    Changed {
        /// Its hash now; `None`: it is gone.
        now: Option<Sha>,
    },
    /// A link or something else that isn't a regular file stands there; nothing was changed.
    #[error("it is not a regular file any more")]
    Irregular,
    /// The system refused; nothing was changed.
    #[error("could not {doing}: {source}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The change is in place, but the disk did not confirm it.
    #[error("it was done, but the disk did not confirm it: {0}")]
    Unconfirmed(io::Error),
}

impl Trouble {
    /// For `map_err`: the system refused while `doing` something.
    pub fn while_doing(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }
}

/// Replaces `leaf` in `folder` by `content`, if its present content has the hash `before` (`None`: if there is no such
/// file). The new file is a new inode with the old one's mode; other hard links keep the old content.
pub fn replace(folder: &Dir, leaf: &str, before: Option<Sha>, content: &[u8]) -> Result<(), Trouble> {
    let sync = Sync::of(folder).map_err(Trouble::while_doing("open the folder"))?;
    let old = present(folder, leaf, before)?;
    let mut temporary = Temporary::create(folder, old.is_some())?;
    temporary.file.write_all(content).map_err(Trouble::while_doing("write the new content"))?;
    if let Some(old) = &old {
        take_over(old, &temporary.file).map_err(Trouble::while_doing("keep the file's mode"))?;
    }
    temporary.file.sync_all().map_err(Trouble::while_doing("put the new content on disk"))?;
    #[cfg(debug_assertions)]
    crate::pause::at("during-write");
    // Once more, as late as can be: whoever wrote meanwhile keeps what they wrote.
    present(folder, leaf, before)?;
    let renamed = match old {
        Some(_) => folder.rename(&temporary.name, folder, leaf),
        None => rename_apart(folder, &temporary.name, folder, leaf),
    };
    match renamed {
        Ok(()) => temporary.is_in_place = true,
        Err(error) if before.is_none() && error.kind() == io::ErrorKind::AlreadyExists => {
            present(folder, leaf, before)?;
            return Err(Trouble::System { doing: "put the new file in place", source: error });
        }
        Err(error) => return Err(Trouble::System { doing: "put the new content in place", source: error }),
    }
    sync.put_on_disk().map_err(Trouble::Unconfirmed)
}

/// The present file, if it is what is expected.
fn present(folder: &Dir, leaf: &str, expected: Option<Sha>) -> Result<Option<File>, Trouble> {
    let Some(file) = open_leaf(folder, leaf).map_err(|error| look_trouble(folder, leaf, error))? else {
        return if expected.is_none() { Ok(None) } else { Err(Trouble::Changed { now: None }) };
    };
    let metadata = file.metadata().map_err(Trouble::while_doing("look at the file"))?;
    if !metadata.is_file() {
        return Err(Trouble::Irregular);
    }
    let now = hash_of(&file).map_err(Trouble::while_doing("read the present content"))?;
    if Some(now) == expected { Ok(Some(file)) } else { Err(Trouble::Changed { now: Some(now) }) }
}

fn look_trouble(folder: &Dir, leaf: &str, error: io::Error) -> Trouble {
    match folder.symlink_metadata(leaf) {
        Ok(metadata) if !metadata.is_file() => Trouble::Irregular,
        _ => Trouble::System { doing: "open the file", source: error },
    }
}

/// Gives the new file the old one's owner, where that is permitted, and its mode.
fn take_over(old: &File, new: &File) -> io::Result<()> {
    let permissions = old.metadata()?.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        let (had, has) = (old.metadata()?, new.metadata()?);
        let is_same_owner = (had.uid(), had.gid()) == (has.uid(), has.gid());
        // Only root may give files away. Who may not owns the new file, and it must not run as its new owner then.
        if !is_same_owner && std::os::unix::fs::fchown(new, Some(had.uid()), Some(had.gid())).is_err() {
            let plain = std::fs::Permissions::from_mode(permissions.mode() & 0o777);
            return new.set_permissions(plain);
        }
    }
    new.set_permissions(permissions)
}

/// A temporary file, locked while it is written and removed unless it was put in place.
struct Temporary<'a> {
    folder: &'a Dir,
    name: String,
    file: File,
    is_in_place: bool,
}

impl<'a> Temporary<'a> {
    /// Makes one. `is_private`: only for us until it takes over another file's mode; else with the usual mode of a new
    /// file.
    fn create(folder: &'a Dir, is_private: bool) -> Result<Self, Trouble> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            options.mode(if is_private { 0o600 } else { 0o666 });
        }
        let mut tries = 0;
        loop {
            let name = temporary_name();
            match folder.open_with(&name, &options) {
                Ok(file) => {
                    let temporary = Self { folder, name, file: file.into_std(), is_in_place: false };
                    // A sweep takes a temporary file that nobody holds for a leftover.
                    temporary
                        .file
                        .try_lock()
                        .map_err(|error| Trouble::System { doing: "lock the temporary file", source: error.into() })?;
                    return Ok(temporary);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TEMPORARY_TRIES => tries += 1,
                Err(error) => return Err(Trouble::System { doing: "make a temporary file", source: error }),
            }
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_in_place {
            // What can't be removed now is found and removed by the next sweep.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

fn temporary_name() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("{TEMPORARY_START}{random:016x}{TEMPORARY_END}")
}

/// Whether a name is one that only [`replace`] gives.
pub fn is_temporary(name: &str) -> bool {
    let digits = name.strip_prefix(TEMPORARY_START).and_then(|rest| rest.strip_suffix(TEMPORARY_END));
    digits.is_some_and(|digits| {
        digits.len() == 16 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Removes a temporary file that a crash left, unless someone is writing it now. Says whether it is gone.
pub fn remove_leftover(folder: &Dir, name: &str) -> io::Result<bool> {
    let Some(file) = open_leaf(folder, name)? else { return Ok(false) };
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    match file.try_lock() {
        Ok(()) => folder.remove_file(name).map(|()| true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests;
