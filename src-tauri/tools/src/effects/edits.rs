//! Exact replacements in a text: each must match once or say that all are meant; one that fails refuses them all.
//! Nothing is guessed, expanded or trimmed, and what stands outside of a match is copied as it is.

use std::fmt::Write as _;
use std::ops::Range;

use super::line_ends::keep_line_ends;
use super::nearest::{Nearest, nearest};
use crate::content::LineEnds;

/// Lines of a nearest place that are shown.
const SHOWN_LINES: usize = 20;
/// Characters of a shown line.
const SHOWN_CHARS: usize = 240;
/// Places that are named when there are several.
const NAMED_PLACES: usize = 10;

/// One replacement. `old` and `new` are taken literally, save that a line feed in `old` also fits CRLF and that `new`
/// then gets the line ends of the place it goes to. Either that has CRLF itself is taken literally throughout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What stands there now.
    pub old: String,
    /// What shall stand there.
    pub new: String,
    /// Whether every match is meant.
    pub all: bool,
}

/// Why a list of edits was refused. `edit` counts from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// `old` is empty.
    Empty { edit: usize },
    /// `old` and `new` are the same.
    Same { edit: usize },
    /// No match.
    Absent { edit: usize, nearest: Option<Nearest> },
    /// More than one match; the line of each, from 1.
    Several { edit: usize, lines: Vec<usize> },
}

impl Misfit {
    /// The refusal in words for the model; `of` is the number of edits.
    pub fn words(&self, path: &str, of: usize) -> String {
        match self {
            Self::Empty { edit } => {
                format!("`edits[{}].old` is empty: give the exact text to replace", edit - 1)
            }
            Self::Same { edit } => format!("`edits[{}]`: `old` and `new` are the same", edit - 1),
            Self::Absent { edit, nearest } => {
                let mut words = format!("Nothing was changed: edit {edit} of {of} was not found in {path}");
                match nearest {
                    Some(nearest) => place(nearest, &mut words),
                    None => words.push_str(", nor anything like it. Read the file and give its exact text."),
                }
                words
            }
            Self::Several { edit, lines } => {
                let named: Vec<String> = lines.iter().take(NAMED_PLACES).map(usize::to_string).collect();
                let more = if lines.len() > NAMED_PLACES { ", …" } else { "" };
                format!(
                    "Nothing was changed: edit {edit} of {of} matches {} places in {path} (lines {}{more}). Add \
                     surrounding lines to `old`, or say `all: true`.",
                    lines.len(),
                    named.join(", "),
                )
            }
        }
    }
}

fn place(nearest: &Nearest, words: &mut String) {
    let last = nearest.first + nearest.lines.len().saturating_sub(1);
    let how = if nearest.only_white_space { "; only white space differs" } else { "" };
    let _ = write!(words, ". The nearest place, lines {}-{last}{how}:", nearest.first);
    for (offset, line) in nearest.lines.iter().take(SHOWN_LINES).enumerate() {
        let clipped: String = line.chars().take(SHOWN_CHARS).collect();
        let mark = if clipped.len() < line.len() { "…" } else { "" };
        let _ = write!(words, "\n{}\t{clipped}{mark}", nearest.first + offset);
    }
    if nearest.lines.len() > SHOWN_LINES {
        let _ = write!(words, "\n… {} more lines", nearest.lines.len() - SHOWN_LINES);
    }
}

/// Applies the edits in order, each to what the one before it left. In a text whose lines end in a carriage return
/// alone, that is what a line feed means.
pub fn apply_edits(text: &str, edits: &[Edit]) -> Result<String, Misfit> {
    let ends = LineEnds::of(text);
    let mut text = text.to_owned();
    for (index, edit) in edits.iter().enumerate() {
        text = if ends == LineEnds::Cr {
            let [old, new] = [&edit.old, &edit.new].map(|text| ends.apply(text).into_owned());
            apply_one(&text, &Edit { old, new, all: edit.all }, index + 1)?
        } else {
            apply_one(&text, edit, index + 1)?
        };
    }
    Ok(text)
}

