//! Everything the engine can say: recorded events, and deltas that are never stored.
//! A delta names what it belongs to and an offset, so that a late subscriber can't apply it twice.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event::{Event, Part};
use crate::ids::{CallId, ConversationId, RequestId};
use crate::settings::Settings;
use crate::snapshot::{ConversationRow, ProjectRow};

/// One message from the engine to its front-ends. A batch of them is applied as one update.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "signal")]
pub enum Signal {
    /// An event that is on disk.
    Recorded {
        /// The event.
        event: Event,
    },
    /// Something that is happening and not stored.
    Delta {
        /// Whose.
        conversation: ConversationId,
        /// What.
        delta: Delta,
    },
    /// A row of the conversation list changed.
    Row {
        /// The new row.
        row: ConversationRow,
    },
    /// A conversation is gone for good.
    Gone {
        /// Which.
        conversation: ConversationId,
    },
    /// The list of projects changed.
    Projects {
        /// All of them.
        projects: Vec<ProjectRow>,
    },
    /// Settings changed.
    Settings {
        /// All of them.
        settings: Settings,
    },
}

/// Something that is happening. Offsets count UTF-8 bytes from the beginning of the part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "of")]
pub enum Delta {
    /// More of an answer.
    Text {
        /// The request that is being answered.
        request: RequestId,
        /// Text or reasoning.
        part: Part,
        /// Where `text` begins.
        offset: u64,
        /// What was added.
        text: String,
    },
    /// A call is being written by the model.
    Writing {
        /// The request that is being answered.
        request: RequestId,
        /// Position among the calls of the answer.
        index: u32,
        /// Tool name so far.
        name: String,
        /// The path or command in the arguments, once it is complete.
        target: Option<String>,
        /// Lines of argument text so far.
        lines: u32,
    },
    /// More output of a running call.
    Output {
        /// The call.
        call: CallId,
        /// Where `text` begins in the whole output. Of much output at once only the newest comes: this is further then
        /// than the text before it reached.
        offset: u64,
        /// What was added, made into valid UTF-8.
        text: String,
    },
    /// What the turn is doing, at a change and every ten seconds.
    Phase {
        /// The phase.
        phase: Phase,
        /// Since when: milliseconds since 1970.
        since: i64,
    },
}

/// What a running turn is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Phase {
    /// Nothing runs.
    Idle,
    /// Waiting for a free slot.
    Queued {
        /// How many stand before it.
        ahead: u32,
    },
    /// Connecting.
    Connecting,
    /// Connected; nothing has come yet.
    FirstToken,
    /// Reasoning arrives.
    Thinking,
    /// Text arrives.
    Writing,
    /// A tool runs.
    Tool {
        /// Which call.
        call: CallId,
        /// Tool name.
        name: String,
        /// Milliseconds since 1970 of its last output; none so far.
        output_at: Option<i64>,
    },
    /// A person's answer is awaited.
    You {
        /// How many cards and questions.
        pending: u32,
    },
    /// Waiting before the next attempt.
    BackingOff {
        /// When the wait ends: milliseconds since 1970.
        until: i64,
        /// Number of the next attempt, from 2.
        attempt: u32,
        /// Attempts at most.
        of: u32,
    },
    /// What came before is being summarised.
    Compacting,
    /// Writing to disk.
    Saving,
}
