//! Contents of files that steer the model and that a person trusts, by workspace, path and hash. It isn't computed from a
//! log, and no file of a workspace can reach it.

use assent_protocol::ids::Sha;
use assent_protocol::steering::TrustedContent;
use rusqlite::{OptionalExtension as _, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 6,
    sql: "
        CREATE TABLE trusted (
            root TEXT NOT NULL,
            path TEXT NOT NULL,
            hash BLOB NOT NULL,
            body TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (root, path, hash)
        ) STRICT, WITHOUT ROWID;
    ",
}];

/// Contents of one file that stay trusted, so that going back and forth between two branches asks once for each.
const KEPT: u32 = 16;

/// A content to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToTrust {
    /// The file's path in the workspace.
    pub path: String,
    /// SHA-256 of the content.
    pub hash: Sha,
    /// What a person saw of it, to show later what changed.
    pub text: String,
}

/// A file of which some content is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedPath {
    /// The canonical root of its workspace.
    pub root: String,
    /// Its path in it.
    pub path: String,
    /// When a content of it was trusted last.
    pub at: i64,
}

impl Store {
    /// All files of which some content is trusted, by root and path.
    pub fn trusted_paths(&self) -> Result<Vec<TrustedPath>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT root, path, MAX(at) FROM trusted GROUP BY root, path ORDER BY root, path";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement
                .query_map([], |row| Ok(TrustedPath { root: row.get(0)?, path: row.get(1)?, at: row.get(2)? }))?;
            rows.collect::<Result<_, _>>().map_err(StoreError::from)
        })
    }

    /// All contents that are trusted in the workspace at `root`.
    pub fn trusted(&self, root: &str) -> Result<Vec<TrustedContent>, StoreError> {
        let root = root.to_owned();
        self.read(move |connection| {
            let mut statement = connection.prepare_cached("SELECT path, hash FROM trusted WHERE root = ?1")?;
            let rows =
                statement.query_map([&root], |row| Ok((row.get::<_, String>(0)?, row.get::<_, [u8; 32]>(1)?)))?;
            rows.map(|row| row.map(|(path, hash)| TrustedContent { path, hash: Sha::from_bytes(hash) }))
                .collect::<Result<_, _>>()
                .map_err(StoreError::from)
        })
    }

    /// What a person saw of the content of a file that was trusted last; none: none was.
    pub fn trusted_text(&self, root: &str, path: &str) -> Result<Option<String>, StoreError> {
        let (root, path) = (root.to_owned(), path.to_owned());
        self.read(move |connection| {
            Ok(connection
                .prepare_cached("SELECT body FROM trusted WHERE root = ?1 AND path = ?2 ORDER BY at DESC LIMIT 1")?
                .query_row([&root, &path], |row| row.get(0))
                .optional()?)
        })
    }

    /// Trusts contents. The oldest of a file go where there are many.
    pub fn trust(&self, root: &str, files: Vec<ToTrust>, at: i64) -> Reply<()> {
        let root = root.to_owned();
        self.write(Durability::Full, move |writing| {
            for file in &files {
                writing.execute(
                    "INSERT INTO trusted (root, path, hash, body, at) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (root, path, hash) DO UPDATE SET at = excluded.at, body = excluded.body",
                    params![root, file.path, file.hash.as_bytes(), file.text, at],
                )?;
                writing.execute(
                    "DELETE FROM trusted WHERE root = ?1 AND path = ?2 AND hash NOT IN
                     (SELECT hash FROM trusted WHERE root = ?1 AND path = ?2 ORDER BY at DESC LIMIT ?3)",
                    params![root, file.path, KEPT],
                )?;
            }
            Ok(())
        })
    }

    /// Trusts no content of these files any more.
    pub fn distrust(&self, root: &str, paths: Vec<String>) -> Reply<()> {
        let root = root.to_owned();
        self.write(Durability::Full, move |writing| {
            for path in &paths {
                writing.execute("DELETE FROM trusted WHERE root = ?1 AND path = ?2", [&root, path])?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
