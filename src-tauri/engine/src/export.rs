//! A conversation as a file: as markdown or as a page for people, or whole, to be imported elsewhere.
//! It says nothing that isn't in the log.

mod html;

use std::fmt::Write as _;

use assent_protocol::event::{Event, Payload};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ConversationId;
use assent_protocol::snapshot::ExportFormat;
use assent_store::Logs;

use crate::engine::{Engine, storage};
use crate::portable;

impl Engine {
    /// The whole conversation: messages, calls with their results, how turns ended. As JSON it is the log itself, with what it is
    /// a fork of, its sub-agents and all contents that events name; files as they were before a change are among them.
    pub fn export(&self, conversation: &ConversationId, format: ExportFormat) -> Result<String, Failure> {
        let title = self.row(conversation)?.title;
        let title = if title.is_empty() { "Conversation" } else { title.as_str() };
        let store = &self.shared.store;
        let events = store.fold_events(conversation).map_err(|error| storage(&error))?;
        Ok(match format {
            ExportFormat::Markdown => {
                let mut out = format!("# {title}\n");
                events.iter().for_each(|event| write_event(event, &mut out));
                out
            }
            // An attachment that can't be read is named in the page.
            ExportFormat::Html => {
                html::page(title, &events, |attachment| store.content(attachment.content.hash).ok().flatten())
            }
            ExportFormat::Json => return self.portable(conversation),
        })
    }

    fn portable(&self, conversation: &ConversationId) -> Result<String, Failure> {
        let store = &self.shared.store;
        let Logs { events, contents } = store.logs(conversation).map_err(|error| storage(&error))?;
        portable::write(conversation, &events, &contents, |hash| {
            let bytes = store.content(hash).map_err(|error| storage(&error))?;
            bytes.ok_or_else(|| Failure::new(Code::Storage, format!("content {hash} is missing")))
        })
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
