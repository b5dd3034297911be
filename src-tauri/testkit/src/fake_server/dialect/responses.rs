//! `responses`: numbered events about items of an output, and at the end the whole response.
//! Reads nothing. Shapes: OpenAI's reference, "Streaming events" of the Responses API.

use serde_json::{Value, json};

use super::{Asked, Speaker, label, named, pieces, seal, words};
use crate::fake_server::script::{Call, Step};

/// One answer.
#[derive(Debug)]
pub(super) struct Responses {
    asked: Asked,
    sequence: u64,
    /// Items that are whole.
    output: Vec<Value>,
    /// The item that is being written.
    open: Option<Open>,
    calls: usize,
    written: usize,
    has_begun: bool,
}

#[derive(Debug)]
struct Open {
    id: String,
    text: String,
    is_reasoning: bool,
}

impl Speaker for Responses {
    fn say(&mut self, step: &Step) -> Vec<Vec<u8>> {
        let mut writes = Vec::new();
        match step {
            Step::Think(text) => {
                self.open(true, &mut writes);
                words(text).for_each(|word| writes.push(self.delta(word)));
            }
            Step::Say(text) => {
                self.open(false, &mut writes);
                words(text).for_each(|word| writes.push(self.delta(word)));
            }
            Step::Call(call) => self.call(call, &mut writes),
            Step::End { finish, usage } => {
                self.begin(&mut writes);
                self.close(&mut writes);
                self.end(finish.as_deref(), usage.as_ref(), &mut writes);
            }
            _ => {}
        }
        writes
    }

    fn before_tokens(&mut self) -> Vec<Vec<u8>> {
        let mut writes = Vec::new();
        self.open(false, &mut writes);
        writes
    }

    fn token(&mut self, number: usize) -> String {
        self.written += 1;
        self.sequence += 1;
        let index = self.output.len();
        let Some(open) = &mut self.open else { return String::new() };
        let token = format!("t{number} ");
        open.text.push_str(&token);
        format!(
            "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{},\"item_id\":\"{}\",\"output_index\":{index},\"content_index\":0,\"delta\":\"{token}\",\"logprobs\":[]}}\n\n",
            self.sequence, open.id
        )
    }
}

impl Responses {
    pub(super) fn new(asked: Asked) -> Self {
        Self { asked, sequence: 0, output: Vec::new(), open: None, calls: 0, written: 0, has_begun: false }
    }

