//! The wire format against transcripts and random histories.
//! No network.

use assent_protocol::view::{FinishReason, ToolChoice, Usage, ViewMessage};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::Arc;

use super::answer::ResponsesAnswer;
use super::body::ResponsesForm;
use crate::model::Body;
use crate::testing::{Outcome, any_step, assistant, check_prefixes, check_reuse, read_with, result, user, view};
use crate::wire_format::WireFormat as _;

fn read(stream: &str) -> Outcome {
    read_with(|| Box::new(ResponsesAnswer::default()), stream)
}

/// A stream of these events, each a JSON object with a `type`.
fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect()
}

fn form() -> ResponsesForm {
    ResponsesForm::new(true, &Map::new())
}

fn parsed(body: &Body) -> Value {
    serde_json::from_slice(&body.bytes).unwrap()
}

fn reasoning() -> Value {
    json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look first."}],
        "encrypted_content": "b3BhcXVl"})
}

fn call(arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "read_file", "arguments": arguments})
}

fn completed(output: Value) -> Value {
    json!({"type": "response.completed", "response": {"object": "response", "status": "completed", "output": output,
        "usage": {"input_tokens": 120, "input_tokens_details": {"cached_tokens": 100}, "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 20}}}})
}

/// Reasoning with a summary, a text, and a call in pieces.
fn whole() -> String {
    let message = json!({"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "你好🙂"}]});
    events(&[
        json!({"type": "response.created", "response": {"status": "in_progress", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1", "summary": []}}),
        json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "item_id": "rs_1", "summary_index": 0}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "item_id": "rs_1", "delta": "Look "}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "item_id": "rs_1", "delta": "first."}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning()}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "msg_1", "content": []}}),
        json!({"type": "response.output_text.delta", "output_index": 1, "item_id": "msg_1", "delta": "你好"}),
        json!({"type": "response.output_text.delta", "output_index": 1, "item_id": "msg_1", "delta": "🙂"}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": message}),
        json!({"type": "response.output_item.added", "output_index": 2, "item": call("")}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "item_id": "fc_1", "delta": "{\"path\":"}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "item_id": "fc_1", "delta": "\"a\"}"}),
        json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"path\":\"a\"}"}),
        json!({"type": "response.output_item.done", "output_index": 2, "item": call("{\"path\":\"a\"}")}),
        completed(json!([reasoning(), message, call("{\"path\":\"a\"}")])),
    ])
}

#[test]
fn text_reasoning_calls_and_usage_are_read() {
    let outcome = read(&whole());
    assert_eq!((outcome.text.as_str(), outcome.reasoning.as_str()), ("你好🙂", "Look first."));
    assert_eq!(outcome.calls(), [("read_file", r#"{"path":"a"}"#)]);
    let finish = outcome.finish.unwrap();
    assert_eq!(finish.reason, FinishReason::ToolCalls);
    assert_eq!(finish.calls[0].provider_id.as_deref(), Some("call_a"));
    let usage =
        Usage { input: Some(20), output: Some(30), cache_read: Some(100), cache_write: None, reasoning: Some(20) };
    assert_eq!(finish.usage, Some(usage));
}

#[test]
fn reasoning_goes_back_before_the_call_that_it_led_to() {
    let items = read(&whole()).finish.unwrap().items;
    let mut said = assistant("", &[("id-1", "read_file", r#"{"path":"a"}"#)]);
    if let ViewMessage::Assistant { items: own, .. } = Arc::make_mut(&mut said) {
        *own = items;
    }
    let body = parsed(&form().body(&view(vec![user("a"), said, result("id-1", "x")]), None));
    assert_eq!(
        body["input"],
        json!([
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
            reasoning(),
            {"type": "function_call", "call_id": "call_id1", "name": "read_file", "arguments": "{\"path\":\"a\"}"},
            {"type": "function_call_output", "call_id": "call_id1", "output": "x"},
        ])
    );
    assert_eq!((&body["store"], &body["include"]), (&json!(false), &json!(["reasoning.encrypted_content"])));
    assert_eq!(body["instructions"], "Be brief.");
    assert_eq!(body["tools"][0]["name"], "read_file");
}

#[test]
fn tools_off_is_said_at_the_very_end() {
    let mut view = view(vec![user("a")]);
    let auto = form().body(&view, None);
    view.tool_choice = ToolChoice::None;
    let none = form().body(&view, Some(auto.clone()));
    assert!(none.bytes.ends_with(br#"],"tool_choice":"none"}"#));
    assert_eq!(none.shared_prefix, auto.stable);
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
