//! Line ends of a text, and new text given with plain line feeds brought to them.
//! A lone carriage return is data here, never a line end.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Which line ends a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// No line end at all.
    None,
    /// Only line feeds.
    Lf,
    /// Only carriage return and line feed.
    CrLf,
    /// Both.
    Mixed,
}

impl LineEnds {
    /// The line ends of `text`.
    pub fn of(text: &str) -> Self {
        let all = text.matches('\n').count();
        let with_return = text.matches("\r\n").count();
        match (all, with_return) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            _ if all == with_return => Self::CrLf,
            _ => Self::Mixed,
        }
    }

    /// Words for a card.
    pub fn words(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "LF",
            Self::CrLf => "CRLF",
            Self::Mixed => "mixed",
        }
    }
}

/// Gives `new`, whose line ends are plain line feeds, the ends that `old` has: a line that stays keeps its own, a
/// changed line gets that of the line it replaces, an added line that of the line before it. Where `old` says nothing,
/// `otherwise` is used.
pub fn keep_line_ends(old: &str, new: &str, otherwise: &str) -> String {
    match (LineEnds::of(old), otherwise) {
        (LineEnds::Lf, _) | (LineEnds::None, "\n") => return new.to_owned(),
        (LineEnds::CrLf, _) => return new.replace('\n', "\r\n"),
        (LineEnds::None, _) => return new.replace('\n', otherwise),
        (LineEnds::Mixed, _) => {}
    }
    let old_lines: Vec<(&str, &str)> = old.split_inclusive('\n').map(split_end).collect();
    let old_bodies: Vec<&str> = old_lines.iter().map(|(body, _)| *body).collect();
    let new_lines: Vec<(&str, &str)> = new.split_inclusive('\n').map(split_end).collect();
    let new_bodies: Vec<&str> = new_lines.iter().map(|(body, _)| *body).collect();
    let mut out = String::with_capacity(new.len() + new_lines.len());
    for operation in capture_diff_slices(Algorithm::Myers, &old_bodies, &new_bodies) {
        for (offset, at) in operation.new_range().enumerate() {
            let (body, end) = new_lines[at];
            out.push_str(body);
            if !end.is_empty() {
                out.push_str(end_for(&operation, offset, &old_lines).unwrap_or(otherwise));
            }
        }
    }
    out
}

/// The end of the last line that has one; a line feed where there is none.
pub fn last_line_end(text: &str) -> &'static str {
    match text.rfind('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The end of the old line that stands in for the new line at `offset` of an operation.
fn end_for<'a>(operation: &DiffOp, offset: usize, old_lines: &[(&'a str, &'a str)]) -> Option<&'a str> {
    let range = operation.old_range();
    let own = (range.start + offset < range.end).then(|| range.start + offset);
    let before = range.end.checked_sub(1);
    [own, before, Some(range.end)]
        .into_iter()
        .flatten()
        .filter_map(|line| old_lines.get(line))
        .map(|(_, end)| *end)
        .find(|end| !end.is_empty())
}

/// A line and its end, which may be empty.
fn split_end(line: &str) -> (&str, &str) {
    let body = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
    (body, &line[body.len()..])
}

#[cfg(test)]
mod tests;
