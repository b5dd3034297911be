//! The claim: the only door to a side effect, and the only place that turns a `Cleared` into a `Claimed`.
//! It re-checks what may have changed since the decision; it runs nothing.

use std::path::Path;

use assent_policy::{Claimed, Clearance, Cleared};
use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::{BootId, CallId};
use assent_protocol::permission::{Decider, Mode, Tier};
use assent_protocol::tool::{FileState, Intent};
use rusqlite::Connection;

use crate::append::append_unchecked;
use crate::error::StoreError;
use crate::store::{Durability, Store};
use crate::table::contents::{self, Content};
use crate::table::conversations;
use crate::table::executions::{self, CallState, Execution};
use crate::writer::WriteError;

/// What a claim writes down before the effect.
#[derive(Debug, Clone)]
pub struct ClaimRecord {
    /// Now, in milliseconds since 1970.
    pub at: i64,
    /// This start of the program.
    pub boot: BootId,
    /// What is about to happen.
    pub intent: Intent,
    /// The state of each touched file before it.
    pub before: Vec<FileState>,
    /// Old contents to keep, each named by its hash in `before` or `intent`.
    pub keep: Vec<Vec<u8>>,
}

/// Why a call was not claimed. Nothing ran, and nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// No such call in that conversation.
    #[error("there is no call {0} in this conversation")]
    NoCall(CallId),
    /// The call is neither approved nor cleared (any more).
    #[error("the call is {state}, so it can't start")]
    NotCleared {
        /// The present state.
        state: CallState,
    },
    /// It was started before: a call starts at most once.
    #[error("the call was started before and is {state}")]
    AlreadyStarted {
        /// The present state.
        state: CallState,
    },
    /// Tool, version, workspace or arguments aren't those that were judged, or somebody else cleared it.
    #[error("what would run is not what was judged")]
    OtherCall,
    /// The decision was about another card.
    #[error("what would run is not what was approved")]
    OtherCard,
    /// The conversation's mode no longer allows it.
    #[error("the mode no longer allows it")]
    Mode {
        /// The present mode.
        mode: Mode,
    },
    /// The turn is being stopped.
    #[error("the turn is being stopped")]
    Stopping,
    /// No turn is open.
    #[error("the turn has ended")]
    TurnEnded,
    /// The conversation is deleted.
    #[error("the conversation is deleted")]
    Deleted,
    /// Another side effect runs on the same path of the same workspace.
    #[error("call {by} is working on {path}")]
    TargetBusy {
        /// The call that runs.
        by: CallId,
        /// The path that both touch.
        path: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WriteError for ClaimError {
    fn is_damage(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_damage())
    }
}

impl Store {
    /// Claims a cleared call: checks and `tool/started` in one transaction with a full sync. Only when that is on the
    /// disk is there a `Claimed`. Don't drop the future halfway: the claim may then be on record with nobody to run it.
    pub async fn claim(&self, cleared: Cleared, record: ClaimRecord) -> Result<(Claimed, Event), ClaimError> {
        let clearance = cleared.clone();
        let keep: Vec<_> = record.keep.iter().cloned().map(Content::of).collect();
        let committed = self
            .write(Durability::Full, move |writing| {
                let execution = check(writing, &clearance, &record.intent)?;
                contents::keep(writing, &keep)?;
                let attempt = execution.attempt + 1;
                let payload = Payload::ToolStarted {
                    call: clearance.call.clone(),
                    attempt,
                    boot: record.boot.clone(),
                    intent: Some(record.intent.clone()),
                    before: record.before.clone(),
                };
                let event = append_unchecked(writing, &clearance.conversation, record.at, payload)?;
                Ok::<_, ClaimError>((attempt, event))
            })
            .await?;
        let (attempt, event) = committed;
        let claimed = Claimed::commit(cleared, |_| Ok::<_, ClaimError>(attempt))?;
        Ok((claimed, event))
    }
}

/// Everything that must still hold. Risk and arguments come from the clearance, never from the row.
fn check(connection: &Connection, clearance: &Clearance, intent: &Intent) -> Result<Execution, ClaimError> {
    let execution = executions::find(connection, &clearance.call)?
        .filter(|execution| execution.conversation == clearance.conversation)
        .ok_or_else(|| ClaimError::NoCall(clearance.call.clone()))?;
    if execution.attempt > 0 {
        return Err(ClaimError::AlreadyStarted { state: execution.state });
    }
    match (execution.state, clearance.card_digest) {
        (CallState::Approved, Some(card)) if execution.card == Some(card) => {}
        (CallState::Approved, _) => return Err(ClaimError::OtherCard),
        (CallState::Cleared, None) => {}
        (CallState::Cleared, Some(_)) => return Err(ClaimError::OtherCall),
        (state, _) => return Err(ClaimError::NotCleared { state }),
    }
    let same = execution.digest == Some(clearance.call_digest)
        && execution.tool == clearance.tool
        && execution.decided_by == Some(clearance.by);
    if !same {
        return Err(ClaimError::OtherCall);
    }
    let place = conversations::place(connection, &clearance.conversation)?
        .ok_or_else(|| ClaimError::NoCall(clearance.call.clone()))?;
    if place.deleted {
        return Err(ClaimError::Deleted);
    }
    if !place.generating {
        return Err(ClaimError::TurnEnded);
    }
    if place.stopping {
        return Err(ClaimError::Stopping);
    }
    if !mode_allows(place.mode, clearance.tier, clearance.by) {
        return Err(ClaimError::Mode { mode: place.mode });
    }
    let mut targets = execution.targets.clone();
    targets.extend(executions::paths(intent));
    targets.extend(clearance.touches.iter().map(|state| state.path.clone()));
    free(connection, place.workspace.as_deref().unwrap_or_default(), &targets)?;
    Ok(execution)
}

/// Whether the present mode still lets a call run on this word. A call that a person approved in another mode is
/// held to the present one: `auto` runs nothing High, `plan` nothing but Low.
fn mode_allows(mode: Mode, tier: Tier, by: Decider) -> bool {
    match (tier, mode) {
        (Tier::Low, _) => true,
        (Tier::Medium | Tier::High, Mode::Plan) => false,
        (Tier::High, Mode::Auto) => false,
        (Tier::Medium, Mode::Auto) => true,
        (Tier::Medium | Tier::High, Mode::Ask) => by != Decider::Mode,
    }
}

/// No other side effect may run on one of these paths, above it or below it.
fn free(connection: &Connection, workspace: &str, targets: &[String]) -> Result<(), ClaimError> {
    for (by, elsewhere, theirs) in executions::running(connection)? {
        for path in targets {
            let mine = Path::new(workspace).join(path);
            let clash = theirs.iter().any(|other| {
                let other = Path::new(&elsewhere).join(other);
                mine.starts_with(&other) || other.starts_with(&mine)
            });
            if clash {
                return Err(ClaimError::TargetBusy { by, path: path.clone() });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
