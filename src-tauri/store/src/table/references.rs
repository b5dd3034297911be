//! Which conversation needs which content: a projection, one row for each hash that an event names.
//! A hash may be named without its content being stored: a file's state after a change, for one.

use assent_protocol::event::{Event, Payload, QueueEdit};
use assent_protocol::ids::Sha;
use assent_protocol::tool::{FileEffect, Intent};
use rusqlite::params;

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE content_references (
            hash BLOB NOT NULL,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            PRIMARY KEY (hash, conversation)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX content_references_by_conversation ON content_references (conversation);
    ",
}];

/// Notes the hashes that an event names.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    for hash in named(&event.payload) {
        writing
            .prepare_cached("INSERT OR IGNORE INTO content_references (hash, conversation) VALUES (?1, ?2)")?
            .execute(params![hash.as_bytes(), event.conversation.as_str()])?;
    }
    Ok(())
}

/// Hashes whose content has to be stored for the log to be whole.
pub(crate) fn required(payload: &Payload) -> Vec<Sha> {
    match payload {
        Payload::PromptSet { content } | Payload::ToolsSet { content, .. } => vec![content.hash],
        Payload::MemorySet { content, .. } => content.map(|content| content.hash).into_iter().collect(),
        Payload::ToolResult(result) => result.output.map(|output| output.hash).into_iter().collect(),
        Payload::UserMessage { attachments, .. }
        | Payload::QueueEdited { edit: QueueEdit::Added { attachments, .. }, .. } => {
            attachments.iter().map(|attachment| attachment.content.hash).collect()
        }
        _ => Vec::new(),
    }
}

/// Hashes that an event names, whether or not their content has to be stored.
pub(crate) fn named(payload: &Payload) -> Vec<Sha> {
    let mut hashes = required(payload);
    match payload {
        Payload::ToolResult(result) => hashes.extend(sides(&result.effects)),
        Payload::EffectReverted { effects, .. } => hashes.extend(sides(effects)),
        Payload::ToolStarted { intent, before, .. } => {
            hashes.extend(before.iter().filter_map(|state| state.hash));
            if let Some(Intent::Write { before, after, .. }) = intent {
                hashes.extend(before.iter().chain([after]));
            }
        }
        _ => {}
    }
    hashes
}

fn sides(effects: &[FileEffect]) -> impl Iterator<Item = Sha> {
    effects.iter().flat_map(|effect| effect.before.into_iter().chain(effect.after))
}

#[cfg(test)]
mod tests;
