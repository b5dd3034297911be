//! Text of other people's files as a person and the model get it: hidden characters visible, and no longer than is useful.
//! It reads nothing.

/// Hidden Unicode made visible: zero-width, bidirectional, tag and control characters become their code points.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => character.to_string(),
            '\r' => String::new(),
            hidden if is_hidden(hidden) => format!("⟨U+{:04X}⟩", u32::from(hidden)),
            plain => plain.to_string(),
        })
        .collect()
}

/// How many characters of a text are hidden.
pub(crate) fn hidden_in(text: &str) -> u32 {
    let hidden = text.chars().filter(|character| !matches!(character, '\n' | '\t' | '\r') && is_hidden(*character));
    u32::try_from(hidden.count()).unwrap_or(u32::MAX)
}

pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character),
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB
            | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// At most `most` bytes of `text`, whole lines, and how much is left out.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let (kept, left_out) = beginning(text, most);
    if left_out == 0 { kept.to_owned() } else { format!("{kept}\n[{left_out} more bytes of this file are left out]") }
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
        assert_eq!(cut("one\ntwo\n三三三\n", 12), "one\ntwo\n[11 more bytes of this file are left out]");
        assert_eq!(cut("one\n", 4), "one\n");
        assert_eq!(cut("三三", 4), "三\n[3 more bytes of this file are left out]");
    }

    #[test]
    fn p90_hidden_text_in_rules_is_visible() {
        assert_eq!(visible("a\u{e0041}\u{202e}b\n"), "a⟨U+E0041⟩⟨U+202E⟩b\n");
        assert_eq!(hidden_in("a\u{e0041}\u{202e}b\r\n"), 2);
    }
}
