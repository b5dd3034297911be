//! The place of a text that looks most like what a patch asked for, so that the model can mend its patch.
//! It only points: nothing is ever replaced on the strength of a resemblance.

/// Lines of the wanted text that are compared; the rest adds nothing to finding the place.
const COMPARED_LINES: usize = 40;
/// Bytes of a line that are compared.
const COMPARED_BYTES: usize = 400;
/// Comparisons of lines in one search, so that a huge file costs no more than a large one.
const COMPARISONS: usize = 1_000_000;
/// Below this share of likeness nothing is shown.
const LEAST: f64 = 0.5;

/// A place that resembles a wanted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line, from 1.
    pub first: usize,
    /// Its lines, without line ends.
    pub lines: Vec<String>,
    /// Whether it differs in white space alone.
    pub only_white_space: bool,
}

/// Looks for the place of `text` most like `wanted`; the first of several equals. `None` when nothing is alike.
pub fn nearest(text: &str, wanted: &str) -> Option<Nearest> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted_lines: Vec<&str> = wanted.trim_matches(['\r', '\n']).lines().collect();
    let compared = &wanted_lines[..wanted_lines.len().min(COMPARED_LINES)];
    if compared.is_empty() || lines.is_empty() {
        return None;
    }
    let starts = lines.len().saturating_sub(compared.len()) + 1;
    let affordable = (COMPARISONS / compared.len()).max(1);
    let mut best: Option<(f64, usize)> = None;
    for start in 0..starts.min(affordable) {
        let sum: f64 = compared.iter().zip(&lines[start..]).map(|(wanted, line)| likeness(wanted, line)).sum();
        let share = sum / compared.len() as f64;
        if best.is_none_or(|(highest, _)| share > highest) {
            best = Some((share, start));
        }
    }
    let (_, start) = best.filter(|(share, _)| *share >= LEAST)?;
    let end = lines.len().min(start + wanted_lines.len());
    let place = &lines[start..end];
    let only_white_space = place.len() == wanted_lines.len()
        && place.iter().zip(&wanted_lines).all(|(line, wanted)| squeezed(line) == squeezed(wanted));
    Some(Nearest { first: start + 1, lines: place.iter().map(|line| (*line).to_owned()).collect(), only_white_space })
}

/// From 0 to 1: how much two lines share at their starts and ends, white space around them aside.
fn likeness(one: &str, other: &str) -> f64 {
    let (one, other) = (one.trim(), other.trim());
    if one == other {
        return 1.0;
    }
    let (one, other) = (clipped(one), clipped(other));
    let shorter = one.len().min(other.len());
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let end = one.iter().rev().zip(other.iter().rev()).take(shorter - start).take_while(|(a, b)| a == b).count();
    (2 * (start + end)) as f64 / (one.len() + other.len()).max(1) as f64
}

fn clipped(line: &str) -> &[u8] {
    &line.as_bytes()[..line.len().min(COMPARED_BYTES)]
}

fn squeezed(line: &str) -> String {
    line.chars().filter(|character| !character.is_whitespace()).collect()
}

#[cfg(test)]
mod tests;
