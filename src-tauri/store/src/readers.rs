//! Connections that only read, handed out one at a time, so that reading never waits for the writer.
//! It holds no statement that changes anything: SQLite itself refuses writes on them.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::open::stable_plans;

/// Connections kept for the next reader; more than this at once are opened and closed again.
const KEPT: usize = 4;

/// How long a reader waits for a lock, which WAL needs only while the log is reset.
const WAIT: Duration = Duration::from_secs(5);

/// The pool.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    /// Idle ones. Never locked while a statement runs.
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// A pool on the database at `path`.
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    /// Runs `work` on one snapshot of the database.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let connection = self.take()?;
        let snapshot = connection.unchecked_transaction()?;
        let result = work(&snapshot);
        snapshot.finish()?;
        self.put(connection);
        result
    }

    /// Opens a connection and has it read the schema, so that the first reader needn't.
    pub(crate) fn warm(&self) -> Result<(), StoreError> {
        self.read(|connection| Ok(connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?))
    }

    /// Closes the connections that nobody uses.
    pub(crate) fn close(&self) {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }

    fn take(&self) -> Result<Connection, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => self.open(),
        }
    }

    fn put(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(connection);
        }
    }

    fn open(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(WAIT)?;
        stable_plans(&connection)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }
}

#[cfg(test)]
mod tests;
