//! The workspace: its root as a handle, paths parsed and resolved once, and every file opened beneath that handle.
//! It decides nothing about permission; what may be read or written at all is said by the guards beside it.

mod beneath;
mod guard;
mod refused;
mod resolve;
mod segments;
mod spelling;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use assent_protocol::ids::Sha;
use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;

pub use beneath::Identity;
pub use guard::{Guard, read_guard, write_guard};
pub use segments::segment_trouble;
pub(crate) use spelling::folded;

use crate::files::words::counted;
use crate::tool::Refusal;
use refused::RefusedPlace;

/// An opened workspace folder.
pub struct Workspace {
    /// Everything is opened beneath this handle; the path of the root is never opened again.
    handle: Dir,
    root: PathBuf,
    identity: String,
    holds_home: bool,
    /// Names that differ in case or composition alone mean one file here.
    folds: bool,
    refused: Vec<RefusedPlace>,
}

/// Why a folder can't be a workspace.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// Missing, unreadable or not a folder.
    #[error("the folder {path} can't be opened: {source}")]
    Unreadable {
        /// As it was given.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// It is a file or something else.
    #[error("{0} is not a folder")]
    NotAFolder(String),
    /// A place that must never be a workspace.
    #[error("{path} can't be a workspace: {why}")]
    Refused {
        /// The canonical path.
        path: String,
        /// For people.
        why: String,
    },
}

/// A path within the workspace, parsed, with its links resolved once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// As it was asked for: relative, `/` between segments; empty is the root.
    pub asked: String,
    /// The same with links resolved and, on folding file systems, spelled as on disk. Names the file everywhere else.
    pub path: String,
    /// What stood there.
    pub form: Form,
}

impl Place {
    /// Whether a link stood in the way, so that two names belong on the card.
    pub fn is_link(&self) -> bool {
        self.asked != self.path
    }

    /// The path for people; the root is a dot.
    pub fn shown(&self) -> &str {
        if self.asked.is_empty() { "." } else { &self.asked }
    }
}

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// Something that is neither read nor written, with its name for people.
    Other(&'static str),
}

/// A regular file read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    /// The content.
    pub bytes: Vec<u8>,
    /// Its SHA-256.
    pub hash: Sha,
    /// Permission bits on Unix; on other systems 0o444 for read-only files and 0o644 for the rest.
    pub mode: u32,
    /// Names (hard links) that the file has.
    pub links: u64,
    /// Last change of its content, where the system knows it.
    pub modified: Option<SystemTime>,
}

impl Workspace {
    /// Opens `root`. Refused are the root of the file system or of a drive, folders of the system, folders whose name
    /// is always refused, and `forbidden` folders (the app's own data) with all that lies in them.
    pub fn open(root: &Path, forbidden: &[PathBuf]) -> Result<Self, WorkspaceError> {
        Self::opened(root, Some(refused::Surroundings::of_this_machine(forbidden)))
    }

    /// Opens a folder of the app's own or of the person's for the app, such as its data folder, in the same way. It may lie
    /// where no workspace may: on Windows all such folders do. No path in it is a model's choice.
    pub fn open_own(root: &Path) -> Result<Self, WorkspaceError> {
        Self::opened(root, None)
    }

    fn opened(root: &Path, surroundings: Option<refused::Surroundings>) -> Result<Self, WorkspaceError> {
        let unreadable = |source| WorkspaceError::Unreadable { path: root.display().to_string(), source };
        let canonical = dunce::canonicalize(root).map_err(unreadable)?;
        if !canonical.metadata().map_err(unreadable)?.is_dir() {
            return Err(WorkspaceError::NotAFolder(canonical.display().to_string()));
        }
        let refuse = |why: String| WorkspaceError::Refused { path: canonical.display().to_string(), why };
        let Some(identity) = canonical.to_str().map(str::to_owned) else {
            return Err(refuse("its path is not valid Unicode".to_owned()));
        };
        if let Some(why) = surroundings.as_ref().and_then(|surroundings| surroundings.refuses_root(&canonical)) {
            return Err(refuse(why));
        }
        let handle = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(unreadable)?;
        // The handle opens without the right to read: nothing could be done in such a folder.
        handle.entries().map_err(unreadable)?;
        let folds = spelling::folds(&handle, &canonical);
        Ok(Self {
            handle,
            identity,
            holds_home: surroundings
                .as_ref()
                .and_then(|surroundings| surroundings.home.as_deref())
                .is_some_and(|home| home.starts_with(&canonical)),
            folds,
            refused: surroundings.map(|surroundings| surroundings.beneath(&canonical)).unwrap_or_default(),
            root: canonical,
        })
    }

