//! What was attached in which conversation, sent or not: one row a content. It isn't computed from the log, because an
//! attachment is stored before the message that carries it; it goes with its conversation.

use assent_protocol::attachment::MediaType;
use assent_protocol::ids::{ConversationId, Sha};
use rusqlite::{OptionalExtension as _, params};

use crate::error::StoreError;
use crate::lineage;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::table::contents::{self, Content};
use crate::table::conversations;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 4,
    sql: "
        CREATE TABLE attachments (
            hash BLOB NOT NULL,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            media_type TEXT NOT NULL,
            PRIMARY KEY (hash, conversation)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX attachments_by_conversation ON attachments (conversation);
    ",
}];

impl Store {
    /// Stores a content as something attached in a conversation. The same content again changes nothing.
    pub fn attach(&self, conversation: &ConversationId, media_type: MediaType, content: Content) -> Reply<()> {
        let conversation = conversation.clone();
        self.write(Durability::Full, move |writing| {
            conversations::settled(writing, &conversation)?;
            contents::keep(writing, std::slice::from_ref(&content))?;
            writing
                .prepare_cached(
                    "INSERT OR IGNORE INTO attachments (hash, conversation, media_type) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![content.stored().hash.as_bytes(), conversation.as_str(), media_type.as_str()])?;
            Ok(())
        })
    }

    /// What a content is that was attached in a conversation, or in one that it is a fork of; none: it wasn't.
    pub fn attached(&self, conversation: &ConversationId, hash: Sha) -> Result<Option<MediaType>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            let mut statement = connection
                .prepare_cached("SELECT media_type FROM attachments WHERE hash = ?1 AND conversation = ?2")?;
            for stretch in lineage::stretches(connection, &conversation)? {
                let name: Option<String> = statement
                    .query_row(params![hash.as_bytes(), stretch.conversation.as_str()], |row| row.get(0))
                    .optional()?;
                if let Some(name) = name {
                    return Ok(MediaType::parse(&name));
                }
            }
            Ok(None)
        })
    }
}

#[cfg(test)]
mod tests;
