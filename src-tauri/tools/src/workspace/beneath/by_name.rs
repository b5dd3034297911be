//! Opening beneath a folder handle by going down one name at a time: what serves where the system has no call for it.
//! No name is ever followed as a link, and nothing is resolved here.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, FileType, OpenOptions};

use super::super::Form;
use super::{Look, identity_in, identity_of};

pub(super) fn look(root: &Dir, path: &str) -> io::Result<Look> {
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

pub(super) fn open_folder(root: &Dir, path: &str) -> io::Result<Dir> {
    if path.is_empty() {
        return root.open_dir(".");
    }
    let (folder, leaf) = walk(root, path)?;
    folder.open_dir_nofollow(leaf)
}

pub(super) fn open_to_read(root: &Dir, path: &str) -> io::Result<File> {
    if path.is_empty() {
        return Ok(root.open_dir(".")?.into_std_file());
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

pub(super) fn read_link(root: &Dir, path: &str) -> io::Result<PathBuf> {
    let (folder, leaf) = walk(root, path)?;
    folder.read_link_contents(leaf)
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

fn special(kind: &FileType) -> &'static str {
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt as _;
        super::name_of(kind.is_fifo(), kind.is_socket(), kind.is_char_device(), kind.is_block_device())
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        "special file"
    }
}
