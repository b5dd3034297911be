//! What the engine asks of the program around it: keys and notices.
//! Everything else a front-end does by itself, with requests and signals.

use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::settings::KeyPlace;

/// The surroundings of an engine: a window or a terminal.
pub trait Host: Send + Sync {
    /// What the data folder's lock says of its holder, e.g. `window`.
    fn label(&self) -> &'static str;

    /// An environment variable.
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    /// Reads a secret kept under `name`.
    fn secret(&self, name: &str) -> Result<Option<String>, HostError>;

    /// Keeps a secret under `name`, or forgets it; says where it is now.
    fn keep_secret(&self, name: &str, secret: Option<&str>) -> Result<KeyPlace, HostError>;

    /// Where the secret under `name` is kept.
    fn secret_place(&self, name: &str) -> KeyPlace;

    /// Whether models may be asked to name conversations: only where a person sees the names.
    fn names_conversations(&self) -> bool {
        false
    }

    /// Something a person may want to know while not looking.
    fn notify(&self, note: Note);
}

/// A reason to call for a person's attention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A card waits.
    Approval {
        /// Where.
        conversation: ConversationId,
        /// Which call.
        call: CallId,
        /// The reason line.
        line: String,
    },
    /// A question waits.
    Question {
        /// Where.
        conversation: ConversationId,
        /// Which call asks.
        call: CallId,
        /// Its first line.
        line: String,
    },
    /// A turn ended.
    TurnEnded {
        /// Where.
        conversation: ConversationId,
        /// Its title.
        title: String,
        /// How long it took, in milliseconds.
        took_ms: i64,
    },
}

/// A secret store that didn't answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(pub String);