    /// An event with its number.
    fn event(&mut self, kind: &str, mut fields: Value) -> Vec<u8> {
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("type".to_owned(), kind.into());
            fields.insert("sequence_number".to_owned(), self.sequence.into());
        }
        self.sequence += 1;
        named(&fields)
    }

    fn response(&self, status: &str, more: &[(&str, Value)]) -> Value {
        let mut response = json!({
            "id": format!("resp_{}", self.asked.number), "object": "response", "created_at": 1_796_040_000,
            "status": status, "error": null, "incomplete_details": null, "model": self.asked.model,
            "output": self.output, "parallel_tool_calls": true, "store": false, "tool_choice": "auto", "usage": null,
        });
        for (name, value) in more {
            response[*name] = value.clone();
        }
        json!({ "response": response })
    }

    fn begin(&mut self, writes: &mut Vec<Vec<u8>>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            for kind in ["response.created", "response.in_progress"] {
                let response = self.response("in_progress", &[]);
                writes.push(self.event(kind, response));
            }
        }
    }

    fn id(&self, prefix: &str) -> String {
        format!("{prefix}_{}_{}", self.asked.number, self.output.len())
    }

    /// Opens a message or reasoning, unless one of that kind is open.
    fn open(&mut self, is_reasoning: bool, writes: &mut Vec<Vec<u8>>) {
        self.begin(writes);
        if self.open.as_ref().is_some_and(|open| open.is_reasoning == is_reasoning) {
            return;
        }
        self.close(writes);
        let index = self.output.len();
        let id = self.id(if is_reasoning { "rs" } else { "msg" });
        let item = match is_reasoning {
            true => json!({ "id": id, "type": "reasoning", "summary": [] }),
            false => {
                json!({ "id": id, "type": "message", "status": "in_progress", "role": "assistant", "content": [] })
            }
        };
        writes.push(self.event("response.output_item.added", json!({ "output_index": index, "item": item })));
        writes.push(match is_reasoning {
            true => {
                let part = json!({ "type": "summary_text", "text": "" });
                let fields = json!({ "item_id": id, "output_index": index, "summary_index": 0, "part": part });
                self.event("response.reasoning_summary_part.added", fields)
            }
            false => {
                let part = json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": "" });
                let fields = json!({ "item_id": id, "output_index": index, "content_index": 0, "part": part });
                self.event("response.content_part.added", fields)
            }
        });
        self.open = Some(Open { id, text: String::new(), is_reasoning });
    }

    fn delta(&mut self, piece: &str) -> Vec<u8> {
        self.written += 1;
        let index = self.output.len();
        let Some(open) = &mut self.open else { return Vec::new() };
        open.text.push_str(piece);
        let (id, is_reasoning) = (open.id.clone(), open.is_reasoning);
        match is_reasoning {
            true => self.event(
                "response.reasoning_summary_text.delta",
                json!({ "item_id": id, "output_index": index, "summary_index": 0, "delta": piece }),
            ),
            false => self.event(
                "response.output_text.delta",
                json!({ "item_id": id, "output_index": index, "content_index": 0, "delta": piece, "logprobs": [] }),
            ),
        }
    }

    /// Ends the item that is open.
    fn close(&mut self, writes: &mut Vec<Vec<u8>>) {
        let Some(Open { id, text, is_reasoning }) = self.open.take() else { return };
        let index = self.output.len();
        let item = if is_reasoning {
            let place = json!({ "item_id": id, "output_index": index, "summary_index": 0 });
            let part = json!({ "type": "summary_text", "text": text });
            writes.push(self.event("response.reasoning_summary_text.done", with(&place, "text", text.clone().into())));
            writes.push(self.event("response.reasoning_summary_part.done", with(&place, "part", part.clone())));
            let sealed = seal(self.asked.salt, &format!("{id} {text}"));
            json!({ "id": id, "type": "reasoning", "summary": [part], "encrypted_content": sealed })
        } else {
            let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
            let part = json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": text });
            writes.push(self.event("response.output_text.done", with(&place, "text", text.into())));
            writes.push(self.event("response.content_part.done", with(&place, "part", part.clone())));
            json!({ "id": id, "type": "message", "status": "completed", "role": "assistant", "content": [part] })
        };
        self.finish_item(item, writes);
    }

    fn finish_item(&mut self, item: Value, writes: &mut Vec<Vec<u8>>) {
        let index = self.output.len();
        writes.push(self.event("response.output_item.done", json!({ "output_index": index, "item": item })));
        self.output.push(item);
    }

    fn call(&mut self, call: &Call, writes: &mut Vec<Vec<u8>>) {
        self.begin(writes);
        self.close(writes);
        let index = self.output.len();
        let (id, call_id) = (self.id("fc"), label(call, "call_fake_", self.asked.number, self.calls));
        self.calls += 1;
        let item = |status: &str, arguments: &str| json!({ "id": id, "type": "function_call", "status": status, "arguments": arguments, "call_id": call_id, "name": call.name });
        let begun = json!({ "output_index": index, "item": item("in_progress", "") });
        writes.push(self.event("response.output_item.added", begun));
        for piece in pieces(&call.arguments) {
            self.written += 1;
            let fields = json!({ "item_id": id, "output_index": index, "delta": piece });
            writes.push(self.event("response.function_call_arguments.delta", fields));
        }
        let done = json!({ "item_id": id, "output_index": index, "arguments": call.arguments });
        writes.push(self.event("response.function_call_arguments.done", done));
        self.finish_item(item("completed", &call.arguments), writes);
    }

    fn end(&mut self, finish: Option<&str>, usage: Option<&Value>, writes: &mut Vec<Vec<u8>>) {
        let counted = json!({
            "input_tokens": 1, "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": self.written, "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": 1 + self.written,
        });
        let usage = ("usage", usage.cloned().unwrap_or(counted));
        let reason = match finish {
            Some("length") => Some("max_output_tokens"),
            Some("content_filter") => Some("content_filter"),
            _ => None,
        };
        let (kind, response) = match reason {
            Some(reason) => {
                let details = ("incomplete_details", json!({ "reason": reason }));
                ("response.incomplete", self.response("incomplete", &[usage, details]))
            }
            None => ("response.completed", self.response("completed", &[usage])),
        };
        writes.push(self.event(kind, response));
    }
}

/// The same with one more field.
fn with(fields: &Value, name: &str, value: Value) -> Value {
    let mut fields = fields.clone();
    fields[name] = value;
    fields
}
