//! Answers that end badly; each is cut at every byte.
//! No network.

use assent_protocol::view::FailureKind;

use super::*;

fn failure(stream: &str) -> ModelFailure {
    let failure = read(stream).failure.expect("failed");
    assert!(failure.opened, "a 200 was seen: nothing is retried");
    failure
}

#[test]
fn p78_an_error_inside_of_a_stream() {
    let text = delta(r#"{"content":"a"}"#);
    for error in [
        "data: {\"error\":{\"message\":\"overloaded, try later\",\"type\":\"server_error\"}}\n\n",
        "event: error\ndata: {\"message\":\"overloaded, try later\"}\n\n",
        "event: error\ndata: overloaded, try later\n\n",
        "data: {\"type\":\"error\",\"error\":\"overloaded, try later\"}\n\n",
        "data: {\"object\":\"error\",\"message\":\"overloaded, try later\",\"code\":50001}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\",\"error\":{\"code\":502,\"message\":\"overloaded, try later\"}}]}\n\n",
        "data: {\"base_resp\":{\"status_code\":1002,\"status_msg\":\"overloaded, try later\"}}\n\n",
    ] {
        for before in [String::new(), events(&[&text])] {
            let failure = failure(&format!("{before}{error}data: [DONE]\n\n"));
            assert_eq!(failure.failure, FailureKind::InStream, "{error}");
            assert!(failure.message.contains("overloaded, try later"), "{}", failure.message);
        }
    }
    let ended = failure(&stream(&[r#"{"content":"a"}"#], "network_error"));
    assert_eq!(ended.failure, FailureKind::InStream);
}

#[test]
fn p78_an_error_document_with_status_200() {
    let plain = failure(r#"{"error":{"message":"no such deployment"}}"#);
    assert_eq!(plain.failure, FailureKind::InStream);
    assert!(plain.message.contains("no such deployment"));
    let long = failure(r#"{"error":{"code":"context_length_exceeded","message":"?"}}"#);
    assert_eq!(long.failure, FailureKind::ContextTooLong);
    let tools = failure("data: {\"error\":{\"message\":\"tiny does not support tools\"}}\n\n");
    assert_eq!(tools.failure, FailureKind::NoTools);
}

#[test]
fn an_error_field_that_says_nothing_is_none() {
    let chunk = r#"{"error":null,"choices":[{"index":0,"delta":{"content":"a"},"error":{}}]}"#;
    assert_eq!(read(&events(&[chunk, &finish("stop")])).text, "a");
}

#[test]
fn p79_a_web_page_is_no_stream() {
    for page in ["<!DOCTYPE html>\n<title>Sign in</title>", "\u{feff} <html><title>Sign in</title>"] {
        let failure = failure(page);
        assert_eq!(failure.failure, FailureKind::NotAStream);
        assert!(failure.message.contains("<title>Sign in</title>"), "{}", failure.message);
        assert!(!failure.failure.is_retryable());
    }
    let long = failure(&format!("<html>{}", "x".repeat(2000)));
    assert!(long.message.chars().count() < 400);
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
fn p80_a_whole_call_without_a_finish_is_not_proposed() {
    let call = delta(
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"delete_file","arguments":"{\"path\":\"a\"}"}}]}"#,
    );
    let outcome = read(&events(&[&call]));
    assert_eq!(outcome.failure.unwrap().failure, FailureKind::Disconnected);
    assert_eq!(outcome.finish, None);
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
fn words_between_the_chunks_are_quoted_when_it_breaks_off() {
    let failure = failure(&format!("{}data: upstream timed out\n\n", events(&[&delta(r#"{"content":"a"}"#)])));
    assert_eq!(failure.failure, FailureKind::Disconnected);
    assert!(failure.message.contains("upstream timed out"));
}

#[test]
fn a_malformed_event_ends_the_answer() {
    let failure = failure(&events(&[&delta(r#"{"content":"a"}"#), r#"{"choices":[{"delta":"#, &finish("stop")]));
    assert_eq!(failure.failure, FailureKind::InStream);
    assert!(failure.message.contains("malformed"));
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
