//! Text that was being written and not sent, one row a conversation.
//! It never becomes part of the log by itself.

use assent_protocol::ids::ConversationId;
use rusqlite::{Connection, OptionalExtension as _};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE drafts (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
    ",
}];

impl Store {
    /// Keeps a draft; empty text forgets it.
    pub fn save_draft(&self, conversation: &ConversationId, text: &str) -> Reply<()> {
        let (conversation, text) = (conversation.clone(), text.to_owned());
        self.write(Durability::Light, move |writing| {
            crate::table::conversations::settled(writing, &conversation)?;
            if text.is_empty() {
                writing.execute("DELETE FROM drafts WHERE conversation = ?1", [conversation.as_str()])?;
            } else {
                writing.execute(
                    "INSERT INTO drafts (conversation, body) VALUES (?1, ?2)
                     ON CONFLICT (conversation) DO UPDATE SET body = excluded.body",
                    [conversation.as_str(), &text],
                )?;
            }
            Ok(())
        })
    }

    /// The draft of a conversation; empty: there is none.
    pub fn draft(&self, conversation: &ConversationId) -> Result<String, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| read(connection, &conversation))
    }
}

fn read(connection: &Connection, conversation: &ConversationId) -> Result<String, StoreError> {
    let text = connection
        .prepare_cached("SELECT body FROM drafts WHERE conversation = ?1")?
        .query_row([conversation.as_str()], |row| row.get(0))
        .optional()?;
    Ok(text.unwrap_or_default())
}

#[cfg(test)]
mod tests;
