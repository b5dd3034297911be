//! Compares trees with each other and with the index, bounded in count and time.
//! Own walks, because libgit2's can't be ended, and a tree may name itself a thousand times over.

use std::cmp::Ordering;

use git2::{ObjectType, Oid};

use super::off::{Off, unreadable};
use super::open::Opened;
use super::worktree::Entry;
use crate::search::budget::{Budget, Over};

/// Most changed paths that are collected.
pub(super) const MOST_CHANGES: usize = 5_000;
/// Deepest nesting of trees.
const DEEPEST: usize = 512;
/// Largest single tree, in bytes.
const LARGEST_TREE: usize = 64 * 1024 * 1024;
const MODE_TREE: i32 = 0o040_000;

/// One path on two sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) old: Option<Entry>,
    pub(super) new: Option<Entry>,
}

/// What differs.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) list: Vec<Change>,
    /// There are more than are collected.
    pub(super) is_cut: bool,
    pub(super) over: Option<Over>,
}

impl Changes {
    /// Whether to end now.
    fn ends(&mut self, budget: &Budget<'_>) -> bool {
        self.over = budget.over();
        self.is_cut = self.list.len() >= MOST_CHANGES;
        self.is_cut || self.over.is_some()
    }
}

/// One entry of a flattened tree.
struct Leaf {
    path: Vec<u8>,
    entry: Entry,
}

/// A tree flattened, in the order of an index: bytes of whole paths.
struct Leaves<'a> {
    opened: &'a Opened,
    levels: Vec<(git2::Tree<'a>, usize, Vec<u8>)>,
}

impl<'a> Leaves<'a> {
    fn of(opened: &'a Opened, tree: Option<Oid>) -> Result<Self, Off> {
        let mut levels = Vec::new();
        if let Some(id) = tree {
            levels.push((load(opened, id)?, 0, Vec::new()));
        }
        Ok(Self { opened, levels })
    }

    /// The next leaf; `None` at the end, or when the budget is used up among trees that have none.
    fn next(&mut self, budget: &Budget<'_>) -> Result<Option<Leaf>, Off> {
        loop {
            let Some((tree, index, prefix)) = self.levels.last_mut() else {
                return Ok(None);
            };
            let next = tree.get(*index).map(|entry| {
                let path = [prefix.as_slice(), entry.name_bytes()].concat();
                (path, entry.id(), entry.filemode_raw())
            });
            *index += 1;
            let Some((mut path, id, mode)) = next else {
                self.levels.pop();
                continue;
            };
            if mode != MODE_TREE {
                return Ok(Some(Leaf { path, entry: Entry { id, mode: normal_mode(mode) } }));
            }
            if self.levels.len() >= DEEPEST {
                return Err(Off::Part { part: "tree".to_owned(), what: "nested too deeply" });
            }
            if budget.over().is_some() {
                return Ok(None);
            }
            path.push(b'/');
            self.levels.push((load(self.opened, id)?, 0, path));
        }
    }
}

/// Compares a tree (or none) with entries of an index in their order.
pub(super) fn tree_with_index(
    opened: &Opened,
    tree: Option<Oid>,
    entries: impl Iterator<Item = (Vec<u8>, Entry)>,
    wanted: &dyn Fn(&str) -> bool,
    budget: &Budget<'_>,
) -> Result<Changes, Off> {
    let mut out = Changes::default();
    let mut leaves = Leaves::of(opened, tree)?;
    let mut entries = entries.peekable();
    let mut leaf = leaves.next(budget)?;
    loop {
        if out.ends(budget) {
            return Ok(out);
        }
        let order = match (&leaf, entries.peek()) {
            (None, None) => return Ok(out),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(leaf), Some((path, _))) => leaf.path.cmp(path),
        };
        let (path, old, new) = match order {
            Ordering::Less => match leaf.take() {
                Some(gone) => (gone.path, Some(gone.entry), None),
                None => return Ok(out),
            },
            Ordering::Greater => match entries.next() {
                Some((path, entry)) => (path, None, Some(entry)),
                None => return Ok(out),
            },
            Ordering::Equal => match (leaf.take(), entries.next()) {
                (Some(old), Some((path, new))) => (path, Some(old.entry), Some(new)),
                _ => return Ok(out),
            },
        };
        if order != Ordering::Greater {
            leaf = leaves.next(budget)?;
        }
        push(&mut out, path, old, new, wanted);
    }
}

