//! Estimates tokens from characters; no tokenizer is shipped.
//! What each class counts is measured: the middle of ten vocabularies over prose, code and JSON. Counted by words and signs,
//! Latin, code and JSON come out alike for each of them, which no figure a character does (spec part 4, counting tokens);
//! `npm run bench -- tokens` prints how far it is off.

/// The coefficient of a model that has not answered yet.
pub(crate) const UNSURE: f64 = 0.35;

/// Tokens of a word; a capital inside of one begins another.
const WORD: f64 = 0.95;
/// Letters of a word that it is counted for.
const LETTERS: u32 = 6;
/// Tokens of each letter behind those.
const LETTER: f64 = 0.45;
const DIGIT: f64 = 0.8;
/// Tokens of a run of ASCII punctuation.
const PUNCTUATION: f64 = 0.8;
/// Tokens of a line break with the indentation behind it, or of several blanks; a single blank goes with what follows.
const BLANK: f64 = 0.7;
const CJK: f64 = 0.75;
/// Tokens of a letter with an accent, an arrow, a dash, an emoji.
const SIGN: f64 = 1.1;
/// Tokens of a letter of any other script.
const OTHER: f64 = 0.4;

/// What `weight × coefficient` estimates tokens from: with the coefficient 0.35 an English word counts 0.95 tokens and a
/// CJK character 0.75. Follows from the text alone.
pub fn weigh(text: &str) -> f64 {
    let mut scale = Scale::default();
    text.chars().for_each(|character| scale.put(character));
    scale.weight()
}

/// Weighs a text that comes a character at a time.
#[derive(Debug, Default)]
pub(crate) struct Scale {
    tokens: f64,
    last: Class,
    /// Letters of the word so far.
    letters: u32,
    /// Whether the run of blanks counts already.
    counted: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Class {
    Small,
    Capital,
    Digit,
    Punctuation,
    Blank,
    Cjk,
    Sign,
    #[default]
    Other,
}

impl Scale {
    /// Adds a character.
    pub fn put(&mut self, character: char) {
        let (class, last) = (class(character), self.last);
        self.last = class;
        self.tokens += match class {
            Class::Small | Class::Capital => {
                let goes_on = matches!((last, class), (Class::Small, Class::Small) | (Class::Capital, _));
                self.letters = if goes_on { self.letters + 1 } else { 1 };
                match self.letters {
                    1 => WORD,
                    2..=LETTERS => 0.0,
                    _ => LETTER,
                }
            }
            Class::Blank => {
                let goes_on = last == Class::Blank;
                let was_counted = goes_on && self.counted;
                self.counted = goes_on || character == '\n';
                if self.counted && !was_counted { BLANK } else { 0.0 }
            }
            Class::Punctuation if last == Class::Punctuation => 0.0,
            Class::Punctuation => PUNCTUATION,
            Class::Digit => DIGIT,
            Class::Cjk => CJK,
            Class::Sign => SIGN,
            Class::Other => OTHER,
        };
    }

    /// The weight of what was put on it.
    pub fn weight(&self) -> f64 {
        self.tokens / UNSURE
    }
}

/// Number of characters.
pub fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The corrected coefficient after an answer: half old, half what the real count says. That is enough for 10 % from the
/// second call on (spec part 4), since in the bench no first guess was off by more than about 10 %. Counts outside of 0.3 to
/// 3 times the estimate are not used (spec part 3, usage).
pub fn learn(coefficient: f64, weight: f64, real: u64) -> f64 {
    let estimate = weight * coefficient;
    let real = real as f64;
    if weight <= 0.0 || real < estimate * 0.3 || real > estimate * 3.0 {
        return coefficient;
    }
    (coefficient + real / weight) / 2.0
}

fn class(character: char) -> Class {
    match character {
        'a'..='z' => Class::Small,
        'A'..='Z' => Class::Capital,
        '0'..='9' => Class::Digit,
        ' ' | '\t' | '\r' | '\n' => Class::Blank,
        '\0'..='\x7f' => Class::Punctuation,
        '\u{2E80}'..='\u{30FF}'
        | '\u{3100}'..='\u{312F}'
        | '\u{31A0}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF00}'..='\u{FFEF}'
        | '\u{20000}'..='\u{3FFFF}' => Class::Cjk,
        '\u{80}'..='\u{24F}' | '\u{2000}'..='\u{2BFF}' | '\u{1F000}'.. => Class::Sign,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests;
