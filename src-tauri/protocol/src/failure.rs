//! What a front-end is told when a request can't be done.
//! There is a code only where a consumer does something different; everything else is `Other`.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A request that failed, in words for people and a code for the front-end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What the front-end may match.
    pub code: Code,
    /// What happened, for people, in English.
    pub message: String,
}

/// Things that a front-end treats differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// No such conversation, call, item or project.
    NotFound,
    /// The card isn't pending any more: somebody decided, or it was closed.
    NotPending,
    /// The card was redrawn: what is shown is not what would be decided on.
    CardChanged,
    /// The workspace folder is missing or refused.
    Workspace,
    /// A key is needed or wrong.
    Key,
    /// The provider can't be reached or answered with an error.
    Provider,
    /// A file isn't as the tool left it, so it can't be reverted.
    FileChanged,
    /// It needs a file of the workspace that the person has not trusted.
    Untrusted,
    /// The disk is full or the database can't be written.
    Storage,
    /// The request itself makes no sense.
    Invalid,
    /// Anything else.
    Other,
}

impl Failure {
    /// A failure with its code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
