//! Looks over what hangs on one name (a file, a link, or a folder with all that is in it), and removes it for good.
//! Links are entries here and are never followed; the walk keeps its own stack, so depth costs no recursion.

use std::ffi::OsString;
use std::io;

use assent_protocol::ids::Sha;
use cap_fs_ext::{DirExt as _, MetadataExt as _};
use cap_std::fs::{Dir, Metadata};
use sha2::{Digest as _, Sha256};

use super::folder::{hash_of, open_leaf};

/// Most entries that one call may move; more is a mistake or deserves a command.
pub const MAX_ENTRIES: u32 = 500_000;
/// Deepest nesting. Each level holds a folder open, and a process has 1,024 files on most systems.
pub const MAX_DEPTH: usize = 256;
/// A single file up to this size is told by its content; a larger one by size, time and inode, which a rename keeps.
const HASHED_BYTES: u64 = 1 << 30;

/// What stands at a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, wherever it leads.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// What hangs on a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// What stands at the name itself.
    pub kind: Kind,
    /// Entries, itself included.
    pub entries: u32,
    /// Bytes of all regular files.
    pub bytes: u64,
    /// Tells this state from another: of a file the SHA-256 of its content; of a link that of its target; of a folder
    /// that of the names, kinds, sizes, times and targets in it. The same wherever it is moved to.
    pub hash: Sha,
    /// Names that the file has (hard links); 1 for everything else.
    pub links: u64,
}

/// Why a walk ended early.
#[derive(Debug, thiserror::Error)]
pub enum Halt<E> {
    /// The visitor's own reason.
    #[error("stopped by the visitor")]
    Visitor(E),
    /// More than [`MAX_ENTRIES`].
    #[error("it holds more than {MAX_ENTRIES} entries")]
    TooMany,
    /// Deeper than [`MAX_DEPTH`].
    #[error("it is nested more than {MAX_DEPTH} folders deep")]
    TooDeep,
    /// The system refused.
    #[error("{0}")]
    System(#[from] io::Error),
}

/// One folder on the way down.
struct Level {
    folder: Dir,
    /// Path below the start, ending in a slash unless empty.
    path: String,
    /// Names still to be looked at, last first.
    names: Vec<OsString>,
}

impl Level {
    fn enter(folder: Dir, path: String) -> io::Result<Self> {
        let mut names =
            folder.entries()?.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<Vec<_>, _>>()?;
        names.sort_unstable_by(|a, b| b.cmp(a));
        Ok(Self { folder, path, names })
    }
}

/// Surveys `leaf` in `folder`; `None` when nothing is there. `visit` gets the path of each entry below it.
pub fn survey<E>(
    folder: &Dir,
    leaf: &str,
    mut visit: impl FnMut(&str) -> Result<(), E>,
) -> Result<Option<Survey>, Halt<E>> {
    let metadata = match folder.symlink_metadata(leaf) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let kind = kind_of(&metadata);
    let mut survey = Survey { kind, entries: 1, bytes: 0, hash: Sha::of(b""), links: 1 };
    match kind {
        Kind::File => {
            survey.bytes = metadata.len();
            survey.links = metadata.nlink();
            survey.hash = file_state(folder, leaf, &metadata)?;
        }
        Kind::Link => survey.hash = Sha::of(folder.read_link_contents(leaf)?.as_os_str().as_encoded_bytes()),
        Kind::Other => survey.hash = Sha::of(format!("special {} {}", metadata.dev(), metadata.ino()).as_bytes()),
        Kind::Folder => walk(folder.open_dir_nofollow(leaf)?, &mut survey, &mut visit)?,
    }
    Ok(Some(survey))
}

fn walk<E>(folder: Dir, survey: &mut Survey, visit: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), Halt<E>> {
    let mut hasher = Sha256::new();
    let mut levels = vec![Level::enter(folder, String::new())?];
    while let Some(level) = levels.last_mut() {
        let Some(name) = level.names.pop() else {
            levels.pop();
            continue;
        };
        survey.entries += 1;
        if survey.entries > MAX_ENTRIES {
            return Err(Halt::TooMany);
        }
        let path = format!("{}{}", level.path, name.to_string_lossy());
        visit(&path).map_err(Halt::Visitor)?;
        let metadata = level.folder.symlink_metadata(&name)?;
        let mut record = |kind: u8, rest: &[u8]| {
            for part in [&[kind][..], path.as_bytes(), name.as_encoded_bytes(), rest] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        };
        match kind_of(&metadata) {
            Kind::File => {
                survey.bytes += metadata.len();
                record(b'f', size_and_time(&metadata).as_bytes());
            }
            Kind::Link => record(b'l', level.folder.read_link_contents(&name)?.as_os_str().as_encoded_bytes()),
            Kind::Other => record(b'o', &[]),
            Kind::Folder => {
                record(b'd', &[]);
                let below = level.folder.open_dir_nofollow(&name)?;
                if levels.len() >= MAX_DEPTH {
                    return Err(Halt::TooDeep);
                }
                levels.push(Level::enter(below, format!("{path}/"))?);
            }
        }
    }
    survey.hash = Sha::from_bytes(hasher.finalize().into());
    Ok(())
}

/// The present state of `leaf` as [`Survey::hash`]; `None` when nothing is there.
pub fn state_of(folder: &Dir, leaf: &str) -> Result<Option<Sha>, Halt<std::convert::Infallible>> {
    Ok(survey(folder, leaf, |_| Ok(()))?.map(|survey| survey.hash))
}

/// Removes `leaf` for good, and all that hangs on it. A link is removed, what it leads to is not touched.
pub fn remove(folder: &Dir, leaf: &std::ffi::OsStr) -> io::Result<()> {
    if !folder.symlink_metadata(leaf)?.is_dir() {
        return folder.remove_file_or_symlink(leaf);
    }
    let mut levels = vec![Level::enter(folder.open_dir_nofollow(leaf)?, String::new())?];
    let mut open = vec![leaf.to_owned()];
    while let Some(level) = levels.last_mut() {
        let Some(name) = level.names.pop() else {
            levels.pop();
            let parent = levels.last().map_or(folder, |level| &level.folder);
            if let Some(name) = open.pop() {
                parent.remove_dir(name)?;
            }
            continue;
        };
        if !level.folder.symlink_metadata(&name)?.is_dir() {
            level.folder.remove_file_or_symlink(&name)?;
        } else {
            let below = level.folder.open_dir_nofollow(&name)?;
            if levels.len() > MAX_DEPTH {
                return Err(io::Error::other(format!("it is nested more than {MAX_DEPTH} folders deep")));
            }
            levels.push(Level::enter(below, String::new())?);
            open.push(name);
        }
    }
    Ok(())
}

fn kind_of(metadata: &Metadata) -> Kind {
    let kind = metadata.file_type();
    match (kind.is_symlink(), kind.is_file(), kind.is_dir()) {
        (true, ..) => Kind::Link,
        (_, true, _) => Kind::File,
        (.., true) => Kind::Folder,
        _ => Kind::Other,
    }
}

fn file_state(folder: &Dir, leaf: &str, metadata: &Metadata) -> io::Result<Sha> {
    if metadata.len() > HASHED_BYTES {
        return Ok(Sha::of(format!("large {} {}", metadata.ino(), size_and_time(metadata)).as_bytes()));
    }
    let file = open_leaf(folder, leaf)?.ok_or(io::ErrorKind::NotFound)?;
    hash_of(&file)
}

fn size_and_time(metadata: &Metadata) -> String {
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{} {}", metadata.len(), since.as_nanos())
}

#[cfg(test)]
mod tests;
