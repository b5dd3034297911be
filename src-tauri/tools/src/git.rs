//! Git in process: `git_status`, `git_diff`, `git_log`, and how git sees one path, for cards and for the context line.
//! No `git` binary, no hook, no filter, no driver: nothing that a repository names is ever run, and nothing is written.

pub mod git_diff;
pub mod git_log;
pub mod git_status;

mod attributes;
mod changes;
mod config;
mod contain;
mod convert;
mod linked;
mod off;
mod open;
mod patch;
mod report;
mod revision;
mod trees;
mod worktree;

use std::path::Path;
use std::time::Duration;

use assent_protocol::assessment::Tracked;

use crate::effects::entry::Entry;
use crate::search::budget::Budget;
use crate::tool::{Looking, Refusal};
use crate::workspace::Workspace;
use open::Opened;

/// Longest look for the context line: a large repository's count is then a beginning.
const SNAPSHOT: Duration = Duration::from_millis(400);

/// The repository in a line: branch (or where HEAD stands) and how many paths aren't as committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Name of the branch, or "detached at …".
    pub branch: String,
    /// Changed, staged, conflicting and untracked paths; untracked folders count once.
    pub dirty: usize,
    /// There are more: the look ended early.
    pub is_partial: bool,
}

/// The repository's state for the context line; `None` where git tools are off. A repository elsewhere is read when it
/// is `allowed`.
pub fn snapshot(workspace: &Workspace, allowed: &dyn Fn(&str) -> bool) -> Option<Snapshot> {
    open::glance(workspace, allowed, |opened| {
        if opened.is_bare() {
            return Ok(Some(Snapshot { branch: opened.branch(), dirty: 0, is_partial: false }));
        }
        let status = git_status::status(workspace, opened, &Budget::short(SNAPSHOT)).ok();
        Ok(status.map(|status| Snapshot {
            dirty: status.dirty(),
            is_partial: status.over().is_some(),
            branch: status.branch,
        }))
    })
    .ok()
    .flatten()
}

/// How git sees a path (relative to the root, `/` between segments); `None` where git tools are off or have to ask.
pub fn tracked(looking: &Looking<'_>, path: &str) -> Option<Tracked> {
    let workspace = looking.workspace;
    open::with(workspace, looking.repository_allowed, |opened| {
        if opened.is_bare() || path.is_empty() {
            return Ok(None);
        }
        let index = opened.index()?;
        let Some(entry) = index.get_path(Path::new(path), 0) else {
            return Ok(Some(outside_of_index(workspace, opened, path)));
        };
        let head = git_diff::head_tree(opened)?;
        let committed = match head {
            Some(tree) => trees::entry_at(opened, tree, path)?,
            None => None,
        };
        if committed != Some(entry.id) {
            return Ok(Some(Tracked::Dirty));
        }
        let standing =
            worktree::Comparison::new(workspace, opened).ok().map(|mut comparison| comparison.one(&entry, path).0);
        Ok(Some(match standing {
            Some(worktree::Standing::Same) => Tracked::Clean,
            _ => Tracked::Dirty,
        }))
    })
    .ok()
    .flatten()
}

/// A path as git knows it: the links of its folders resolved, as git goes through none, and its last name as it is.
fn in_repository(workspace: &Workspace, path: &str) -> Result<String, Refusal> {
    let place = workspace.place(path)?;
    if !place.is_link() {
        return Ok(place.path);
    }
    Ok(Entry::find(workspace, path).map_or(place.asked, |entry| entry.path))
}

/// Whether a path that isn't in the index is ignored, by itself or with a folder around it.
fn outside_of_index(workspace: &Workspace, opened: &Opened, path: &str) -> Tracked {
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    let mut rules = opened.rules_above(workspace, parent);
    rules.push(own_rules(workspace, parent));
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    let is_ignored = folders.into_iter().any(|folder| rules.ignores(folder, true)) || rules.ignores(path, false);
    if is_ignored { Tracked::Ignored } else { Tracked::Untracked }
}

fn own_rules(workspace: &Workspace, folder: &str) -> Option<crate::search::rules::Rules> {
    let place = workspace.place(folder).ok()?;
    let opened = crate::search::folder::Folder::open(workspace, &place).ok()?;
    crate::search::rules::Rules::of(&opened, folder)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
