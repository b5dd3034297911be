//! Answers that end badly in more ways than a transcript has.
//! No network.

use assent_protocol::view::FailureKind;

use super::*;

fn failure(stream: &str) -> ModelFailure {
    let failure = read(stream).failure.expect("failed");
    assert!(failure.opened, "a 200 was seen: nothing is retried");
    failure
}

#[test]
fn a_long_page_is_quoted_in_part_and_not_asked_for_again() {
    let failure = failure(&format!("<html>{}", "x".repeat(2000)));
    assert!(failure.message.chars().count() < 400);
    assert!(!failure.failure.is_retryable());
}

#[test]
fn what_is_neither_stream_nor_answer_is_quoted() {
    for (body, words) in [
        ("", "empty"),
        (" \r\n ", "empty"),
        ("upstream connect error", "upstream connect error"),
        (r#"{"id":"x"}"#, r#"{"id":"x"}"#),
        (r#"{"choices":["#, r#"{"choices":["#),
        ("[1,2]", "[1,2]"),
        ("data: [DONE]\n\n", "without an answer"),
        (": ping\n\n", ": ping"),
    ] {
        let failure = failure(body);
        assert_eq!(failure.failure, FailureKind::NotAStream, "{body}");
        assert!(failure.message.contains(words), "{body}: {}", failure.message);
    }
}

#[test]
fn every_cut_of_a_stream_before_its_finish_is_a_disconnection() {
    let whole = events(&[&delta(r#"{"content":"a"}"#), &delta(r#"{"content":"b"}"#), &finish("stop")]);
    let first = events(&[&delta(r#"{"content":"a"}"#)]).len();
    let last = whole.trim_end().len();
    for cut in first..last {
        let outcome = read_portions([&whole.as_bytes()[..cut]]);
        assert_eq!(outcome.failure.map(|failure| failure.failure), Some(FailureKind::Disconnected), "cut at {cut}");
    }
}

#[test]
fn an_answer_without_end_is_ended() {
    let mut answer = Answer::new(Box::new(ChatAnswer::default()), Quote::default());
    let line = [b'x'; 1 << 20];
    let mut items = Vec::new();
    for _ in 0..65 {
        items.extend(answer.push(&line));
    }
    assert!(matches!(items.last(), Some(ModelItem::Failed(failure)) if failure.failure == FailureKind::InStream));
    assert!(answer.push(&line).is_empty());
}
