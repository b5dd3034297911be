//! Places found, and none where nothing is alike.
//! The words around a place are looked at with the edits.

use super::nearest;

const TEXT: &str =
    "fn main() {\n    let port = 8080;\n    serve(port);\n}\n\nfn serve(port: u16) {\n    listen(port);\n}\n";

#[test]
fn white_space_is_told() {
    let place = nearest(TEXT, "fn main() {\n  let port = 8080;\n").unwrap();
    assert_eq!((place.first, place.only_white_space), (1, true));
    assert_eq!(place.lines, ["fn main() {", "    let port = 8080;"]);
}

#[test]
fn a_slip_is_found() {
    let place = nearest(TEXT, "    let port = 80;\n    serve(port);").unwrap();
    assert_eq!((place.first, place.only_white_space), (2, false));
}

#[test]
fn nothing_is_shown_for_what_is_alike_to_nothing() {
    assert_eq!(nearest(TEXT, "中文的一行"), None);
    assert_eq!(nearest("", "a"), None);
    assert_eq!(nearest(TEXT, "\n"), None);
}

#[test]
fn more_lines_than_the_text_has_are_no_trouble() {
    let place = nearest("one\ntwo", "one\ntwo\nthree\nfour").unwrap();
    assert_eq!((place.first, place.lines.len()), (1, 2));
}
