//! Taking in logs from a file, whole or not at all, and giving them out: what came is checked as an append is, hidden, and
//! never gone on with. It knows neither the file's form nor what becomes of the log.

use std::collections::BTreeSet;

use assent_protocol::event::{Event, ForkOrigin, Payload, QueueEdit};
use assent_protocol::ids::{ConversationId, Sha};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::append::{check, shared_with, store_past};
use crate::error::StoreError;
use crate::lineage;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::table::contents::{self, Content};
use crate::table::executions::{self, CallState};
use crate::table::{deletions, events, imported, references};
use crate::writer::Writing;

/// Everything that a conversation's log needs to stand by itself somewhere else.
#[derive(Debug, Clone, PartialEq)]
pub struct Logs {
    /// Its events, each as that of the conversation in whose own log it stands: those of what it is a fork of come first, those
    /// of sub-agents last.
    pub events: Vec<Event>,
    /// Hashes of the stored contents that they name.
    pub contents: Vec<Sha>,
}

impl Store {
    /// What a conversation's log is made of, with its sub-agents' logs. Deleted ones are given out too.
    pub fn logs(&self, conversation: &ConversationId) -> Result<Logs, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            let mut found = Vec::new();
            for stretch in lineage::stretches(connection, &conversation)?.iter().rev() {
                found.extend(events::own(connection, &stretch.conversation, stretch.after, stretch.upto)?);
            }
            let agents: BTreeSet<ConversationId> = found.iter().filter_map(agent).cloned().collect();
            for agent in agents {
                found.extend(events::own(connection, &agent, 0, u64::MAX)?);
            }
            let named: BTreeSet<Sha> = found.iter().flat_map(|event| references::named(&event.payload)).collect();
            let mut contents = Vec::new();
            for hash in named {
                if contents::is_stored(connection, hash)? {
                    contents.push(hash);
                }
            }
            Ok(Logs { events: found, contents })
        })
    }

    /// Takes in logs that aren't there yet, hidden and for good as they are. Each event has to be the next of its log and to fit
    /// those before it, and every content that it needs has to be among `contents` or stored. What is there already has to be
    /// equal; only what came from a file itself may become longer. All or nothing. `at` is now, in milliseconds since 1970.
    pub fn import(&self, at: i64, events: Vec<Event>, contents: Vec<Content>) -> Reply<()> {
        self.write(Durability::Full, move |writing| {
            contents::keep(writing, &contents)?;
            let mut taken = BTreeSet::new();
            for event in &events {
                if take(writing, event, &taken)? {
                    taken.insert(event.conversation.clone());
                }
            }
            for conversation in &taken {
                imported::mark(writing, conversation, at)?;
                deletions::hide(writing, conversation, at)?;
            }
            Ok(())
        })
    }

    /// Whether a conversation's log came from a file.
    pub fn is_imported(&self, conversation: &ConversationId) -> Result<bool, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| imported::is_one(connection, &conversation))
    }
}

fn agent(event: &Event) -> Option<&ConversationId> {
    match &event.payload {
        Payload::AgentStarted { agent, .. } => Some(agent),
        _ => None,
    }
}

/// Takes in one event. False: it is there already.
fn take(writing: &Writing<'_>, event: &Event, taken: &BTreeSet<ConversationId>) -> Result<bool, StoreError> {
    let conversation = &event.conversation;
    let last = events::last_seq(writing, conversation)?;
    if event.seq <= last {
        return match is_there(writing, event)? {
            true => Ok(false),
            false => Err(StoreError::WentOn(conversation.clone())),
        };
    }
    if last > 0 && !taken.contains(conversation) && !imported::is_one(writing, conversation)? {
        return Err(StoreError::WentOn(conversation.clone()));
    }
    fits(writing, event, last).map_err(|error| match error {
        StoreError::NotABeginning(_)
        | StoreError::NoCall(_)
        | StoreError::WrongState { .. }
        | StoreError::CardChanged(_) => wrong(event, error),
        other => other,
    })?;
    store_past(writing, event)?;
    Ok(true)
}

