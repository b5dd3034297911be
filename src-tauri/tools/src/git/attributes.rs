//! `.gitattributes`: the few attributes that decide how a file's content compares with what is stored.
//! Filter drivers are recognised and never run.

use std::collections::HashMap;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::search::folder::Folder;
use crate::workspace::{Form, Place, Workspace};

/// Longest file of attributes that is read, in bytes (git's own limit is far above).
const LONGEST: u64 = 256 * 1024;
/// Most lines of one file: each is compiled.
const MOST_LINES: usize = 4_000;

/// What an attribute says of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    Set,
    Unset,
    Value(String),
}

/// The attributes of one path.
pub(super) type Attributes = HashMap<String, State>;

/// One line: which paths, and what it says of them; `None` takes a word back.
struct Line {
    pattern: Gitignore,
    says: Vec<(String, Option<State>)>,
}

/// The attribute files of a work tree, each read once.
pub(super) struct AttributeFiles<'a> {
    workspace: &'a Workspace,
    read: HashMap<String, Arc<Vec<Line>>>,
    macros: HashMap<String, Vec<(String, Option<State>)>>,
    /// `info/attributes` of the repository's own folder, which wins.
    own: Arc<Vec<Line>>,
}

impl<'a> AttributeFiles<'a> {
    /// Reads what holds for the whole repository, whose own folder is `git`.
    pub(super) fn new(workspace: &'a Workspace, git: &Folder) -> Self {
        let binary = ["diff", "merge", "text"].map(|name| (name.to_owned(), Some(State::Unset))).to_vec();
        let mut files = Self {
            workspace,
            read: HashMap::new(),
            macros: HashMap::from([("binary".to_owned(), binary)]),
            own: Arc::default(),
        };
        // The root's macros are known before any line is read that uses them.
        files.of_folder("");
        files.own = Arc::new(files.parse(git.folder("info").ok().as_ref(), "attributes", true));
        files
    }

    /// The attributes of a path: later lines and deeper files win.
    pub(super) fn of(&mut self, path: &str) -> Attributes {
        let mut out = Attributes::new();
        let mut folders = vec![""];
        folders.extend(path.match_indices('/').map(|(at, _)| &path[..at]));
        for folder in folders {
            let inner = if folder.is_empty() { path } else { &path[folder.len() + 1..] };
            apply(&self.of_folder(folder), inner, &mut out);
        }
        apply(&self.own, path, &mut out);
        out
    }

    fn of_folder(&mut self, folder: &str) -> Arc<Vec<Line>> {
        if let Some(lines) = self.read.get(folder) {
            return Arc::clone(lines);
        }
        let place = Place { asked: folder.to_owned(), path: folder.to_owned(), form: Form::Folder };
        let opened = Folder::open(self.workspace, &place).ok();
        let lines = Arc::new(self.parse(opened.as_ref(), ".gitattributes", folder.is_empty()));
        self.read.insert(folder.to_owned(), Arc::clone(&lines));
        lines
    }

    fn parse(&mut self, folder: Option<&Folder>, name: &str, may_define: bool) -> Vec<Line> {
        let Some(text) = folder.and_then(|folder| folder.read(name, LONGEST)) else { return Vec::new() };
        let text = String::from_utf8_lossy(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text)).into_owned();
        let mut out = Vec::new();
        for line in
            text.lines().take(MOST_LINES).map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let Some((pattern, rest)) = split_pattern(line) else {
                continue;
            };
            let says = self.expand(rest);
            if let Some(name) = pattern.strip_prefix("[attr]") {
                if may_define {
                    self.macros.insert(name.trim().to_owned(), says);
                }
                continue;
            }
            if pattern.starts_with('!') {
                continue;
            }
            let mut builder = GitignoreBuilder::new("");
            if builder.add_line(None, &pattern).is_err() {
                continue;
            }
            if let Ok(pattern) = builder.build() {
                out.push(Line { pattern, says });
            }
        }
        out
    }

    /// `text -diff eol=lf !filter`, macros spelled out.
    fn expand(&self, words: &str) -> Vec<(String, Option<State>)> {
        let mut out = Vec::new();
        for word in words.split_whitespace() {
            let (name, state) = match word.as_bytes().first() {
                Some(b'-') => (&word[1..], Some(State::Unset)),
                Some(b'!') => (&word[1..], None),
                _ => match word.split_once('=') {
                    Some((name, value)) => (name, Some(State::Value(value.to_owned()))),
                    None => (word, Some(State::Set)),
                },
            };
            if state == Some(State::Set)
                && let Some(means) = self.macros.get(name)
            {
                out.extend(means.iter().cloned());
            }
            out.push((name.to_owned(), state));
        }
        out
    }
}

fn apply(lines: &[Line], inner: &str, out: &mut Attributes) {
    for line in lines {
        if line.pattern.matched(inner, false).is_ignore() {
            for (name, state) in &line.says {
                match state {
                    Some(state) => out.insert(name.clone(), state.clone()),
                    None => out.remove(name),
                };
            }
        }
    }
}

/// The pattern, which may stand in quotes, and the rest of the line.
fn split_pattern(line: &str) -> Option<(String, &str)> {
    if !line.starts_with('"') {
        let (pattern, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if pattern == "[attr]" {
            return None;
        }
        return Some((pattern.to_owned(), rest));
    }
    let mut pattern = String::new();
    let mut characters = line.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => pattern.push(characters.next()?.1),
            '"' => return Some((pattern, &line[at + 1..])),
            other => pattern.push(other),
        }
    }
    None
}
