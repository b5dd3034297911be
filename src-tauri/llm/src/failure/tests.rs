//! Providers' errors as they really look, each with its kind.
//! Nothing here goes over a network.

use std::time::{Duration, SystemTime};

use assent_protocol::view::FailureKind;

use super::*;

fn kind(status: u16, body: &str) -> FailureKind {
    from_status(status, None, body, &Quote::default()).failure
}

#[test]
fn statuses_have_their_kinds() {
    for (status, expected) in [
        (400, FailureKind::BadRequest),
        (401, FailureKind::Unauthorized),
        (402, FailureKind::Forbidden),
        (403, FailureKind::Forbidden),
        (404, FailureKind::NotFound),
        (408, FailureKind::Server),
        (413, FailureKind::ContextTooLong),
        (429, FailureKind::RateLimited),
        (500, FailureKind::Server),
        (501, FailureKind::BadRequest),
        (502, FailureKind::Server),
        (503, FailureKind::Server),
        (504, FailureKind::Server),
        (529, FailureKind::Server),
    ] {
        assert_eq!(kind(status, "{}"), expected, "{status}");
    }
}

#[test]
fn too_long_is_recognised_in_the_words_of_many() {
    for body in [
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
        r#"{"error":{"message":"Range of input length should be [1, 129024]"}}"#,
        r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192"}}"#,
        r#"{"error":{"code":"1261","message":"Prompt 超长"}}"#,
        r#"{"error":{"code":"1261","message":"?"}}"#,
        r#"{"error":{"message":"输入内容的上下文长度超出限制"}}"#,
        r#"[{"error":{"code":400,"message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]"#,
        r#"{"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}"#,
    ] {
        assert_eq!(kind(400, body), FailureKind::ContextTooLong, "{body}");
    }
    let tpm = r#"{"error":{"message":"Request too large: tokens per min, reduce the length of the messages"}}"#;
    assert_eq!(kind(429, tpm), FailureKind::RateLimited, "a rate is no window");
    assert_eq!(kind(400, r#"{"error":{"message":"bad temperature"}}"#), FailureKind::BadRequest);
}

#[test]
fn no_tools_is_recognised() {
    for (status, body) in [
        (400, r#"{"error":{"message":"registry/tiny does not support tools"}}"#),
        (404, r#"{"error":{"message":"No endpoints found that support tool use."}}"#),
        (500, r#"{"error":{"message":"tools param requires --jinja flag"}}"#),
        (400, r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser"}"#),
        (400, r#"{"error":"该模型不支持工具调用"}"#),
    ] {
        assert_eq!(kind(status, body), FailureKind::NoTools, "{body}");
    }
}

#[test]
fn the_providers_words_are_kept() {
    let message = |body: &str| from_status(400, None, body, &Quote::default()).message;
    assert!(message(r#"{"error":{"message":"say why"}}"#).ends_with(": say why"));
    assert!(message(r#"{"detail":[{"msg":"say why"}]}"#).ends_with(": say why"));
    assert!(message(r#"{"base_resp":{"status_code":1,"status_msg":"say why"}}"#).ends_with(": say why"));
    assert!(message("<html>\n<b>502</b>").ends_with(": <html> <b>502</b>"));
    let long = message(&"你".repeat(5000));
    assert_eq!(long.chars().filter(|letter| *letter == '你').count(), 300);
    assert!(message(r#"{"error":{"odd":1}}"#).contains(r#"{"odd":1}"#));
}

#[test]
fn retry_after_takes_seconds_and_dates() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    assert_eq!(retry_after("3", now), Some(3000));
    assert_eq!(retry_after(" 0.25 ", now), Some(250));
    assert_eq!(retry_after("86400", now), Some(60_000));
    assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(10_000));
    assert_eq!(retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(0), "in the past");
    assert_eq!(retry_after("Sat, 06 Nov 2094 08:49:37 GMT", now), Some(60_000));
    assert_eq!(retry_after("soon", now), None);
    assert_eq!(retry_after("-1", now), None);
    assert_eq!(retry_after("nan", now), None);
}

#[test]
fn p69_a_key_is_taken_out_before_the_cut() {
    let key = "sk-canary-0123456789";
    let secret = Secret::bound(key.to_owned(), "https://a.example").unwrap();
    let quote = Quote::without(Some(secret));
    let body = format!("{}{key}", "x".repeat(MAX_WORDS - 8));
    let words = quote.words(&body);
    assert!(!words.contains("canary") && !words.contains("sk-"), "{words}");
}

#[test]
fn p69_a_key_is_taken_out_in_every_form_that_servers_quote() {
    let key = "sk-canary/01+23\"45\\6";
    let secret = Secret::bound(key.to_owned(), "https://a.example").unwrap();
    let quote = Quote::without(Some(secret));
    for form in [key, r#"sk-canary/01+23\"45\\6"#, "sk-canary%2F01%2B23%2245%5C6", "sk-canary%2f01%2b23%2245%5c6"] {
        assert_eq!(quote.words(&format!("<p>no such key: {form}</p>")), "<p>no such key: [key]</p>");
    }
}

#[test]
fn a_refusal_of_null_content_is_recognised() {
    for (status, body) in [
        (
            500,
            r#"{"error":{"message":"[{'type': 'string_type', 'loc': ('body', 'messages', 2, 'content'), 'msg': 'Input should be a valid string', 'input': None}]","type":"internal_server_error"}}"#,
        ),
        (400, r#"{"error":"Invalid 'content': 'content' field must be a string or an array of objects."}"#),
        (
            422,
            r#"{"detail":[{"loc":["body","messages",1,"content"],"msg":"messages.1.content: Input should be a valid string"}]}"#,
        ),
    ] {
        assert_eq!(kind(status, body), FailureKind::NullContent, "{body}");
    }
    assert_eq!(kind(400, r#"{"error":{"message":"user must be a string"}}"#), FailureKind::BadRequest);
    assert_eq!(kind(400, r#"{"error":{"message":"content is not allowed here"}}"#), FailureKind::BadRequest);
}

/// What providers said of reasoning that was left out.
const WANTED: [&str; 4] = [
    r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
    r#"{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2","type":"invalid_request_error"}}"#,
    r#"{"error":{"type":"<nil>","message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 13 (request id: 2026)"},"type":"error"}"#,
    r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"thinking is enabled but reasoning_content is missing in assistant tool call message at index 3\",\"type\":\"invalid_request_error\"}}","provider_name":"Moonshot AI"}}}"#,
];

/// What providers said of reasoning that was sent.
const REFUSED: [(u16, &str); 4] = [
    (
        400,
        r#"{"error":{"message":"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]","type":"invalid_request_error"}}"#,
    ),
    (
        400,
        r#"{"message":"messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported","type":"invalid_request_error","param":"validation_error","code":"wrong_api_format"}"#,
    ),
    (
        422,
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","messages",31,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted","input":"x"}]}"#,
    ),
    (
        422,
        r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted","input":"x"}]},"type":"invalid_request_error"}"#,
    ),
];

#[test]
fn what_is_said_of_reasoning_is_recognised() {
    for body in WANTED {
        assert_eq!(kind(400, body), FailureKind::WantsReasoning, "{body}");
    }
    for (status, body) in REFUSED {
        assert_eq!(kind(status, body), FailureKind::RefusesReasoning, "{body}");
    }
    for body in [
        r#"{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}"#,
        r#"{"error":{"message":"Invalid value: 'reasoning.encrypted_content'.","type":"invalid_request_error","param":"include[0]"}}"#,
    ] {
        assert_eq!(kind(400, body), FailureKind::NoEncryptedReasoning, "{body}");
    }
}

#[test]
fn other_refusals_are_none_of_reasoning() {
    for body in [
        r#"{"error":{"message":"cannot specify both 'thinking' and 'reasoning_effort'"}}"#,
        r#"{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model."}}"#,
        r#"{"error":{"message":"Missing required parameter: 'messages'."}}"#,
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","top_k"],"msg":"Extra inputs are not permitted"}]}"#,
        r#"{"error":{"message":"reasoning_content must be a string"}}"#,
        r#"{"error":{"message":"The encrypted content could not be verified.","code":"invalid_encrypted_content"}}"#,
    ] {
        assert_eq!(kind(400, body), FailureKind::BadRequest, "{body}");
    }
    for status in [401, 403, 404, 429, 500, 503] {
        let body = WANTED[0];
        assert_ne!(
            kind(status, body),
            FailureKind::WantsReasoning,
            "a request is refused with 400 or 422, not {status}"
        );
    }
    let long = r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"prompt is too long: 9 tokens"}}}"#;
    assert_eq!(kind(400, long), FailureKind::ContextTooLong);
    let place = from_status(422, None, REFUSED[2].1, &Quote::default()).message;
    assert!(
        place.ends_with(": body.messages.31.assistant.reasoning_content: Extra inputs are not permitted"),
        "{place}"
    );
}
