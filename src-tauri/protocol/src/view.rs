//! What a model is shown: the neutral form of a request, from which each wire format is made.
//! It is computed from the log by `session` and never edited by anyone else.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::attachment::{Attachment, Contents};
use crate::ids::CallId;

/// One request in neutral form. Request n begins request n+1 as long as `epoch` is the same.
#[derive(Debug, Clone)]
pub struct ModelView {
    /// Model name as the provider knows it.
    pub model: Arc<str>,
    /// Changes whenever something other than an append happened to `messages` (window move, compaction, new prompt).
    pub epoch: u64,
    /// The system prompt.
    pub system: Arc<str>,
    /// JSON array of [`crate::tool::ToolDefinition`], sorted by name; empty array: no tools.
    pub tools: Arc<str>,
    /// The messages, strictly alternating between user and assistant; tool results may follow one another.
    pub messages: Vec<Arc<ViewMessage>>,
    /// Whether the model may call tools.
    pub tool_choice: ToolChoice,
    /// The bytes of all attachments that the messages name.
    pub contents: Contents,
}

/// One message of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewMessage {
    /// From the person (or injected in the person's place).
    User {
        /// The text.
        text: String,
        /// What stands beside it; only what the model takes.
        attachments: Vec<Attachment>,
    },
    /// From the model.
    Assistant {
        /// The text; may be empty when there are calls.
        text: String,
        /// Reasoning as it arrived, for protocols that want it back.
        reasoning: String,
        /// The calls, in order.
        calls: Vec<ViewCall>,
        /// Opaque provider items that must be sent back to the provider they came from.
        items: Vec<ProviderItem>,
    },
    /// The result of one call.
    ToolResult {
        /// Which call.
        call: CallId,
        /// Tool name.
        name: String,
        /// What the model gets.
        text: String,
    },
}

impl ViewMessage {
    /// A person's words with nothing beside them.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), attachments: Vec::new() }
    }
}

/// A call as the model is shown it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewCall {
    /// Our id.
    pub call: CallId,
    /// Tool name.
    pub name: String,
    /// Arguments as a JSON object text: the raw text where it was valid, else `{}`.
    pub arguments: String,
}

/// Whether tools may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// Tools stay in the body, but none may be called.
    None,
}

/// Something of a provider's own that has to be returned verbatim within the turn (a signature, encrypted reasoning).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderItem {
    /// Which wire format it belongs to.
    pub protocol: Protocol,
    /// JSON text, verbatim.
    pub json: String,
}

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// `POST …/chat/completions`.
    ChatCompletions,
    /// `POST …/responses`.
    Responses,
    /// `POST …/v1/messages`.
    AnthropicMessages,
    /// The built-in practice model: no network.
    Practice,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It wants tools to run.
    ToolCalls,
    /// It reached its output limit.
    Length,
    /// The provider's filter ended it.
    ContentFilter,
    /// The model refused.
    Refusal,
}

/// Tokens as the provider counted them; absent figures are `None`, never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct Usage {
    /// Input tokens that were not read from a cache.
    pub input: Option<u64>,
    /// Output tokens, reasoning included where the provider includes it.
    pub output: Option<u64>,
    /// Input tokens read from a cache.
    pub cache_read: Option<u64>,
    /// Input tokens written to a cache.
    pub cache_write: Option<u64>,
    /// Reasoning tokens, where told apart.
    pub reasoning: Option<u64>,
}

/// What kind of failure a request met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// No connection: refused, unreachable, name not found, TLS.
    Connect,
    /// No byte within the limit before the first one.
    FirstByteTimeout,
    /// No meaningful byte within the idle limit.
    IdleTimeout,
    /// The stream ended or broke without a finish reason.
    Disconnected,
    /// 401: the key is missing or wrong.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 404: endpoint or model.
    NotFound,
    /// 429.
    RateLimited,
    /// 408, 500, 502, 503, 504, 529.
    Server,
    /// The context is too long for the model.
    ContextTooLong,
    /// The model has no tools.
    NoTools,
    /// The server refuses `null` as the content of a message that holds nothing but calls.
    NullContent,
    /// The server wants the reasoning of earlier answers sent back.
    WantsReasoning,
    /// The server refuses the reasoning of earlier answers.
    RefusesReasoning,
    /// The model has no reasoning that could be asked for in encrypted form.
    NoEncryptedReasoning,
    /// Another 4xx: the request was refused.
    BadRequest,
    /// A 200 that isn't a stream: HTML, empty body, malformed JSON.
    NotAStream,
    /// An error inside of a stream that began well.
    InStream,
    /// A person stopped it.
    Stopped,
}

impl FailureKind {
    /// Whether asking again unchanged may help, as long as no byte of an answer came.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Connect | Self::RateLimited | Self::Server)
    }

    /// Whether another model may take over, as long as no byte of an answer came: the server can't be reached, has
    /// enough of us, doesn't answer, or doesn't let us or the model in.
    pub fn is_anothers_chance(self) -> bool {
        self.is_retryable()
            || matches!(self, Self::FirstByteTimeout | Self::Unauthorized | Self::Forbidden | Self::NotFound)
    }
}
