//! What a conversation's log is made of: its own events, and before them those of what it is a fork of, as far as that goes.
//! It reads which those are, and no event.

use assent_protocol::ids::ConversationId;
use rusqlite::Connection;

use crate::error::StoreError;
use crate::table::conversations;

/// Neighbouring events that stand in one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// In which.
    pub(crate) conversation: ConversationId,
    /// They come after this number.
    pub(crate) after: u64,
    /// The last of them has at most this number.
    pub(crate) upto: u64,
}

/// The stretches of a log, the newest first.
pub(crate) fn stretches(connection: &Connection, conversation: &ConversationId) -> Result<Vec<Stretch>, StoreError> {
    let mut out = Vec::new();
    let mut next = Some((conversation.clone(), i64::MAX.unsigned_abs()));
    while let Some((conversation, upto)) = next {
        let origin = conversations::origin(connection, &conversation)?;
        let after = origin.as_ref().map_or(0, |origin| origin.seq);
        next = origin.map(|origin| (origin.conversation, upto.min(origin.seq)));
        out.push(Stretch { conversation, after, upto });
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
