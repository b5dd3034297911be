//! What a search of past conversations answers.
//! What is looked for, and how, is the store's.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ConversationId, MessageId};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct SearchResults {
    /// Best first.
    pub hits: Vec<SearchHit>,
    /// Whether everything was looked through: after an update older conversations become findable bit by bit.
    pub complete: bool,
}

/// A title or a message in which all that was looked for stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SearchHit {
    /// Its conversation.
    pub conversation: ConversationId,
    /// The conversation's title; empty while it has none.
    pub title: String,
    /// The project's name.
    pub project: Option<String>,
    /// Whether the conversation is archived.
    pub archived: bool,
    /// Whose words they are.
    pub who: Who,
    /// Seq of the message's event; none: it is the title.
    pub seq: Option<u64>,
    /// The message; none: it is the title.
    pub message: Option<MessageId>,
    /// When it was said, or something happened last in the conversation whose title it is: milliseconds since 1970.
    pub at: i64,
    /// A piece of the text with what matched, in order.
    pub snippet: Vec<SnippetPart>,
}

/// Whose words were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Who {
    /// The conversation's title.
    Title,
    /// A person's message.
    User,
    /// An answer of the model.
    Assistant,
}

/// A part of a snippet: plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SnippetPart {
    /// The text, without line ends.
    pub text: String,
    /// Whether it is what was looked for.
    pub hit: bool,
}