fn apply_one(text: &str, edit: &Edit, number: usize) -> Result<String, Misfit> {
    if edit.old.is_empty() {
        return Err(Misfit::Empty { edit: number });
    }
    if edit.old == edit.new {
        return Err(Misfit::Same { edit: number });
    }
    let wanted = Wanted::new(&edit.old);
    let matches = wanted.all_in(text, edit.all);
    if matches.is_empty() {
        return Err(Misfit::Absent { edit: number, nearest: nearest(text, &edit.old) });
    }
    if matches.len() > 1 && !edit.all {
        return Err(Misfit::Several { edit: number, lines: lines_of(text, &matches) });
    }
    let mut out = String::with_capacity(text.len() + edit.new.len());
    let mut done = 0;
    for range in matches {
        out.push_str(&text[done..range.start]);
        out.push_str(&replacement(text, &range, edit));
        done = range.end;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

/// The new text with the line ends of the place it goes to.
fn replacement(text: &str, range: &Range<usize>, edit: &Edit) -> String {
    if edit.old.contains("\r\n") || edit.new.contains("\r\n") || !edit.new.contains('\n') {
        return edit.new.clone();
    }
    keep_line_ends(&text[range.clone()], &edit.new, end_near(text, range))
}

/// The line end that follows a place, else the one before it, else a line feed.
fn end_near(text: &str, range: &Range<usize>) -> &'static str {
    let after = text[range.end..].find('\n').map(|at| range.end + at);
    let Some(at) = after.or_else(|| text[..range.start].rfind('\n')) else { return "\n" };
    if text[..at].ends_with('\r') { "\r\n" } else { "\n" }
}

fn lines_of(text: &str, matches: &[Range<usize>]) -> Vec<usize> {
    let mut line = 1;
    let mut counted = 0;
    let mut lines = Vec::with_capacity(matches.len());
    for range in matches {
        line += text[counted..range.start].matches('\n').count();
        counted = range.start;
        lines.push(line);
    }
    lines
}

/// A text to look for, cut at its line feeds; in one piece when it is to be taken literally.
struct Wanted<'a> {
    first: &'a str,
    rest: Vec<&'a str>,
}

impl<'a> Wanted<'a> {
    fn new(old: &'a str) -> Self {
        if old.contains("\r\n") {
            return Self { first: old, rest: Vec::new() };
        }
        let mut pieces = old.split('\n');
        Self { first: pieces.next().unwrap_or_default(), rest: pieces.collect() }
    }

    /// Every match. Matches that overlap are all counted when one is meant, because they are a doubt as well.
    fn all_in(&self, text: &str, apart: bool) -> Vec<Range<usize>> {
        let mut matches = Vec::new();
        let mut from = 0;
        while let Some(range) = self.find(text, from) {
            from = if apart { range.end } else { next_char(text, range.start) };
            matches.push(range);
        }
        matches
    }

    fn find(&self, text: &str, mut from: usize) -> Option<Range<usize>> {
        while from <= text.len() {
            let start = self.candidate(text, from)?;
            if let Some(end) = self.end_of_match(text, start) {
                return Some(start..end);
            }
            from = next_char(text, start);
        }
        None
    }

    /// Where a match might start: at the first piece, or at a line end when the text begins with one.
    fn candidate(&self, text: &str, from: usize) -> Option<usize> {
        if !self.first.is_empty() {
            return text[from..].find(self.first).map(|at| from + at);
        }
        let mut from = from;
        loop {
            let feed = from + text[from..].find('\n')?;
            if !text[..feed].ends_with('\r') {
                return Some(feed);
            }
            if feed > from {
                return Some(feed - 1);
            }
            from = feed + 1;
        }
    }

    fn end_of_match(&self, text: &str, start: usize) -> Option<usize> {
        let mut at = start + self.first.len();
        for piece in &self.rest {
            let rest = &text[at..];
            let after = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
            let after = after.strip_prefix(piece)?;
            at = text.len() - after.len();
        }
        Some(at)
    }
}

fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests;
