//! What a script's model answers: pieces in order and one ending, playable inside of the process and over HTTP alike.
//! It says what happens and never when: for that there are gates.

use assent_protocol::view::{FailureKind, FinishReason, Usage};
use serde_json::{Value, json};

use crate::fake_server::{Call, Reply, Step};

/// One answer to one request.
#[derive(Debug, Clone)]
pub struct Answer {
    pub(super) pieces: Vec<Piece>,
    pub(super) end: End,
    pub(super) usage: Option<Usage>,
}

/// A piece of an answer.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    Think(String),
    Say(String),
    Call {
        id: Option<String>,
        name: String,
        arguments: String,
    },
    Gate(String),
    /// Counts that are told in the middle, as some wire formats do.
    Told(Usage),
}

/// How an answer ends.
#[derive(Debug, Clone)]
pub(super) enum End {
    /// With a finish reason; none: what follows from the pieces.
    Finish(Option<FinishReason>),
    /// Before its first byte.
    Refused { failure: FailureKind, words: String, retry_after_s: Option<u64> },
    /// In the middle.
    Broken(FailureKind),
}

/// Words.
pub fn say(text: &str) -> Answer {
    nothing().say(text)
}

/// A call of a tool.
pub fn call(name: &str, arguments: Value) -> Answer {
    nothing().call(name, arguments)
}

/// No word and no call.
pub fn nothing() -> Answer {
    Answer { pieces: Vec::new(), end: End::Finish(None), usage: None }
}

/// A wait at a gate, before anything comes.
pub fn gate(name: &str) -> Answer {
    nothing().gate(name)
}

/// A failure before the first byte of an answer, with the provider's words.
pub fn refused(failure: FailureKind, words: &str) -> Answer {
    let end = End::Refused { failure, words: words.to_owned(), retry_after_s: None };
    Answer { end, ..nothing() }
}

impl Answer {
    /// More words.
    pub fn say(mut self, text: &str) -> Self {
        self.pieces.push(Piece::Say(text.to_owned()));
        self
    }

    /// Reasoning.
    pub fn think(mut self, text: &str) -> Self {
        self.pieces.push(Piece::Think(text.to_owned()));
        self
    }

    /// One more call.
    pub fn call(self, name: &str, arguments: Value) -> Self {
        self.call_text(None, name, &arguments.to_string())
    }

    /// One more call, with the provider's id and the raw argument text.
    pub fn call_text(mut self, id: Option<&str>, name: &str, arguments: &str) -> Self {
        let (name, arguments) = (name.to_owned(), arguments.to_owned());
        self.pieces.push(Piece::Call { id: id.map(str::to_owned), name, arguments });
        self
    }

    /// A wait at a gate.
    pub fn gate(mut self, name: &str) -> Self {
        self.pieces.push(Piece::Gate(name.to_owned()));
        self
    }

    /// Another finish reason than what follows from the pieces.
    pub fn finish(mut self, reason: FinishReason) -> Self {
        self.end = End::Finish(Some(reason));
        self
    }

    /// What it used, told with its end: input that no cache held, output, and input read from a cache.
    pub fn used(mut self, input: u64, output: u64, cache_read: u64) -> Self {
        let cache_read = (cache_read > 0).then_some(cache_read);
        self.usage = Some(Usage { input: Some(input), output: Some(output), cache_read, ..Usage::default() });
        self
    }

    /// Tells at once what it used so far: input that no cache held, and output. Chat completions have no such thing.
    pub fn told(mut self, input: u64, output: u64) -> Self {
        self.pieces.push(Piece::Told(Usage { input: Some(input), output: Some(output), ..Usage::default() }));
        self
    }

    /// Breaks off after the pieces, without a finish reason.
    pub fn breaks(mut self, failure: FailureKind) -> Self {
        self.end = End::Broken(failure);
        self
    }

    /// Asks to wait so many seconds.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        if let End::Refused { retry_after_s, .. } = &mut self.end {
            *retry_after_s = Some(seconds);
        }
        self
    }

    /// The finish reason of an answer that ends well.
    pub(super) fn reason(&self) -> FinishReason {
        let calls = self.pieces.iter().any(|piece| matches!(piece, Piece::Call { .. }));
        match self.end {
            // As the wire format's machine has it: an answer with calls wants them run, whatever the server says.
            End::Finish(Some(FinishReason::Stop)) if calls => FinishReason::ToolCalls,
            End::Finish(Some(reason)) => reason,
            _ if calls => FinishReason::ToolCalls,
            _ => FinishReason::Stop,
        }
    }

    /// The same for the fake server.
    pub(super) fn reply(&self) -> Reply {
        if let End::Refused { failure, words, retry_after_s } = &self.end {
            let body = json!({ "error": { "message": words } }).to_string();
            let wait = retry_after_s.map(|seconds| seconds.to_string());
            let headers: Vec<(&str, &str)> = wait.iter().map(|wait| ("retry-after", wait.as_str())).collect();
            return Reply::plain(status(*failure), &headers, &body);
        }
        let mut steps = Vec::new();
        let mut calls = 0;
        for piece in &self.pieces {
            steps.push(match piece {
                Piece::Think(text) => Step::Think(text.clone()),
                Piece::Say(text) => Step::Say(text.clone()),
                Piece::Call { id, name, arguments } => {
                    let id = Some(id.clone().unwrap_or_else(|| label(calls)));
                    calls += 1;
                    Step::Call(Call { id, name: name.clone(), arguments: arguments.clone() })
                }
                Piece::Gate(gate) => Step::Gate(gate.clone()),
                Piece::Told(_) => continue,
            });
        }
        let usage = self.usage.map_or(Value::Null, |usage| told(&usage));
        steps.push(match self.end {
            End::Broken(_) => Step::Cut,
            _ => Step::End { finish: Some(word(self.reason()).to_owned()), usage: Some(usage) },
        });
        Reply::steps(steps)
    }
}

/// Counts in the words of chat completions, where the prompt's tokens hold the cached ones.
fn told(usage: &Usage) -> Value {
    let mut told = json!({
        "prompt_tokens": usage.input.unwrap_or(0) + usage.cache_read.unwrap_or(0),
        "completion_tokens": usage.output,
    });
    if let Some(cached) = usage.cache_read {
        told["prompt_tokens_details"] = json!({ "cached_tokens": cached });
    }
    told
}

/// The provider's label of a call for which the script names none.
pub(super) fn label(index: usize) -> String {
    format!("fake_{index}")
}

/// A status that means this failure.
pub(super) fn status(failure: FailureKind) -> u16 {
    match failure {
        FailureKind::Unauthorized => 401,
        FailureKind::Forbidden => 403,
        FailureKind::NotFound => 404,
        FailureKind::ContextTooLong => 413,
        FailureKind::RateLimited => 429,
        FailureKind::Server => 503,
        _ => 400,
    }
}

fn word(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::Length => "length",
        FinishReason::ContentFilter | FinishReason::Refusal => "content_filter",
    }
}
