//! Tests of cutting text into terms and queries into phrases.
//! That the index finds them is tested with the search.

use super::*;

fn terms_of(text: &str) -> String {
    terms(text).join(" ")
}

fn expression(typed: &str) -> Option<String> {
    Query::read(typed).map(|query| query.expression(false))
}

#[test]
fn words_stay_whole_and_characters_go_in_pairs() {
    assert_eq!(terms_of("Retry only before the first byte"), "Retry only before the first byte");
    assert_eq!(terms_of("数据库"), "数据 据库 库");
    assert_eq!(terms_of("库"), "库");
    assert_eq!(terms_of("用Rust写数据库。好"), "用 Rust 写数 数据 据库 库 好");
    assert_eq!(terms_of("カタカナ한국어"), "カタ タカ カナ ナ한 한국 국어 어");
    assert_eq!(terms_of("don't foo_bar(), x-y"), "don t foo bar x y");
    assert_eq!(terms_of("cafe\u{301}s 12.5"), "cafe\u{301}s 12 5");
    assert_eq!(terms_of("\u{301} ☃ —"), "");
}

#[test]
fn every_place_of_a_text_is_told() {
    let text = "a 数据";
    let found: Vec<_> = units(text).into_iter().map(|unit| (&text[unit.range], unit.is_character)).collect();
    assert_eq!(found, vec![("a", false), ("数", true), ("据", true)]);
}

#[test]
fn case_and_marks_are_folded() {
    assert_eq!(folded("RÉSUMÉ"), "resume");
    assert_eq!(folded("Straße"), "straße");
    assert_eq!(folded("ABC"), "abc");
}

#[test]
fn a_query_has_words_phrases_and_a_beginning() {
    assert_eq!(expression("retry loop"), Some("\"retry\" AND \"loop\" *".to_owned()));
    assert_eq!(expression("\"retry loop\" first"), Some("\"retry loop\" AND \"first\" *".to_owned()));
    assert_eq!(expression("\"retry loop\""), Some("\"retry loop\"".to_owned()));
    assert_eq!(expression("“retry loop"), Some("\"retry loop\" *".to_owned()));
    assert_eq!(expression("a"), Some("\"a\"".to_owned()));
    assert_eq!(expression("数据库"), Some("\"数据 据库\"".to_owned()));
    assert_eq!(expression("库"), Some("\"库\" *".to_owned()));
    assert_eq!(expression("Rust写"), Some("\"Rust 写\" *".to_owned()));
    assert_eq!(expression("\"数据 库\" x1"), Some("\"数据 据 库\" * AND \"x1\" *".to_owned()));
}

#[test]
fn operators_are_words_and_nothing_is_nothing() {
    assert_eq!(expression("a OR b"), Some("\"a\" AND \"OR\" AND \"b\"".to_owned()));
    assert_eq!(expression("NEAR(x y) who:title ^z -n *"), {
        Some("\"NEAR x\" AND \"y\" AND \"who title\" AND \"z\" AND \"n\"".to_owned())
    });
    for typed in ["", "  ", "\"\"", "!?*()", "\"", "'"] {
        assert_eq!(expression(typed), None, "{typed}");
    }
}

#[test]
fn a_query_without_end_is_cut() {
    let query = Query::read(&"word ".repeat(10_000)).unwrap();
    assert_eq!(query.phrases.len(), MOST_PHRASES);
}
