//! Line ends that are kept, line by line.
//! Whole files are looked at where they are edited.

use super::{keep_line_ends, last_line_end};

#[test]
fn one_kind_is_kept_throughout() {
    assert_eq!(keep_line_ends("a\r\nb\r\n", "a\nx\nb\n", "\n"), "a\r\nx\r\nb\r\n");
    assert_eq!(keep_line_ends("a\nb\n", "a\nx\nb\n", "\r\n"), "a\nx\nb\n");
    assert_eq!(keep_line_ends("a", "a\nb", "\r\n"), "a\r\nb");
    assert_eq!(keep_line_ends("a\rdata", "a\nb", "\r\n"), "a\r\nb");
}

#[test]
fn mixed_ends_stay_with_their_lines() {
    assert_eq!(keep_line_ends("a\r\nb\nc\r\n", "a\nB\nc\n", "\n"), "a\r\nB\nc\r\n");
    assert_eq!(keep_line_ends("a\r\nb\nc\r\n", "a\nb\nnew\nc\n", "\n"), "a\r\nb\nnew\nc\r\n");
    assert_eq!(keep_line_ends("a\r\nb\nc\r\n", "first\na\nb\nc\n", "\n"), "first\r\na\r\nb\nc\r\n");
    assert_eq!(keep_line_ends("a\r\nx\ry\nc", "a\nx\ry\nc\n", "\n"), "a\r\nx\ry\nc\n");
}

#[test]
fn the_last_line_end_is_found() {
    for (text, end) in [("", "\n"), ("a\r\nb\n", "\n"), ("a\nb\r\nc", "\r\n"), ("\r\n", "\r\n"), ("\n", "\n")] {
        assert_eq!(last_line_end(text), end, "{text:?}");
    }
}
