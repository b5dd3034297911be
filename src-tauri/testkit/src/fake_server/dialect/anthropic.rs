//! `v1/messages`: a message that begins, blocks that begin, grow and stop, a stop reason with what was counted.
//! Reads nothing. Shapes: Anthropic's documentation, "Streaming messages" and "Extended thinking".

use serde_json::{Value, json};

use super::{Asked, Speaker, label, named, pieces, seal, words};
use crate::fake_server::script::{Call, Step};

/// One answer.
#[derive(Debug)]
pub(super) struct Anthropic {
    asked: Asked,
    /// Blocks that have stopped.
    stopped: usize,
    open: Option<Open>,
    calls: usize,
    written: usize,
    has_begun: bool,
}

#[derive(Debug)]
enum Open {
    Text,
    /// What was thought so far.
    Thinking(String),
}

impl Speaker for Anthropic {
    fn say(&mut self, step: &Step) -> Vec<Vec<u8>> {
        let mut writes = Vec::new();
        match step {
            Step::Think(text) => {
                self.think(&mut writes);
                for word in words(text) {
                    if let Some(Open::Thinking(so_far)) = &mut self.open {
                        so_far.push_str(word);
                    }
                    writes.push(self.delta(json!({ "type": "thinking_delta", "thinking": word })));
                }
            }
            Step::Say(text) => {
                self.text(&mut writes);
                words(text).for_each(|word| writes.push(self.delta(json!({ "type": "text_delta", "text": word }))));
            }
            Step::Call(call) => self.call(call, &mut writes),
            Step::End { finish, usage } => {
                self.begin(&mut writes);
                self.stop(&mut writes);
                self.end(finish.as_deref(), usage.as_ref(), &mut writes);
            }
            _ => {}
        }
        writes
    }

    fn before_tokens(&mut self) -> Vec<Vec<u8>> {
        let mut writes = Vec::new();
        self.text(&mut writes);
        writes
    }

    fn token(&mut self, number: usize) -> String {
        self.written += 1;
        let index = self.stopped;
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"text_delta\",\"text\":\"t{number} \"}}}}\n\n"
        )
    }
}

impl Anthropic {
    pub(super) fn new(asked: Asked) -> Self {
        Self { asked, stopped: 0, open: None, calls: 0, written: 0, has_begun: false }
    }

    fn begin(&mut self, writes: &mut Vec<Vec<u8>>) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let usage = json!({
            "input_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1,
        });
        let message = json!({
            "id": format!("msg_{}", self.asked.number), "type": "message", "role": "assistant", "content": [],
            "model": self.asked.model, "stop_reason": null, "stop_sequence": null, "usage": usage,
        });
        writes.push(named(&json!({ "type": "message_start", "message": message })));
    }

    fn start(&mut self, block: Value, writes: &mut Vec<Vec<u8>>) {
        writes.push(named(&json!({ "type": "content_block_start", "index": self.stopped, "content_block": block })));
        if self.stopped == 0 {
            writes.push(named(&json!({ "type": "ping" })));
        }
    }

    fn delta(&mut self, delta: Value) -> Vec<u8> {
        self.written += 1;
        named(&json!({ "type": "content_block_delta", "index": self.stopped, "delta": delta }))
    }

    fn text(&mut self, writes: &mut Vec<Vec<u8>>) {
        if !matches!(self.open, Some(Open::Text)) {
            self.begin(writes);
            self.stop(writes);
            self.start(json!({ "type": "text", "text": "" }), writes);
            self.open = Some(Open::Text);
        }
    }

    fn think(&mut self, writes: &mut Vec<Vec<u8>>) {
        if !matches!(self.open, Some(Open::Thinking(_))) {
            self.begin(writes);
            self.stop(writes);
            self.start(json!({ "type": "thinking", "thinking": "", "signature": "" }), writes);
            self.open = Some(Open::Thinking(String::new()));
        }
    }

    /// Stops the block that is open; thinking is signed.
    fn stop(&mut self, writes: &mut Vec<Vec<u8>>) {
        let Some(open) = self.open.take() else { return };
        if let Open::Thinking(thought) = open {
            let signature = seal(self.asked.salt, &thought);
            writes.push(self.delta(json!({ "type": "signature_delta", "signature": signature })));
        }
        self.end_block(writes);
    }

    fn end_block(&mut self, writes: &mut Vec<Vec<u8>>) {
        writes.push(named(&json!({ "type": "content_block_stop", "index": self.stopped })));
        self.stopped += 1;
    }

    fn call(&mut self, call: &Call, writes: &mut Vec<Vec<u8>>) {
        self.begin(writes);
        self.stop(writes);
        let id = label(call, "toolu_fake_", self.asked.number, self.calls);
        self.calls += 1;
        self.start(json!({ "type": "tool_use", "id": id, "name": call.name, "input": {} }), writes);
        writes.push(self.delta(json!({ "type": "input_json_delta", "partial_json": "" })));
        for piece in pieces(&call.arguments) {
            writes.push(self.delta(json!({ "type": "input_json_delta", "partial_json": piece })));
        }
        self.end_block(writes);
    }

    fn end(&mut self, finish: Option<&str>, usage: Option<&Value>, writes: &mut Vec<Vec<u8>>) {
        let reason = match finish {
            None if self.calls > 0 => "tool_use",
            None | Some("stop") => "end_turn",
            Some("tool_calls") => "tool_use",
            Some("length") => "max_tokens",
            Some("content_filter") => "refusal",
            Some(other) => other,
        };
        let counted = json!({ "output_tokens": self.written });
        let delta = json!({ "stop_reason": reason, "stop_sequence": null });
        let usage = usage.unwrap_or(&counted);
        let mut event = json!({ "type": "message_delta", "delta": delta });
        if !usage.is_null() {
            event["usage"] = usage.clone();
        }
        writes.push(named(&event));
        writes.push(named(&json!({ "type": "message_stop" })));
    }
}
