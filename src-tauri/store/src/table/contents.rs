//! Contents that are stored once, by the SHA-256 of their bytes: prompts, tool definitions, outputs, files before a change.
//! Who needs a content stands in `content_references`; what nobody needs goes with the next purge.

use assent_protocol::ids::Sha;
use assent_protocol::tool::Stored;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::store::Store;
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE contents (
            id INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
            body BLOB NOT NULL
        ) STRICT;
    ",
}];

/// Bytes to be stored under their hash, which is computed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    stored: Stored,
    bytes: Vec<u8>,
}

impl Content {
    /// Takes bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        Self { stored: Stored::of(&bytes), bytes }
    }

    /// Their hash and length, as an event names them.
    pub fn stored(&self) -> Stored {
        self.stored
    }
}

impl Store {
    /// The content of this hash; none: it isn't stored.
    pub fn content(&self, hash: Sha) -> Result<Option<Vec<u8>>, StoreError> {
        self.content_part(hash, 0, u64::MAX)
    }

    /// At most `length` bytes of a content from `offset` on; empty behind its end; none: it isn't stored.
    pub fn content_part(&self, hash: Sha, offset: u64, length: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(move |connection| {
            let Some(id) = id(connection, hash)? else {
                return Ok(None);
            };
            let blob = connection.blob_open("main", "contents", "body", id, true)?;
            let total = blob.len();
            let start = usize::try_from(offset).map_or(total, |offset| offset.min(total));
            let length = usize::try_from(length).map_or(total, |length| length.min(total)).min(total - start);
            let mut bytes = vec![0; length];
            blob.read_at_exact(&mut bytes, start)?;
            Ok(Some(bytes))
        })
    }

    /// The length of a content in bytes; none: it isn't stored.
    pub fn content_len(&self, hash: Sha) -> Result<Option<u64>, StoreError> {
        self.read(move |connection| {
            Ok(connection
                .prepare_cached("SELECT length(body) FROM contents WHERE hash = ?1")?
                .query_row([hash.as_bytes()], |row| row.get(0))
                .optional()?)
        })
    }
}

/// Stores contents that aren't there yet.
pub(crate) fn keep(writing: &Writing<'_>, contents: &[Content]) -> Result<(), StoreError> {
    for Content { stored: Stored { hash, .. }, bytes } in contents {
        let hash = *hash;
        if id(writing, hash)?.is_none() {
            writing
                .prepare_cached("INSERT INTO contents (hash, body) VALUES (?1, ?2)")?
                .execute(params![hash.as_bytes(), bytes])?;
        }
    }
    Ok(())
}

/// Deletes what no conversation needs.
pub(crate) fn sweep(writing: &Writing<'_>) -> Result<(), StoreError> {
    writing.execute(
        "DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM content_references r WHERE r.hash = contents.hash)",
        [],
    )?;
    Ok(())
}

fn id(connection: &Connection, hash: Sha) -> Result<Option<i64>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT id FROM contents WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| row.get(0))
        .optional()?)
}

#[cfg(test)]
mod tests;
