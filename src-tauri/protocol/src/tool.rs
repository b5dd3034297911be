//! Words about tools: definitions, what a call intends, what it did, and how it ended.
//! The tools themselves stand in `tools` and, where they need tables, in `engine`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::ids::Sha;

/// Name of the tool that lets a sub-agent look at something: its calls ask a model.
pub const DISPATCH_AGENT: &str = "dispatch_agent";

/// Name of the tool that asks a person: its calls wait for the answer.
pub const ASK_USER: &str = "ask_user";

/// What a model is told of one tool. Kept as JSON text, so that it is serialised once and never moves.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Name, unique, `[a-z_]+`.
    pub name: Arc<str>,
    /// What it does and when to use it, one or two sentences.
    pub description: Arc<str>,
    /// JSON schema of the arguments.
    pub parameters: Arc<RawValue>,
}

/// A file as it was at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub struct FileState {
    /// Path relative to the workspace root, `/` between segments, links resolved. Absolute for a repository elsewhere.
    pub path: String,
    /// SHA-256 of the content; `None` when there is no such file, and for a repository.
    pub hash: Option<Sha>,
}

/// What a tool did to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileEffect {
    /// Path relative to the workspace root.
    pub path: String,
    /// Content before; `None`: there was no file.
    pub before: Option<Sha>,
    /// Content after; `None`: there is no file.
    pub after: Option<Sha>,
    /// For a rename, where it went; for a delete, its place in the workspace's trash.
    pub moved_to: Option<String>,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
}

/// What a claimed call is about to do, written down before it does it, so that a crash can be probed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "does")]
pub enum Intent {
    /// Replace or create a file so that it has this content.
    Write {
        /// Path, links resolved.
        path: String,
        /// Hash before; `None`: there was no file.
        before: Option<Sha>,
        /// Hash after.
        after: Sha,
    },
    /// Move a file or folder into the workspace's trash.
    Delete {
        /// What goes.
        path: String,
        /// Where it goes.
        trash: String,
    },
    /// Rename without replacing.
    Rename {
        /// Old path.
        from: String,
        /// New path.
        to: String,
    },
    /// Run a command: nothing on disk can prove afterwards whether it ran.
    Command,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It ran and worked.
    Ok,
    /// It ran and failed, or could not be started.
    Error,
    /// It did not run: a person, a rule, the mode or the tool refused.
    Rejected,
    /// A person's stop ended or prevented it.
    Stopped,
    /// It may have run; nobody can tell.
    Unknown,
}

/// Why a call ended other than by running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// No such tool.
    UnknownTool,
    /// Arguments aren't JSON, don't fit the schema, or were cut off.
    BadArguments,
    /// A person rejected it.
    User,
    /// A rule refused it.
    Rule,
    /// The mode refused it.
    Mode,
    /// A stop closed it.
    Stop,
    /// A crash or restart interrupted it.
    Interrupted,
    /// The same call had the same result twice in this turn.
    Repeated,
    /// The model was at its last permitted call, or had no tools.
    Budget,
    /// The tool refused: protected path, unread file, changed file.
    Refused,
    /// It ran past its time limit.
    Timeout,
}

/// The result in a few words, for the one-line tool card; the front-end puts it into its language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "says")]
pub enum Brief {
    /// Lines `first..=last` of `total` were read.
    Lines {
        /// First line, from 1.
        first: u32,
        /// Last line.
        last: u32,
        /// Lines in the file.
        total: u32,
    },
    /// Number of entries listed or files found.
    Entries {
        /// How many.
        count: u32,
        /// More were left out.
        more: bool,
    },
    /// Matches of a search.
    Matches {
        /// How many.
        count: u32,
        /// In how many files.
        files: u32,
        /// More were left out.
        more: bool,
    },
    /// Lines added and removed.
    Changed {
        /// Added.
        added: u32,
        /// Removed.
        removed: u32,
    },
    /// A process ended.
    Exit {
        /// Its exit code, when it ended by itself.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// A size.
    Bytes {
        /// In bytes.
        bytes: u64,
    },
    /// Nothing to add.
    Done,
}

/// Content that is stored once by its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub struct Stored {
    /// SHA-256 of the content.
    pub hash: Sha,
    /// Length in bytes.
    pub bytes: u64,
}

impl Stored {
    /// Names `content`; keeping it is the store's part.
    pub fn of(content: &[u8]) -> Self {
        Self { hash: Sha::of(content), bytes: content.len() as u64 }
    }
}
