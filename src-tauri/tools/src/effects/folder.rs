//! The system calls that changes are made of, each on a folder handle and a single name in it.
//! It follows no link, opens no path of several names, and decides nothing.

use std::fs::File;
use std::io::{self, Read as _};

use assent_protocol::ids::Sha;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, OpenOptions};
use sha2::{Digest as _, Sha256};

/// Bytes read at once while hashing.
const PIECE: usize = 128 * 1024;

/// Opens what a name stands for, for reading. A link is an error; nothing there is `None`; a pipe doesn't block.
pub fn open_leaf(folder: &Dir, leaf: &str) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    match folder.open_with(leaf, &options) {
        Ok(file) => Ok(Some(file.into_std())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// SHA-256 of what is left to read of a file.
pub fn hash_of(mut file: &File) -> io::Result<Sha> {
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(Sha::from_bytes(hasher.finalize().into())),
            Ok(read) => hasher.update(&piece[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A folder opened so that its entries can be put on disk.
pub struct Sync(#[cfg(unix)] File);

impl Sync {
    /// Opens the handle, so that what can't be put on disk afterwards is refused before.
    pub fn of(folder: &Dir) -> io::Result<Self> {
        #[cfg(unix)]
        {
            // The handle that is there may be a mere path handle, which can't be synced.
            Ok(Self(folder.open(".")?.into_std()))
        }
        #[cfg(not(unix))]
        {
            let _ = folder;
            Ok(Self())
        }
    }

    /// Puts the folder's entries on disk. Where folders can't be synced (Windows) the file system's own journal has to do.
    pub fn put_on_disk(&self) -> io::Result<()> {
        #[cfg(unix)]
        {
            self.0.sync_all()
        }
        #[cfg(not(unix))]
        {
            Ok(())
        }
    }
}

/// Renames without ever replacing: what stands at the new name is an error, and there is no moment in between.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub fn rename_apart(from: &Dir, leaf: &str, to: &Dir, new_leaf: &str) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(from, leaf, to, new_leaf, rustix::fs::RenameFlags::NOREPLACE)?)
}

/// Renames without replacing. There is no single call for it here that takes handles, so a name that appears in the
/// very moment between look and rename may be lost.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub fn rename_apart(from: &Dir, leaf: &str, to: &Dir, new_leaf: &str) -> io::Result<()> {
    match to.symlink_metadata(new_leaf) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => from.rename(leaf, to, new_leaf),
        Err(error) => Err(error),
    }
}
