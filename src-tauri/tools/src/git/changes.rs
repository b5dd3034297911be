//! Which paths differ between two states of a repository (commit, index, work tree), and their contents on both sides.
//! Files that may hold secrets and paths under filter drivers are named and never read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use git2::{Index, Oid};

use super::attributes::AttributeFiles;
use super::convert::{self, Storing};
use super::off::Off;
use super::open::Opened;
use super::patch::{self, LONGEST, Patch, Side};
use super::trees::{self, Change, Changes};
use super::worktree::{self, Comparison, Entry, MODE_LINK, MODE_SUBMODULE, Standing, is_within};
use crate::search::budget::{Budget, Over};
use crate::search::folder::Folder;
use crate::tool::Refusal;
use crate::workspace::{Form, Guard, Place, Workspace, read_guard};

/// Why nothing came of it.
pub(super) enum Trouble {
    /// The repository.
    Off(Off),
    /// Anything else.
    Refused(Refusal),
}

impl From<Off> for Trouble {
    fn from(off: Off) -> Self {
        Trouble::Off(off)
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Trouble::Refused(refusal)
    }
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Off(off) => off.into(),
            Trouble::Refused(refusal) => refusal,
        }
    }
}

/// Where a side's content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Nothing,
    Stored(Entry),
    WorkTree { mode: u32 },
}

/// A path that differs.
#[derive(Debug, Clone)]
struct Pair {
    path: String,
    /// The old path of a rename.
    from: Option<String>,
    old: Source,
    new: Source,
}

/// Paths that differ, and what is said of others.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pairs: Vec<Pair>,
    /// May hold secrets.
    pub(super) secret: Vec<String>,
    /// Under filter drivers.
    pub(super) filtered: Vec<String>,
    /// In conflict.
    pub(super) conflicts: Vec<String>,
    pub(super) is_cut: bool,
    pub(super) over: Option<Over>,
}

/// Whether a path is asked for.
pub(super) fn wanted(only: &str) -> impl Fn(&str) -> bool {
    move |path| is_within(path, only)
}

/// Index entries as the tree walk wants them: path and content, conflicts and intents left out.
pub(super) fn entries(index: &Index) -> impl Iterator<Item = (Vec<u8>, Entry)> {
    index
        .iter()
        .filter(|entry| entry.flags & 0x3000 == 0 && entry.flags_extended & 0x2000 == 0)
        .map(|entry| (entry.path, Entry { id: entry.id, mode: entry.mode }))
}

/// From one commit (or nothing) to another.
pub(super) fn between_trees(
    opened: &Opened,
    old: Option<Oid>,
    new: Option<Oid>,
    only: &str,
    budget: &Budget<'_>,
) -> Result<Differences, Trouble> {
    let changes = trees::tree_with_tree(opened, old, new, &wanted(only), budget)?;
    Ok(stored(changes))
}

/// From a commit (or nothing) to the index.
pub(super) fn to_index(
    opened: &Opened,
    index: &Index,
    tree: Option<Oid>,
    only: &str,
    budget: &Budget<'_>,
) -> Result<Differences, Trouble> {
    let mut changes = trees::tree_with_index(opened, tree, entries(index), &wanted(only), budget)?;
    let conflicts = conflicts(index, only);
    // What is in conflict has no single entry, and so looks deleted.
    changes.list.retain(|change| change.new.is_some() || !conflicts.contains(&change.path));
    Ok(Differences { conflicts, ..stored(changes) })
}

/// Paths in conflict, each once.
fn conflicts(index: &Index, only: &str) -> Vec<String> {
    if !index.has_conflicts() {
        return Vec::new();
    }
    let entries = index.iter().filter(|entry| entry.flags & 0x3000 != 0);
    let mut paths: Vec<String> =
        entries.filter_map(|entry| String::from_utf8(entry.path).ok()).filter(|path| is_within(path, only)).collect();
    paths.dedup();
    paths
}