fn wrong(event: &Event, why: impl std::fmt::Display) -> StoreError {
    StoreError::NotALog { seq: event.seq, why: why.to_string() }
}

/// Whether exactly this event stands there.
fn is_there(connection: &Connection, event: &Event) -> Result<bool, StoreError> {
    let found = connection
        .prepare_cached("SELECT at, kind, body FROM events WHERE conversation = ?1 AND seq = ?2")?
        .query_row(params![event.conversation.as_str(), event.seq], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })
        .optional()?;
    let Some((at, kind, body)) = found else { return Ok(false) };
    Ok(at == event.at && Payload::decode(&kind, &body).is_ok_and(|payload| payload == event.payload))
}

/// Whether an event can be the next of its log.
fn fits(writing: &Writing<'_>, event: &Event, last: u64) -> Result<(), StoreError> {
    let last = match (last, &event.payload) {
        (0, Payload::ConversationCreated { fork, .. }) => begins_behind(writing, &event.conversation, fork.as_ref())?,
        (0, _) => return Err(StoreError::NotABeginning(event.conversation.clone())),
        (last, _) => last,
    };
    if event.seq != last + 1 {
        return Err(wrong(event, format_args!("it comes after event {last}")));
    }
    is_new(writing, event)?;
    for hash in references::required(&event.payload) {
        if !contents::is_stored(writing, hash)? {
            return Err(wrong(event, format_args!("its content {hash} is missing")));
        }
    }
    match &event.payload {
        Payload::Unknown(unknown) => {
            Err(wrong(event, format_args!("this version doesn't know {:?}; a newer one wrote it", unknown.kind)))
        }
        // The claim's other conditions held where it was made; here nothing runs.
        Payload::ToolStarted { call, intent: Some(_), .. } => {
            let execution = executions::find(writing, call)?.filter(|found| found.conversation == event.conversation);
            match execution.map(|execution| execution.state) {
                Some(CallState::Cleared | CallState::Approved) => Ok(()),
                Some(state) => Err(wrong(event, format_args!("call {call} starts while it is {state}"))),
                None => Err(StoreError::NoCall(call.clone())),
            }
        }
        payload => check(writing, &event.conversation, payload),
    }
}

/// The number behind which a log begins. That a fork names an event of another log than its origin's own is the file's fault.
fn begins_behind(
    connection: &Connection,
    conversation: &ConversationId,
    fork: Option<&ForkOrigin>,
) -> Result<u64, StoreError> {
    match fork {
        Some(origin)
            if events::own(connection, &origin.conversation, origin.seq.saturating_sub(1), origin.seq)?.is_empty() =>
        {
            Err(StoreError::NotABeginning(conversation.clone()))
        }
        _ => shared_with(connection, conversation, fork),
    }
}

/// What has an id of its own must not be known from another log.
fn is_new(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    let known = |table: &str, column: &str, id: &str, of: Option<&str>| -> Result<(), StoreError> {
        let sql = format!("SELECT 1 FROM {table} WHERE {column} = ?1 AND conversation IS NOT ?2");
        let found = writing.prepare_cached(&sql)?.query_row(params![id, of], |_| Ok(())).optional()?;
        match found {
            Some(()) => Err(wrong(event, format_args!("{id} is known from elsewhere"))),
            None => Ok(()),
        }
    };
    let own = Some(event.conversation.as_str());
    match &event.payload {
        Payload::AssistantMessage(message) => {
            message.calls.iter().try_for_each(|call| known("executions", "call", call.call.as_str(), None))
        }
        Payload::QueueEdited { item, edit: QueueEdit::Added { .. } } => known("queue", "item", item.as_str(), None),
        Payload::RequestSent(sent) => known("requests", "request", sent.request.as_str(), own),
        Payload::UsageRecorded { request, .. } => known("requests", "request", request.as_str(), own),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
