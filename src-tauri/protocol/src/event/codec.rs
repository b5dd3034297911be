//! Payloads to and from the two columns of the log: kind and JSON body.
//! A kind that isn't known is kept verbatim; a known kind with a body that doesn't fit is an error, never "unknown".

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};
use serde_json::{Map, Value};

use super::payload::Known;
use super::{Payload, UnknownPayload};

/// Every kind that this version writes.
pub const KINDS: &[&str] = &[
    "conversation/created",
    "title/set",
    "conversation/archived",
    "model/set",
    "fallbacks/set",
    "provider/switched",
    "mode/set",
    "limits/set",
    "prompt/set",
    "memory/set",
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
    "rule/revoked",
    "tool/started",
    "tool/result",
    "question/asked",
    "question/answered",
    "agent/started",
    "agent/ended",
    "tool/resolved",
    "effect/reverted",
    "queue/edited",
    "queue/taken",
    "window/moved",
    "compaction/start",
    "compaction/part",
    "compaction/end",
    "compaction/failed",
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
            return Known::deserialize(Row { kind, body }).map_err(wrap);
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
            Payload::FallbacksSet { .. } => "fallbacks/set",
            Payload::ProviderSwitched { .. } => "provider/switched",
            Payload::ModeSet { .. } => "mode/set",
            Payload::LimitsSet { .. } => "limits/set",
            Payload::PromptSet { .. } => "prompt/set",
            Payload::MemorySet { .. } => "memory/set",
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
            Payload::RuleRevoked { .. } => "rule/revoked",
            Payload::ToolStarted { .. } => "tool/started",
            Payload::ToolResult(_) => "tool/result",
            Payload::QuestionAsked { .. } => "question/asked",
            Payload::QuestionAnswered { .. } => "question/answered",
            Payload::AgentStarted { .. } => "agent/started",
            Payload::AgentEnded { .. } => "agent/ended",
            Payload::ToolResolved { .. } => "tool/resolved",
            Payload::EffectReverted { .. } => "effect/reverted",
            Payload::QueueEdited { .. } => "queue/edited",
            Payload::QueueTaken { .. } => "queue/taken",
            Payload::WindowMoved { .. } => "window/moved",
            Payload::CompactionStart { .. } => "compaction/start",
            Payload::CompactionPart { .. } => "compaction/part",
            Payload::CompactionEnd { .. } => "compaction/end",
            Payload::CompactionFailed { .. } => "compaction/failed",
            Payload::UsageRecorded { .. } => "usage/recorded",
            Payload::Unknown(unknown) => &unknown.kind,
        }
    }
}

/// A row of the log as an enum whose variant is known before its content is read.
struct Row<'de> {
    kind: &'de str,
    body: &'de str,
}

impl<'de> Deserializer<'de> for Row<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_enum(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for Row<'de> {
    type Error = serde_json::Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Self::Error> {
        let kind: serde::de::value::BorrowedStrDeserializer<'de, Self::Error> =
            serde::de::value::BorrowedStrDeserializer::new(self.kind);
        Ok((seed.deserialize(kind)?, self))
    }
}

impl<'de> VariantAccess<'de> for Row<'de> {
    type Error = serde_json::Error;

    fn unit_variant(self) -> Result<(), Self::Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Self::Error> {
        let mut reader = serde_json::Deserializer::from_str(self.body);
        let value = seed.deserialize(&mut reader)?;
        reader.end().map(|()| value)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Self::Error> {
        serde_json::Deserializer::from_str(self.body).deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        let mut reader = serde_json::Deserializer::from_str(self.body);
        let value = reader.deserialize_struct("payload", fields, visitor)?;
        reader.end().map(|()| value)
    }
}

#[cfg(test)]
mod tests;
