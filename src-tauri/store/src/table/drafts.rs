//! What was being written and not sent, one row a conversation: the text, and what is attached to it.
//! It never becomes part of the log by itself.

use assent_protocol::attachment::Attachment;
use assent_protocol::ids::ConversationId;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::words::{from_json, json};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        sql: "
        CREATE TABLE drafts (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
    ",
    },
    Migration {
        version: 8,
        sql: "
        CREATE TABLE draft_attachments (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            -- JSON.
            list TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
    ",
    },
];

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

    /// Keeps what is attached to the draft; an empty list forgets it.
    pub fn save_draft_attachments(&self, conversation: &ConversationId, attachments: &[Attachment]) -> Reply<()> {
        let (conversation, list) = (conversation.clone(), attachments.to_vec());
        self.write(Durability::Light, move |writing| {
            crate::table::conversations::settled(writing, &conversation)?;
            if list.is_empty() {
                writing.execute("DELETE FROM draft_attachments WHERE conversation = ?1", [conversation.as_str()])?;
            } else {
                writing.execute(
                    "INSERT INTO draft_attachments (conversation, list) VALUES (?1, ?2)
                     ON CONFLICT (conversation) DO UPDATE SET list = excluded.list",
                    params![conversation.as_str(), json(&list)?],
                )?;
            }
            Ok(())
        })
    }

    /// What is attached to the draft of a conversation.
    pub fn draft_attachments(&self, conversation: &ConversationId) -> Result<Vec<Attachment>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            let list = connection
                .prepare_cached("SELECT list FROM draft_attachments WHERE conversation = ?1")?
                .query_row([conversation.as_str()], |row| row.get::<_, String>(0))
                .optional()?;
            list.map_or(Ok(Vec::new()), |list| from_json(&list))
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
