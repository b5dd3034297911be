//! Conversations that are deleted but not yet purged: hidden, and restored by one click.
//! It isn't part of the log, and deletes nothing itself.

use assent_protocol::ids::ConversationId;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::table::{conversations, imported};
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE deletions (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
    ",
}];

impl Store {
    /// Hides a conversation. Nothing in it can be claimed from then on. Deleting it again keeps the first time.
    pub fn delete(&self, conversation: &ConversationId, at: i64) -> Reply<()> {
        let conversation = conversation.clone();
        self.write(Durability::Full, move |writing| {
            known(writing, &conversation)?;
            hide(writing, &conversation, at)
        })
    }

    /// Shows a deleted conversation again. Fails when it was purged, and for a log that came from a file.
    pub fn restore(&self, conversation: &ConversationId) -> Reply<()> {
        let conversation = conversation.clone();
        self.write(Durability::Full, move |writing| {
            known(writing, &conversation)?;
            if imported::is_one(writing, &conversation)? {
                return Err(StoreError::Imported(conversation.clone()));
            }
            writing.execute("DELETE FROM deletions WHERE conversation = ?1", [conversation.as_str()])?;
            Ok(())
        })
    }
}

/// Hides a conversation from `at` on. One that is hidden stays so since the first time.
pub(crate) fn hide(writing: &Writing<'_>, conversation: &ConversationId, at: i64) -> Result<(), StoreError> {
    writing
        .prepare_cached("INSERT OR IGNORE INTO deletions (conversation, at) VALUES (?1, ?2)")?
        .execute(params![conversation.as_str(), at])?;
    Ok(())
}

/// Conversations deleted before a time, in milliseconds since 1970; sub-agents go with what they work for.
pub(crate) fn before(connection: &Connection, at: i64) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT conversation FROM deletions WHERE at < ?1 AND NOT EXISTS (
             SELECT 1 FROM conversations c JOIN conversations p ON p.id = c.parent WHERE c.id = deletions.conversation)",
    )?;
    let ids = statement.query_map([at], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

fn known(writing: &Writing<'_>, conversation: &ConversationId) -> Result<(), StoreError> {
    conversations::settled(writing, conversation).map(|_| ())
}

#[cfg(test)]
mod tests;
