//! Finds the files that a command stands on, so that an approval holds for their content as well.
//! It reads them through the workspace's handle and judges nothing.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path};

use assent_protocol::ids::Sha;
use assent_protocol::tool::FileState;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::OpenOptions;
use sha2::{Digest as _, Sha256};

use super::named::Named;
use crate::tool::Refusal;
use crate::workspace::{Form, Workspace, segment_trouble};

/// Largest file that is bound to an approval because it is run, in bytes. A larger one isn't run.
const LARGEST_SCRIPT: u64 = 1 << 30;

/// Largest file that is bound because it is named, in bytes. Larger ones are data: nobody reads them before approving,
/// and hashing them at each check would cost more than the command.
const LARGEST_NAMED: u64 = 1 << 20;

/// Most bytes of all files that are only named.
const LARGEST_SUM: u64 = 8 << 20;

/// Files in the workspace that a command stands on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// All of them with their content's hash, each once.
    pub files: Vec<FileState>,
    /// Those that it runs: programs, scripts and build files.
    pub scripts: Vec<String>,
}

/// The folders, relative to the root, that names in the text may be relative to: the command's own, and those that it
/// goes into by name.
pub(super) fn bases(named: &Named, workspace: &Workspace, folder: &str) -> Vec<String> {
    let mut bases = vec![folder.to_owned()];
    for inner in &named.folders {
        let last = bases.last().map_or("", String::as_str);
        let next = join(last, inner, workspace.root());
        bases.extend(next);
    }
    bases
}

/// Looks every name up from every base. What the workspace refuses (outside of it, always protected) is passed over:
/// nothing there is bound.
pub(super) fn standing(named: &Named, workspace: &Workspace, bases: &[String]) -> Result<Standing, Refusal> {
    let mut found = Standing::default();
    let paths = |name: &str| bases.iter().filter_map(|base| join(base, name, workspace.root())).collect::<Vec<_>>();
    let scripts = named.scripts.iter().map(String::as_str).chain(named.build_files.iter().copied());
    for path in scripts.flat_map(paths) {
        let Some((path, file)) = open(&path, workspace) else { continue };
        if found.scripts.contains(&path) {
            continue;
        }
        if length(&file) > LARGEST_SCRIPT {
            return Err(Refusal::new(format!("{path} is too large to be run: an approval couldn't be bound to it")));
        }
        add(&path, file, &mut found)?;
        found.scripts.push(path);
    }
    let mut left = LARGEST_SUM;
    for path in named.files.iter().flat_map(|name| paths(name)) {
        let Some((path, file)) = open(&path, workspace) else { continue };
        let length = length(&file);
        if length <= LARGEST_NAMED.min(left) && !found.files.iter().any(|file| file.path == path) {
            left -= length;
            add(&path, file, &mut found)?;
        }
    }
    Ok(found)
}

/// `name` as seen from `base`, relative to the root; `None` when it lies outside.
fn join(base: &str, name: &str, root: &Path) -> Option<String> {
    let path = match Path::new(name).strip_prefix(root) {
        Ok(inside) => inside.to_owned(),
        Err(_) if Path::new(name).is_absolute() => return None,
        Err(_) => Path::new(base).join(name),
    };
    let mut names: Vec<&str> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => {
                names.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(names.join("/"))
}

/// The regular file at a path, opened beneath the workspace, with its path after links.
fn open(path: &str, workspace: &Workspace) -> Option<(String, File)> {
    match workspace.place(path) {
        Ok(place) if place.form == Form::File => Some((place.path.clone(), workspace.open_file(&place).ok()?)),
        Ok(_) => None,
        Err(_) => open_odd(path, workspace),
    }
}

/// A file whose name no tool of ours takes (one that ends in a space, say), but that a shell runs all the same.
fn open_odd(path: &str, workspace: &Workspace) -> Option<(String, File)> {
    let (folder, leaf) = path.rsplit_once('/').unwrap_or(("", path));
    segment_trouble(leaf)?;
    let folder = workspace.place(folder).ok()?;
    let handle = workspace.folder_handle(&folder).ok()?;
    if !handle.symlink_metadata(leaf).ok()?.is_file() {
        return None;
    }
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = handle.open_with(leaf, &options).ok()?.into_std();
    let path = if folder.path.is_empty() { leaf.to_owned() } else { format!("{}/{leaf}", folder.path) };
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some((path, file))
}

fn length(file: &File) -> u64 {
    file.metadata().map_or(u64::MAX, |metadata| metadata.len())
}

fn add(path: &str, file: File, found: &mut Standing) -> Result<(), Refusal> {
    if found.files.iter().any(|file| file.path == path) {
        return Ok(());
    }
    let hash = hash(file).map_err(|error| Refusal::new(format!("{path} can't be read: {error}")))?;
    found.files.push(FileState { path: path.to_owned(), hash: Some(hash) });
    Ok(())
}

fn hash(mut file: File) -> io::Result<Sha> {
    let mut digest = Sha256::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(Sha::from_bytes(digest.finalize().into())),
            Ok(bytes) => digest.update(&piece[..bytes]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
