//! One line as it is shown: cut around what matched, at character boundaries, and marked where it was cut.
//! Whether there are more matches is another matter and never said here.

use std::ops::Range;

/// Longest shown part of a line, in characters.
const SHOWN: usize = 240;
/// Characters kept before the match when a line is cut at its beginning.
const BEFORE: usize = 60;

/// The line, or the part of it around `hit` (bytes), with what is missing said in characters.
pub(super) fn shown(line: &str, hit: Option<Range<usize>>) -> String {
    let line = line.trim_end_matches(['\n', '\r']);
    // Most lines are short: a byte is never more than a character.
    if line.len() <= SHOWN {
        return line.to_owned();
    }
    let characters = line.chars().count();
    if characters <= SHOWN {
        return line.to_owned();
    }
    let hit_start = boundary(line, hit.map_or(0, |hit| hit.start));
    let before_hit = line[..hit_start].chars().count();
    let first = if before_hit + BEFORE <= SHOWN { 0 } else { (before_hit - BEFORE).min(characters - SHOWN) };
    let part: String = line.chars().skip(first).take(SHOWN).collect();
    let after = characters - first - SHOWN;
    match (first, after) {
        (0, after) => format!("{part}…[line clipped, {after} more characters]"),
        (before, 0) => format!("[{before} characters]…{part}"),
        (before, after) => {
            format!("[{before} characters]…{part}…[line clipped, {after} more characters]")
        }
    }
}

fn boundary(line: &str, at: usize) -> usize {
    (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0)
}
