//! The calls of the model's present message, and where each of them stands.
//! Calls of earlier messages are closed; all that is kept of them is in the history.

use std::sync::Arc;

use assent_protocol::event::ToolCall;
use assent_protocol::ids::{CallId, Sha};
use assent_protocol::permission::Decider;
use assent_protocol::tool::{DISPATCH_AGENT, FileState, Intent};

/// One call of the present message.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Our id.
    pub call: CallId,
    /// Tool name; once it is judged, the name of what really is to run.
    pub name: String,
    /// Argument text, raw; once it is judged, that of what really is to run.
    pub arguments: String,
    /// Whether the tool changes nothing.
    pub reads: bool,
    /// The judgement, once there is one.
    pub judged: Option<ToolCall>,
    /// What a person said when approving it.
    pub note: Option<String>,
    /// Where it stands.
    pub state: CallState,
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// Not judged yet.
    Proposed,
    /// Not to be judged before another call has ended.
    Deferred {
        /// The other call.
        after: CallId,
    },
    /// Refused; its result isn't written yet.
    Refused,
    /// Lies before a person.
    Pending {
        /// Digest of the card; none: the card isn't drawn yet.
        card: Option<Sha>,
    },
    /// May run.
    Cleared {
        /// Who lets it run.
        by: Decider,
        /// The card that was decided on.
        card: Option<Sha>,
    },
    /// Asked a person, and waits for the answer.
    Asked,
    /// Runs, or ran when the program ended.
    Executing {
        /// What it was about to do; none: a read.
        intent: Option<Intent>,
        /// The files before.
        before: Vec<FileState>,
    },
    /// Has its result.
    Done {
        /// What the model gets, note included.
        shown: Arc<str>,
    },
}

impl Call {
    /// Whether it has its result.
    pub fn is_done(&self) -> bool {
        matches!(self.state, CallState::Done { .. })
    }

    /// Whether it asked a person and has no answer yet.
    pub fn is_asked(&self) -> bool {
        self.state == CallState::Asked
    }

    /// Whether running it changes nothing and asks no model.
    pub fn is_harmless(&self) -> bool {
        self.reads && self.name != DISPATCH_AGENT
    }

    /// Whether a person's answer is awaited.
    pub fn is_pending(&self) -> bool {
        matches!(self.state, CallState::Pending { .. })
    }
}
