//! New text, given with plain line feeds, brought to the line ends of the text that it replaces, line by line.
//! What line ends a text has as a whole is said by `content`; a lone carriage return among others is data.

use similar::DiffOp;

use super::compare::compare;
use crate::content::LineEnds;

/// Gives `new`, whose line ends are plain line feeds, the ends that `old` has: a line that stays keeps its own, a
/// changed line gets that of the line it replaces, an added line that of the line before it. Where `old` says nothing,
/// `otherwise` is used.
pub fn keep_line_ends(old: &str, new: &str, otherwise: &str) -> String {
    match LineEnds::of(old) {
        LineEnds::Lf => return new.to_owned(),
        LineEnds::CrLf => return new.replace('\n', "\r\n"),
        // `old` may be a piece of a text, where returns without feeds say nothing.
        LineEnds::None | LineEnds::Cr => return new.replace('\n', otherwise),
        LineEnds::Mixed => {}
    }
    let old_lines: Vec<(&str, &str)> = old.split_inclusive('\n').map(split_end).collect();
    let old_bodies: Vec<&str> = old_lines.iter().map(|(body, _)| *body).collect();
    let new_lines: Vec<(&str, &str)> = new.split_inclusive('\n').map(split_end).collect();
    let new_bodies: Vec<&str> = new_lines.iter().map(|(body, _)| *body).collect();
    let mut out = String::with_capacity(new.len() + new_lines.len());
    for operation in compare(&old_bodies, &new_bodies) {
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
