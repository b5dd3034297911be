//! Walks the workspace beneath folder handles, depth first and in order of names, each real file once.
//! Links are never followed, `.git` and the workspace's trash never entered; contents are not read here.

use super::budget::{Budget, Over};
use super::folder::{Entries, Entry, Folder, Kind};
use super::rules::{Rules, Stack};
use crate::tool::Refusal;
use crate::workspace::{Place, Workspace};

/// Deepest folder that is entered, so that a deep tree can't take all file handles.
const DEEPEST: usize = 128;

/// What the visitor wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Go on, into the entry when it is a folder.
    Enter,
    /// Go on, but not into it.
    Pass,
    /// No more.
    End,
}

/// One entry that was come by.
pub(crate) struct Found<'a> {
    /// Path relative to the workspace root.
    pub(crate) path: &'a str,
    /// What it is.
    pub(crate) kind: Kind,
    /// Whether an ignore rule covers it (only told when rules are read).
    pub(crate) is_ignored: bool,
    /// The folder that holds it.
    pub(crate) folder: &'a Folder,
    /// Its name in that folder.
    pub(crate) name: &'a str,
}

/// What was left out of a walk.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    /// Folders that can't be opened or read.
    pub(crate) unreadable: u32,
    /// Folders below the deepest that is entered.
    pub(crate) too_deep: u32,
    /// Names that aren't Unicode.
    pub(crate) unnamed: u32,
    /// Entries that no tool may touch.
    pub(crate) refused: u32,
    /// A folder has more entries than are read.
    pub(crate) is_cut: bool,
    /// The walk ended before its end.
    pub(crate) over: Option<Over>,
}

/// Whether an entry is never looked at: git's own folder, in any spelling, and the workspace's trash.
pub(crate) fn is_hidden_place(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.eq_ignore_ascii_case(".git") || path.eq_ignore_ascii_case(".assent/trash")
}

/// Whether a path is such a place or lies in one.
pub(crate) fn is_in_hidden_place(path: &str) -> bool {
    is_hidden_place(path) || path.match_indices('/').any(|(at, _)| is_hidden_place(&path[..at]))
}

/// Walks what is beneath `start`. With `reads_rules` each entry is told whether it is ignored.
pub(crate) fn walk(
    workspace: &Workspace,
    start: &Place,
    reads_rules: bool,
    budget: &Budget<'_>,
    visit: &mut dyn FnMut(&Found<'_>) -> Step,
) -> Result<Left, Refusal> {
    let rules = reads_rules.then(|| {
        let mut rules = Stack::default();
        rules_above(workspace, &start.path, &mut rules);
        rules
    });
    walk_under(workspace, start, rules, budget, visit)
}

/// The same with the rules that hold at `start`, where there are any.
pub(crate) fn walk_under(
    workspace: &Workspace,
    start: &Place,
    rules: Option<Stack>,
    budget: &Budget<'_>,
    visit: &mut dyn FnMut(&Found<'_>) -> Step,
) -> Result<Left, Refusal> {
    let mut left = Left::default();
    let reads_rules = rules.is_some();
    let mut rules = rules.unwrap_or_default();
    let folder = Folder::open(workspace, start)?;
    let entries = folder.entries().unwrap_or_else(|_| {
        left.unreadable += 1;
        Entries::default()
    });
    let mut levels = vec![Level::open(folder, entries, &start.path, reads_rules, &mut rules, &mut left)];
    let mut path = String::new();
    while let Some(level) = levels.last_mut() {
        let Some(entry) = level.entries.next() else {
            levels.pop();
            rules.pop();
            continue;
        };
        if let Some(over) = budget.over() {
            left.over = Some(over);
            return Ok(left);
        }
        path.clear();
        path.push_str(&level.path);
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(&entry.name);
        if is_hidden_place(&path) {
            continue;
        }
        if workspace.admit(&path).is_err() {
            left.refused += 1;
            continue;
        }
        let is_folder = entry.kind == Kind::Folder;
        let is_ignored = reads_rules && rules.ignores(&path, is_folder);
        let found = Found { path: &path, kind: entry.kind, is_ignored, folder: &level.folder, name: &entry.name };
        match visit(&found) {
            Step::End => return Ok(left),
            Step::Pass => continue,
            Step::Enter if !is_folder => continue,
            Step::Enter => {}
        }
        if levels.len() >= DEEPEST {
            left.too_deep += 1;
            continue;
        }
        let Some(Ok((folder, entries))) = levels.last().map(|level| level.folder.enter(&entry.name)) else {
            left.unreadable += 1;
            continue;
        };
        levels.push(Level::open(folder, entries, &path, reads_rules, &mut rules, &mut left));
    }
    Ok(left)
}

/// Stacks the rules of the folders above a folder, and of the repository's own list.
pub(crate) fn rules_above(workspace: &Workspace, path: &str, rules: &mut Stack) {
    let Ok(root) = workspace.place("").and_then(|root| Folder::open(workspace, &root)) else {
        return;
    };
    rules.push(root.folder(".git").ok().and_then(|git| Rules::of_repository(&git)));
    let mut folder = root;
    let mut reached = 0;
    for name in path.split('/').filter(|name| !name.is_empty()) {
        rules.push(Rules::of(&folder, path[..reached].trim_end_matches('/')));
        reached = (reached + name.len() + 1).min(path.len());
        match folder.folder(name) {
            Ok(inner) => folder = inner,
            Err(_) => return,
        }
    }
}

struct Level {
    folder: Folder,
    path: String,
    entries: std::vec::IntoIter<Entry>,
}

impl Level {
    fn open(
        folder: Folder,
        entries: Entries,
        path: &str,
        reads_rules: bool,
        rules: &mut Stack,
        left: &mut Left,
    ) -> Self {
        left.unnamed += entries.unnamed;
        left.is_cut |= entries.is_cut;
        let has_rules = reads_rules && entries.list.iter().any(|entry| entry.name == ".gitignore");
        rules.push(if has_rules { Rules::of(&folder, path) } else { None });
        Self { folder, path: path.to_owned(), entries: entries.list.into_iter() }
    }
}
