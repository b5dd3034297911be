//! Contents that are stored once, by the SHA-256 of their bytes: prompts, tool definitions, outputs, attachments, files before
//! a change. Who needs a content stands in `content_references` and `attachments`; what nobody needs goes with the next purge.

use std::sync::Arc;

use assent_protocol::ids::Sha;
use assent_protocol::tool::Stored;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::files::{Files, Unfinished};
use crate::migrate::Migration;
use crate::store::Store;
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        sql: "
            CREATE TABLE contents (
                id INTEGER PRIMARY KEY,
                hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
                body BLOB NOT NULL
            ) STRICT;
        ",
    },
    Migration {
        version: 3,
        // Set where the content is a file of its own, of this length; `body` is empty then.
        sql: "ALTER TABLE contents ADD COLUMN in_file INTEGER CHECK (in_file >= 0);",
    },
];

/// Bytes to be stored under their hash, which is computed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    stored: Stored,
    bytes: Vec<u8>,
    /// The same bytes in a file that may become the stored one.
    spooled: Option<Arc<Unfinished>>,
}

impl Content {
    /// Takes bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        Self { stored: Stored::of(&bytes), bytes, spooled: None }
    }

    /// Takes bytes that were hashed and written to a file already.
    pub(crate) fn spooled(stored: Stored, bytes: Vec<u8>, file: Arc<Unfinished>) -> Self {
        Self { stored, bytes, spooled: Some(file) }
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
        let files = self.files();
        self.read(move |connection| {
            let Some((id, in_file)) = find(connection, hash)? else {
                return Ok(None);
            };
            if let (Some(_), Some(files)) = (in_file, &files) {
                return files.part(hash, offset, length).map(Some);
            }
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
                .prepare_cached("SELECT coalesce(in_file, length(body)) FROM contents WHERE hash = ?1")?
                .query_row([hash.as_bytes()], |row| row.get(0))
                .optional()?)
        })
    }
}

/// Stores contents that aren't there yet. One whose file can't take its place is stored in the database.
pub(crate) fn keep(writing: &Writing<'_>, contents: &[Content]) -> Result<(), StoreError> {
    for Content { stored: Stored { hash, bytes: length }, bytes, spooled } in contents {
        let hash = *hash;
        if find(writing, hash)?.is_some() {
            continue;
        }
        let is_in_file = match (writing.files(), spooled) {
            (Some(files), Some(file)) => files.adopt(file, hash).is_ok(),
            _ => false,
        };
        let (body, in_file) = if is_in_file { (&[][..], Some(*length)) } else { (bytes.as_slice(), None) };
        writing.prepare_cached("INSERT INTO contents (hash, body, in_file) VALUES (?1, ?2, ?3)")?.execute(params![
            hash.as_bytes(),
            body,
            in_file
        ])?;
    }
    Ok(())
}

/// Whether a content is stored.
pub(crate) fn is_stored(connection: &Connection, hash: Sha) -> Result<bool, StoreError> {
    Ok(find(connection, hash)?.is_some())
}

/// Deletes what no conversation needs. Their files go once that is committed.
pub(crate) fn sweep(writing: &Writing<'_>) -> Result<(), StoreError> {
    let mut statement = writing.prepare(
        "DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM content_references r WHERE r.hash = contents.hash)
             AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.hash = contents.hash)
         RETURNING hash, in_file",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let (Some(_), Some(files)) = (row.get::<_, Option<u64>>(1)?, writing.files()) {
            files.doubt(Sha::from_bytes(row.get(0)?));
        }
    }
    Ok(())
}

/// Removes files of contents whose row went, or never came to be.
pub(crate) fn settle_files(connection: &Connection, files: &Files) {
    files.settle(|hash| Ok(find(connection, hash)?.is_some_and(|(_, in_file)| in_file.is_some())));
}

/// The bytes of all files that contents live in.
pub(crate) fn bytes_in_files(connection: &Connection) -> Result<u64, StoreError> {
    Ok(connection.query_row("SELECT coalesce(sum(in_file), 0) FROM contents", [], |row| row.get(0))?)
}

/// A content's row, and its length if it is a file.
fn find(connection: &Connection, hash: Sha) -> Result<Option<(i64, Option<u64>)>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT id, in_file FROM contents WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

#[cfg(test)]
mod tests;
