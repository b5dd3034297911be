//! Puts patches and the words for what was left out into text, below what a model gets whole.
//! It reads nothing.

use super::changes::Differences;
use super::patch::Patch;
use crate::search::budget::Over;
use crate::search::words::some_of;

/// Gathers patches: as many as fit are shown, of the others their names and counts.
#[derive(Default)]
pub(super) struct Patches {
    text: String,
    unshown: Vec<String>,
    pub(super) files: u32,
    pub(super) added: u32,
    pub(super) removed: u32,
    is_full: bool,
}

impl Patches {
    /// Takes a patch; `room` is how long the text may become, in bytes.
    pub(super) fn take(&mut self, path: &str, patch: &Patch, room: usize) {
        self.files += 1;
        self.added += patch.added;
        self.removed += patch.removed;
        let left = room.saturating_sub(self.text.len());
        if !self.is_full && patch.text.len() <= left {
            self.text.push_str(&patch.text);
            return;
        }
        let counts = if patch.is_binary { "binary".to_owned() } else { format!("+{} -{}", patch.added, patch.removed) };
        if !self.is_full && self.text.len() < room / 2 {
            // One long patch: its beginning, to the last whole line that fits.
            let mut end = left.min(patch.text.len());
            while !patch.text.is_char_boundary(end) {
                end -= 1;
            }
            let end = patch.text[..end].rfind('\n').map_or(0, |end| end + 1);
            self.text.push_str(&patch.text[..end]);
            self.text.push_str(&format!(
                "[the rest of {path} is not shown: {counts} in all; name it as `path`, or read_file]\n"
            ));
        } else {
            self.unshown.push(format!("{path} ({counts})"));
        }
        self.is_full = true;
    }

    /// The text, with the names of what isn't shown.
    pub(super) fn finish(self) -> (String, bool) {
        let mut text = self.text;
        let is_more = self.is_full;
        if !self.unshown.is_empty() {
            let mut list = String::new();
            for (index, name) in self.unshown.iter().enumerate() {
                if list.len() > 700 {
                    list.push_str(&format!(" and {} more", self.unshown.len() - index));
                    break;
                }
                list.push_str(if index == 0 { "" } else { ", " });
                list.push_str(name);
            }
            text.push_str(&format!("[not shown: {list}; name one as `path`]\n"));
        }
        (text, is_more)
    }
}

/// Words for what a comparison left out.
pub(super) fn notes(differences: &Differences, seconds: u64, text: &mut String) {
    let mut note = |words: String| text.push_str(&format!("[{words}]\n"));
    if !differences.secret.is_empty() {
        note(format!("left out, may hold secrets: {}", some_of(&differences.secret)));
    }
    if !differences.filtered.is_empty() {
        note(format!(
            "filtered, state unknown (a filter driver is named for them, and not run): {}",
            some_of(&differences.filtered)
        ));
    }
    if !differences.conflicts.is_empty() {
        note(format!("in conflict: {}", some_of(&differences.conflicts)));
    }
    if differences.is_cut {
        note("too many changes: not all were looked at; name a `path`".to_owned());
    }
    over(differences.over, seconds, text);
}

/// Words for an early end.
pub(super) fn over(over: Option<Over>, seconds: u64, text: &mut String) {
    match over {
        Some(Over::Time) => text.push_str(&format!("[ended after {seconds} s: not everything was looked at]\n")),
        Some(Over::Stopped) => text.push_str("[stopped: not everything was looked at]\n"),
        None => {}
    }
}
