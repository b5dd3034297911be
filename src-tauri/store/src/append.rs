//! Appending to a log: numbers, events and projections in one transaction, all or nothing.
//! It checks that an event fits the state of its call, and makes no decision of its own.

use assent_protocol::event::{Event, ForkOrigin, Payload};
use assent_protocol::ids::{CallId, ConversationId};
use rusqlite::Connection;

use crate::error::StoreError;
use crate::project::project;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::table::contents::Content;
use crate::table::executions::{CallState, Execution};
use crate::table::{contents, events, executions, imported, questions};
use crate::writer::Writing;

impl Store {
    /// Appends events to a conversation's log, all in one transaction, and returns them with their numbers.
    /// `at` is now, in milliseconds since 1970. `contents` are stored first, by hash; each should be named by an
    /// event, or it goes with the next purge.
    ///
    /// Fails, leaving nothing behind, when there is no such conversation, when an event doesn't fit the state of its
    /// call, and when the database can't take it. A side effect's start is refused here: it needs a claim.
    pub fn append(
        &self,
        conversation: &ConversationId,
        at: i64,
        payloads: Vec<Payload>,
        durability: Durability,
        contents: Vec<Content>,
    ) -> Reply<Vec<Event>> {
        let conversation = conversation.clone();
        self.write(durability, move |writing| {
            contents::keep(writing, &contents)?;
            let last = events::last_seq(writing, &conversation)?;
            if last == 0 {
                return Err(StoreError::NoConversation(conversation.clone()));
            }
            append(writing, &conversation, last, at, &payloads)
        })
    }

    /// Begins a conversation's log. The first payload has to be its creation; that of a fork has to name an event that stands
    /// in its origin's own log. Until the first message is synced, an
    /// empty conversation may go in a power cut.
    pub fn create_conversation(
        &self,
        conversation: &ConversationId,
        at: i64,
        payloads: Vec<Payload>,
        contents: Vec<Content>,
    ) -> Reply<Vec<Event>> {
        let conversation = conversation.clone();
        self.write(Durability::Light, move |writing| {
            let wrong = || StoreError::NotABeginning(conversation.clone());
            let Some(Payload::ConversationCreated { fork, .. }) = payloads.first() else { return Err(wrong()) };
            if events::last_seq(writing, &conversation)? != 0 {
                return Err(wrong());
            }
            let shared = shared_with(writing, &conversation, fork.as_ref())?;
            contents::keep(writing, &contents)?;
            append(writing, &conversation, shared, at, &payloads)
        })
    }
}

/// The number of the last event that a log has in common with what it is a fork of; 0: it is none.
pub(crate) fn shared_with(
    connection: &Connection,
    conversation: &ConversationId,
    fork: Option<&ForkOrigin>,
) -> Result<u64, StoreError> {
    let Some(origin) = fork else { return Ok(0) };
    if events::last_seq(connection, &origin.conversation)? < origin.seq {
        return Err(StoreError::NotABeginning(conversation.clone()));
    }
    Ok(events::one(connection, &origin.conversation, origin.seq)?.seq)
}

/// Appends checked events after number `last`.
pub(crate) fn append(
    writing: &Writing<'_>,
    conversation: &ConversationId,
    last: u64,
    at: i64,
    payloads: &[Payload],
) -> Result<Vec<Event>, StoreError> {
    let mut out = Vec::with_capacity(payloads.len());
    for (seq, payload) in (last + 1..).zip(payloads) {
        check(writing, conversation, payload)?;
        let event = Event { conversation: conversation.clone(), seq, at, payload: payload.clone() };
        store(writing, &event)?;
        out.push(event);
    }
    Ok(out)
}

/// Stores one event under the next number, without checks: the caller has made them.
pub(crate) fn append_unchecked(
    writing: &Writing<'_>,
    conversation: &ConversationId,
    at: i64,
    payload: Payload,
) -> Result<Event, StoreError> {
    let seq = events::last_seq(writing, conversation)? + 1;
    let event = Event { conversation: conversation.clone(), seq, at, payload };
    store(writing, &event)?;
    Ok(event)
}

