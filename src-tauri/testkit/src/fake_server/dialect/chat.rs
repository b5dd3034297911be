//! `chat/completions`: chunks with a delta, a finish, usage, `[DONE]`.
//! Reads nothing.

use serde_json::{Value, json};

use super::{Speaker, pieces, words};
use crate::fake_server::script::{Call, Step};

/// One answer.
#[derive(Debug, Default)]
pub(super) struct Chat {
    calls: usize,
    written: usize,
}

impl Speaker for Chat {
    fn say(&mut self, step: &Step) -> Vec<Vec<u8>> {
        let mut writes = Vec::new();
        match step {
            Step::Think(text) => {
                self.begin(&mut writes);
                writes.extend(words(text).map(|word| delta(&json!({ "reasoning_content": word }))));
            }
            Step::Say(text) => {
                self.begin(&mut writes);
                writes.extend(words(text).map(|word| delta(&json!({ "content": word }))));
            }
            Step::Call(call) => {
                self.begin(&mut writes);
                self.call(call, &mut writes);
            }
            Step::End { finish, usage } => {
                self.begin(&mut writes);
                self.written += writes.len();
                let usual = if self.calls > 0 { "tool_calls" } else { "stop" };
                let reason = finish.as_deref().unwrap_or(usual);
                let counted = json!({ "prompt_tokens": 1, "completion_tokens": self.written });
                let usage = usage.as_ref().unwrap_or(&counted);
                writes = vec![event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))];
                if !usage.is_null() {
                    writes.push(event(&json!({ "choices": [], "usage": usage })));
                }
                writes.push(b"data: [DONE]\n\n".to_vec());
                return writes;
            }
            _ => {}
        }
        self.written += writes.len();
        writes
    }

    fn before_tokens(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn token(&mut self, number: usize) -> String {
        self.written += 1;
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"t{number} \"}},\"finish_reason\":null}}]}}\n\n"
        )
    }
}

impl Chat {
    fn begin(&mut self, writes: &mut Vec<Vec<u8>>) {
        if self.written == 0 {
            writes.push(delta(&json!({ "role": "assistant", "content": "" })));
        }
    }

    fn call(&mut self, call: &Call, writes: &mut Vec<Vec<u8>>) {
        let index = self.calls;
        self.calls += 1;
        let id = call.id.clone().unwrap_or_else(|| format!("fake_{index}"));
        let function = json!({ "name": call.name, "arguments": "" });
        let begin = json!({ "index": index, "id": id, "type": "function", "function": function });
        writes.push(delta(&json!({ "tool_calls": [begin] })));
        writes.extend(
            pieces(&call.arguments)
                .iter()
                .map(|piece| delta(&json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }))),
        );
    }
}

fn event(data: &Value) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

fn delta(delta: &Value) -> Vec<u8> {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": null });
    event(&json!({ "object": "chat.completion.chunk", "choices": [choice] }))
}
