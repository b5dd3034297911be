//! The piece of a text that is shown with a hit: what was looked for with some words around it, line ends as spaces.
//! It makes no markup: what matched is told by parts.

use std::ops::Range;

use assent_protocol::search::SnippetPart;

use crate::terms::{Phrase, Query, folded, units};

/// How wide a piece is, in columns of which a Chinese character takes two.
const WIDTH: usize = 160;
/// How much of that stands before the first match.
const BEFORE: usize = 40;
/// Matches that are looked at; a text with more of them begins like one with these.
const MOST_MATCHES: usize = 500;

/// The best piece of `text`: where most of the phrases stand together, the first such place.
pub(crate) fn snippet(text: &str, query: &Query) -> Vec<SnippetPart> {
    let matches = matches(text, query);
    let start = matches.iter().map(|(range, _)| range.start).max_by_key(|start| {
        let end = forward(text, *start, WIDTH - BEFORE);
        let here = matches.iter().filter(|(range, _)| range.start >= *start && range.end <= end);
        let mut phrases: Vec<usize> = here.map(|(_, phrase)| *phrase).collect();
        phrases.sort_unstable();
        phrases.dedup();
        (phrases.len(), std::cmp::Reverse(*start))
    });
    let from = start.map_or(0, |start| backward(text, start, BEFORE));
    let to = forward(text, from, WIDTH);
    let mut parts = Parts::default();
    if from > 0 {
        parts.add("…", false);
    }
    let mut at = from;
    for (range, _) in &matches {
        if range.start >= at && range.end <= to {
            parts.add(&text[at..range.start], false);
            parts.add(&text[range.clone()], true);
            at = range.end;
        }
    }
    parts.add(&text[at..to], false);
    if to < text.len() {
        parts.add("…", false);
    }
    parts.0
}

/// Where the phrases stand, in order, each with its phrase's number.
fn matches(text: &str, query: &Query) -> Vec<(Range<usize>, usize)> {
    let units: Vec<(Range<usize>, String)> =
        units(text).into_iter().map(|unit| (unit.range.clone(), folded(&text[unit.range]))).collect();
    let mut out = Vec::new();
    for at in 0..units.len() {
        for (number, phrase) in query.phrases.iter().enumerate() {
            if begins_here(&units[at..], phrase) {
                out.push((units[at].0.start..units[at + phrase.units.len() - 1].0.end, number));
            }
        }
        if out.len() >= MOST_MATCHES {
            break;
        }
    }
    out
}

fn begins_here(units: &[(Range<usize>, String)], phrase: &Phrase) -> bool {
    let last = phrase.units.len() - 1;
    units.len() > last
        && phrase.units.iter().zip(units).enumerate().all(|(at, (wanted, (_, found)))| {
            found == wanted || (at == last && phrase.is_beginning && found.starts_with(wanted.as_str()))
        })
}

/// The end of what is at most `width` columns wide from `from` on, at a word's end where there is one nearby.
fn forward(text: &str, from: usize, width: usize) -> usize {
    let mut columns = 0;
    for (at, character) in text[from..].char_indices() {
        columns += columns_of(character);
        if columns > width {
            let cut = from + at;
            let space = text[from..cut].rfind(char::is_whitespace).map(|space| from + space);
            return space.filter(|space| cut - space < 24).unwrap_or(cut);
        }
    }
    text.len()
}

/// The beginning of what is at most `width` columns wide up to `to`, at a word's beginning where there is one nearby.
fn backward(text: &str, to: usize, width: usize) -> usize {
    let mut columns = 0;
    for (at, character) in text[..to].char_indices().rev() {
        columns += columns_of(character);
        if columns > width {
            let cut = at + character.len_utf8();
            let mut spaces = text[cut..to].char_indices().filter(|(_, character)| character.is_whitespace());
            let word = spaces.next().map(|(space, character)| cut + space + character.len_utf8());
            return word.filter(|word| word - cut < 24).unwrap_or(cut);
        }
    }
    0
}

fn columns_of(character: char) -> usize {
    if u32::from(character) >= 0x1100 { 2 } else { 1 }
}

/// Neighbouring text of one sort is one part; white space is one space.
#[derive(Default)]
struct Parts(Vec<SnippetPart>);

impl Parts {
    fn add(&mut self, text: &str, hit: bool) {
        for character in text.chars() {
            let space = character.is_whitespace() || character.is_control();
            let character = if space { ' ' } else { character };
            let ends_with_space = self.0.last().is_none_or(|part| part.text.ends_with(' '));
            if space && ends_with_space {
                continue;
            }
            match self.0.last_mut().filter(|part| part.hit == hit) {
                Some(part) => part.text.push(character),
                None => self.0.push(SnippetPart { text: character.to_string(), hit }),
            }
        }
    }
}

#[cfg(test)]
mod tests;
