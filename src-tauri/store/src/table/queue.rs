//! The inboxes: what people wrote while a turn ran, a projection of queue events, one row an item.
//! An item is taken in the transaction of the message that it becomes, so it is neither lost nor sent twice. The order of
//! the line is not here: the fold has it.

use assent_protocol::event::{Event, Payload, QueueEdit};
use assent_protocol::ids::ConversationId;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::words::word;
use crate::writer::Writing;

/// `seq` is where reading the log has to begin for an item and its place.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE queue (
            item TEXT PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            body TEXT NOT NULL,
            delivery TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX queue_by_conversation ON queue (conversation, seq);
    ",
}];

/// The number of the event at which reading has to begin so that all waiting items are found in their order: where the
/// oldest was added, or an item that has gone meanwhile and that one of them was put before.
pub(crate) fn oldest(connection: &Connection, conversation: &ConversationId) -> Result<Option<u64>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT min(seq) FROM queue WHERE conversation = ?1")?
        .query_row([conversation.as_str()], |row| row.get(0))?)
}

/// What an event does to the inbox.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    let conversation = event.conversation.as_str();
    match &event.payload {
        Payload::QueueEdited { item, edit: QueueEdit::Added { text, delivery, .. } } => {
            writing
                .prepare_cached(
                    "INSERT INTO queue (item, conversation, seq, body, delivery) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![item.as_str(), conversation, event.seq, text, word(delivery)])?;
        }
        Payload::QueueEdited { item, edit: QueueEdit::Changed { text } } => {
            writing
                .prepare_cached("UPDATE queue SET body = ?3 WHERE item = ?1 AND conversation = ?2")?
                .execute(params![item.as_str(), conversation, text])?;
        }
        // Its place is known only to whoever knows the other one's.
        Payload::QueueEdited { item, edit: QueueEdit::Moved { before: Some(before) } } => {
            writing
                .prepare_cached(
                    "UPDATE queue SET seq = min(seq, coalesce((SELECT seq FROM queue WHERE item = ?3), seq))
                     WHERE item = ?1 AND conversation = ?2",
                )?
                .execute(params![item.as_str(), conversation, before.as_str()])?;
        }
        Payload::QueueEdited { item, edit: QueueEdit::Delivery { delivery } } => {
            writing
                .prepare_cached("UPDATE queue SET delivery = ?3 WHERE item = ?1 AND conversation = ?2")?
                .execute(params![item.as_str(), conversation, word(delivery)])?;
        }
        Payload::QueueEdited { item, edit: QueueEdit::Withdrawn } | Payload::QueueTaken { item, .. } => {
            writing
                .prepare_cached("DELETE FROM queue WHERE item = ?1 AND conversation = ?2")?
                .execute(params![item.as_str(), conversation])?;
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests;
