//! The wire format against transcripts and random histories.
//! No network.

use assent_protocol::view::{FinishReason, Protocol, ToolChoice, Usage, ViewMessage};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::Arc;

use super::answer::AnthropicAnswer;
use super::body::AnthropicForm;
use crate::model::Body;
use crate::testing::{Outcome, any_step, assistant, check_prefixes, check_reuse, read_with, result, user, view};
use crate::wire_format::WireFormat as _;

fn read(stream: &str) -> Outcome {
    read_with(|| Box::new(AnthropicAnswer::default()), stream)
}

/// A stream of these events, each a JSON object with a `type`.
fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect()
}

fn form() -> AnthropicForm {
    AnthropicForm::new(None, &Map::new())
}

fn parsed(body: &Body) -> Value {
    serde_json::from_slice(&body.bytes).unwrap()
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"type": "message", "content": [], "usage":
        {"input_tokens": 12, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7, "output_tokens": 1}}})
}

fn block(index: u64, block: Value, deltas: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({"type": "content_block_start", "index": index, "content_block": block})];
    let of = |delta: &Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    events.extend(deltas.iter().map(of));
    events.push(json!({"type": "content_block_stop", "index": index}));
    events
}

fn end(reason: &str, output: u64) -> Vec<Value> {
    vec![
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": output}}),
        json!({"type": "message_stop"}),
    ]
}

/// Signed thinking, a text, two calls with thinking between them.
fn thinking_and_calls() -> String {
    let mut all = vec![start(), json!({"type": "ping"})];
    all.extend(block(
        0,
        json!({"type": "thinking", "thinking": "", "signature": ""}),
        &[
            json!({"type": "thinking_delta", "thinking": "Look "}),
            json!({"type": "thinking_delta", "thinking": "first."}),
            json!({"type": "signature_delta", "signature": "c2ln"}),
        ],
    ));
    all.extend(block(1, json!({"type": "text", "text": ""}), &[json!({"type": "text_delta", "text": "你好🙂"})]));
    all.extend(block(
        2,
        json!({"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}}),
        &[
            json!({"type": "input_json_delta", "partial_json": ""}),
            json!({"type": "input_json_delta", "partial_json": "{\"path\":"}),
            json!({"type": "input_json_delta", "partial_json": "\"a\"}"}),
        ],
    ));
    all.extend(block(3, json!({"type": "redacted_thinking", "data": "xyz"}), &[]));
    all.extend(block(4, json!({"type": "tool_use", "id": "toolu_2", "name": "list_directory", "input": {}}), &[]));
    all.extend(end("tool_use", 42));
    events(&all)
}

#[test]
fn text_thinking_calls_and_usage_are_read() {
    let outcome = read(&thinking_and_calls());
    assert_eq!((outcome.text.as_str(), outcome.reasoning.as_str()), ("你好🙂", "Look first."));
    assert_eq!(outcome.calls(), [("read_file", r#"{"path":"a"}"#), ("list_directory", "")]);
    let told = outcome.usage;
    let finish = outcome.finish.unwrap();
    assert_eq!(finish.reason, FinishReason::ToolCalls);
    let usage =
        Usage { input: Some(12), output: Some(42), cache_read: Some(100), cache_write: Some(7), reasoning: None };
    assert_eq!((finish.usage, told), (Some(usage), Some(usage)), "output is cumulative: overwritten, not added");
    assert_eq!(finish.items.len(), 2);
}

#[test]
fn thinking_goes_back_signed_and_in_its_place() {
    let items = read(&thinking_and_calls()).finish.unwrap().items;
    let calls = [("id-1", "read_file", r#"{"path":"a"}"#), ("id-2", "list_directory", "{}")];
    let mut said = assistant("hello", &calls);
    if let ViewMessage::Assistant { items: own, .. } = Arc::make_mut(&mut said) {
        *own = items;
    }
    let messages = vec![user("a"), said, result("id-1", "x"), result("id-2", ""), user("go on")];
    let body = parsed(&form().body(&view(messages), None));
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"},
            {"type": "text", "text": "hello"},
            {"type": "tool_use", "id": "call_id1", "name": "read_file", "input": {"path": "a"}},
            {"type": "redacted_thinking", "data": "xyz"},
            {"type": "tool_use", "id": "call_id2", "name": "list_directory", "input": {}},
        ])
    );
    let marker = json!({"type": "ephemeral"});
    assert_eq!(
        body["messages"][2],
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_id1", "content": "x"},
            {"type": "tool_result", "tool_use_id": "call_id2", "content": "(no text)"},
            {"type": "text", "text": "go on", "cache_control": marker},
        ]})
    );
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], marker);
    assert_eq!((&body["tools"][0]["cache_control"], &body["system"][0]["cache_control"]), (&marker, &marker));
    assert_eq!(body["max_tokens"], 8192);
}

#[test]
fn thinking_of_another_protocol_is_left_out() {
    let mut said = assistant("hello", &[]);
    if let ViewMessage::Assistant { items, .. } = Arc::make_mut(&mut said) {
        let raw = serde_json::value::to_raw_value(&json!({"type": "reasoning"})).unwrap();
        items.push(crate::placed::keep(Protocol::Responses, 0, false, &raw));
    }
    let body = parsed(&form().body(&view(vec![user("a"), said, user("b")]), None));
    assert_eq!(body["messages"][1]["content"], json!([{"type": "text", "text": "hello"}]));
}

#[test]
fn four_markers_at_most_and_the_last_call_without_tools_says_so() {
    let mut messages = vec![user("begin")];
    for round in 0..5 {
        let id = format!("id-{round}");
        messages.push(assistant("", &[(&id, "read_file", "{}")]));
        messages.push(result(&id, "x"));
    }
    let mut view = view(messages);
    view.tool_choice = ToolChoice::None;
    let body = form().body(&view, None);
    let text = String::from_utf8(body.bytes.to_vec()).unwrap();
    assert_eq!(text.matches("cache_control").count(), 4);
    assert_eq!(parsed(&body)["tool_choice"], json!({"type": "none"}));
    let content = &parsed(&body)["messages"];
    assert!(content[8]["content"][0].get("cache_control").is_some());
    assert!(content[10]["content"][0].get("cache_control").is_some());
}

#[test]
fn each_request_begins_the_next() {
    check_prefixes(&form());
}

proptest! {
    #[test]
    fn a_body_is_the_same_with_and_without_the_one_before(
        steps in prop::collection::vec(any_step(), 1..12),
        shares_bytes: bool,
    ) {
        check_reuse(&form(), steps, shares_bytes)?;
    }
}
