//! The events of a conversation's log: names are stable, payloads only ever gain fields.
//! What follows from an event is computed in `session`; nothing here decides.

mod codec;
mod payload;

pub use codec::{DecodeError, KINDS};
pub use payload::*;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::ConversationId;

/// One immutable fact. On the wire it is one flat object: `conversation`, `seq`, `at`, `kind`, then the payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Event {
    /// Whose log.
    pub conversation: ConversationId,
    /// Position in that log, from 1, without gaps.
    pub seq: u64,
    /// When it was appended: milliseconds since 1970 (UTC).
    pub at: i64,
    /// What happened.
    #[serde(flatten)]
    pub payload: Payload,
}
