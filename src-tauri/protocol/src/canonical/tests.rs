//! Strict parsing and the canonical form, against RFC 8785's own rules. Digest stability is checked where digests are made.

use serde_json::json;

use super::*;

#[test]
fn keys_are_sorted_by_utf16_and_numbers_print_as_ecmascript() {
    let value = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
    assert_eq!(
        canonical(&value),
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
    );
    assert_eq!(canonical(&json!([1e30, 4.50, 2e-3, 1e-27, -0.0])), "[1e+30,4.5,0.002,1e-27,0]");
}

#[test]
fn what_readers_disagree_about_is_refused() {
    for text in [
        r#"{"a":1,"a":2}"#,
        r#"{"a":{"b":1,"b":1}}"#,
        r#"{"a":NaN}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":9007199254740992}"#,
        r#"{"a":1} x"#,
        r#"{"a":1"#,
    ] {
        assert!(matches!(parse_arguments(text), Err(ArgumentError::Invalid(_))), "{text}");
    }
    assert_eq!(parse_arguments("[1]"), Err(ArgumentError::NotAnObject));
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100));
    assert!(matches!(parse_arguments(&deep), Err(ArgumentError::Invalid(_))));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_ARGUMENT_BYTES));
    assert!(matches!(parse_arguments(&long), Err(ArgumentError::TooLong(_))));
}

#[test]
fn empty_text_means_no_arguments_and_windows_paths_are_not_unescaped_twice() {
    assert_eq!(parse_arguments("  "), Ok(Map::new()));
    let parsed = parse_arguments(r#"{"path":"C:\\Users\\unicorn"}"#).unwrap();
    assert_eq!(parsed["path"], "C:\\Users\\unicorn");
}
