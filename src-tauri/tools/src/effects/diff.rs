//! The changed places of a text with three lines of context, as a card shows them.
//! It reads no files, and its answer depends on the two texts alone: no clock, no deadline, so a card redrawn after a
//! restart has the same digest.

use assent_protocol::preview::{DiffLine, Hunk, Mark};
use similar::{ChangeTag, DiffOp, group_diff_ops};

use super::compare::compare;

/// Lines of context on each side of a change.
pub const CONTEXT: usize = 3;

/// What differs between two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Changed places, in order; neighbours closer than twice the context are one.
    pub hunks: Vec<Hunk>,
    /// Lines of the old text.
    pub old_lines: u32,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
}

impl Difference {
    /// The lines in words: `+1 line`, `+3 -1 lines`, `-2 lines`.
    pub fn in_words(&self) -> String {
        let counts = [('+', self.added), ('-', self.removed)].into_iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts.map(|(sign, count)| format!("{sign}{count}")).collect();
        let noun = if self.added + self.removed == 1 { "line" } else { "lines" };
        if counts.is_empty() { "no line".to_owned() } else { format!("{} {noun}", counts.join(" ")) }
    }
}

/// Compares two texts by lines. A line whose end alone changed counts as changed; the ends themselves aren't part of
/// the hunks.
pub fn difference(old: &str, new: &str) -> Difference {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut difference = Difference { old_lines: count(old_lines.len()), ..Difference::default() };
    for group in group_diff_ops(compare(&old_lines, &new_lines), CONTEXT) {
        let hunk = hunk(&group, &old_lines, &new_lines);
        difference.added += marked(&hunk, Mark::Added);
        difference.removed += marked(&hunk, Mark::Removed);
        difference.hunks.push(hunk);
    }
    difference
}

/// Lines of a text: the last one counts even without a line end.
pub fn line_count(text: &str) -> u32 {
    count(text.split_inclusive('\n').count())
}

fn hunk(group: &[DiffOp], old_lines: &[&str], new_lines: &[&str]) -> Hunk {
    let lines = group
        .iter()
        .flat_map(|operation| operation.iter_changes(old_lines, new_lines))
        .map(|change| {
            let mark = match change.tag() {
                ChangeTag::Equal => Mark::Context,
                ChangeTag::Insert => Mark::Added,
                ChangeTag::Delete => Mark::Removed,
            };
            DiffLine { mark, text: without_end(change.value()).to_owned() }
        })
        .collect();
    Hunk {
        old_start: group.iter().map(DiffOp::old_range).find(|range| !range.is_empty()).map_or(0, first),
        new_start: group.iter().map(DiffOp::new_range).find(|range| !range.is_empty()).map_or(0, first),
        lines,
    }
}

fn without_end(line: &str) -> &str {
    line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line)
}

fn marked(hunk: &Hunk, mark: Mark) -> u32 {
    count(hunk.lines.iter().filter(|line| line.mark == mark).count())
}

fn first(range: std::ops::Range<usize>) -> u32 {
    count(range.start + 1)
}

fn count(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
