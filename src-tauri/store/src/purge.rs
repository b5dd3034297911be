//! Purging deleted conversations for good, with the contents that nobody else needs, and giving back the room.
//! It never touches a conversation that isn't deleted.

use assent_protocol::ids::ConversationId;

use crate::error::StoreError;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::table::{contents, conversations, deletions, events, purged_usage, search};

impl Store {
    /// Whether anything was deleted before `before` (milliseconds since 1970) and is still there.
    pub fn has_to_purge(&self, before: i64) -> Result<bool, StoreError> {
        self.read(move |connection| Ok(!deletions::before(connection, before)?.is_empty()))
    }

    /// Purges what was deleted before `before` (milliseconds since 1970), and returns which conversations that were. Their
    /// sub-agents go with them. What they used stays known as sums that name none of them.
    pub fn purge(&self, before: i64) -> Reply<Vec<ConversationId>> {
        self.write(Durability::Full, move |writing| {
            let deleted = deletions::before(writing, before)?;
            let mut going = deleted.clone();
            for conversation in &deleted {
                going.extend(conversations::agents(writing, conversation)?);
            }
            for conversation in &going {
                purged_usage::keep(writing, conversation)?;
                search::purge(writing, conversation)?;
                events::purge(writing, conversation)?;
                conversations::purge(writing, conversation)?;
            }
            if !deleted.is_empty() {
                contents::sweep(writing)?;
                let mut vacuum = writing.prepare("PRAGMA incremental_vacuum")?;
                let mut steps = vacuum.query([])?;
                while steps.next()?.is_some() {}
            }
            Ok(deleted.iter().map(ConversationId::new).collect())
        })
    }

    /// Size of the history in bytes, with the contents that are files of their own.
    pub fn size(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let pages: u64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
            let page: u64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
            Ok(pages * page + contents::bytes_in_files(connection)?)
        })
    }
}

#[cfg(test)]
mod tests;
