//! The three protocols that the server speaks: from the steps of a script to the events of each.
//! Checks no request and decides nothing: what is said stands in the script.

mod anthropic;
mod chat;
mod responses;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Value, json};

use super::script::{Call, Step};

/// A protocol, as the path of a request names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `POST …/chat/completions`.
    ChatCompletions,
    /// `POST …/responses`.
    Responses,
    /// `POST …/messages`.
    AnthropicMessages,
}

/// Says one answer in one protocol. What comes first and what lies between two steps (a block that closes, an item that
/// opens) comes by itself.
pub(super) trait Speaker: Send {
    /// The writes of one step, an event each. Steps that no protocol has words for have none.
    fn say(&mut self, step: &Step) -> Vec<Vec<u8>>;
    /// What has to come before a token.
    fn before_tokens(&mut self) -> Vec<Vec<u8>>;
    /// The event of token `number`.
    fn token(&mut self, number: usize) -> String;
}

/// What an answer is an answer to.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// The model's name as it was asked for.
    pub model: String,
    /// The request's number, from 0.
    pub number: usize,
    /// What this server's seals are made with.
    pub salt: u64,
}

impl Dialect {
    /// The protocol of this path, without its query.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        let known = [
            ("/chat/completions", Self::ChatCompletions),
            ("/responses", Self::Responses),
            ("/messages", Self::AnthropicMessages),
        ];
        known.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, dialect)| dialect)
    }

    /// Somebody who says an answer in it.
    pub(super) fn speaker(self, asked: Asked) -> Box<dyn Speaker> {
        match self {
            Self::ChatCompletions => Box::new(chat::Chat::default()),
            Self::Responses => Box::new(responses::Responses::new(asked)),
            Self::AnthropicMessages => Box::new(anthropic::Anthropic::new(asked)),
        }
    }

    /// An error's document, as the vendor writes it.
    pub fn error(self, status: u16, message: &str) -> Value {
        let kind = match status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        match self {
            Self::AnthropicMessages => {
                json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_fake" })
            }
            Self::ChatCompletions | Self::Responses => {
                json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
            }
        }
    }
}

/// What proves that a server itself wrote `text`: the signature of a thinking block, the encrypted form of a reasoning item.
pub(super) fn seal(salt: u64, text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (salt, text).hash(&mut hasher);
    format!("seal{:016x}", hasher.finish())
}

/// Words with the space behind each.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// Arguments in pieces of eight letters.
fn pieces(arguments: &str) -> Vec<String> {
    let letters: Vec<char> = arguments.chars().collect();
    letters.chunks(8).map(|piece| piece.iter().collect()).collect()
}

/// The label of a call: the script's, or one that this server gave no other.
fn label(call: &Call, prefix: &str, number: usize, index: usize) -> String {
    call.id.clone().unwrap_or_else(|| format!("{prefix}{number}_{index}"))
}

/// An event that has its type as its name.
fn named(data: &Value) -> Vec<u8> {
    let name = data.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}
