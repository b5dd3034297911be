//! Definitions of a workspace's source files by name, for the composer and not for the model. What was parsed is kept in memory
//! for as long as a file keeps its size and its time; each look goes on where the one before ran out of time.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock, TryLockError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::language;
use super::parse;
use crate::content::{self, Content};
use crate::search::budget::Budget;
use crate::search::folder::{Folder, Kind};
use crate::search::walk::{Found, Step, walk};
use crate::workspace::{Guard, Workspace, read_guard};

/// Longest look.
const LONGEST: Duration = Duration::from_millis(250);
/// Most source files of a workspace that are known.
const MOST_FILES: usize = 5_000;
/// Most entries that are walked by.
const MOST_ENTRIES: usize = 50_000;
/// Longest source that is parsed, in bytes: what is longer is mostly generated.
const LONGEST_SOURCE: u64 = 256 * 1024;
/// Most definitions that are kept of one file.
const MOST_OF_FILE: usize = 500;

/// A definition with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSymbol {
    /// Qualified name, e.g. `Retry::run`.
    pub name: String,
    /// What it is, with the language's own word where there is one.
    pub kind: &'static str,
    /// Its file.
    pub path: String,
    /// Its first line, from 1.
    pub line: u32,
}

/// What is known of one workspace.
#[derive(Default)]
pub struct SymbolIndex {
    files: RwLock<HashMap<String, Known>>,
    /// Held by whoever brings it up to date; the others answer from what is there.
    looking: Mutex<()>,
}

struct Known {
    stamp: Stamp,
    symbols: Arc<[NamedSymbol]>,
}

/// Size, and seconds and nanoseconds of the last change.
type Stamp = (u64, (i64, u32));

impl SymbolIndex {
    /// Definitions whose names fit `typed`, best first, at most `limit`. Case is ignored; ignored files are left out. Takes
    /// a quarter of a second at most, and a file's parse; what was not reached by then is found by the next look.
    pub fn complete(&self, workspace: &Workspace, typed: &str, limit: usize) -> Vec<NamedSymbol> {
        let wanted = typed.to_lowercase();
        if wanted.is_empty() || wanted.contains('/') {
            return Vec::new();
        }
        match self.looking.try_lock() {
            Ok(_held) => self.update(workspace),
            Err(TryLockError::Poisoned(_)) => self.update(workspace),
            Err(TryLockError::WouldBlock) => {}
        }
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let all = files.values().flat_map(|known| known.symbols.iter());
        let mut found: Vec<(u32, &NamedSymbol)> =
            all.filter_map(|symbol| Some((rank(&symbol.name, &wanted)?, symbol))).collect();
        found.sort_by(|(a, one), (b, other)| {
            (a, one.name.len(), &one.path, one.line).cmp(&(b, other.name.len(), &other.path, other.line))
        });
        found.into_iter().take(limit).map(|(_, symbol)| symbol.clone()).collect()
    }

    /// Parses what is new or changed, as far as the time goes, and forgets what has gone.
    fn update(&self, workspace: &Workspace) {
        let Ok(start) = workspace.place("") else { return };
        let budget = Budget::short(LONGEST);
        let mut seen = HashSet::new();
        let mut looked = 0;
        let walked = walk(workspace, &start, true, &budget, &mut |entry| {
            looked += 1;
            if looked > MOST_ENTRIES || seen.len() >= MOST_FILES {
                return Step::End;
            }
            if entry.is_ignored {
                return Step::Pass;
            }
            if entry.kind == Kind::File
                && language::of(entry.path, "").is_some()
                && read_guard(entry.path) == Guard::Free
            {
                seen.insert(entry.path.to_owned());
                self.look_at(entry);
            }
            Step::Enter
        });
        // Only a walk that saw everything knows what has gone.
        if walked.is_ok_and(|left| left.over.is_none()) && looked <= MOST_ENTRIES {
            let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
            files.retain(|path, _| seen.contains(path));
        }
    }

    fn look_at(&self, entry: &Found<'_>) {
        let Ok(stat) = entry.folder.stat(entry.name) else { return };
        let stamp = (stat.size, stat.modified);
        let is_known = |known: &Known| known.stamp == stamp;
        if self.files.read().unwrap_or_else(PoisonError::into_inner).get(entry.path).is_some_and(is_known) {
            return;
        }
        let symbols =
            if stat.size > LONGEST_SOURCE { Vec::new() } else { symbols_of(entry.folder, entry.name, entry.path) };
        let known = Known { stamp, symbols: symbols.into() };
        self.files.write().unwrap_or_else(PoisonError::into_inner).insert(entry.path.to_owned(), known);
    }
}

