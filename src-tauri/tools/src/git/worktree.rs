//! Compares the index with the files of the work tree, beneath folder handles, and finds what isn't tracked.
//! The index is only read: what is learnt here is never written back, so nothing of the repository changes.

use std::collections::HashSet;

use git2::{IndexEntry, ObjectType, Oid};

use super::attributes::AttributeFiles;
use super::convert::{self, Storing};
use super::open::Opened;
use crate::search::budget::{Budget, Over};
use crate::search::folder::{Folder, Kind, Stat};
use crate::search::walk::{Step, walk_under};
use crate::tool::Refusal;
use crate::workspace::Workspace;

/// Largest file whose content is compared, in bytes; a larger one whose time changed counts as changed.
const LARGEST: u64 = 64 * 1024 * 1024;
/// Bits of an index entry, as the index format defines them.
const ASSUME_VALID: u16 = 0x8000;
const STAGE: u16 = 0x3000;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;
/// File modes of index and tree entries.
pub(super) const MODE_LINK: u32 = 0o120_000;
pub(super) const MODE_SUBMODULE: u32 = 0o160_000;
pub(super) const MODE_EXECUTABLE: u32 = 0o100_755;

/// How a tracked path stands in the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// As in the index.
    Same,
    /// Other content or another mode.
    Modified,
    /// Gone.
    Deleted,
    /// A file where a link was, or the other way round.
    TypeChanged,
    /// Added in intent only.
    Added,
    /// Its attributes name a driver that isn't run, and its times differ.
    Unknown,
}

/// A tracked path that isn't simply the same.
#[derive(Debug, Clone)]
pub(super) struct Departure {
    pub(super) path: String,
    pub(super) standing: Standing,
    pub(super) entry: Entry,
    /// The mode the file would be stored with.
    pub(super) mode: u32,
}

/// What the index says of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: Oid,
    pub(super) mode: u32,
}

/// The comparison of the index with the work tree.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) departures: Vec<Departure>,
    pub(super) conflicts: Vec<String>,
    pub(super) submodules: Vec<String>,
    /// Paths that aren't Unicode.
    pub(super) unnamed: u32,
    pub(super) over: Option<Over>,
}

/// Compares entries of the index (in its order) with the work tree.
pub(super) struct Comparison<'a> {
    workspace: &'a Workspace,
    opened: &'a Opened,
    attributes: Option<AttributeFiles<'a>>,
    /// When the index was written: entries as young as it may hide a change.
    index_time: (i64, u32),
    trusts_mode: bool,
    trusts_change_time: bool,
    /// Folders on the way to the present entry; `None`: there is no such folder.
    folders: Vec<(String, Option<Folder>)>,
}

impl<'a> Comparison<'a> {
    /// Ready to compare.
    pub(super) fn new(workspace: &'a Workspace, opened: &'a Opened) -> Result<Self, Refusal> {
        let place = workspace.place("")?;
        let root = Folder::open(workspace, &place)?;
        let index = opened.git().stat("index").ok();
        Ok(Self {
            workspace,
            opened,
            attributes: None,
            index_time: index.map_or((i64::MAX, 0), |stat| stat.modified),
            trusts_mode: cfg!(unix) && opened.truth("core", "filemode") != Some(false),
            trusts_change_time: opened.truth("core", "trustctime") != Some(false),
            folders: vec![(String::new(), Some(root))],
        })
    }

    /// Compares all entries that `wanted` wants.
    pub(super) fn all(
        mut self,
        entries: impl Iterator<Item = IndexEntry>,
        wanted: &dyn Fn(&str) -> bool,
        budget: &Budget<'_>,
    ) -> Compared {
        let mut out = Compared::default();
        for entry in entries {
            if let Some(over) = budget.over() {
                out.over = Some(over);
                break;
            }
            let Ok(path) = std::str::from_utf8(&entry.path) else {
                out.unnamed += 1;
                continue;
            };
            if !wanted(path) {
                continue;
            }
            if entry.flags & STAGE != 0 {
                if out.conflicts.last().is_none_or(|last| last != path) {
                    out.conflicts.push(path.to_owned());
                }
                continue;
            }
            if entry.mode == MODE_SUBMODULE {
                out.submodules.push(path.to_owned());
                continue;
            }
            let (standing, mode) = self.one(&entry, path);
            if standing != Standing::Same {
                let known = Entry { id: entry.id, mode: entry.mode };
                out.departures.push(Departure { path: path.to_owned(), standing, entry: known, mode });
            }
        }
        out
    }

