//! Ignore rules: `.gitignore` files, read beneath folder handles and stacked as git stacks them.
//! The machine's own ignore files outside of the workspace are not read.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::folder::Folder;

/// Longest ignore file that is read. Real ones have a few hundred lines.
const LONGEST: u64 = 256 * 1024;
/// Most lines of one ignore file: each is compiled.
const MOST_LINES: usize = 4_000;

/// The rules of one folder.
pub(crate) struct Rules {
    /// Path of the folder, relative to the workspace root.
    base: String,
    list: Gitignore,
}

impl Rules {
    /// Rules from the text of an ignore file that stands in `base`; `None` when there are none.
    pub(crate) fn parse(base: &str, text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
        let mut builder = GitignoreBuilder::new("");
        for line in text.lines().take(MOST_LINES) {
            // A line that can't be understood excludes nothing, as in git.
            let _ = builder.add_line(None, line);
        }
        let list = builder.build().ok().filter(|list| !list.is_empty())?;
        Some(Self { base: base.to_owned(), list })
    }

    /// The own list of a repository, by the folder that holds it.
    pub(crate) fn of_repository(git: &Folder) -> Option<Self> {
        Self::parse("", &git.folder("info").ok()?.read("exclude", 64 * 1024)?)
    }

    /// The rules in a folder's own `.gitignore`.
    pub(crate) fn of(folder: &Folder, base: &str) -> Option<Self> {
        Self::parse(base, &folder.read(".gitignore", LONGEST)?)
    }
}

/// The rules that hold at a place, outermost first.
#[derive(Default)]
pub(crate) struct Stack(Vec<Option<Rules>>);

impl Stack {
    /// Goes into a folder.
    pub(crate) fn push(&mut self, rules: Option<Rules>) {
        self.0.push(rules);
    }

    /// Leaves it.
    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }

    /// Whether an entry is ignored; the folders around it are taken as not ignored.
    pub(crate) fn ignores(&self, path: &str, is_folder: bool) -> bool {
        for rules in self.0.iter().rev().flatten() {
            let inner = match path.strip_prefix(rules.base.as_str()) {
                Some(inner) => inner.trim_start_matches('/'),
                None => continue,
            };
            match rules.list.matched(inner, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}