    /// The canonical root, for people and for what runs in it. Files are not opened by it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the workspace is known by: its canonical root as text.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Whether this is the home folder or one that holds it, which deserves a warning.
    pub fn is_home(&self) -> bool {
        self.holds_home
    }

    /// Whether the root's path still leads to the folder that was opened.
    pub fn is_in_place(&self) -> bool {
        let opened = beneath::identity_of(&self.handle);
        let present = Dir::open_ambient_dir(&self.root, ambient_authority()).map(|dir| beneath::identity_of(&dir));
        matches!((opened, present), (Ok(opened), Ok(Ok(present))) if opened == present)
    }

    /// Parses a path strictly and resolves its links beneath the root. A missing leaf is a place; missing parents
    /// are too, unless a link is involved: what can't be resolved isn't safe.
    pub fn place(&self, path: &str) -> Result<Place, Refusal> {
        let asked = segments::parse(path, &self.root)?;
        let asked_text = asked.names.join("/");
        self.admit(&asked_text)?;
        let mut found = resolve::resolve(&self.handle, &self.root, &asked.names)?;
        if self.folds {
            spelling::respell(&self.handle, &mut found.names);
        }
        let path = found.names.join("/");
        self.admit(&path)?;
        if asked.must_be_folder && found.form != Form::Folder {
            let words = if found.form == Form::Missing { "does not exist" } else { "is not a folder" };
            return Err(Refusal::new(format!("{asked_text}/ {words}")));
        }
        Ok(Place { asked: asked_text, path, form: found.form })
    }

    /// A handle of the folder at a place, reached without following any link.
    pub fn folder_handle(&self, place: &Place) -> Result<Dir, Refusal> {
        match place.form {
            Form::Folder => beneath::open_folder(&self.handle, &place.path).map_err(|error| trouble(place, &error)),
            Form::Missing => Err(missing(place)),
            Form::File => Err(Refusal::new(format!("{} is a file, not a folder", place.shown()))),
            Form::Other(what) => Err(Refusal::new(format!("{} is a {what}, not a folder", place.shown()))),
        }
    }

    /// Opens a regular file for reading, without following any link and without waiting on a pipe.
    pub fn open_file(&self, place: &Place) -> Result<File, Refusal> {
        match place.form {
            Form::File => {}
            Form::Missing => return Err(missing(place)),
            Form::Folder => return Err(Refusal::new(format!("{} is a folder, not a file", place.shown()))),
            Form::Other(what) => return Err(irregular(place, what)),
        }
        let file = beneath::open_to_read(&self.handle, &place.path).map_err(|error| trouble(place, &error))?;
        match beneath::form_of(&file).map_err(|error| trouble(place, &error))? {
            Form::File if beneath::is_kernel_view(&self.handle, &file) => {
                Err(Refusal::new(format!("{} is a view into the kernel, not a file on disk", place.shown())))
            }
            Form::File => Ok(file),
            Form::Other(what) => Err(irregular(place, what)),
            Form::Folder | Form::Missing => Err(changed(place)),
        }
    }

