//! Payloads to and from the two columns of the log: kind and JSON body.
//! A kind that isn't known is kept verbatim; a known kind with a body that doesn't fit is an error, never "unknown".

use serde_json::{Map, Value};

use super::{Payload, UnknownPayload};

/// Every kind that this version writes.
pub const KINDS: &[&str] = &[
    "conversation/created",
    "title/set",
    "conversation/archived",
    "model/set",
    "mode/set",
    "limits/set",
    "prompt/set",
    "tools/set",
    "user/message",
    "turn/start",
    "turn/stop",
    "turn/end",
    "iteration/start",
    "iteration/end",
    "request/sent",
    "request/failed",
    "assistant/chunk",
    "assistant/message",
    "assistant/discarded",
    "tool/call",
    "approval/requested",
    "approval/decided",
    "tool/started",
    "tool/result",
    "tool/resolved",
    "effect/reverted",
    "queue/edited",
    "queue/taken",
    "window/moved",
    "usage/recorded",
];

/// A body that doesn't fit its kind.
#[derive(Debug, thiserror::Error)]
#[error("the payload of a {kind} event can't be read: {source}")]
pub struct DecodeError {
    kind: String,
    source: serde_json::Error,
}

impl Payload {
    /// The JSON object text of the payload, `kind` first.
    pub fn encode(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a payload back from its JSON object text.
    pub fn decode(kind: &str, body: &str) -> Result<Self, DecodeError> {
        let wrap = |source| DecodeError { kind: kind.to_owned(), source };
        if KINDS.contains(&kind) {
            return match serde_json::from_str(body).map_err(wrap)? {
                Payload::Unknown(_) => {
                    // The untagged arm swallowed a misfit: read it once more for the reason.
                    let value: Value = serde_json::from_str(body).map_err(wrap)?;
                    Err(wrap(serde::de::Error::custom(format_args!("fields don't fit in {value}"))))
                }
                known => Ok(known),
            };
        }
        let mut rest: Map<String, Value> = serde_json::from_str(body).map_err(wrap)?;
        rest.remove("kind");
        Ok(Payload::Unknown(UnknownPayload { kind: kind.to_owned(), rest }))
    }

    /// The kind's name.
    pub fn kind(&self) -> &str {
        match self {
            Payload::ConversationCreated { .. } => "conversation/created",
            Payload::TitleSet { .. } => "title/set",
            Payload::ConversationArchived { .. } => "conversation/archived",
            Payload::ModelSet { .. } => "model/set",
            Payload::ModeSet { .. } => "mode/set",
            Payload::LimitsSet { .. } => "limits/set",
            Payload::PromptSet { .. } => "prompt/set",
            Payload::ToolsSet { .. } => "tools/set",
            Payload::UserMessage { .. } => "user/message",
            Payload::TurnStart { .. } => "turn/start",
            Payload::TurnStop {} => "turn/stop",
            Payload::TurnEnd { .. } => "turn/end",
            Payload::IterationStart { .. } => "iteration/start",
            Payload::IterationEnd { .. } => "iteration/end",
            Payload::RequestSent(_) => "request/sent",
            Payload::RequestFailed { .. } => "request/failed",
            Payload::AssistantChunk { .. } => "assistant/chunk",
            Payload::AssistantMessage(_) => "assistant/message",
            Payload::AssistantDiscarded { .. } => "assistant/discarded",
            Payload::ToolCall(_) => "tool/call",
            Payload::ApprovalRequested { .. } => "approval/requested",
            Payload::ApprovalDecided { .. } => "approval/decided",
            Payload::ToolStarted { .. } => "tool/started",
            Payload::ToolResult(_) => "tool/result",
            Payload::ToolResolved { .. } => "tool/resolved",
            Payload::EffectReverted { .. } => "effect/reverted",
            Payload::QueueEdited { .. } => "queue/edited",
            Payload::QueueTaken { .. } => "queue/taken",
            Payload::WindowMoved { .. } => "window/moved",
            Payload::UsageRecorded { .. } => "usage/recorded",
            Payload::Unknown(unknown) => &unknown.kind,
        }
    }
}

#[cfg(test)]
mod tests;
