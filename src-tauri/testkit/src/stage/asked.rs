//! What a request to the fake server consisted of, in one line: its path, its model, and the kinds of what was said.
//! Checks nothing: the server does.

use serde_json::Value;

use crate::fake_server::Recorded;

/// `/v1/messages c: user(text) assistant(thinking tool_use) user(tool_result)`.
pub(super) fn shape(request: &Recorded) -> String {
    let body: Value = serde_json::from_str(&request.body).unwrap_or(Value::Null);
    let model = text(&body, "model");
    let said = ["messages", "input"].iter().find_map(|field| body.get(*field)?.as_array());
    let said: Vec<String> = said.into_iter().flatten().map(kind).collect();
    format!("{} {model}: {}", request.path, said.join(" "))
}

/// The role of a message with the kinds of its parts, or the kind of an item that has no role.
fn kind(message: &Value) -> String {
    let role = text(message, "role");
    if role.is_empty() {
        return text(message, "type").to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    match message.get("content") {
        Some(Value::Array(blocks)) => parts.extend(blocks.iter().map(|block| text(block, "type"))),
        Some(Value::String(_)) => parts.push("text"),
        _ => {}
    }
    let others = ["reasoning_content", "tool_calls"];
    parts.extend(others.into_iter().filter(|field| message.get(*field).is_some()));
    format!("{role}({})", parts.join(" "))
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
