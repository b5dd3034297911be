//! What `responses` demands of a request that keeps nothing on the server.
//! Looks at one request alone and answers nothing.

use std::collections::HashSet;

use serde_json::Value;

use super::{check_arguments, check_id, check_name, check_names};
use crate::fake_server::dialect::seal;

/// Looks through a body.
pub(super) fn check(document: &Value, salt: Option<u64>, found: &mut Vec<String>) {
    check_names(document, |tool| tool.get("name")?.as_str(), found);
    if document.get("store") != Some(&Value::Bool(false)) {
        found.push("store isn't false: the server would keep the conversation".to_owned());
    }
    if document.get("messages").is_some() {
        found.push("there are messages, which this API doesn't know".to_owned());
    }
    match document.get("input").and_then(Value::as_array) {
        Some(input) if !input.is_empty() => {
            Input { salt, ids: HashSet::new(), open: Vec::new(), reasoning: None }.check(input, found)
        }
        _ => found.push("no input".to_owned()),
    }
}

struct Input {
    salt: Option<u64>,
    ids: HashSet<String>,
    /// Calls without an output so far.
    open: Vec<String>,
    /// Reasoning whose item is still to come.
    reasoning: Option<usize>,
}

impl Input {
    fn check(mut self, input: &[Value], found: &mut Vec<String>) {
        for (at, item) in input.iter().enumerate() {
            let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
            let is_users = item.get("role").and_then(Value::as_str) == Some("user");
            if let Some(before) = self.reasoning
                && (kind == "function_call_output" || is_users)
            {
                found.push(format!("item {before}: reasoning without the item that it led to"));
            }
            if !matches!(kind, "reasoning") {
                self.reasoning = None;
            }
            if is_users && !self.open.is_empty() {
                found.push(format!("item {at}: a message came before the output of {:?}", self.open));
                self.open.clear();
            }
            match kind {
                "message" => check_message(at, item, found),
                "function_call" => self.check_call(at, item, found),
                "function_call_output" => self.check_output(at, item, found),
                "reasoning" => self.check_reasoning(at, item, found),
                other => found.push(format!("item {at}: a thing that isn't one: {other:?}")),
            }
        }
        if !self.open.is_empty() {
            found.push(format!("the calls {:?} have no output", self.open));
        }
        let is_asking = input.last().is_some_and(|last| {
            last.get("type").and_then(Value::as_str) == Some("function_call_output")
                || last.get("role").and_then(Value::as_str) == Some("user")
        });
        if !is_asking {
            found.push("the last item asks for nothing".to_owned());
        }
    }

    fn check_call(&mut self, at: usize, item: &Value, found: &mut Vec<String>) {
        let id = item.get("call_id").and_then(Value::as_str).unwrap_or_default();
        check_id(at, id, 64, &mut self.ids, found);
        check_name(at, item.get("name"), found);
        check_arguments(at, id, item.get("arguments"), found);
        if item.get("id").is_some() {
            found.push(format!("item {at}: a call with the id of an item that the server doesn't keep"));
        }
        self.open.push(id.to_owned());
    }

    fn check_output(&mut self, at: usize, item: &Value, found: &mut Vec<String>) {
        let id = item.get("call_id").and_then(Value::as_str).unwrap_or_default();
        match self.open.iter().position(|open| open == id) {
            Some(position) => {
                self.open.remove(position);
            }
            None => found.push(format!("item {at}: an output of {id:?}, which no open call has")),
        }
        if item.get("output").and_then(Value::as_str).is_none_or(str::is_empty) {
            found.push(format!("item {at}: an output without text"));
        }
    }

    /// Only what this server wrote, word for word.
    fn check_reasoning(&mut self, at: usize, item: &Value, found: &mut Vec<String>) {
        self.reasoning = Some(at);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = text(item.get("id"));
        let parts = item.get("summary").and_then(Value::as_array);
        let summary: String = parts.into_iter().flatten().map(|part| text(part.get("text"))).collect();
        let sealed = text(item.get("encrypted_content"));
        if sealed.is_empty() {
            found.push(format!("item {at}: reasoning without its encrypted content, which nobody here keeps"));
        } else if self.salt.is_some_and(|salt| seal(salt, &format!("{id} {summary}")) != sealed) {
            found.push(format!("item {at}: the encrypted content of {id:?} isn't of this server, or was changed"));
        }
    }
}

fn check_message(at: usize, item: &Value, found: &mut Vec<String>) {
    let expected = match item.get("role").and_then(Value::as_str) {
        Some("user") => "input_text",
        Some("assistant") => "output_text",
        other => return found.push(format!("item {at}: a message of {other:?}")),
    };
    let parts = item.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if parts.is_empty() {
        found.push(format!("item {at}: a message without content"));
    }
    for part in parts {
        if part.get("type").and_then(Value::as_str) != Some(expected) {
            found.push(format!("item {at}: a part that isn't {expected}: {part}"));
        }
        if part.get("text").and_then(Value::as_str).is_none_or(str::is_empty) {
            found.push(format!("item {at}: a part without text"));
        }
    }
}
