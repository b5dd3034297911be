//! A conversation as markdown, for people.
//! The other form, all events as JSON, needs no code here: it is the log.

use std::fmt::Write as _;

use assent_protocol::event::{Event, Payload};
use assent_protocol::failure::Failure;
use assent_protocol::ids::ConversationId;

use crate::engine::{Engine, storage};

impl Engine {
    /// The whole conversation as markdown: messages, calls with their results, how turns ended.
    pub fn markdown(&self, conversation: &ConversationId) -> Result<String, Failure> {
        let events = self.shared.store.fold_events(conversation).map_err(|error| storage(&error))?;
        let row = self.shared.store.row(conversation).map_err(|error| storage(&error))?;
        let title = row.map(|row| row.title).filter(|title| !title.is_empty());
        let mut out = format!("# {}\n", title.as_deref().unwrap_or("Conversation"));
        events.iter().for_each(|event| write_event(event, &mut out));
        Ok(out)
    }

    /// All events of a conversation, oldest first.
    pub fn log(&self, conversation: &ConversationId) -> Result<Vec<Event>, Failure> {
        self.shared.store.events(conversation, 0, u64::MAX).map_err(|error| storage(&error))
    }
}

fn write_event(event: &Event, out: &mut String) {
    // Writing to a String can't fail.
    let _ = match &event.payload {
        Payload::UserMessage { text, attachments, .. } => {
            let attached = attachments.iter().map(|attachment| {
                format!(
                    "\n*Attached: {} ({}, {} bytes)*\n",
                    attachment.name,
                    attachment.media_type.as_str(),
                    attachment.content.bytes
                )
            });
            write!(out, "\n## User\n\n{text}\n{}", attached.collect::<String>())
        }
        Payload::AssistantMessage(message) if !message.text.is_empty() => {
            write!(out, "\n## Assistant\n\n{}\n", message.text)
        }
        Payload::ToolCall(call) => {
            let fence = fence(&call.arguments);
            write!(out, "\n### {}\n\n{fence}json\n{}\n{fence}\n", call.name, call.arguments)
        }
        Payload::ApprovalDecided { answer, note, .. } => {
            let note = note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
            write!(out, "\n*{answer:?}{note}*\n")
        }
        Payload::ToolResult(result) => {
            let fence = fence(&result.shown);
            write!(out, "\n*{:?}*\n\n{fence}\n{}\n{fence}\n", result.outcome, result.shown)
        }
        Payload::TurnEnd { reason, message, .. } => {
            let message = message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
            write!(out, "\n*Turn ended: {reason:?}{message}*\n")
        }
        _ => Ok(()),
    };
}

/// A fence that does not occur in the text.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
