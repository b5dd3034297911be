//! The events of a stream, and a whole response, as far as they are read.
//! Fields may be missing or null; what has another type makes the event unreadable.

use std::borrow::Cow;

use assent_protocol::view::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json_text::count;

/// One event.
#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Option<Cow<'a, str>>,
    #[serde(default)]
    pub output_index: Option<u64>,
    #[serde(borrow, default)]
    pub item_id: Option<Cow<'a, str>>,
    #[serde(default)]
    pub summary_index: Option<u64>,
    /// In `response.output_item.added` and `.done`.
    #[serde(borrow, default)]
    pub item: Option<&'a RawValue>,
    /// In the many events with pieces.
    #[serde(borrow, default)]
    pub delta: Option<Cow<'a, str>>,
    /// In the last events.
    #[serde(borrow, default)]
    pub response: Option<Response<'a>>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
}

/// A response: its state, or all of it.
#[derive(Debug, Deserialize)]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub object: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub status: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub output: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    pub incomplete_details: Option<Incomplete<'a>>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
    #[serde(default)]
    pub usage: Option<Counts>,
}

/// Why a response is incomplete.
#[derive(Debug, Deserialize)]
pub(super) struct Incomplete<'a> {
    #[serde(borrow, default)]
    pub reason: Option<Cow<'a, str>>,
}

/// One thing of the output: a message, a call, reasoning.
#[derive(Debug, Deserialize)]
pub(super) struct Item<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub call_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub name: Option<Cow<'a, str>>,
    /// Text; from some servers an object.
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
    /// Parts of a message or of open reasoning.
    #[serde(borrow, default)]
    pub content: Option<Vec<Content<'a>>>,
    /// Parts of a summary of reasoning.
    #[serde(borrow, default)]
    pub summary: Option<Vec<Content<'a>>>,
    #[serde(borrow, default)]
    pub encrypted_content: Option<Cow<'a, str>>,
}

impl Item<'_> {
    /// The text of the parts of this kind.
    pub(super) fn text_of(&self, kind: &str) -> String {
        let parts = self.content.iter().flatten().filter(|part| part.kind.as_deref() == Some(kind));
        parts.filter_map(|part| part.text.as_deref().or(part.refusal.as_deref())).collect()
    }

    /// Reasoning as people may read it.
    pub(super) fn reasoning(&self) -> String {
        let parts: Vec<&str> = self.summary.iter().flatten().filter_map(|part| part.text.as_deref()).collect();
        if parts.is_empty() { self.text_of("reasoning_text") } else { parts.join("\n\n") }
    }
}

/// One part of a content.
#[derive(Debug, Deserialize)]
pub(super) struct Content<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub refusal: Option<Cow<'a, str>>,
}

/// Token counts. Input counts what was read from the cache as well, output the reasoning.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Counts {
    #[serde(default, deserialize_with = "count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    output_tokens: Option<u64>,
    #[serde(default)]
    input_tokens_details: Option<InputDetails>,
    #[serde(default)]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct InputDetails {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_write_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct OutputDetails {
    #[serde(default, deserialize_with = "count")]
    reasoning_tokens: Option<u64>,
}

impl Counts {
    /// The counts as ours are: cached input apart.
    pub(super) fn usage(self) -> Usage {
        let cache_read = self.input_tokens_details.and_then(|details| details.cached_tokens);
        let cache_write = self.input_tokens_details.and_then(|details| details.cache_write_tokens);
        let cached = cache_read.unwrap_or(0) + cache_write.unwrap_or(0);
        Usage {
            input: self.input_tokens.map(|input| input.saturating_sub(cached)),
            output: self.output_tokens,
            cache_read,
            cache_write,
            reasoning: self.output_tokens_details.and_then(|details| details.reasoning_tokens),
        }
    }
}
