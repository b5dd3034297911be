//! What fills a model's window, in estimated tokens.
//! It is computed from the log; nothing here is stored.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What fills the window of a conversation's model. All figures are estimated tokens but those that say otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextReport {
    /// Size of the window.
    pub window: u64,
    /// What a request may take of it.
    pub budget: u64,
    /// What the next request would take.
    pub used: u64,
    /// From which use on a summary is made by itself; none: never.
    pub compacts_at: Option<u64>,
    /// What it consists of, largest first.
    pub parts: Vec<ContextPart>,
    /// Messages that are left out to save space.
    pub left_out: u32,
    /// Results that are sent as a short note only.
    pub pruned: u32,
    /// Why no summary can be made now; none: one can.
    pub no_compaction: Option<NoCompaction>,
    /// Files that the model read or wrote, with lines changed by its calls, by path.
    pub files: Vec<ContextFile>,
}

/// One part of what fills a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextPart {
    /// Which.
    pub part: ContextKind,
    /// Its estimated tokens.
    pub tokens: u64,
}

/// A kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ContextKind {
    /// The system prompt with its rules.
    Prompt,
    /// The tool definitions.
    Tools,
    /// What is remembered.
    Memory,
    /// The summary of earlier messages.
    Summary,
    /// What the person said.
    User,
    /// What the model answered, with the calls that it made.
    Assistant,
    /// What the tools answered.
    Results,
}

/// Why no summary can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum NoCompaction {
    /// A turn runs.
    Running,
    /// One is being made.
    UnderWay,
    /// There is nothing but the newest messages.
    Nothing,
    /// The model can't.
    Practice,
}

/// A file that the model has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextFile {
    /// Its path in the workspace.
    pub path: String,
    /// Lines added by calls of this conversation.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
}
