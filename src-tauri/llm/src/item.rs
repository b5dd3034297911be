//! What comes out of a model, whatever its wire format.
//! Failure is a value here: a stream that has begun never throws.

use assent_protocol::view::{FailureKind, FinishReason, ProviderItem, Usage};

/// One item of a stream. After any number of the others comes exactly one of `Finished` or `Failed`, and then nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelItem {
    /// The server answered 200: from here on nothing is retried.
    Opened,
    /// Something arrived that proves life but carries no content (a comment, a ping).
    Alive,
    /// A piece of the answer.
    Text(String),
    /// A piece of the reasoning.
    Reasoning(String),
    /// A piece of a call that is being written, for showing only: the finished calls come with `Finished`.
    Call(CallPart),
    /// What was counted so far, in place of what was counted before: for answers that never finish.
    Usage(Usage),
    /// The stream ended with a finish reason.
    Finished(Finish),
    /// The stream, or the attempt to open it, failed.
    Failed(ModelFailure),
}

/// Progress of a call that is being written.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPart {
    /// Position among the calls of this answer, from 0.
    pub index: u32,
    /// The whole name so far.
    pub name: String,
    /// The argument text that was added.
    pub arguments: String,
}

/// A call as it was finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedCall {
    /// The provider's label, if it gave one; may repeat.
    pub provider_id: Option<String>,
    /// Tool name.
    pub name: String,
    /// Argument text as received; not checked, may be cut or empty.
    pub arguments: String,
}

/// The end of a good stream. Text and reasoning are the sums of what was streamed.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// Why it stopped.
    pub reason: FinishReason,
    /// The calls in order.
    pub calls: Vec<FinishedCall>,
    /// What has to be sent back to this provider.
    pub items: Vec<ProviderItem>,
    /// Counts, where the provider gave them.
    pub usage: Option<Usage>,
    /// The provider's own words with a refusal or filter.
    pub words: Option<String>,
}

/// The end of a bad one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelFailure {
    /// What kind.
    pub failure: FailureKind,
    /// For people: what happened, with the provider's own words; never a URL's query, a header or a key.
    pub message: String,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// What the server asked to wait, in milliseconds, at most 60,000.
    pub retry_after_ms: Option<u64>,
    /// Whether the answer had begun (status 200 seen).
    pub opened: bool,
}
