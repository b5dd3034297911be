//! Puts the matches of a search into text: grouped by file, `line: text`, with what is not shown said at the end.
//! It stays below what a model gets whole, so that nothing is cut out of its middle later.

use super::contents::{FileHits, Line, MOST_MATCHES, Searched};
use super::grep::{LeftOut, SECONDS};
use super::words;
use crate::files::words::{counted, on_one_line};

/// Longest list of lines, in bytes: with the notes it stays below 8,192.
const SHOWN_BYTES: usize = 6_600;
/// Longest list of files whose matches aren't shown, in bytes.
const UNSHOWN_BYTES: usize = 700;

/// The text, and whether there is more than it shows.
pub(super) struct Report {
    pub(super) text: String,
    pub(super) is_more: bool,
}

/// Writes the report.
pub(super) fn write(searched: &Searched, left: &LeftOut) -> Report {
    let mut text = String::new();
    let mut unshown: Vec<(&str, usize)> = Vec::new();
    for file in &searched.files {
        let shown = if unshown.is_empty() { write_file(file, &mut text) } else { 0 };
        if shown < file.matches {
            unshown.push((&file.path, file.matches - shown));
        }
    }
    let mut notes = Vec::new();
    notes.extend(unshown_note(&unshown));
    if searched.is_cut {
        notes.push(format!(
            "the search ended at {MOST_MATCHES} matches, there are more; narrow the pattern, `path` or `glob`"
        ));
    }
    let cut: Vec<String> = searched.files.iter().filter(|file| file.is_cut).map(|file| file.path.clone()).collect();
    if !cut.is_empty() {
        notes.push(format!("more matches than were counted in {}", words::some_of(&cut)));
    }
    if searched.matches == 0 && searched.over.is_none() && left.walk.over.is_none() {
        notes.push(match searched.binary {
            0 => "no match".to_owned(),
            1 => "no match; 1 binary file was not searched".to_owned(),
            binary => format!("no match; {binary} binary files were not searched"),
        });
    }
    let secret: Vec<String> = left.secret.iter().chain(&searched.secret).cloned().collect();
    named(&mut notes, "left out, may hold secrets", &secret);
    named(&mut notes, "left out, not a regular file", &left.irregular);
    named(&mut notes, "left out, too long", &searched.too_long);
    named(&mut notes, "left out, could not be read", &searched.unreadable);
    if left.too_many {
        notes.push("too many files: not all were searched; narrow `path` or `glob`".to_owned());
    }
    let mut walk = left.walk.clone();
    walk.over = walk.over.or(searched.over);
    words::notes(&walk, SECONDS, &mut notes);
    for note in notes {
        text.push_str(&format!("[{note}]\n"));
    }
    let is_more = !unshown.is_empty() || searched.is_cut || !cut.is_empty() || left.too_many || walk.over.is_some();
    Report { text, is_more }
}

/// Writes what fits of a file's lines; says how many matches are among them.
fn write_file(file: &FileHits, text: &mut String) -> usize {
    let start = text.len();
    text.push_str(&on_one_line(&file.path));
    text.push('\n');
    let mut shown = 0;
    for line in &file.lines {
        let written = line_text(line);
        if text.len() + written.len() > SHOWN_BYTES {
            break;
        }
        text.push_str(&written);
        shown += usize::from(line.is_match);
    }
    if shown == 0 {
        text.truncate(start);
    } else {
        text.push('\n');
    }
    shown
}

fn line_text(line: &Line) -> String {
    let gap = if line.after_gap { "--\n" } else { "" };
    let mark = if line.is_match { ':' } else { '-' };
    format!("{gap}{}{mark} {}\n", line.number, line.text)
}

fn unshown_note(unshown: &[(&str, usize)]) -> Option<String> {
    if unshown.is_empty() {
        return None;
    }
    let matches: usize = unshown.iter().map(|(_, matches)| matches).sum();
    let mut list = String::new();
    for (index, (path, matches)) in unshown.iter().enumerate() {
        if list.len() > UNSHOWN_BYTES {
            list.push_str(&format!(" and {}", counted((unshown.len() - index) as u64, "more file")));
            break;
        }
        list.push_str(&format!("{}{} ({matches})", if index == 0 { "" } else { ", " }, on_one_line(path)));
    }
    let noun = if matches == 1 { "match" } else { "matches" };
    Some(format!("{matches} more {noun} not shown: {list}; narrow the pattern, `path` or `glob`"))
}

fn named(notes: &mut Vec<String>, words: &str, names: &[String]) {
    if !names.is_empty() {
        notes.push(format!("{words}: {}", words::some_of(names)));
    }
}
