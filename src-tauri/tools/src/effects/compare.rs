//! Which lines of two texts are the same, in bounded work and always with the same answer.
//! It has no deadline: a clock would make two cards of one change differ. What is too much to compare counts as
//! replaced, which is coarse but never wrong.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines, of both sides together, that are compared in one piece.
const PIECE_LINES: usize = 20_000;
/// Lines that are compared in all pieces together.
const ALL_LINES: usize = 100_000;

/// Compares two texts by lines. What one piece can't hold is cut at lines that stand once on each side.
pub fn compare(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut comparison = Comparison { old, new, operations: Vec::new(), left: ALL_LINES };
    comparison.between(0..old.len(), 0..new.len(), |comparison, old, new| {
        if comparison.fits(&old, &new) {
            return comparison.piece(old, new);
        }
        let (mut old_at, mut new_at) = (old.start, new.start);
        for (old_line, new_line) in comparison.landmarks(old.clone(), new.clone()) {
            comparison.gap(old_at..old_line, new_at..new_line);
            comparison.same(old_line, new_line, 1);
            (old_at, new_at) = (old_line + 1, new_line + 1);
        }
        comparison.gap(old_at..old.end, new_at..new.end);
    });
    comparison.operations
}

struct Comparison<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    operations: Vec<DiffOp>,
    /// Lines that may still be compared.
    left: usize,
}

impl Comparison<'_> {
    /// Notes what both sides begin and end with, and gives what lies between to `middle`.
    fn between(
        &mut self,
        old: Range<usize>,
        new: Range<usize>,
        middle: impl FnOnce(&mut Self, Range<usize>, Range<usize>),
    ) {
        let (old_lines, new_lines) = (&self.old[old.clone()], &self.new[new.clone()]);
        let shorter = old_lines.len().min(new_lines.len());
        let start = old_lines.iter().zip(new_lines).take_while(|(a, b)| a == b).count();
        let ends = old_lines.iter().rev().zip(new_lines.iter().rev());
        let end = ends.take(shorter - start).take_while(|(a, b)| a == b).count();
        self.same(old.start, new.start, start);
        middle(self, old.start + start..old.end - end, new.start + start..new.end - end);
        self.same(old.end - end, new.end - end, end);
    }

    /// A part between two landmarks.
    fn gap(&mut self, old: Range<usize>, new: Range<usize>) {
        self.between(old, new, |comparison, old, new| {
            if comparison.fits(&old, &new) {
                comparison.piece(old, new);
            } else {
                comparison.replaced(old, new);
            }
        });
    }

    fn fits(&self, old: &Range<usize>, new: &Range<usize>) -> bool {
        old.len() + new.len() <= PIECE_LINES.min(self.left)
    }

    fn piece(&mut self, old: Range<usize>, new: Range<usize>) {
        if old.is_empty() || new.is_empty() {
            return self.replaced(old, new);
        }
        self.left -= old.len() + new.len();
        let piece = capture_diff_slices(Algorithm::Myers, &self.old[old.clone()], &self.new[new.clone()]);
        for operation in piece {
            let (old_range, new_range) = (operation.old_range(), operation.new_range());
            let (old_at, new_at) = (old.start + old_range.start, new.start + new_range.start);
            if matches!(operation, DiffOp::Equal { .. }) {
                self.same(old_at, new_at, old_range.len());
            } else {
                self.replaced(old_at..old_at + old_range.len(), new_at..new_at + new_range.len());
            }
        }
    }

    /// Notes equal lines; those that follow equal lines join them.
    fn same(&mut self, old_index: usize, new_index: usize, len: usize) {
        if len == 0 {
            return;
        }
        match self.operations.last_mut() {
            Some(DiffOp::Equal { len: before, .. }) => *before += len,
            _ => self.operations.push(DiffOp::Equal { old_index, new_index, len }),
        }
    }

    fn replaced(&mut self, old: Range<usize>, new: Range<usize>) {
        let (old_index, old_len, new_index, new_len) = (old.start, old.len(), new.start, new.len());
        match (old_len, new_len) {
            (0, 0) => {}
            (0, _) => self.operations.push(DiffOp::Insert { old_index, new_index, new_len }),
            (_, 0) => self.operations.push(DiffOp::Delete { old_index, old_len, new_index }),
            _ => self.operations.push(DiffOp::Replace { old_index, old_len, new_index, new_len }),
        }
    }

    /// Lines that stand exactly once on each side, as many as come in the same order on both.
    fn landmarks(&self, old: Range<usize>, new: Range<usize>) -> Vec<(usize, usize)> {
        let mut places: HashMap<&str, (Once, Once)> = HashMap::new();
        for at in old.clone() {
            places.entry(self.old[at]).or_default().0.see(at);
        }
        for at in new {
            places.entry(self.new[at]).or_default().1.see(at);
        }
        let pairs = old.filter_map(|at| match places.get(self.old[at]) {
            Some((Once::At(old), Once::At(new))) => Some((*old, *new)),
            _ => None,
        });
        rising(&pairs.collect::<Vec<_>>())
    }
}

/// Whether and where a line stands.
#[derive(Default)]
enum Once {
    #[default]
    Never,
    At(usize),
    Often,
}

impl Once {
    fn see(&mut self, at: usize) {
        *self = match self {
            Self::Never => Self::At(at),
            Self::At(_) | Self::Often => Self::Often,
        };
    }
}

/// The longest part of `pairs`, whose first halves rise, in which the second halves rise as well (patience sorting).
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, new)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|top| pairs[*top].1 < *new);
        before.push(pile.checked_sub(1).map(|left| piles[left]));
        if pile == piles.len() {
            piles.push(index);
        } else {
            piles[pile] = index;
        }
    }
    let mut chain: Vec<(usize, usize)> = Vec::with_capacity(piles.len());
    let mut next = piles.last().copied();
    while let Some(index) = next {
        chain.push(pairs[index]);
        next = before[index];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests;
