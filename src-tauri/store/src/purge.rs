//! Purging deleted conversations for good, with the contents that nobody else needs, and giving back the room.
//! It never touches a conversation that isn't deleted.

use assent_protocol::ids::ConversationId;

use rusqlite::Connection;

use crate::error::StoreError;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::table::{contents, conversations, deletions, events, imported, purged_usage, search};

impl Store {
    /// Whether anything was deleted before `before` (milliseconds since 1970) and is still there.
    pub fn has_to_purge(&self, before: i64) -> Result<bool, StoreError> {
        self.read(move |connection| Ok(purgeable(connection, before)?.is_some()))
    }

    /// Purges what was deleted before `before` (milliseconds since 1970), and returns which conversations that were. Their
    /// sub-agents go with them. What they used stays known as sums that name none of them.
    pub fn purge(&self, before: i64) -> Reply<Vec<ConversationId>> {
        self.write(Durability::Full, move |writing| {
            let mut deleted = Vec::new();
            // What forks go on from stays, hidden, as long as one of them is there; so the last fork comes first.
            while let Some(conversation) = purgeable(writing, before)? {
                for one in conversations::agents(writing, &conversation)?.iter().chain([&conversation]) {
                    if !imported::is_one(writing, &ConversationId::new(one))? {
                        purged_usage::keep(writing, one)?;
                    }
                    search::purge(writing, one)?;
                    events::purge(writing, one)?;
                    conversations::purge(writing, one)?;
                }
                deleted.push(ConversationId::new(&conversation));
            }
            if !deleted.is_empty() {
                contents::sweep(writing)?;
                let mut vacuum = writing.prepare("PRAGMA incremental_vacuum")?;
                let mut steps = vacuum.query([])?;
                while steps.next()?.is_some() {}
            }
            Ok(deleted)
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

/// One of those that were deleted before a time and that nothing goes on from.
fn purgeable(connection: &Connection, before: i64) -> Result<Option<String>, StoreError> {
    for conversation in deletions::before(connection, before)? {
        if !conversations::has_forks(connection, &conversation)? {
            return Ok(Some(conversation));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
