//! The few system calls that open things beneath a folder handle without following any link.
//! It takes paths that are already parsed: plain names with `/` between them, no `.` and no `..`.

use std::fs::{File, Metadata};
use std::io;
use std::path::PathBuf;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, OpenOptions};

use super::Form;

/// What the file system knows a file by: device and inode (volume and index on Windows).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// Device or volume.
    pub device: u64,
    /// Inode or file index.
    pub inode: u64,
}

/// What stands at a path, seen without following the last link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// `None`: a link.
    pub form: Option<Form>,
    pub identity: Identity,
}

/// Looks at `path` without following any link. A link on the way is an error ([`is_link_in_the_way`]).
pub(super) fn look(root: &Dir, path: &str) -> io::Result<Look> {
    #[cfg(target_os = "linux")]
    if let Some(done) = linux::look(root, path) {
        return done;
    }
    if path.is_empty() {
        return Ok(Look { form: Some(Form::Folder), identity: identity_of(root)? });
    }
    let (folder, leaf) = walk(root, path)?;
    let metadata = folder.symlink_metadata(leaf)?;
    let kind = metadata.file_type();
    let form = if kind.is_symlink() {
        None
    } else if kind.is_file() {
        Some(Form::File)
    } else if kind.is_dir() {
        Some(Form::Folder)
    } else {
        Some(Form::Other(special(&kind)))
    };
    Ok(Look { form, identity: identity_in(&metadata) })
}

/// Opens a folder for listing and for acting in it. The empty path is the root.
pub(super) fn open_folder(root: &Dir, path: &str) -> io::Result<Dir> {
    if path.is_empty() {
        return root.open_dir(".");
    }
    #[cfg(target_os = "linux")]
    if let Some(done) = linux::open_folder(root, path) {
        return done;
    }
    let (folder, leaf) = walk(root, path)?;
    folder.open_dir_nofollow(leaf)
}

/// Opens whatever stands at `path` for reading; a pipe without a writer doesn't block.
pub(super) fn open_to_read(root: &Dir, path: &str) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Some(done) = linux::open_to_read(root, path) {
        return done;
    }
    let (folder, leaf) = walk(root, path)?;
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    Ok(folder.open_with(leaf, &options)?.into_std())
}

/// Where the link at `path` points, unresolved.
pub(super) fn read_link(root: &Dir, path: &str) -> io::Result<PathBuf> {
    let (folder, leaf) = walk(root, path)?;
    folder.read_link_contents(leaf)
}

/// Whether the error says that a link stood where none may stand.
pub(super) fn is_link_in_the_way(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        error.raw_os_error() == Some(libc::ELOOP)
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::FilesystemLoop
    }
}

/// What an opened file is.
pub(super) fn form_of(file: &File) -> io::Result<Form> {
    let kind = file.metadata()?.file_type();
    Ok(if kind.is_file() {
        Form::File
    } else if kind.is_dir() {
        Form::Folder
    } else {
        Form::Other(special_std(&kind))
    })
}

/// Device and inode of an opened folder.
pub(super) fn identity_of(folder: &Dir) -> io::Result<Identity> {
    Ok(identity_in(&folder.dir_metadata()?))
}

/// Permission bits and number of hard links of an opened file.
pub(super) fn mode_and_links(file: &File, metadata: &Metadata) -> (u32, u64) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let _ = file;
        (metadata.mode() & 0o7777, metadata.nlink())
    }
    #[cfg(not(unix))]
    {
        use cap_fs_ext::MetadataExt as _;
        let mode = if metadata.permissions().readonly() { 0o444 } else { 0o644 };
        let links = cap_std::fs::Metadata::from_file(file).map_or(1, |metadata| metadata.nlink());
        (mode, links)
    }
}

/// Whether a file that claims to be regular is made up by the kernel (`/proc`, `/sys`) under a mount in the workspace.
pub(super) fn is_kernel_view(root: &Dir, file: &File) -> bool {
    #[cfg(target_os = "linux")]
    {
        linux::is_kernel_view(root, file)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (root, file);
        false
    }
}

/// Goes down to the folder that holds the last name, one name at a time, so that no link is ever followed.
fn walk<'a>(root: &Dir, path: &'a str) -> io::Result<(Dir, &'a str)> {
    let (parents, leaf) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folder = root.try_clone()?;
    for name in parents.split('/').filter(|name| !name.is_empty()) {
        folder = folder.open_dir_nofollow(name)?;
    }
    Ok((folder, leaf))
}

fn identity_in(metadata: &cap_std::fs::Metadata) -> Identity {
    use cap_fs_ext::MetadataExt as _;
    Identity { device: metadata.dev(), inode: metadata.ino() }
}

fn special(kind: &cap_std::fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt as _;
        name_of(kind.is_fifo(), kind.is_socket(), kind.is_char_device(), kind.is_block_device())
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        "special file"
    }
}

fn special_std(kind: &std::fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        name_of(kind.is_fifo(), kind.is_socket(), kind.is_char_device(), kind.is_block_device())
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        "special file"
    }
}

#[cfg(unix)]
fn name_of(fifo: bool, socket: bool, character: bool, block: bool) -> &'static str {
    match (fifo, socket, character, block) {
        (true, ..) => "named pipe",
        (_, true, ..) => "socket",
        (_, _, true, _) => "character device",
        (.., true) => "block device",
        _ => "special file",
    }
}

/// `openat2`, which does in one call what the walk does name by name. `None` where the kernel or a filter in front of
/// it doesn't know the call, and the walk has to do.
#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::sync::atomic::{AtomicBool, Ordering};

    use cap_std::fs::Dir;
    use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};

    use super::{Form, Identity, Look};

    static IS_UNKNOWN: AtomicBool = AtomicBool::new(false);

    pub fn look(root: &Dir, path: &str) -> Option<io::Result<Look>> {
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

    pub fn open_folder(root: &Dir, path: &str) -> Option<io::Result<Dir>> {
        let opened = open(root, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW)?;
        Some(opened.map(|folder| Dir::from_std_file(File::from(folder))))
    }

    pub fn open_to_read(root: &Dir, path: &str) -> Option<io::Result<File>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        Some(open(root, path, flags)?.map(File::from))
    }

    /// A mount of procfs or sysfs shows another device than the root, so only then the file system is asked.
    pub fn is_kernel_view(root: &Dir, file: &File) -> bool {
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
}

#[cfg(test)]
mod tests;