fn symbols_of(folder: &Folder, name: &str, path: &str) -> Vec<NamedSymbol> {
    let Some(bytes) = folder.read(name, LONGEST_SOURCE) else { return Vec::new() };
    let Content::Text(text) = content::recognise(&bytes) else { return Vec::new() };
    let Some(language) = language::of(path, &text.text) else { return Vec::new() };
    // A source that can't be parsed in time has no names to offer.
    let Ok(outline) = parse::definitions(&text.text, language, &CancellationToken::new()) else { return Vec::new() };
    let listed = outline.symbols.into_iter().filter(|symbol| !symbol.is_hidden && !symbol.is_group);
    listed
        .take(MOST_OF_FILE)
        .map(|symbol| NamedSymbol {
            name: symbol.path.join("::"),
            kind: symbol.kind,
            path: path.to_owned(),
            line: u32::try_from(symbol.first_line).unwrap_or(u32::MAX),
        })
        .collect()
}

/// How well a name fits, 0 best; `None`: not at all. The last part of a name counts before its whole.
fn rank(name: &str, wanted: &str) -> Option<u32> {
    let name = name.to_lowercase();
    let own = name.rsplit("::").next().unwrap_or(&name);
    if own == wanted {
        Some(0)
    } else if own.starts_with(wanted) {
        Some(1)
    } else if own.contains(wanted) {
        Some(2)
    } else if name.contains(wanted) {
        Some(3)
    } else {
        None
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn found(index: &SymbolIndex, ground: &Fixture, typed: &str) -> Vec<String> {
        let found = index.complete(&ground.workspace, typed, 10).into_iter();
        found.map(|symbol| format!("{} {}:{} {}", symbol.kind, symbol.path, symbol.line, symbol.name)).collect()
    }

    fn ground() -> Fixture {
        let ground = Fixture::new();
        ground.write(
            "src/retry.rs",
            "/// Waits.\npub struct Retry;\nimpl Retry {\n    pub fn run(&self) {}\n}\nfn retried() {}\n",
        );
        ground.write("src/深/work.py", "class Worker:\n    def rerun(self):\n        pass\n");
        ground.write("target/debug/gen.rs", "fn run_generated() {}\n");
        ground.write(".gitignore", "/target\n");
        ground.write("notes.md", "run");
        ground
    }

    #[test]
    fn names_that_fit_come_with_their_places_and_the_best_first() {
        let (index, ground) = (SymbolIndex::default(), ground());
        let names = found(&index, &ground, "run");
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(
            names[0].ends_with("src/retry.rs:4 Retry::run") && names[1].ends_with("src/深/work.py:2 Worker::rerun")
        );
        assert_eq!(found(&index, &ground, "RETR").len(), 3, "a type, a function, and a method by its whole name");
        assert_eq!(found(&index, &ground, ""), [""; 0]);
        assert_eq!(found(&index, &ground, "src/retry"), [""; 0], "that is a path");
    }

    #[test]
    fn a_changed_file_is_parsed_again_and_one_that_is_gone_forgotten() {
        let (index, ground) = (SymbolIndex::default(), ground());
        assert_eq!(found(&index, &ground, "retried").len(), 1);
        ground.write("src/retry.rs", "fn another_name_now() {}\n");
        assert_eq!(found(&index, &ground, "retried").len(), 0);
        assert_eq!(found(&index, &ground, "another").len(), 1);
        std::fs::remove_file(ground.root.join("src/retry.rs")).unwrap();
        assert_eq!(found(&index, &ground, "another").len(), 0);
    }

    #[test]
    fn what_is_too_long_or_no_text_offers_nothing_and_whoever_comes_meanwhile_gets_what_is_known() {
        let (index, ground) = (SymbolIndex::default(), ground());
        ground.write("long.rs", format!("fn far_away() {{}}\n{}", "// x\n".repeat(60_000)));
        ground.write("binary.rs", b"fn in_binary() {}\0\x01\x02");
        assert_eq!(found(&index, &ground, "far_away").len() + found(&index, &ground, "in_binary").len(), 0);
        let held = index.looking.lock().unwrap();
        ground.write("src/new.rs", "fn brand_new() {}\n");
        assert_eq!(found(&index, &ground, "brand_new").len(), 0);
        assert_eq!(found(&index, &ground, "retried").len(), 1);
        drop(held);
        assert_eq!(found(&index, &ground, "brand_new").len(), 1);
    }
}
