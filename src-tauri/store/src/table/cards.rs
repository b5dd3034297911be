//! Cards that wait for a person: a projection, one row a pending call, with the card as it was shown last.
//! It doesn't decide anything; a row goes when its call is decided, judged anew, started or ended.

use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::snapshot::PendingRow;
use rusqlite::params;

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::store::Store;
use crate::words::{from_json, json};
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE cards (
            call TEXT PRIMARY KEY REFERENCES executions (call) ON DELETE CASCADE,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            body TEXT NOT NULL,
            -- When the present card was asked for.
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX cards_by_conversation ON cards (conversation);
    ",
}];

impl Store {
    /// Everything that waits for a person in conversations that aren't deleted, oldest first.
    pub fn pending(&self) -> Result<Vec<PendingRow>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT k.call, k.conversation, c.title, p.name, e.tool, k.body, k.since
                 FROM cards k
                 JOIN executions e ON e.call = k.call
                 JOIN conversations c ON c.id = k.conversation
                 LEFT JOIN projects p ON p.id = c.project
                 WHERE NOT EXISTS (SELECT 1 FROM deletions d WHERE d.conversation = c.id)
                 ORDER BY k.since, k.conversation, e.seq, e.position",
            )?;
            let mut rows = statement.query([])?;
            let mut out = Vec::new();
            while let Some(row) = rows.next()? {
                out.push(PendingRow {
                    call: CallId::new(row.get::<_, String>(0)?),
                    conversation: ConversationId::new(row.get::<_, String>(1)?),
                    title: row.get(2)?,
                    project: row.get(3)?,
                    tool: row.get(4)?,
                    card: from_json(&row.get::<_, String>(5)?)?,
                    since: row.get(6)?,
                });
            }
            Ok(out)
        })
    }
}

/// What an event does to the cards.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    let closed = match &event.payload {
        Payload::ApprovalRequested { call, card, .. } => {
            // Only what executions has moved to pending is a card that waits.
            writing
                .prepare_cached(
                    "INSERT OR REPLACE INTO cards (call, conversation, body, since)
                     SELECT call, conversation, ?2, ?3 FROM executions WHERE call = ?1 AND state = 'pending'",
                )?
                .execute(params![call.as_str(), json(card)?, event.at])?;
            return Ok(());
        }
        Payload::ApprovalDecided { call, .. } | Payload::ToolStarted { call, .. } => call,
        Payload::ToolCall(judged) => &judged.call,
        Payload::ToolResult(result) => &result.call,
        _ => return Ok(()),
    };
    writing.prepare_cached("DELETE FROM cards WHERE call = ?1")?.execute([closed.as_str()])?;
    Ok(())
}

#[cfg(test)]
mod tests;
