//! The few system calls that open things beneath a folder handle without following any link.
//! It takes paths that are already parsed: plain names with `/` between them, no `.` and no `..`.

mod by_name;
#[cfg(target_os = "linux")]
mod openat2;

use std::fs::{File, Metadata};
use std::io;
use std::path::PathBuf;

use cap_std::fs::Dir;

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
    if let Some(done) = openat2::look(root, path) {
        return done;
    }
    by_name::look(root, path)
}

/// Opens a folder for listing and for acting in it. The empty path is the root.
pub(super) fn open_folder(root: &Dir, path: &str) -> io::Result<Dir> {
    #[cfg(target_os = "linux")]
    if let Some(done) = openat2::open_folder(root, path) {
        return done;
    }
    by_name::open_folder(root, path)
}

/// Opens whatever stands at `path` for reading; a pipe without a writer doesn't block.
pub(super) fn open_to_read(root: &Dir, path: &str) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Some(done) = openat2::open_to_read(root, path) {
        return done;
    }
    by_name::open_to_read(root, path)
}

/// Where the link at `path` points, unresolved.
pub(super) fn read_link(root: &Dir, path: &str) -> io::Result<PathBuf> {
    by_name::read_link(root, path)
}

/// Whether the error says that a link stood where none may stand.
pub(super) fn is_link_in_the_way(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        error.raw_os_error() == Some(libc::ELOOP)
    }
    #[cfg(not(unix))]
    {
        // ERROR_STOPPED_ON_SYMLINK; `ErrorKind::FilesystemLoop` is not stable.
        error.raw_os_error() == Some(681)
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
        Form::Other(special(&kind))
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
        openat2::is_kernel_view(root, file)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (root, file);
        false
    }
}

fn identity_in(metadata: &cap_std::fs::Metadata) -> Identity {
    use cap_fs_ext::MetadataExt as _;
    Identity { device: metadata.dev(), inode: metadata.ino() }
}

fn special(kind: &std::fs::FileType) -> &'static str {
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

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