    /// Compares one entry; also says the mode that the file has now.
    pub(super) fn one(&mut self, entry: &IndexEntry, path: &str) -> (Standing, u32) {
        if entry.flags & ASSUME_VALID != 0 || entry.flags_extended & SKIP_WORKTREE != 0 {
            return (Standing::Same, entry.mode);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some(stat) = self.folder_of(path).and_then(|folder| folder.stat(name).ok()) else {
            return (Standing::Deleted, entry.mode);
        };
        let mode = match stat.kind {
            Kind::File if !self.trusts_mode && entry.mode != MODE_LINK => entry.mode,
            Kind::File if stat.is_executable => MODE_EXECUTABLE,
            Kind::File => 0o100_644,
            Kind::Link => MODE_LINK,
            Kind::Folder => return (Standing::Deleted, entry.mode),
            Kind::Other => return (Standing::TypeChanged, entry.mode),
        };
        if entry.flags_extended & INTENT_TO_ADD != 0 {
            return (Standing::Added, mode);
        }
        // Where the file system has no links, git checks them out as files.
        let is_link_as_file =
            entry.mode == MODE_LINK && stat.kind == Kind::File && self.opened.truth("core", "symlinks") == Some(false);
        if (entry.mode == MODE_LINK) != (mode == MODE_LINK) && !is_link_as_file {
            return (Standing::TypeChanged, mode);
        }
        if mode != entry.mode && !is_link_as_file {
            return (Standing::Modified, mode);
        }
        if self.is_untouched(entry, &stat) {
            return (Standing::Same, mode);
        }
        (self.content(entry, path, name, &stat), mode)
    }

    /// Whether the file system's record proves that nobody wrote the file since the index was written.
    fn is_untouched(&self, entry: &IndexEntry, stat: &Stat) -> bool {
        let recorded = (i64::from(entry.mtime.seconds()), entry.mtime.nanoseconds());
        let same_time =
            recorded.0 == stat.modified.0 as i32 as i64 && (recorded.1 == 0 || recorded.1 == stat.modified.1);
        let same_size = entry.file_size == stat.size as u32;
        let same_inode = entry.ino == 0 || stat.inode == 0 || entry.ino == stat.inode as u32;
        let changed = i64::from(entry.ctime.seconds());
        let same_change =
            !self.trusts_change_time || changed == 0 || stat.changed.0 == 0 || changed == stat.changed.0 as i32 as i64;
        let is_racy = recorded >= self.index_time || (recorded.1 == 0 && recorded.0 >= self.index_time.0);
        same_time && same_size && same_inode && same_change && !is_racy
    }

    fn content(&mut self, entry: &IndexEntry, path: &str, name: &str, stat: &Stat) -> Standing {
        if stat.kind == Kind::Link {
            let target = self.folder_of(path).and_then(|folder| folder.link(name).ok());
            return verdict(target.as_deref(), entry.id);
        }
        let storing = {
            let files =
                self.attributes.get_or_insert_with(|| AttributeFiles::new(self.workspace, self.opened.common()));
            convert::storing(&files.of(path), self.opened)
        };
        let Storing::Known { ends, has_id } = storing else {
            return Standing::Unknown;
        };
        if stat.size > LARGEST {
            return Standing::Modified;
        }
        let Some(bytes) = self.folder_of(path).and_then(|folder| folder.read(name, LARGEST)) else {
            return Standing::Modified;
        };
        let opened = self.opened;
        let stored = convert::to_stored(&bytes, ends, has_id, || blob(opened, entry.id, LARGEST));
        verdict(Some(&stored), entry.id)
    }

    /// The folder that holds a path, reached name by name without following a link.
    fn folder_of(&mut self, path: &str) -> Option<&Folder> {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        while self.folders.len() > 1 {
            match self.folders.last() {
                Some((reached, _)) if is_within(parent, reached) => break,
                _ => self.folders.pop(),
            };
        }
        let reached = self.folders.last().map_or(0, |(reached, _)| reached.len());
        let rest = parent.get(reached..).unwrap_or_default().trim_start_matches('/').to_owned();
        for name in rest.split('/').filter(|name| !name.is_empty()) {
            let (above, folder) = self.folders.last()?;
            let inner = folder.as_ref().and_then(|folder| folder.folder(name).ok());
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
            self.folders.push((path, inner));
        }
        self.folders.last()?.1.as_ref()
    }
}

/// Whether a folder's path is `outer` or lies in it.
pub(super) fn is_within(path: &str, outer: &str) -> bool {
    outer.is_empty() || path == outer || path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

fn verdict(bytes: Option<&[u8]>, stored: Oid) -> Standing {
    match bytes.map(|bytes| Oid::hash_object(ObjectType::Blob, bytes)) {
        Some(Ok(id)) if id == stored => Standing::Same,
        _ => Standing::Modified,
    }
}

/// A stored content; `None` when it is missing or longer than `cap`.
pub(super) fn blob(opened: &Opened, id: Oid, cap: u64) -> Option<Vec<u8>> {
    opened.admit(id).ok()?;
    let store = opened.repository.odb().ok()?;
    let (length, kind) = store.read_header(id).ok()?;
    if kind != ObjectType::Blob || length as u64 > cap {
        return None;
    }
    Some(store.read(id).ok()?.data().to_vec())
}

/// What isn't tracked, as git lists it: folders without anything tracked are one entry, with `/` at the end.
#[derive(Debug, Default)]
pub(super) struct Untracked {
    pub(super) paths: Vec<String>,
    /// There are more.
    pub(super) is_cut: bool,
    pub(super) over: Option<Over>,
}

/// Most paths that are listed.
const MOST_UNTRACKED: usize = 2_000;

/// Looks for what isn't tracked.
pub(super) fn untracked(
    workspace: &Workspace,
    opened: &Opened,
    tracked: &HashSet<String>,
    budget: &Budget<'_>,
) -> Result<Untracked, Refusal> {
    let mut folders: HashSet<&str> = HashSet::new();
    for path in tracked {
        for (at, _) in path.match_indices('/') {
            folders.insert(&path[..at]);
        }
    }
    let mut out = Untracked::default();
    // The untracked folder the walk is in, and whether it was listed already.
    let mut within: Option<(String, bool)> = None;
    let root = workspace.place("")?;
    let rules = opened.rules_above(workspace, "");
    let left = walk_under(workspace, &root, Some(rules), budget, &mut |found| {
        if out.paths.len() >= MOST_UNTRACKED {
            out.is_cut = true;
            return Step::End;
        }
        if let Some((folder, _)) = &within
            && !is_within(found.path, folder)
        {
            within = None;
        }
        if found.is_ignored || within.as_ref().is_some_and(|(_, is_listed)| *is_listed) {
            return Step::Pass;
        }
        match found.kind {
            Kind::Folder if tracked.contains(found.path) => return Step::Pass,
            Kind::Folder if folders.contains(found.path) => {}
            Kind::Folder => {
                let is_repository = found.folder.folder(found.name).is_ok_and(|inner| inner.stat(".git").is_ok());
                if is_repository {
                    list(&mut out, &mut within, found.path, true);
                    return Step::Pass;
                }
                within.get_or_insert_with(|| (found.path.to_owned(), false));
            }
            Kind::File | Kind::Link if !tracked.contains(found.path) => list(&mut out, &mut within, found.path, false),
            Kind::File | Kind::Link | Kind::Other => {}
        }
        Step::Enter
    })?;
    out.over = left.over;
    Ok(out)
}

fn list(out: &mut Untracked, within: &mut Option<(String, bool)>, path: &str, is_folder: bool) {
    match within {
        Some((folder, is_listed)) => {
            if !std::mem::replace(is_listed, true) {
                out.paths.push(format!("{folder}/"));
            }
        }
        None if is_folder => out.paths.push(format!("{path}/")),
        None => out.paths.push(path.to_owned()),
    }
}
