//! A call that the model is still writing: its name, how long it is, and what it is about as soon as that can be read.
//! For people only; nothing is decided by it. Each byte is looked at a bounded number of times.

/// Names of arguments that say what a call is about.
const NAMES: [&str; 3] = ["\"path\"", "\"command\"", "\"from\""];
/// Longest of [`NAMES`], in bytes.
const LONGEST_NAME: usize = 9;
/// A target that isn't complete within so many bytes is not shown.
const LONGEST_TARGET: usize = 4096;

/// A call that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Writing {
    /// Tool name so far.
    pub name: String,
    /// Lines in its arguments so far.
    pub lines: u32,
    /// The path or command in them, once complete.
    pub target: Option<String>,
    look: Look,
    /// Argument text that may still matter.
    rest: String,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Look {
    /// One of [`NAMES`].
    #[default]
    Name,
    /// The end of the string behind it; the name stands at the beginning of the rest.
    Value,
    /// Nothing more.
    Over,
}

impl Writing {
    /// Takes more argument text.
    pub fn read(&mut self, more: &str) {
        let lines = u32::try_from(more.matches("\\n").count()).unwrap_or(u32::MAX);
        self.lines = self.lines.saturating_add(lines);
        if self.look == Look::Over {
            return;
        }
        self.rest.push_str(more);
        if self.look == Look::Name {
            self.look_for_name();
        }
        while self.look == Look::Value && is_no_name(&self.rest) {
            self.rest.drain(..1);
            self.look_for_name();
        }
        if self.look == Look::Value {
            self.target = value(&self.rest);
            if self.target.is_some() || self.rest.len() > LONGEST_TARGET {
                self.look = Look::Over;
                self.rest = String::new();
            }
        }
    }

    fn look_for_name(&mut self) {
        match NAMES.iter().filter_map(|name| self.rest.find(name)).min() {
            Some(at) => {
                self.rest.drain(..at);
                self.look = Look::Value;
            }
            None => {
                self.look = Look::Name;
                // The beginning of a name may stand at the end.
                let mut from = self.rest.len().saturating_sub(LONGEST_NAME);
                while !self.rest.is_char_boundary(from) {
                    from += 1;
                }
                self.rest.drain(..from);
            }
        }
    }
}

/// Whether what looks like a name at the beginning of `text` is a value: no colon follows.
fn is_no_name(text: &str) -> bool {
    let after = NAMES.iter().find_map(|name| text.strip_prefix(name)).map(str::trim_start);
    after.is_some_and(|after| !after.is_empty() && !after.starts_with(':'))
}

/// The string value of the name at the beginning of `text`, once its quote has closed.
fn value(text: &str) -> Option<String> {
    let after = NAMES.iter().find_map(|name| text.strip_prefix(name))?;
    let value = after.trim_start().strip_prefix(':')?.trim_start();
    serde_json::Deserializer::from_str(value).into_iter::<String>().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str, step: usize) -> (Option<String>, u32) {
        let mut writing = Writing::default();
        let characters: Vec<char> = text.chars().collect();
        characters.chunks(step).for_each(|piece| writing.read(&piece.iter().collect::<String>()));
        (writing.target, writing.lines)
    }

    #[test]
    fn the_target_is_found_wherever_it_stands_and_however_it_is_cut() {
        for text in [
            r#"{"path":"旧/a.txt","content":"one"}"#,
            r#"{"content":"a \"path\" in 中文 and more of it","path" : "旧/a.txt"}"#,
            r#"{"to":"b","from":"旧/a.txt"}"#,
            r#"{"content":"path" , "path":"旧/a.txt"}"#,
        ] {
            for step in 1..text.chars().count() {
                assert_eq!(targets(text, step).0.as_deref(), Some("旧/a.txt"), "{text} in steps of {step}");
            }
        }
        assert_eq!(targets(r#"{"path":"a"#, 1).0, None);
        assert_eq!(targets(r#"{"path":7}"#, 1).0, None);
        assert_eq!(targets(r#"{"content":"a\nb\nc"}"#, 100).1, 2);
    }

    #[test]
    fn a_megabyte_before_the_target_is_looked_at_once() {
        let text = format!(r#"{{"content":"{}","path":"a"}}"#, "word ".repeat(200_000));
        let mut writing = Writing::default();
        let mut longest = 0;
        for piece in text.as_bytes().chunks(4) {
            writing.read(std::str::from_utf8(piece).unwrap());
            longest = longest.max(writing.rest.len());
        }
        assert_eq!(writing.target.as_deref(), Some("a"));
        assert!(longest < 64, "{longest} bytes were kept");
    }

    #[test]
    fn what_has_no_end_is_given_up() {
        let mut writing = Writing::default();
        writing.read(r#"{"command":""#);
        (0..10_000).for_each(|_| writing.read("echo "));
        assert_eq!((writing.target, writing.rest.len()), (None, 0));
    }
}
