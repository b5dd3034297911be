//! Recording a decision: one winner by compare-and-set, in the transaction that appends the event.
//! Who may decide, and what follows, is not looked at here.

use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::{CallId, Sha};
use assent_protocol::permission::{Answer, Decider, Scope};

use crate::append::append_unchecked;
use crate::error::StoreError;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::table::executions::{self, CallState};
use crate::writer::WriteError;

/// A decision on one card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The call.
    pub call: CallId,
    /// Digest of the card that was shown.
    pub card: Sha,
    /// The answer.
    pub answer: Answer,
    /// Who decides.
    pub by: Decider,
    /// How far it reaches.
    pub scope: Scope,
    /// The person's words.
    pub note: Option<String>,
    /// Now, in milliseconds since 1970.
    pub at: i64,
}

/// Why a decision changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecideError {
    /// No such call.
    #[error("there is no call {0}")]
    NoCall(CallId),
    /// Nothing waits for a decision any more: somebody was faster, or it was closed.
    #[error("it is already {state}")]
    NotPending {
        /// The present state.
        state: CallState,
    },
    /// Another card is shown now than the one that was decided on.
    #[error("the card was redrawn: what would run now is not what was decided on")]
    CardChanged,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WriteError for DecideError {
    fn is_damage(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_damage())
    }
}

impl From<rusqlite::Error> for DecideError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Store {
    /// Records a decision with a full sync. Of several at once for the same card exactly one is recorded.
    pub fn decide(&self, decision: Decision) -> Reply<Event, DecideError> {
        self.write(Durability::Full, move |writing| {
            let Decision { call, card, answer, by, scope, note, at } = decision.clone();
            let execution = executions::find(writing, &call)?.ok_or_else(|| DecideError::NoCall(call.clone()))?;
            if execution.state != CallState::Pending {
                return Err(DecideError::NotPending { state: execution.state });
            }
            if execution.card != Some(card) {
                return Err(DecideError::CardChanged);
            }
            let payload = Payload::ApprovalDecided { call, card, answer, by, scope, note };
            Ok(append_unchecked(writing, &execution.conversation, at, payload)?)
        })
    }
}

#[cfg(test)]
mod tests;
