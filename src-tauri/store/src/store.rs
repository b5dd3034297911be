//! The store as its users hold it: one writer, some readers, and the lock on the folder.
//! What is read and written stands with the tables.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use crate::error::StoreError;
use crate::files::Files;
use crate::lock::InstanceLock;
use crate::readers::Readers;
use crate::reply::Reply;
use crate::writer::{WriteError, Writer, Writing};

/// The database of one data folder. Clones share it; the last one to go closes it.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

/// How sure a write must be before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives a crash of the program; a power cut may take the last moments. For streamed text and reads.
    Light,
    /// On the disk with a full sync. For decisions, claims, results and everything a person did.
    Full,
}

struct Inner {
    writer: Mutex<Writer>,
    /// None: in memory, where reads take their turn on the writer's thread.
    readers: Option<Readers>,
    /// Contents that are files of their own. None in memory.
    files: Option<Arc<Files>>,
    /// Whether a read met damage: then the next start looks at the whole database.
    doubt: AtomicBool,
    /// Held until the writer has ended, with the name of the database file. None in memory.
    lock: Mutex<Option<(InstanceLock, std::path::PathBuf)>>,
}

impl Store {
    pub(crate) fn assemble(
        writer: Writer,
        readers: Option<Readers>,
        files: Option<Arc<Files>>,
        lock: Option<(InstanceLock, std::path::PathBuf)>,
    ) -> Self {
        Self(Arc::new(Inner {
            writer: Mutex::new(writer),
            readers,
            files,
            doubt: AtomicBool::new(false),
            lock: Mutex::new(lock),
        }))
    }

    /// Contents that are files of their own; none in memory.
    pub(crate) fn files(&self) -> Option<Arc<Files>> {
        self.0.files.clone()
    }

    /// Queues a write.
    pub(crate) fn write<T, E, F>(&self, durability: Durability, work: F) -> Reply<T, E>
    where
        T: Send + 'static,
        E: WriteError,
        F: FnMut(&Writing<'_>) -> Result<T, E> + Send + 'static,
    {
        self.0.writer.lock().unwrap_or_else(PoisonError::into_inner).submit(durability, work)
    }

    /// Reads on one snapshot, on the calling thread.
    pub(crate) fn read<T, F>(&self, mut work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let result = match &self.0.readers {
            Some(readers) => readers.read(work),
            None => self.write(Durability::Light, move |writing| work(writing)).wait(),
        };
        if matches!(result, Err(StoreError::Damaged { .. })) {
            self.0.doubt.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Readers first: the last connection to close tidies the files up, and a reader can't.
        self.readers = None;
        let clean = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).end();
        if let Some((lock, database)) = self.lock.get_mut().unwrap_or_else(PoisonError::into_inner)
            && clean
            && !self.doubt.load(Ordering::Relaxed)
            && let Some(mark) = crate::open::mark(database)
        {
            // Without the note the next start only looks more closely.
            let _ = lock.note_clean(&mark);
        }
    }
}
