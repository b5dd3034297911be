//! Characters that a reader of a card would not see or would be misled by.
//! It only finds them; showing them is the front-end's part.

/// Whether a text holds characters that are invisible, turn the direction of writing, or control a terminal. Tabs and
/// line ends are none of them; a lone carriage return is.
pub fn holds_invisible(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_line_end = character == '\r' && characters.peek() == Some(&'\n');
        if !is_line_end && is_invisible(character) {
            return true;
        }
    }
    false
}

/// Controls (Cc) but for tab and line feed, format characters (Cf), and what else Unicode draws as nothing
/// (`Default_Ignorable_Code_Point`), save for the emoji selector U+FE0F, which is in everyday use.
pub fn is_invisible(character: char) -> bool {
    match character {
        '\t' | '\n' | '\u{fe0f}' => false,
        _ if character.is_control() => true,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' => {
            true
        }
        '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' => true,
        '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' => true,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::holds_invisible;

    #[test]
    fn plain_text_in_any_script_is_visible() {
        for text in ["fn main() {\r\n\t1\n}", "你好，世界", "é e\u{301} ❤\u{fe0f}", ""] {
            assert!(!holds_invisible(text), "{text:?}");
        }
    }

    #[test]
    fn what_hides_is_found() {
        for text in ["a\u{200b}b", "\u{202e}gpj", "\u{feff}x", "x\u{e0041}", "\u{1b}[2J", "a\rb", "\u{2066}", "\u{ad}"]
        {
            assert!(holds_invisible(text), "{text:?}");
        }
    }
}
