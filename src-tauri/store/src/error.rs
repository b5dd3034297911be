//! What can go wrong with the store, told apart where a caller does something different.
//! It does not say what to do about it; that is the engine's part.

use assent_protocol::event::DecodeError;
use assent_protocol::ids::{CallId, ConversationId};

use crate::table::executions::CallState;

/// A failure of the store. Whatever was to be written together is then not written at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No room on the disk.
    #[error("the disk is full: nothing was written")]
    Full,
    /// The database can't be written to.
    #[error("the database can't be written to: it is read-only")]
    ReadOnly,
    /// Another program holds the database.
    #[error("the database is locked by another program: nothing was written")]
    Busy,
    /// The database is damaged.
    #[error("the history is damaged: {message}")]
    Damaged {
        /// What SQLite, or the reader of an event, said.
        message: String,
    },
    /// The database was written by a newer version; it was left untouched.
    #[error(
        "the history was written by a newer version (schema {found}; this version knows {known}): it was left untouched"
    )]
    Newer {
        /// Schema version in the file.
        found: u32,
        /// Newest schema version that this program knows.
        known: u32,
    },
    /// Another process works with this folder.
    #[error("the data folder is in use by {holder}")]
    InUse {
        /// Who, as far as can be told: kind and process id.
        holder: String,
    },
    /// A file or folder could not be made, read or moved.
    #[error("{what}: {message}")]
    Io {
        /// What was being tried.
        what: String,
        /// What the system said.
        message: String,
    },
    /// Any other complaint of SQLite.
    #[error("the database refused: {message}")]
    Sqlite {
        /// What it said.
        message: String,
    },
    /// The store was closed before the answer came.
    #[error("the store is closed")]
    Closed,
    /// No such conversation, or it was purged.
    #[error("there is no conversation {0}")]
    NoConversation(ConversationId),
    /// A conversation of this id exists, or its first event isn't `conversation/created`.
    #[error("conversation {0} can't begin: it exists, or its first event isn't its creation")]
    NotABeginning(ConversationId),
    /// Its log came from a file: only a fork of it can be gone on with.
    #[error("conversation {0} came from a file: it is gone on with in a fork")]
    Imported(ConversationId),
    /// A conversation of this id is here, and isn't what the file says.
    #[error("conversation {0} is here already and went on in another way")]
    WentOn(ConversationId),
    /// An event of a file isn't what can come next in its log.
    #[error("the file holds no whole conversation: event {seq}: {why}")]
    NotALog {
        /// Its number.
        seq: u64,
        /// What is wrong with it.
        why: String,
    },
    /// No such call in this conversation.
    #[error("there is no call {0} in this conversation")]
    NoCall(CallId),
    /// The event doesn't fit the state that its call is in.
    #[error("call {call} is {state}: {wanted}")]
    WrongState {
        /// The call.
        call: CallId,
        /// Its present state.
        state: CallState,
        /// What the event would have needed.
        wanted: &'static str,
    },
    /// The decision names another card than the one that is shown now.
    #[error("the card of call {0} was redrawn: the decision was about another one")]
    CardChanged(CallId),
}

impl StoreError {
    pub(crate) fn io(what: impl Into<String>, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full,
            std::io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            _ => Self::Io { what: what.into(), message: error.to_string() },
        }
    }

    pub(crate) fn damaged(message: impl ToString) -> Self {
        Self::Damaged { message: message.to_string() }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase, ReadOnly,
            SystemIoFailure,
        };
        let message = error.to_string();
        match error.sqlite_error_code() {
            Some(DiskFull) => Self::Full,
            Some(ReadOnly) => Self::ReadOnly,
            Some(DatabaseBusy | DatabaseLocked) => Self::Busy,
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged { message },
            Some(SystemIoFailure) => Self::Io { what: "reading or writing the database".to_owned(), message },
            Some(CannotOpen) => Self::Io { what: "opening the database".to_owned(), message },
            _ => Self::Sqlite { message },
        }
    }
}

impl From<DecodeError> for StoreError {
    fn from(error: DecodeError) -> Self {
        Self::damaged(error)
    }
}