/// Compares two trees; what is equal in both isn't entered.
pub(super) fn tree_with_tree(
    opened: &Opened,
    old: Option<Oid>,
    new: Option<Oid>,
    wanted: &dyn Fn(&str) -> bool,
    budget: &Budget<'_>,
) -> Result<Changes, Off> {
    let mut out = Changes::default();
    // Pairs of trees still to be compared; the last one is next.
    let mut pairs = vec![(old, new, Vec::new())];
    while let Some((old, new, prefix)) = pairs.pop() {
        if prefix.iter().filter(|byte| **byte == b'/').count() > DEEPEST {
            return Err(Off::Part { part: "tree".to_owned(), what: "nested too deeply" });
        }
        let old = old.map(|id| load(opened, id)).transpose()?;
        let new = new.map(|id| load(opened, id)).transpose()?;
        let (mut a, mut b) = (0, 0);
        let mut inner = Vec::new();
        loop {
            if out.ends(budget) {
                return Ok(out);
            }
            let left = old.as_ref().and_then(|tree| tree.get(a));
            let right = new.as_ref().and_then(|tree| tree.get(b));
            let order = match (&left, &right) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(left), Some(right)) => key(left).cmp(&key(right)),
            };
            let left = left.filter(|_| order != Ordering::Greater);
            let right = right.filter(|_| order != Ordering::Less);
            a += usize::from(left.is_some());
            b += usize::from(right.is_some());
            let Some(name) = left.as_ref().or(right.as_ref()).map(|entry| entry.name_bytes().to_vec()) else {
                break;
            };
            let side = |entry: &git2::TreeEntry<'_>| (entry.id(), entry.filemode_raw());
            let (left, right) = (left.as_ref().map(side), right.as_ref().map(side));
            if left == right {
                continue;
            }
            let path = [prefix.as_slice(), &name].concat();
            let is_tree = left.or(right).is_some_and(|(_, mode)| mode == MODE_TREE);
            if is_tree {
                inner.push((left.map(|(id, _)| id), right.map(|(id, _)| id), [path.as_slice(), b"/"].concat()));
            } else {
                let entry = |(id, mode)| Entry { id, mode: normal_mode(mode) };
                push(&mut out, path, left.map(entry), right.map(entry), wanted);
            }
        }
        pairs.extend(inner.into_iter().rev());
    }
    out.list.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(out)
}

/// What stands at a path in a tree; `None` when nothing does.
pub(super) fn entry_at(opened: &Opened, tree: Oid, path: &str) -> Result<Option<Oid>, Off> {
    let mut id = tree;
    let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
    while let Some(name) = names.next() {
        let tree = load(opened, id)?;
        match tree.get_name(name) {
            Some(entry) if names.peek().is_none() || entry.filemode_raw() == MODE_TREE => id = entry.id(),
            _ => return Ok(None),
        }
    }
    Ok(Some(id))
}

fn push(out: &mut Changes, path: Vec<u8>, old: Option<Entry>, new: Option<Entry>, wanted: &dyn Fn(&str) -> bool) {
    if old == new {
        return;
    }
    // A name that isn't Unicode is shown as well as it can be.
    let path = String::from_utf8_lossy(&path).into_owned();
    if wanted(&path) {
        out.list.push(Change { path, old, new });
    }
}

/// Git's order within a tree: a folder's name counts with a slash at its end.
fn key(entry: &git2::TreeEntry<'_>) -> Vec<u8> {
    let mut key = entry.name_bytes().to_vec();
    if entry.filemode_raw() == MODE_TREE {
        key.push(b'/');
    }
    key
}

/// Old repositories have other permission bits; git reads them as these two.
fn normal_mode(mode: i32) -> u32 {
    let mode = u32::try_from(mode).unwrap_or(0);
    match mode & 0o170_000 {
        0o100_000 if mode & 0o100 != 0 => 0o100_755,
        0o100_000 => 0o100_644,
        _ => mode,
    }
}

fn load(opened: &Opened, id: Oid) -> Result<git2::Tree<'_>, Off> {
    let what = "a tree can't be read";
    opened.admit(id)?;
    let store = opened.repository.odb().map_err(|error| unreadable(what, &error))?;
    match store.read_header(id) {
        Ok((length, ObjectType::Tree)) if length <= LARGEST_TREE => {}
        Ok((_, ObjectType::Tree)) => {
            return Err(Off::Part { part: "tree".to_owned(), what: "too large" });
        }
        Ok(_) => {
            return Err(Off::Part { part: "tree".to_owned(), what: "no tree" });
        }
        Err(error) => return Err(unreadable(what, &error)),
    }
    opened.repository.find_tree(id).map_err(|error| unreadable(what, &error))
}