/// From the index, or from a commit, to the work tree; only what is tracked.
pub(super) fn to_work_tree(
    workspace: &Workspace,
    opened: &Opened,
    index: &Index,
    tree: Option<Option<Oid>>,
    only: &str,
    budget: &Budget<'_>,
) -> Result<Differences, Trouble> {
    let compared = Comparison::new(workspace, opened)?.all(index.iter(), &wanted(only), budget);
    let mut out = Differences { conflicts: compared.conflicts, over: compared.over, ..Differences::default() };
    let mut pairs = BTreeMap::new();
    if let Some(tree) = tree {
        let changes = trees::tree_with_index(opened, tree, entries(index), &wanted(only), budget)?;
        out.is_cut = changes.is_cut;
        out.over = out.over.or(changes.over);
        for Change { path, old, new } in changes.list {
            if new.is_none() && out.conflicts.contains(&path) {
                continue;
            }
            pairs.insert(path, (source(old), source(new)));
        }
    }
    for departure in compared.departures {
        let known =
            if departure.standing == Standing::Added { Source::Nothing } else { Source::Stored(departure.entry) };
        let new = match departure.standing {
            Standing::Unknown => {
                out.filtered.push(departure.path);
                continue;
            }
            Standing::Deleted => Source::Nothing,
            Standing::TypeChanged if departure.mode == departure.entry.mode => Source::Nothing,
            Standing::Modified | Standing::TypeChanged | Standing::Added | Standing::Same => {
                Source::WorkTree { mode: departure.mode }
            }
        };
        let old = pairs.get(&departure.path).map_or(known, |(old, _)| *old);
        pairs.insert(departure.path, (old, new));
    }
    out.pairs = pairs.into_iter().map(|(path, (old, new))| Pair { path, from: None, old, new }).collect();
    hide_secrets(&mut out);
    Ok(out)
}

fn stored(changes: Changes) -> Differences {
    let pair = |Change { path, old, new }| Pair { path, from: None, old: source(old), new: source(new) };
    let mut out = Differences {
        pairs: changes.list.into_iter().map(pair).collect(),
        is_cut: changes.is_cut,
        over: changes.over,
        ..Differences::default()
    };
    find_renames(&mut out.pairs);
    hide_secrets(&mut out);
    out
}

fn source(entry: Option<Entry>) -> Source {
    entry.map_or(Source::Nothing, Source::Stored)
}

/// Joins a deleted and an added path of the same content. Alike contents are not looked for.
fn find_renames(pairs: &mut Vec<Pair>) {
    let mut gone: BTreeMap<Oid, Vec<usize>> = BTreeMap::new();
    for (index, pair) in pairs.iter().enumerate().rev() {
        if let (Source::Stored(old), Source::Nothing) = (pair.old, pair.new) {
            gone.entry(old.id).or_default().push(index);
        }
    }
    let mut joined = Vec::new();
    for index in 0..pairs.len() {
        let Some(Pair { old: Source::Nothing, new: Source::Stored(new), .. }) = pairs.get(index) else {
            continue;
        };
        let Some(at) = gone.get_mut(&new.id).and_then(Vec::pop) else {
            continue;
        };
        let Some((from, old)) = pairs.get(at).map(|pair| (pair.path.clone(), pair.old)) else {
            continue;
        };
        if let Some(pair) = pairs.get_mut(index) {
            pair.from = Some(from);
            pair.old = old;
        }
        joined.push(at);
    }
    let mut index = 0;
    pairs.retain(|_| {
        index += 1;
        !joined.contains(&(index - 1))
    });
}

fn hide_secrets(out: &mut Differences) {
    let secret = &mut out.secret;
    let is_hidden = |path: &str| read_guard(path) != Guard::Free;
    out.pairs.retain(|pair| {
        let hides = is_hidden(&pair.path) || pair.from.as_deref().is_some_and(is_hidden);
        if hides {
            secret.push(pair.path.clone());
        }
        !hides
    });
}

/// The paths that differ, secret ones included.
pub(super) fn paths(differences: &Differences) -> impl Iterator<Item = &str> {
    differences.pairs.iter().map(|pair| pair.path.as_str()).chain(differences.secret.iter().map(String::as_str))
}