/// A log that came from a file takes no further event.
fn store(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    if imported::is_one(writing, &event.conversation)? {
        return Err(StoreError::Imported(event.conversation.clone()));
    }
    store_past(writing, event)
}

/// Stores an event of a log that comes from a file, under its own number. The caller has checked it.
pub(crate) fn store_past(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    events::insert(writing, event)?;
    project(writing, event)
}

/// Whether an event may follow on the state that its call is in.
pub(crate) fn check(writing: &Writing<'_>, conversation: &ConversationId, payload: &Payload) -> Result<(), StoreError> {
    match payload {
        Payload::ConversationCreated { .. } if events::last_seq(writing, conversation)? > 0 => {
            Err(StoreError::NotABeginning(conversation.clone()))
        }
        Payload::ToolCall(judged) => open(writing, conversation, &judged.call).map(|_| ()),
        Payload::ApprovalRequested { call, .. } => open(writing, conversation, call).map(|_| ()),
        Payload::ApprovalDecided { call, card, .. } => {
            let execution = find(writing, conversation, call)?;
            if execution.state != CallState::Pending {
                return Err(wrong(&execution, "only a pending call can be decided"));
            }
            if execution.card != Some(*card) {
                return Err(StoreError::CardChanged(call.clone()));
            }
            Ok(())
        }
        Payload::ToolStarted { call, intent, .. } => {
            let execution = find(writing, conversation, call)?;
            if intent.is_some() || !execution.read_only {
                return Err(wrong(&execution, "a side effect starts by a claim alone"));
            }
            if !matches!(execution.state, CallState::Cleared | CallState::Approved) {
                return Err(wrong(&execution, "only a cleared or approved call can start"));
            }
            Ok(())
        }
        Payload::QuestionAsked { call, .. } => {
            let execution = find(writing, conversation, call)?;
            if execution.state != CallState::Cleared || !execution.read_only || questions::is_open(writing, call)? {
                return Err(wrong(&execution, "only a cleared call can ask, and only once"));
            }
            Ok(())
        }
        Payload::QuestionAnswered { call, .. } => {
            let execution = find(writing, conversation, call)?;
            if !questions::is_open(writing, call)? {
                return Err(wrong(&execution, "only an open question can be answered"));
            }
            Ok(())
        }
        Payload::ToolResult(result) => {
            let execution = find(writing, conversation, &result.call)?;
            if execution.outcome.is_some() {
                return Err(wrong(&execution, "a call has exactly one result"));
            }
            Ok(())
        }
        Payload::ToolResolved { call, .. } => {
            let execution = find(writing, conversation, call)?;
            if execution.state != CallState::Unknown {
                return Err(wrong(&execution, "only an unknown outcome can be marked"));
            }
            Ok(())
        }
        Payload::EffectReverted { call, .. } => find(writing, conversation, call).map(|_| ()),
        _ => Ok(()),
    }
}

/// A call of this conversation that was neither started nor ended.
fn open(writing: &Writing<'_>, conversation: &ConversationId, call: &CallId) -> Result<Execution, StoreError> {
    let execution = find(writing, conversation, call)?;
    if execution.outcome.is_some() || execution.attempt > 0 || execution.state == CallState::Rejected {
        return Err(wrong(&execution, "it was decided or started already"));
    }
    Ok(execution)
}

fn find(writing: &Writing<'_>, conversation: &ConversationId, call: &CallId) -> Result<Execution, StoreError> {
    executions::find(writing, call)?
        .filter(|execution| execution.conversation == *conversation)
        .ok_or_else(|| StoreError::NoCall(call.clone()))
}

fn wrong(execution: &Execution, wanted: &'static str) -> StoreError {
    StoreError::WrongState { call: execution.call.clone(), state: execution.state, wanted }
}

#[cfg(test)]
mod tests;
