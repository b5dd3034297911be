//! Which characters a card must warn of.

use super::has_invisible;

#[test]
fn what_can_be_seen_is_no_reason_to_warn() {
    for text in ["ls -la", "echo 中文 文件　全角", "a\nb", "émigré 👍 ✔\u{fe0f}", "", "«»„“"] {
        assert!(!has_invisible(text), "{text:?}");
    }
}

#[test]
fn p60_controls_marks_and_fillers_are_a_reason_to_warn() {
    for invisible in [
        '\0',
        '\t',
        '\r',
        '\u{1b}',
        '\u{7f}',
        '\u{85}',
        '\u{a0}',
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{115f}',
        '\u{1160}',
        '\u{180e}',
        '\u{2003}',
        '\u{200b}',
        '\u{200d}',
        '\u{200e}',
        '\u{200f}',
        '\u{2028}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{2069}',
        '\u{206f}',
        '\u{2800}',
        '\u{3164}',
        '\u{fe00}',
        '\u{feff}',
        '\u{ffa0}',
        '\u{fff9}',
        '\u{1d173}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e007f}',
        '\u{e0100}',
    ] {
        assert!(has_invisible(&format!("ls{invisible}x")), "{invisible:?}");
    }
    // A selector that dresses nothing hides something.
    assert!(has_invisible("a\u{fe0f}"));
}
