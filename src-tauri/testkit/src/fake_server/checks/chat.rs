//! What `chat/completions` demands of a request.
//! Looks at one request alone and answers nothing.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use super::{check_arguments, check_id, check_name, check_names, is_empty};

/// Looks through a body.
pub(super) fn check(document: &Value, found: &mut Vec<String>) {
    check_names(document, |tool| tool.get("function")?.get("name")?.as_str(), found);
    match document.get("messages").and_then(Value::as_array) {
        Some(messages) if !messages.is_empty() => check_messages(messages, found),
        _ => found.push("no messages".to_owned()),
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
        check_id(at, id, 40, ids, found);
        let function = call.get("function").unwrap_or(&Value::Null);
        check_name(at, function.get("name"), found);
        check_arguments(at, id, function.get("arguments"), found);
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
