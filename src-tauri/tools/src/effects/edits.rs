//! Exact replacements in a text: each must match once or say that all are meant; one that fails refuses them all.
//! Nothing is guessed, expanded or trimmed, and what stands outside of a match is copied as it is.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::line_ends::keep_line_ends;
use super::nearest::{Nearest, nearest};
use crate::content::LineEnds;
use crate::files::words::counted;

/// Lines of a nearest place that are shown.
const SHOWN_LINES: usize = 20;
/// Characters of a shown line.
const SHOWN_CHARS: usize = 240;
/// Places that are named when there are several.
const NAMED_PLACES: usize = 10;
/// Places that are counted when there are several.
const COUNTED_PLACES: usize = 100;

/// One replacement. `old` and `new` are taken literally, save that a line feed in `old` also fits CRLF and that `new`
/// then gets the line ends of the place it goes to. Either that has CRLF itself is taken literally throughout, but for a
/// text that has no CRLF at all: there `old` can only mean its lines, and both are taken with plain line feeds.
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
    /// More than one match; the line of each, from 1, up to [`COUNTED_PLACES`].
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
                let least = if lines.len() == COUNTED_PLACES { "at least " } else { "" };
                format!(
                    "Nothing was changed: edit {edit} of {of} matches {least}{} places in {path} (lines {}{more}). Add \
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
        let _ = write!(words, "\n… {}", counted((nearest.lines.len() - SHOWN_LINES) as u64, "more line"));
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
        } else if edit.old.contains("\r\n") && !text.contains("\r\n") {
            let [old, new] = [&edit.old, &edit.new].map(|text| text.replace("\r\n", "\n"));
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
    let searched = Searched::new(text, &edit.old);
    let matches = searched.matches(&edit.old, edit.all);
    if matches.is_empty() {
        return Err(Misfit::Absent { edit: number, nearest: nearest(text, &edit.old) });
    }
    if matches.len() > 1 && !edit.all {
        return Err(Misfit::Several { edit: number, lines: lines_of(text, &matches) });
    }
    let takes_ends = edit.new.contains('\n') && !edit.new.contains("\r\n") && !edit.old.contains("\r\n");
    let feeds: Vec<usize> = if takes_ends { text.match_indices('\n').map(|(at, _)| at).collect() } else { Vec::new() };
    let mut out = String::with_capacity(text.len() + edit.new.len());
    let mut done = 0;
    for range in matches {
        out.push_str(&text[done..range.start]);
        if takes_ends {
            out.push_str(&keep_line_ends(&text[range.clone()], &edit.new, end_near(text, &feeds, &range)));
        } else {
            out.push_str(&edit.new);
        }
        done = range.end;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

/// The line end that follows a place, else the one before it, else a line feed.
fn end_near(text: &str, feeds: &[usize], range: &Range<usize>) -> &'static str {
    let next = feeds.partition_point(|feed| *feed < range.end);
    match feeds.get(next).or_else(|| feeds[..next].last()) {
        Some(feed) if text[..*feed].ends_with('\r') => "\r\n",
        _ => "\n",
    }
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

/// A text as it is searched: with plain line feeds, unless what is looked for has CRLF itself.
struct Searched<'a> {
    text: Cow<'a, str>,
    /// Where, in `text`, stand the line feeds that had a return before them.
    had_return: Vec<usize>,
}

impl<'a> Searched<'a> {
    fn new(text: &'a str, old: &str) -> Self {
        if old.contains("\r\n") || !text.contains("\r\n") {
            return Self { text: Cow::Borrowed(text), had_return: Vec::new() };
        }
        let mut plain = String::with_capacity(text.len());
        let mut had_return = Vec::new();
        let mut pieces = text.split("\r\n");
        plain.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            had_return.push(plain.len());
            plain.push('\n');
            plain.push_str(piece);
        }
        Self { text: Cow::Owned(plain), had_return }
    }

    /// The matches, as places of the text as it was given. Where one is meant, matches that overlap are all counted,
    /// because they are a doubt as well, but no more than [`COUNTED_PLACES`].
    fn matches(&self, old: &str, is_every: bool) -> Vec<Range<usize>> {
        let mut matches = Vec::new();
        let mut from = 0;
        while let Some(start) = self.text[from..].find(old).map(|at| from + at) {
            let end = start + old.len();
            matches.push(self.given(start)..self.given(end));
            if !is_every && matches.len() == COUNTED_PLACES {
                break;
            }
            from = if is_every { end } else { start + self.text[start..].chars().next().map_or(1, char::len_utf8) };
        }
        matches
    }

    fn given(&self, at: usize) -> usize {
        at + self.had_return.partition_point(|feed| *feed < at)
    }
}

#[cfg(test)]
mod tests;
