//! Text to what is searched for: words, and Chinese, Japanese and Korean characters, each a unit of its own.
//! From units come the index's terms and a query's phrases; what is stored and found is not known here.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Phrases that one query may have at most; what follows is left out.
const MOST_PHRASES: usize = 32;
/// Characters of a query that are read.
const LONGEST_QUERY: usize = 1000;
/// A last word of fewer characters is taken as whole: too much begins with one letter.
const SHORTEST_BEGINNING: usize = 2;

/// A word, or one character of a script that writes words without spaces between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
    /// Whether it is such a character.
    pub(crate) is_character: bool,
}

/// The units of a text, in order.
pub(crate) fn units(text: &str) -> Vec<Unit> {
    let mut out: Vec<Unit> = Vec::new();
    let mut in_word = false;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        if is_alone(character) {
            out.push(Unit { range: at..end, is_character: true });
            in_word = false;
        } else if character.is_alphanumeric() || (in_word && is_combining_mark(character)) {
            match out.last_mut().filter(|_| in_word) {
                Some(word) => word.range.end = end,
                None => out.push(Unit { range: at..end, is_character: false }),
            }
            in_word = true;
        } else {
            in_word = false;
        }
    }
    out
}

/// What the index is given for a text: its words, and of neighbouring characters each with the one behind it, the last
/// one alone. So every run of two or more is found as pairs that follow one another, and a single one as what a pair
/// begins with.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let units = units(text);
    let pair = |at: usize| {
        let (here, next) = (&units[at], units.get(at + 1)?);
        let touch = here.is_character && next.is_character && here.range.end == next.range.start;
        touch.then(|| &text[here.range.start..next.range.end])
    };
    (0..units.len()).map(|at| pair(at).unwrap_or(&text[units[at].range.clone()]).to_owned()).collect()
}

/// A unit as it is compared: without case and without marks above and below letters.
pub(crate) fn folded(unit: &str) -> String {
    if unit.is_ascii() {
        return unit.to_ascii_lowercase();
    }
    unit.nfd().filter(|character| !is_combining_mark(*character)).flat_map(char::to_lowercase).collect()
}

/// What a person looks for: phrases, of which all have to occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    /// At least one.
    pub(crate) phrases: Vec<Phrase>,
}

/// Units that follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    /// As they were typed.
    text: String,
    /// As they are compared.
    pub(crate) units: Vec<String>,
    /// Whether the last unit may be the beginning of a word.
    pub(crate) is_beginning: bool,
}

impl Query {
    /// Reads what was typed: words with spaces between them, and phrases in quotes. Nothing in it is an operator, and
    /// nothing is malformed. None: there is nothing to look for.
    pub(crate) fn read(typed: &str) -> Option<Self> {
        let typed: String = typed.chars().take(LONGEST_QUERY).collect();
        let mut phrases = Vec::new();
        let parts: Vec<&str> = typed.split(is_quote).collect();
        for (number, part) in parts.iter().enumerate() {
            // Between the first quote and the second stands a phrase; one that isn't closed yet is being typed.
            let is_quoted = number % 2 == 1;
            let is_last = number + 1 == parts.len();
            if is_quoted {
                phrases.extend(Phrase::of(part, is_last));
            } else {
                let words: Vec<&str> = part.split_whitespace().collect();
                let last = words.len().saturating_sub(1);
                phrases
                    .extend(words.iter().enumerate().filter_map(|(at, word)| Phrase::of(word, is_last && at == last)));
            }
        }
        phrases.truncate(MOST_PHRASES);
        (!phrases.is_empty()).then_some(Self { phrases })
    }

    /// As SQLite's full text search takes it: every term in quotes, so that none is an operator. With `any`, one phrase
    /// is enough.
    pub(crate) fn expression(&self, any: bool) -> String {
        let phrases: Vec<String> = self.phrases.iter().map(Phrase::expression).collect();
        phrases.join(if any { " OR " } else { " AND " })
    }
}

impl Phrase {
    fn of(text: &str, is_last: bool) -> Option<Self> {
        let found = units(text);
        let last = found.last()?;
        let is_long = text[last.range.clone()].chars().count() >= SHORTEST_BEGINNING;
        let is_beginning = is_last && !last.is_character && is_long;
        let units = found.iter().map(|unit| folded(&text[unit.range.clone()])).collect();
        Some(Self { text: text.to_owned(), units, is_beginning })
    }

    fn expression(&self) -> String {
        let mut terms = terms(&self.text);
        let ends_with_character = terms.last().and_then(|term| term.chars().next()).is_some_and(is_alone);
        let mut star = self.is_beginning;
        if ends_with_character {
            let in_pair = terms.len() > 1 && terms[terms.len() - 2].chars().nth(1).is_some_and(is_alone);
            if in_pair {
                // The pair before holds it.
                terms.pop();
            } else {
                // In the text it may be the first one of a pair.
                star = true;
            }
        }
        format!("\"{}\"{}", terms.join(" "), if star { " *" } else { "" })
    }
}

fn is_quote(character: char) -> bool {
    matches!(character, '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』')
}

/// Whether words of this character's script are written without spaces between them: Han, kana, bopomofo, Hangul.
fn is_alone(character: char) -> bool {
    let in_script = matches!(u32::from(character),
        0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x3035 | 0x3041..=0x30FF | 0x3105..=0x318E
        | 0x31A0..=0x31BF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF
        | 0xFF66..=0xFFDC | 0x2_0000..=0x3_FFFF);
    in_script && character.is_alphanumeric()
}

#[cfg(test)]
mod tests;
