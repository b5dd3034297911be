//! Text of other people's files as a person and the model get it: hidden characters visible, and no longer than is useful.
//! It reads nothing.

use assent_tools::effects::is_invisible;

/// Hidden Unicode made visible: zero-width, bidirectional, tag and control characters become their code points.
pub(crate) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for character in text.chars().filter(|character| *character != '\r') {
        if is_invisible(character) {
            seen.push_str(&format!("⟨U+{:04X}⟩", u32::from(character)));
        } else {
            seen.push(character);
        }
    }
    seen
}

/// How many characters of a text are hidden.
pub(crate) fn hidden_in(text: &str) -> u32 {
    let hidden = text.chars().filter(|character| *character != '\r' && is_invisible(*character));
    u32::try_from(hidden.count()).unwrap_or(u32::MAX)
}

/// A file as the model gets it, from byte `from` on: of its first `most` bytes, which are what people are shown, whole lines,
/// with what is hidden made visible, and how much is left out.
pub(crate) fn shown(file: &str, from: usize, most: usize) -> String {
    let (seen, behind) = beginning(file, most);
    let text = visible(seen.get(from..).unwrap_or_default());
    // What is hidden takes more room once it is visible.
    let (kept, more) = beginning(text.trim(), most);
    match behind + more {
        0 => kept.to_owned(),
        left_out => format!("{kept}\n[{left_out} more bytes of this file are left out]"),
    }
}

/// At most `most` bytes of `text`, whole lines where there are any, and how many bytes are left out.
pub(crate) fn beginning(text: &str, most: usize) -> (&str, usize) {
    if text.len() <= most {
        return (text, 0);
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(end);
    (&text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_cut_at_a_line_and_says_so() {
        assert_eq!(shown("one\ntwo\n三三三\n", 0, 12), "one\ntwo\n[11 more bytes of this file are left out]");
        assert_eq!(shown("one\n", 0, 4), "one");
        assert_eq!(shown("三三", 0, 4), "三\n[3 more bytes of this file are left out]");
    }

    #[test]
    fn no_more_of_a_file_is_told_than_people_are_shown() {
        assert_eq!(shown("head\nbody\nunseen\n", 5, 12), "body\n[8 more bytes of this file are left out]");
        assert_eq!(shown("a very long head\nunseen\n", 17, 12), "\n[12 more bytes of this file are left out]");
        let hidden = "\u{e0041}".repeat(1_000);
        assert!(shown(&hidden, 0, 4_000).len() < 4_100, "made visible it is longer");
    }

    #[test]
    fn p90_hidden_text_in_rules_is_visible() {
        assert_eq!(visible("a\u{e0041}\u{202e}b\n"), "a⟨U+E0041⟩⟨U+202E⟩b\n");
        assert_eq!(hidden_in("a\u{e0041}\u{202e}b\r\n"), 2);
        assert_eq!(visible("⚠\u{fe0f} a\u{2028}b\u{fff9}\t\r\n"), "⚠\u{fe0f} a⟨U+2028⟩b⟨U+FFF9⟩\t\n");
    }
}