    /// Reads a regular file whole, at most `cap` bytes; a longer one is refused with its size.
    pub fn read(&self, place: &Place, cap: u64) -> Result<FileBytes, Refusal> {
        let file = self.open_file(place)?;
        let metadata = file.metadata().map_err(|error| trouble(place, &error))?;
        let too_long = |size: u64| {
            let (size, cap) = (counted(size, "byte"), counted(cap, "byte"));
            let words = format!("{} is {size} long; at most {cap} are read at once", place.shown());
            Refusal::new(words)
        };
        if metadata.len() > cap {
            return Err(too_long(metadata.len()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        (&file).take(cap.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| trouble(place, &error))?;
        if bytes.len() as u64 > cap {
            return Err(too_long(bytes.len() as u64));
        }
        let (mode, links) = beneath::mode_and_links(&file, &metadata);
        Ok(FileBytes { hash: Sha::of(&bytes), bytes, mode, links, modified: metadata.modified().ok() })
    }

    /// The handle of the real parent folder, and the leaf's name in it: what a change acts through. The root itself
    /// has none. The parent must exist; [`Workspace::parent_made`] makes it.
    pub fn parent(&self, place: &Place) -> Result<(Dir, OsString), Refusal> {
        let (folder, leaf) = split(place)?;
        let handle = beneath::open_folder(&self.handle, folder).map_err(|error| trouble(place, &error))?;
        Ok((handle, leaf))
    }

    /// As [`Workspace::parent`], making missing folders on the way, one by one beneath the handle and never through
    /// a link. Says also which folders were made, outermost first, for [`Workspace::unmake`]; when it fails it has
    /// taken them back itself.
    pub fn parent_made(&self, place: &Place) -> Result<(Dir, OsString, Vec<String>), Refusal> {
        let (folder, leaf) = split(place)?;
        let mut made = Vec::new();
        match self.make(folder, &mut made) {
            Ok(handle) => Ok((handle, leaf, made)),
            Err(error) => {
                self.unmake(&made);
                Err(trouble(place, &error))
            }
        }
    }

    /// Takes back folders that [`Workspace::parent_made`] made, as far as nothing was put into them since.
    pub fn unmake(&self, made: &[String]) {
        for path in made.iter().rev() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            // A folder that someone uses by now isn't empty and stays.
            let _ = beneath::open_folder(&self.handle, folder).and_then(|folder| folder.remove_dir(name));
        }
    }

    fn make(&self, folder: &str, made: &mut Vec<String>) -> io::Result<Dir> {
        let mut handle = self.handle.try_clone()?;
        let mut reached = String::new();
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            if !reached.is_empty() {
                reached.push('/');
            }
            reached.push_str(name);
            match handle.create_dir(name) {
                Ok(()) => made.push(reached.clone()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            handle = handle.open_dir_nofollow(name)?;
        }
        Ok(handle)
    }

    /// What the file system knows a place by now: device and inode. `None` when nothing is there.
    pub fn identity_of(&self, place: &Place) -> Option<Identity> {
        beneath::look(&self.handle, &place.path).ok().map(|look| look.identity)
    }

    /// Refuses what no tool may touch, by name and by place.
    pub(crate) fn admit(&self, path: &str) -> Result<(), Refusal> {
        if let Guard::Protected(why) = read_guard(path) {
            return Err(Refusal::new(format!("{path} is always refused: {why}")));
        }
        match self.refused.iter().find(|refused| refused.covers(path)) {
            Some(refused) => Err(Refusal::new(format!("{path} is always refused: {}", refused.why))),
            None => Ok(()),
        }
    }
}

fn split(place: &Place) -> Result<(&str, OsString), Refusal> {
    if place.path.is_empty() {
        return Err(Refusal::new("the workspace's root itself can't be changed"));
    }
    let (folder, leaf) = place.path.rsplit_once('/').unwrap_or(("", &place.path));
    Ok((folder, OsString::from(leaf)))
}

fn missing(place: &Place) -> Refusal {
    Refusal::new(format!("{} does not exist", place.shown()))
}

fn changed(place: &Place) -> Refusal {
    Refusal::new(format!("{} changed while it was being opened; look again", place.shown()))
}

fn irregular(place: &Place, what: &str) -> Refusal {
    Refusal::new(format!("{} is a {what}, not a regular file; it is neither read nor written", place.shown()))
}

/// Puts a system error about a place into words.
fn trouble(place: &Place, error: &io::Error) -> Refusal {
    if beneath::is_link_in_the_way(error) {
        return changed(place);
    }
    match error.kind() {
        io::ErrorKind::NotFound => missing(place),
        io::ErrorKind::PermissionDenied => {
            Refusal::new(format!("the system does not permit access to {}", place.shown()))
        }
        io::ErrorKind::NotADirectory => Refusal::new(format!("part of {} is not a folder", place.shown())),
        _ => Refusal::new(format!("{} can't be opened: {error}", place.shown())),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
