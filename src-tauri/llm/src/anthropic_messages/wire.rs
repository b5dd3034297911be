//! The events of a stream, and a whole message, as far as they are read.
//! Fields may be missing or null; what has another type makes the event unreadable.

use std::borrow::Cow;

use assent_protocol::view::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json_text::count;

/// One event, or a whole message.
#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Option<Cow<'a, str>>,
    #[serde(default)]
    pub index: Option<u64>,
    /// In `message_start`.
    #[serde(borrow, default)]
    pub message: Option<Message<'a>>,
    /// In `content_block_start`.
    #[serde(borrow, default)]
    pub content_block: Option<&'a RawValue>,
    /// In `content_block_delta` and `message_delta`.
    #[serde(borrow, default)]
    pub delta: Option<Delta<'a>>,
    #[serde(default)]
    pub usage: Option<Counts>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
}

/// A message: empty at the beginning of a stream, whole in a document.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub content: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    pub stop_reason: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub stop_details: Option<StopDetails<'a>>,
    #[serde(default)]
    pub usage: Option<Counts>,
}

/// What was added to a block, or how the message ends.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub thinking: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub signature: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub partial_json: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub stop_reason: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub stop_details: Option<StopDetails<'a>>,
}

/// What a provider says of its stopping.
#[derive(Debug, Deserialize)]
pub(super) struct StopDetails<'a> {
    #[serde(borrow, default)]
    pub explanation: Option<Cow<'a, str>>,
}

/// A content block as it begins, or whole.
#[derive(Debug, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub thinking: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub signature: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub input: Option<&'a RawValue>,
}

/// Token counts. Input leaves out what was read from or written to the cache; output is cumulative.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(super) struct Counts {
    #[serde(default, deserialize_with = "count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_creation_input_tokens: Option<u64>,
}

impl Counts {
    /// Puts what is said here in the place of what was said before. A zero takes the place of nothing: gateways write
    /// zeros into the last event for what they counted in the first.
    pub(super) fn put_into(self, usage: &mut Usage) {
        let put = |count: &mut Option<u64>, said: Option<u64>| {
            if said.is_some_and(|said| said > 0 || count.is_none()) {
                *count = said;
            }
        };
        put(&mut usage.input, self.input_tokens);
        put(&mut usage.output, self.output_tokens);
        put(&mut usage.cache_read, self.cache_read_input_tokens);
        put(&mut usage.cache_write, self.cache_creation_input_tokens);
    }
}
