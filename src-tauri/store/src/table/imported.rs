//! Logs that came from a file: they are read like others and never gone on with; what goes on from one is a fork of it.
//! It isn't part of the log, and says nothing about what the file was.

use assent_protocol::ids::ConversationId;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 7,
    sql: "
        CREATE TABLE imported (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
    ",
}];

/// Whether a conversation's log came from a file.
pub(crate) fn is_one(connection: &Connection, conversation: &ConversationId) -> Result<bool, StoreError> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM imported WHERE conversation = ?1)")?
        .query_row([conversation.as_str()], |row| row.get(0))?)
}

/// Marks a conversation's log as come from a file at `at`, in milliseconds since 1970.
pub(crate) fn mark(writing: &Writing<'_>, conversation: &ConversationId, at: i64) -> Result<(), StoreError> {
    writing
        .prepare_cached("INSERT OR IGNORE INTO imported (conversation, at) VALUES (?1, ?2)")?
        .execute(params![conversation.as_str(), at])?;
    Ok(())
}
