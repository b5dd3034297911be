//! `openat2`, which does in one call what the walk does name by name. Every function answers `None` where the kernel,
//! or a filter in front of it, doesn't know the call; then the walk has to do. It is used on Linux alone.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::fs::Dir;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};

use super::super::Form;
use super::{Identity, Look};

static IS_UNKNOWN: AtomicBool = AtomicBool::new(false);

pub(super) fn look(root: &Dir, path: &str) -> Option<io::Result<Look>> {
    let opened = open(root, path, OFlags::PATH | OFlags::NOFOLLOW)?;
    Some(opened.and_then(|file| {
        let stat = rustix::fs::fstat(&file)?;
        let form = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => None,
            FileType::RegularFile => Some(Form::File),
            FileType::Directory => Some(Form::Folder),
            FileType::Fifo => Some(Form::Other("named pipe")),
            FileType::Socket => Some(Form::Other("socket")),
            FileType::CharacterDevice => Some(Form::Other("character device")),
            FileType::BlockDevice => Some(Form::Other("block device")),
            FileType::Unknown => Some(Form::Other("special file")),
        };
        Ok(Look { form, identity: Identity { device: stat.st_dev, inode: stat.st_ino } })
    }))
}

pub(super) fn open_folder(root: &Dir, path: &str) -> Option<io::Result<Dir>> {
    let opened = open(root, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW)?;
    Some(opened.map(|folder| Dir::from_std_file(File::from(folder))))
}

pub(super) fn open_to_read(root: &Dir, path: &str) -> Option<io::Result<File>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    Some(open(root, path, flags)?.map(File::from))
}

/// A mount of procfs or sysfs shows another device than the root, so only then the file system is asked.
pub(super) fn is_kernel_view(root: &Dir, file: &File) -> bool {
    let device = |stat: rustix::fs::Stat| stat.st_dev;
    if rustix::fs::fstat(root).map(device) == rustix::fs::fstat(file).map(device) {
        return false;
    }
    // Magic numbers of procfs and sysfs (linux/magic.h).
    rustix::fs::fstatfs(file).is_ok_and(|system| matches!(system.f_type as u64, 0x9fa0 | 0x6265_6572))
}

fn open(root: &Dir, path: &str, flags: OFlags) -> Option<io::Result<OwnedFd>> {
    if IS_UNKNOWN.load(Ordering::Relaxed) {
        return None;
    }
    let path = if path.is_empty() { "." } else { path };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
        // A filter may answer "not permitted" for a call that it doesn't know.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            IS_UNKNOWN.store(true, Ordering::Relaxed);
            None
        }
        Err(error) => Some(Err(error.into())),
        Ok(file) => Some(Ok(file)),
    }
}
