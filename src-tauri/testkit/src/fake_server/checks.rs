//! What every request has to fulfil, whatever the test is about: first what all protocols want, then each its own.
//! Looks at one request alone and answers nothing.

mod anthropic;
mod chat;
mod responses;

use std::collections::HashSet;

use serde_json::Value;

use super::dialect::Dialect;
use super::state::Recorded;

/// What is wrong with a request. `salt` is what this server's seals are made with; none: they aren't looked at.
pub(super) fn violations(request: &Recorded, salt: Option<u64>, max_body: usize) -> Vec<String> {
    let mut found = Vec::new();
    let body = &request.body;
    if body.len() > max_body {
        found.push(format!("the body has {} bytes, {max_body} are allowed", body.len()));
    }
    check_headers(request, &mut found);
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
    if document.get("tools").is_none() && document.get("tool_choice").is_some() {
        found.push("tool_choice without tools".to_owned());
    }
    match request.dialect {
        Dialect::ChatCompletions => chat::check(&document, &mut found),
        Dialect::Responses => responses::check(&document, salt, &mut found),
        Dialect::AnthropicMessages => anthropic::check(&document, salt, &mut found),
    }
    found
}

/// The key stands in the header that the protocol has for it, and nowhere else.
fn check_headers(request: &Recorded, found: &mut Vec<String>) {
    let bearer = request.authorization.as_deref().and_then(|header| header.strip_prefix("Bearer "));
    let keys = [bearer, request.api_key.as_deref()];
    if keys.into_iter().flatten().any(|key| key.len() >= 4 && request.body.contains(key)) {
        found.push("the key stands in the body".to_owned());
    }
    let (is_wrong, right) = match request.dialect {
        Dialect::AnthropicMessages => (request.authorization.is_some(), "x-api-key"),
        Dialect::ChatCompletions | Dialect::Responses => (request.api_key.is_some(), "authorization"),
    };
    if is_wrong {
        found.push(format!("the key belongs into the header {right}"));
    }
    if request.dialect == Dialect::AnthropicMessages && request.version.is_none() {
        found.push("no header anthropic-version".to_owned());
    }
}

/// Tools are sorted and there is at least one where there is a list.
fn check_names(document: &Value, name: impl Fn(&Value) -> Option<&str>, found: &mut Vec<String>) {
    let Some(tools) = document.get("tools") else { return };
    let names: Vec<&str> = tools.as_array().into_iter().flatten().filter_map(name).collect();
    if names.is_empty() {
        found.push("tools are there but empty".to_owned());
    }
    if !names.is_sorted_by(|one, next| one < next) {
        found.push(format!("tools are not sorted by name, or not unique: {}", names.join(", ")));
    }
}

fn check_id(at: usize, id: &str, longest: usize, ids: &mut HashSet<String>, found: &mut Vec<String>) {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if id.is_empty() || id.len() > longest || !id.chars().all(is_fit) || !ids.insert(id.to_owned()) {
        found.push(format!("message {at}: the call id {id:?} is empty, too long, malformed, or was there before"));
    }
}

fn check_name(at: usize, name: Option<&Value>, found: &mut Vec<String>) {
    let name = name.and_then(Value::as_str).unwrap_or_default();
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_fit) {
        found.push(format!("message {at}: a call has no name that is one: {name:?}"));
    }
}

/// Arguments that are a text.
fn check_arguments(at: usize, id: &str, arguments: Option<&Value>, found: &mut Vec<String>) {
    let arguments = arguments.and_then(Value::as_str).unwrap_or_default();
    if !serde_json::from_str::<Value>(arguments).is_ok_and(|arguments| arguments.is_object()) {
        found.push(format!("message {at}: the arguments of {id} are no JSON object: {arguments}"));
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
