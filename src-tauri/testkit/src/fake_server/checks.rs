//! What every request has to fulfil, whatever the test is about.
//! Looks at one request alone and answers nothing.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use super::state::Recorded;

/// What is wrong with a request. Of other bodies than those of chat completions only size, form and model are looked at.
pub(super) fn of_request(request: &Recorded, max_body: usize) -> Vec<String> {
    let body = request.body.as_str();
    let mut found = Vec::new();
    if body.len() > max_body {
        found.push(format!("the body has {} bytes, {max_body} are allowed", body.len()));
    }
    let bearer = request.authorization.as_deref().and_then(|header| header.strip_prefix("Bearer "));
    let named = request.headers.iter().find(|(name, _)| name == "x-api-key").map(|(_, value)| value.as_str());
    if bearer.into_iter().chain(named).any(|key| key.len() >= 4 && body.contains(key)) {
        found.push("the key stands in the body".to_owned());
    }
    let path = request.path.split('?').next().unwrap_or_default();
    found.extend(of_body(body, path.ends_with("/chat/completions")));
    found
}

/// What is wrong with a request body.
pub(super) fn of_body(body: &str, is_chat: bool) -> Vec<String> {
    let mut found = Vec::new();
    let document: Value = match serde_json::from_str(body) {
        Ok(document) => document,
        Err(error) => {
            found.push(format!("the body is no JSON: {error}"));
            return found;
        }
    };
    if document.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
        found.push("no model".to_owned());
    }
    if !is_chat {
        return found;
    }
    check_tools(&document, &mut found);
    match document.get("messages").and_then(Value::as_array) {
        Some(messages) if !messages.is_empty() => check_messages(messages, &mut found),
        _ => found.push("no messages".to_owned()),
    }
    found
}

fn check_tools(document: &Value, found: &mut Vec<String>) {
    let Some(tools) = document.get("tools") else {
        if document.get("tool_choice").is_some() {
            found.push("tool_choice without tools".to_owned());
        }
        return;
    };
    let names: Vec<&str> =
        tools.as_array().into_iter().flatten().filter_map(|tool| tool.get("function")?.get("name")?.as_str()).collect();
    if names.is_empty() {
        found.push("tools are there but empty".to_owned());
    }
    if !names.is_sorted_by(|one, next| one < next) {
        found.push(format!("tools are not sorted by name, or not unique: {}", names.join(", ")));
    }
}

fn check_messages(messages: &[Value], found: &mut Vec<String>) {
    let mut ids = HashSet::new();
    let mut open: VecDeque<String> = VecDeque::new();
    let mut before = "";
    for (at, message) in messages.iter().enumerate() {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if role != "tool" && !open.is_empty() {
            found.push(format!("message {at}: {} came before the result of {:?}", role, open));
            open.clear();
        }
        match (role, before) {
            ("system", "") | ("user", "" | "system" | "assistant" | "tool") => {}
            ("assistant", "user" | "tool") => open = check_assistant(at, message, &mut ids, found),
            ("tool", "assistant" | "tool") => check_result(at, message, &mut open, found),
            _ => found.push(format!("message {at}: {role} after {before:?}")),
        }
        if matches!(role, "user" | "system") && message.get("content").is_none_or(is_empty) {
            found.push(format!("message {at}: {role} without content"));
        }
        before = role;
    }
    if !open.is_empty() {
        found.push(format!("the calls {open:?} have no result"));
    }
    if !matches!(before, "user" | "tool") {
        found.push(format!("the last message is of {before:?}"));
    }
}

/// Checks a message with calls; returns their ids in order.
fn check_assistant(at: usize, message: &Value, ids: &mut HashSet<String>, found: &mut Vec<String>) -> VecDeque<String> {
    let mut open = VecDeque::new();
    let calls = message.get("tool_calls").and_then(Value::as_array);
    if calls.is_none_or(Vec::is_empty) && message.get("content").is_none_or(is_empty) {
        found.push(format!("message {at}: assistant with neither content nor calls"));
    }
    for call in calls.into_iter().flatten() {
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
        if id.is_empty() || id.len() > 40 || !ids.insert(id.to_owned()) {
            found.push(format!("message {at}: the call id {id:?} is empty, too long, or was there before"));
        }
        let function = call.get("function").unwrap_or(&Value::Null);
        if function.get("name").and_then(Value::as_str).is_none_or(str::is_empty) {
            found.push(format!("message {at}: the call {id} has no name"));
        }
        let arguments = function.get("arguments").and_then(Value::as_str).unwrap_or_default();
        if !serde_json::from_str::<Value>(arguments).is_ok_and(|arguments| arguments.is_object()) {
            found.push(format!("message {at}: the arguments of {id} are no JSON object: {arguments}"));
        }
        open.push_back(id.to_owned());
    }
    open
}

/// Results come directly after their message and in the order of the calls.
fn check_result(at: usize, message: &Value, open: &mut VecDeque<String>, found: &mut Vec<String>) {
    let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
    match open.front() {
        Some(expected) if expected == id => {
            open.pop_front();
        }
        Some(expected) => {
            found.push(format!("message {at}: the result of {id:?} where that of {expected:?} belongs"));
            open.retain(|open| open != id);
        }
        None => found.push(format!("message {at}: a result of {id:?}, which no open call has")),
    }
    if message.get("content").is_none_or(is_empty) {
        found.push(format!("message {at}: a result without content"));
    }
}

fn is_empty(content: &Value) -> bool {
    match content {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
