//! Line ends that are kept, line by line.
//! Whole files are looked at where they are edited.

use super::{LineEnds, keep_line_ends};

#[test]
fn kinds_are_told_apart() {
    assert_eq!(LineEnds::of("a"), LineEnds::None);
    assert_eq!(LineEnds::of("a\rb"), LineEnds::None);
    assert_eq!(LineEnds::of("a\nb"), LineEnds::Lf);
    assert_eq!(LineEnds::of("a\r\nb\r\n"), LineEnds::CrLf);
    assert_eq!(LineEnds::of("a\r\nb\n"), LineEnds::Mixed);
}

#[test]
fn one_kind_is_kept_throughout() {
    assert_eq!(keep_line_ends("a\r\nb\r\n", "a\nx\nb\n", "\n"), "a\r\nx\r\nb\r\n");
    assert_eq!(keep_line_ends("a\nb\n", "a\nx\nb\n", "\r\n"), "a\nx\nb\n");
    assert_eq!(keep_line_ends("a", "a\nb", "\r\n"), "a\r\nb");
}

#[test]
fn mixed_ends_stay_with_their_lines() {
    assert_eq!(keep_line_ends("a\r\nb\nc\r\n", "a\nB\nc\n", "\n"), "a\r\nB\nc\r\n");
    assert_eq!(keep_line_ends("a\r\nb\nc\r\n", "a\nb\nnew\nc\n", "\n"), "a\r\nb\nnew\nc\r\n");
    assert_eq!(keep_line_ends("a\r\nb\nc\r\n", "first\na\nb\nc\n", "\n"), "first\r\na\r\nb\nc\r\n");
    assert_eq!(keep_line_ends("a\r\nx\ry\nc", "a\nx\ry\nc\n", "\n"), "a\r\nx\ry\nc\n");
}
