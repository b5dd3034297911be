//! One open folder: its entries with their kinds, and what opens beneath it without following a link.
//! Names are single segments; how a folder is reached from the root is the workspace's part.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::tool::Refusal;
use crate::workspace::{Place, Workspace};

/// What an entry is, as the folder says it; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, socket or device.
    Other,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// A folder's entries by name.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub(crate) list: Vec<Entry>,
    /// Names that aren't Unicode; nothing can ask for them.
    pub(crate) unnamed: u32,
    /// There were more than is read of one folder.
    pub(crate) is_cut: bool,
}

/// What the file system knows of an entry, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    pub(crate) is_executable: bool,
    /// Seconds and nanoseconds of the last change of content.
    pub(crate) modified: (i64, u32),
    /// Seconds and nanoseconds of the last change of the entry; zero where the system has no such time.
    pub(crate) changed: (i64, u32),
    pub(crate) inode: u64,
}

/// An open folder.
pub(crate) struct Folder(Dir);

impl Folder {
    /// The folder at a place.
    pub(crate) fn open(workspace: &Workspace, place: &Place) -> Result<Self, Refusal> {
        workspace.folder_handle(place).map(Self)
    }

    /// The folder at a canonical path outside of the workspace.
    pub(crate) fn outside(path: &Path) -> io::Result<Self> {
        Dir::open_ambient_dir(path, ambient_authority()).map(Self)
    }

    /// Another handle of the same folder.
    pub(crate) fn again(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// A regular file read whole; `None` when it is missing, no regular file, or longer than `cap`.
    pub(crate) fn read(&self, name: &str, cap: u64) -> Option<Vec<u8>> {
        let file = self.file(name).ok()?;
        let mut bytes = Vec::new();
        file.take(cap + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= cap).then_some(bytes)
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::CStr;
    #[cfg(target_os = "linux")]
    use std::os::fd::AsFd;
    use std::os::fd::OwnedFd;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags};

    use super::*;

    /// Most entries that are read of one folder.
    const MOST: usize = 200_000;
    /// Room for what the system says of a folder at once, in bytes.
    #[cfg(target_os = "linux")]
    const LIST: usize = 32 * 1024;

    impl Folder {
        /// The entries, sorted by name. Those that vanish meanwhile are left out.
        pub(crate) fn entries(&self) -> io::Result<Entries> {
            // Opened anew: a handle may be one that only names the folder, and its place in the list is its own.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            self.listed(rustix::fs::openat(&self.0, ".", flags, Mode::empty())?)
        }

        /// A folder in it, and that one's entries as [`Self::entries`] has them; a link is an error.
        pub(crate) fn enter(&self, name: &str) -> io::Result<(Self, Entries)> {
            let folder = self.folder(name)?;
            // Nobody has read from this handle yet.
            #[cfg(target_os = "linux")]
            let entries = folder.listed(&folder.0)?;
            #[cfg(not(target_os = "linux"))]
            let entries = folder.entries()?;
            Ok((folder, entries))
        }

        /// The entries from a handle of this folder that stands at its beginning.
        #[cfg(target_os = "linux")]
        fn listed(&self, handle: impl AsFd) -> io::Result<Entries> {
            let mut out = Entries::default();
            let mut buffer = Vec::with_capacity(LIST);
            let mut list = rustix::fs::RawDir::new(handle, buffer.spare_capacity_mut());
            while let Some(entry) = list.next() {
                let entry = entry?;
                if !self.take(&mut out, entry.file_name(), entry.file_type()) {
                    break;
                }
            }
            out.list.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            Ok(out)
        }

        #[cfg(not(target_os = "linux"))]
        fn listed(&self, handle: OwnedFd) -> io::Result<Entries> {
            let mut out = Entries::default();
            for entry in rustix::fs::Dir::new(handle)? {
                let entry = entry?;
                if !self.take(&mut out, entry.file_name(), entry.file_type()) {
                    break;
                }
            }
            out.list.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            Ok(out)
        }

        /// Takes an entry into a list; false: the list is full.
        fn take(&self, out: &mut Entries, name: &CStr, kind: FileType) -> bool {
            if matches!(name.to_bytes(), b"." | b"..") {
                return true;
            }
            if out.list.len() >= MOST {
                out.is_cut = true;
                return false;
            }
            let Ok(name) = name.to_str() else {
                out.unnamed += 1;
                return true;
            };
            let kind = match kind {
                FileType::Unknown => match self.stat(name) {
                    Ok(stat) => stat.kind,
                    Err(_) => return true,
                },
                known => kind_of(known),
            };
            out.list.push(Entry { name: name.to_owned(), kind });
            true
        }

        /// A folder in it; a link is an error.
        pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let fd: OwnedFd = rustix::fs::openat(&self.0, name, flags, Mode::empty())?;
            Ok(Self(Dir::from_std_file(File::from(fd))))
        }

        /// A regular file in it; anything else is an error, and a pipe doesn't block.
        pub(crate) fn file(&self, name: &str) -> io::Result<File> {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
            let file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?);
            if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
        }

