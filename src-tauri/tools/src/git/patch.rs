//! Unified text of one changed path, from its two contents.
//! It decides neither which paths are shown nor where contents come from, and knows no diff driver.

use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, TextDiff};

use super::worktree::{MODE_LINK, MODE_SUBMODULE};
use crate::files::words::on_one_line;
use crate::search::text::{Readable, readable};

/// Longest content that is compared, in bytes a side.
pub(super) const LONGEST: u64 = 1024 * 1024;
/// Longest shown line, in characters.
const LINE: usize = 400;
/// Lines around a change.
const CONTEXT: usize = 3;
/// Longest time for one file; the result is then right, but not the smallest.
const TIME: Duration = Duration::from_millis(700);

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Side {
    /// There is nothing.
    Nothing,
    /// Text, a link's target included.
    Text { mode: u32, text: String },
    /// Content that isn't text.
    Binary { mode: u32 },
    /// Too long to be compared.
    Long { mode: u32 },
    /// The commit of a submodule.
    Submodule { commit: String },
}

impl Side {
    /// A side from its bytes; `None` when they are a private key.
    pub(super) fn of(bytes: Option<Vec<u8>>, mode: u32) -> Option<Self> {
        let Some(bytes) = bytes else { return Some(Side::Long { mode }) };
        match readable(&bytes) {
            Readable::Text(text) => Some(Side::Text { mode, text: text.into_owned() }),
            Readable::Binary => Some(Side::Binary { mode }),
            Readable::Secret => None,
        }
    }

    fn mode(&self) -> u32 {
        match self {
            Side::Nothing => 0,
            Side::Text { mode, .. } | Side::Binary { mode } | Side::Long { mode } => *mode,
            Side::Submodule { .. } => MODE_SUBMODULE,
        }
    }
}

/// The text of a change, and its lines.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) text: String,
    pub(super) added: u32,
    pub(super) removed: u32,
    pub(super) is_binary: bool,
}

/// Writes a change. `from` is the old path where it differs.
pub(super) fn write(path: &str, from: Option<&str>, old: &Side, new: &Side, until: Instant) -> Patch {
    let (path, from) = (&*on_one_line(path), from.map(on_one_line));
    let from = from.as_deref();
    let old_path = from.unwrap_or(path);
    let mut out = Patch { text: format!("diff --git a/{old_path} b/{path}\n"), ..Patch::default() };
    let (old_mode, new_mode) = (old.mode(), new.mode());
    match (old, new) {
        (Side::Nothing, _) => out.text.push_str(&format!("new file mode {new_mode:o}\n")),
        (_, Side::Nothing) => out.text.push_str(&format!("deleted file mode {old_mode:o}\n")),
        _ if old_mode != new_mode => out.text.push_str(&format!("old mode {old_mode:o}\nnew mode {new_mode:o}\n")),
        _ => {}
    }
    if let Some(from) = from {
        out.text.push_str(&format!("rename from {from}\nrename to {path}\n"));
    }
    if let (Side::Submodule { .. }, _) | (_, Side::Submodule { .. }) = (old, new) {
        out.text.push_str(&format!("submodule {} -> {}\n", submodule(old), submodule(new)));
        return out;
    }
    let text = |side: &'_ Side| match side {
        Side::Nothing => Some(String::new()),
        Side::Text { text, .. } => Some(text.clone()),
        Side::Binary { .. } | Side::Long { .. } | Side::Submodule { .. } => None,
    };
    let (Some(old_text), Some(new_text)) = (text(old), text(new)) else {
        let is_long = matches!(old, Side::Long { .. }) || matches!(new, Side::Long { .. });
        out.text.push_str(if is_long { "too long to be shown\n" } else { "binary content differs\n" });
        out.is_binary = true;
        return out;
    };
    if old_text == new_text {
        return out;
    }
    let name = |side: &Side, letter: char, path: &str| match side {
        Side::Nothing => "/dev/null".to_owned(),
        _ => format!("{letter}/{path}"),
    };
    out.text.push_str(&format!("--- {}\n+++ {}\n", name(old, 'a', old_path), name(new, 'b', path)));
    let until = until.min(Instant::now() + TIME);
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .deadline(until)
        .diff_lines(old_text.as_str(), new_text.as_str());
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        out.text.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Insert => '+',
                ChangeTag::Delete => '-',
            };
            out.added += u32::from(mark == '+');
            out.removed += u32::from(mark == '-');
            out.text.push(mark);
            push_line(&mut out.text, change.value());
            if change.missing_newline() {
                out.text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// A link's target as a side.
pub(super) fn link(target: Vec<u8>) -> Side {
    Side::Text { mode: MODE_LINK, text: String::from_utf8_lossy(&target).into_owned() }
}

fn submodule(side: &Side) -> &str {
    match side {
        Side::Submodule { commit } => commit,
        Side::Nothing => "nothing",
        Side::Text { .. } | Side::Binary { .. } | Side::Long { .. } => "a file",
    }
}

fn push_line(out: &mut String, line: &str) {
    let line = line.trim_end_matches('\n');
    match line.char_indices().nth(LINE) {
        Some((at, _)) => {
            let more = line[at..].chars().count();
            out.push_str(&format!("{}…[line clipped, {more} more characters]\n", &line[..at]));
        }
        None => {
            out.push_str(line);
            out.push('\n');
        }
    }
}