/// A line for each path, as status shows them.
pub(super) fn letters(differences: &Differences) -> Vec<String> {
    let letter = |pair: &Pair| match (&pair.from, pair.old, pair.new) {
        (Some(from), ..) => format!("R {from} -> {}", pair.path),
        (None, Source::Nothing, _) => format!("A {}", pair.path),
        (None, _, Source::Nothing) => format!("D {}", pair.path),
        (None, Source::Stored(old), Source::Stored(new)) if (old.mode == MODE_LINK) != (new.mode == MODE_LINK) => {
            format!("T {}", pair.path)
        }
        (None, ..) => format!("M {}", pair.path),
    };
    differences.pairs.iter().map(letter).collect()
}

/// Writes the patches one after another, handing each to `take` until that says no.
pub(super) fn patches(
    workspace: &Workspace,
    opened: &Opened,
    differences: &mut Differences,
    budget: &Budget<'_>,
    take: &mut dyn FnMut(&str, Patch),
) {
    let mut attributes = None;
    let (mut filtered, mut secret) = (Vec::new(), Vec::new());
    for pair in &differences.pairs {
        if let Some(over) = budget.over() {
            differences.over = Some(over);
            break;
        }
        let mut read = |source| side(workspace, opened, &mut attributes, pair, source);
        let (old, new) = match (read(pair.old), read(pair.new)) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(Hidden::Filtered), _) | (_, Err(Hidden::Filtered)) => {
                filtered.push(pair.path.clone());
                continue;
            }
            (Err(Hidden::Secret), _) | (_, Err(Hidden::Secret)) => {
                secret.push(pair.path.clone());
                continue;
            }
        };
        let until = Instant::now() + Duration::from_secs(5);
        take(&pair.path, patch::write(&pair.path, pair.from.as_deref(), &old, &new, until));
    }
    differences.filtered.append(&mut filtered);
    differences.secret.append(&mut secret);
}

/// Why a content isn't shown.
enum Hidden {
    /// It is stored by a program.
    Filtered,
    /// It is a private key.
    Secret,
}

/// The content of a side.
fn side<'a>(
    workspace: &'a Workspace,
    opened: &Opened,
    attributes: &mut Option<AttributeFiles<'a>>,
    pair: &Pair,
    source: Source,
) -> Result<Side, Hidden> {
    match source {
        Source::Nothing => Ok(Side::Nothing),
        Source::Stored(Entry { id, mode: MODE_SUBMODULE }) => Ok(Side::Submodule { commit: super::open::short(id) }),
        Source::Stored(Entry { id, mode }) => Side::of(worktree::blob(opened, id, LONGEST), mode).ok_or(Hidden::Secret),
        Source::WorkTree { mode: MODE_LINK } => {
            let (parent, name) = pair.path.rsplit_once('/').unwrap_or(("", &pair.path));
            let place = Place { asked: parent.to_owned(), path: parent.to_owned(), form: Form::Folder };
            let target = Folder::open(workspace, &place).ok().and_then(|folder| folder.link(name).ok());
            Ok(target.map_or(Side::Nothing, patch::link))
        }
        Source::WorkTree { mode } => {
            let files = attributes.get_or_insert_with(|| AttributeFiles::new(workspace, opened.common()));
            let Storing::Known { ends, has_id } = convert::storing(&files.of(&pair.path), opened) else {
                return Err(Hidden::Filtered);
            };
            let place = Place { asked: pair.path.clone(), path: pair.path.clone(), form: Form::File };
            let Ok(file) = workspace.read(&place, LONGEST) else {
                return Ok(Side::Long { mode });
            };
            let stored = match pair.old {
                Source::Stored(entry) => Some(entry.id),
                Source::Nothing | Source::WorkTree { .. } => None,
            };
            let read_stored = || stored.and_then(|id| worktree::blob(opened, id, LONGEST));
            let bytes = convert::to_stored(&file.bytes, ends, has_id, read_stored).into_owned();
            Side::of(Some(bytes), mode).ok_or(Hidden::Secret)
        }
    }
}
