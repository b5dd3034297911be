//! What `v1/messages` demands of a request.
//! Looks at one request alone and answers nothing.

use std::collections::HashSet;

use serde_json::Value;

use super::{check_id, check_name, check_names};
use crate::fake_server::dialect::seal;

/// Cache markers that the API takes.
const MARKERS: usize = 4;

/// Looks through a body.
pub(super) fn check(document: &Value, salt: Option<u64>, found: &mut Vec<String>) {
    check_names(document, |tool| tool.get("name")?.as_str(), found);
    if document.get("max_tokens").and_then(Value::as_u64).is_none_or(|limit| limit == 0) {
        found.push("no max_tokens".to_owned());
    }
    if document.get("tool_choice").is_some_and(|choice| !choice.is_object()) {
        found.push("tool_choice is no object".to_owned());
    }
    for tool in document.get("tools").and_then(Value::as_array).into_iter().flatten() {
        if tool.get("input_schema").is_none_or(|schema| !schema.is_object()) {
            found.push(format!("a tool without input_schema: {tool}"));
        }
    }
    let markers = markers(document);
    if markers > MARKERS {
        found.push(format!("{markers} blocks with cache_control, {MARKERS} are allowed"));
    }
    if let Some(system) = document.get("system") {
        check_system(system, found);
    }
    match document.get("messages").and_then(Value::as_array) {
        Some(messages) if !messages.is_empty() => {
            Messages { salt, ids: HashSet::new(), open: Vec::new() }.check(messages, found);
        }
        _ => found.push("no messages".to_owned()),
    }
}

fn markers(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(markers).sum(),
        Value::Object(fields) => {
            usize::from(fields.contains_key("cache_control")) + fields.values().map(markers).sum::<usize>()
        }
        _ => 0,
    }
}

fn check_system(system: &Value, found: &mut Vec<String>) {
    let blocks = system.as_array().map_or(std::slice::from_ref(system), Vec::as_slice);
    let text = |block: &Value| block.as_str().or_else(|| block.get("text")?.as_str()).map(str::to_owned);
    if blocks.iter().any(|block| text(block).is_none_or(|text| text.trim().is_empty())) {
        found.push("an empty system prompt".to_owned());
    }
}

struct Messages {
    salt: Option<u64>,
    ids: HashSet<String>,
    /// Calls of the message before.
    open: Vec<String>,
}

impl Messages {
    fn check(mut self, messages: &[Value], found: &mut Vec<String>) {
        let mut before = "assistant";
        for (at, message) in messages.iter().enumerate() {
            let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
            match role {
                "user" | "assistant" if role != before => {}
                _ => found.push(format!("message {at}: {role:?} after {before:?}")),
            }
            let blocks = message.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            if blocks.is_empty() {
                found.push(format!("message {at}: without blocks"));
            }
            match role {
                "assistant" => self.check_answer(at, blocks, found),
                _ => self.check_users(at, blocks, found),
            }
            before = if role == "assistant" { "assistant" } else { "user" };
        }
        if before != "user" {
            found.push("the last message is the model's own".to_owned());
        }
    }

    fn check_answer(&mut self, at: usize, blocks: &[Value], found: &mut Vec<String>) {
        for block in blocks {
            match kind(block) {
                "text" => check_text(at, block, found),
                "thinking" => self.check_thinking(at, block, found),
                "redacted_thinking" => {}
                "tool_use" => {
                    let id = text(block, "id");
                    check_id(at, id, 64, &mut self.ids, found);
                    check_name(at, block.get("name"), found);
                    if block.get("input").is_none_or(|input| !input.is_object()) {
                        found.push(format!("message {at}: the input of {id} is no object"));
                    }
                    self.open.push(id.to_owned());
                }
                other => found.push(format!("message {at}: a block of {other:?} in an answer")),
            }
        }
        if matches!(blocks.last().map(kind), Some("thinking" | "redacted_thinking")) {
            found.push(format!("message {at}: it ends with thinking"));
        }
    }

    /// Only what this server signed, word for word.
    fn check_thinking(&self, at: usize, block: &Value, found: &mut Vec<String>) {
        if self.salt.is_some_and(|salt| seal(salt, text(block, "thinking")) != text(block, "signature")) {
            found.push(format!("message {at}: the signature of its thinking isn't of this server, or it was changed"));
        }
    }

    /// Results come first, one for each call of the message before.
    fn check_users(&mut self, at: usize, blocks: &[Value], found: &mut Vec<String>) {
        let mut has_text = false;
        for block in blocks {
            match kind(block) {
                "text" => {
                    has_text = true;
                    check_text(at, block, found);
                }
                "tool_result" => {
                    let id = text(block, "tool_use_id");
                    if has_text {
                        found.push(format!("message {at}: the result of {id} stands behind a text"));
                    }
                    match self.open.iter().position(|open| open == id) {
                        Some(position) => {
                            self.open.remove(position);
                        }
                        None => found.push(format!("message {at}: a result of {id:?}, which no call before it has")),
                    }
                    if block.get("content").is_none_or(super::is_empty) {
                        found.push(format!("message {at}: a result without content"));
                    }
                }
                other => found.push(format!("message {at}: a block of {other:?} of a user")),
            }
        }
        if !self.open.is_empty() {
            found.push(format!("message {at}: the calls {:?} have no result", std::mem::take(&mut self.open)));
        }
    }
}

fn check_text(at: usize, block: &Value, found: &mut Vec<String>) {
    if text(block, "text").trim().is_empty() {
        found.push(format!("message {at}: an empty text"));
    }
}

fn kind(block: &Value) -> &str {
    text(block, "type")
}

fn text<'a>(block: &'a Value, field: &str) -> &'a str {
    block.get(field).and_then(Value::as_str).unwrap_or_default()
}
