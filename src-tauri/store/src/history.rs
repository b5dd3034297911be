//! Reading logs: what came after a number, what is needed to fold, and pages for people.
//! It doesn't fold; `session` does.

use assent_protocol::event::Event;
use assent_protocol::ids::ConversationId;
use assent_protocol::snapshot::HistoryPage;
use rusqlite::Connection;

use crate::error::StoreError;
use crate::store::Store;
use crate::table::{conversations, events, queue};

impl Store {
    /// At most `limit` events after number `after`, of every kind, oldest first.
    pub fn events(&self, conversation: &ConversationId, after: u64, limit: u64) -> Result<Vec<Event>, StoreError> {
        let conversation = conversation.clone();
        let limit = limit.min(i64::MAX.unsigned_abs());
        self.read(move |connection| events::after(connection, &conversation, after, limit))
    }

    /// Everything that folding needs: the whole log, but for chunks that a message or a discard has replaced.
    pub fn fold_events(&self, conversation: &ConversationId) -> Result<Vec<Event>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            let settled = conversations::settled(connection, &conversation)?;
            events::span(connection, &conversation, 0, u64::MAX, settled)
        })
    }

    /// The newest `messages` messages with all that came after the first of them, without settled chunks. Reaches
    /// further back where an item that still waits in the inbox was added earlier.
    pub fn newest(&self, conversation: &ConversationId, messages: u32) -> Result<HistoryPage, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            let waiting = queue::oldest(connection, &conversation)?;
            page(connection, &conversation, u64::MAX, messages, waiting)
        })
    }

    /// The `messages` messages before event `seq` with what belongs to them, without settled chunks.
    pub fn before(&self, conversation: &ConversationId, seq: u64, messages: u32) -> Result<HistoryPage, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| page(connection, &conversation, seq, messages, None))
    }
}

fn page(
    connection: &Connection,
    conversation: &ConversationId,
    before: u64,
    messages: u32,
    at_latest: Option<u64>,
) -> Result<HistoryPage, StoreError> {
    let settled = conversations::settled(connection, conversation)?;
    let start = events::start_of_newest(connection, conversation, before, messages)?;
    // With fewer messages than asked for, the page begins where the log begins.
    let from = start.map_or(1, |start| start.min(at_latest.unwrap_or(start)));
    let events = events::span(connection, conversation, from, before, settled)?;
    Ok(HistoryPage { events, earlier: from > 1 })
}

#[cfg(test)]
mod tests;
