//! How far each conversation was looked at, one row a conversation.
//! What counts as worth a look is a column of the conversation.

use assent_protocol::ids::ConversationId;
use rusqlite::params;

use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE reads (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
    ",
}];

impl Store {
    /// Marks a conversation as looked at, up to and including event `seq`. The mark never goes back.
    pub fn mark_read(&self, conversation: &ConversationId, seq: u64) -> Reply<()> {
        let conversation = conversation.clone();
        self.write(Durability::Light, move |writing| {
            crate::table::conversations::settled(writing, &conversation)?;
            writing
                .prepare_cached(
                    "INSERT INTO reads (conversation, seq) VALUES (?1, ?2)
                     ON CONFLICT (conversation) DO UPDATE SET seq = max(seq, excluded.seq)",
                )?
                .execute(params![conversation.as_str(), seq])?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