        /// What the file system knows of an entry.
        pub(crate) fn stat(&self, name: &str) -> io::Result<Stat> {
            let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(Stat {
                kind: kind_of(FileType::from_raw_mode(stat.st_mode)),
                size: u64::try_from(stat.st_size).unwrap_or(0),
                is_executable: stat.st_mode & 0o100 != 0,
                modified: (stat.st_mtime, u32::try_from(stat.st_mtime_nsec).unwrap_or(0)),
                changed: (stat.st_ctime, u32::try_from(stat.st_ctime_nsec).unwrap_or(0)),
                inode: stat.st_ino,
            })
        }

        /// Where a link points, as written.
        pub(crate) fn link(&self, name: &str) -> io::Result<Vec<u8>> {
            Ok(rustix::fs::readlinkat(&self.0, name, Vec::new())?.into_bytes())
        }
    }

    fn kind_of(kind: FileType) -> Kind {
        match kind {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
    use cap_std::fs::{FileType, OpenOptions};

    use super::*;

    /// Most entries that are read of one folder.
    const MOST: usize = 200_000;

    impl Folder {
        /// The entries, sorted by name. Those that vanish meanwhile are left out.
        pub(crate) fn entries(&self) -> io::Result<Entries> {
            let mut out = Entries::default();
            for entry in self.0.entries()? {
                let entry = entry?;
                if out.list.len() >= MOST {
                    out.is_cut = true;
                    break;
                }
                match (entry.file_name().into_string(), entry.file_type()) {
                    (Ok(name), Ok(kind)) => out.list.push(Entry { name, kind: kind_of(kind) }),
                    (Err(_), _) => out.unnamed += 1,
                    (_, Err(_)) => {}
                }
            }
            out.list.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            Ok(out)
        }

        /// A folder in it, and that one's entries; a link is an error.
        pub(crate) fn enter(&self, name: &str) -> io::Result<(Self, Entries)> {
            let folder = self.folder(name)?;
            let entries = folder.entries()?;
            Ok((folder, entries))
        }

        /// A folder in it; a link is an error.
        pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
            self.0.open_dir_nofollow(name).map(Self)
        }

        /// A regular file in it; anything else is an error.
        pub(crate) fn file(&self, name: &str) -> io::Result<File> {
            let mut options = OpenOptions::new();
            options.read(true).follow(FollowSymlinks::No);
            let file = self.0.open_with(name, &options)?.into_std();
            if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
        }

        /// What the file system knows of an entry.
        pub(crate) fn stat(&self, name: &str) -> io::Result<Stat> {
            let metadata = self.0.symlink_metadata(name)?;
            let modified = metadata.modified()?.into_std();
            let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            Ok(Stat {
                kind: kind_of(metadata.file_type()),
                size: metadata.len(),
                is_executable: false,
                modified: (i64::try_from(since.as_secs()).unwrap_or(0), since.subsec_nanos()),
                changed: (0, 0),
                inode: 0,
            })
        }

        /// Where a link points, as written.
        pub(crate) fn link(&self, name: &str) -> io::Result<Vec<u8>> {
            let target = self.0.read_link_contents(name)?;
            Ok(target.to_string_lossy().replace('\\', "/").into_bytes())
        }
    }

    fn kind_of(kind: FileType) -> Kind {
        if kind.is_symlink() {
            Kind::Link
        } else if kind.is_file() {
            Kind::File
        } else if kind.is_dir() {
            Kind::Folder
        } else {
            Kind::Other
        }
    }
}
