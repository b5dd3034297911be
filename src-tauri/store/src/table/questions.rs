//! Questions that wait for a person's answer: a projection, one row a call that asked.
//! It answers nothing; a row goes when its call is answered or ended.

use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::snapshot::QuestionRow;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::store::Store;
use crate::words::{from_json, json};
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 6,
    sql: "
        CREATE TABLE questions (
            call TEXT PRIMARY KEY REFERENCES executions (call) ON DELETE CASCADE,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            question TEXT NOT NULL,
            -- JSON array of the answers on offer.
            options TEXT NOT NULL,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX questions_by_conversation ON questions (conversation);
    ",
}];

impl Store {
    /// Questions that wait in conversations that aren't deleted, oldest first.
    pub fn questions(&self) -> Result<Vec<QuestionRow>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT q.call, q.conversation, c.title, p.name, q.question, q.options, q.since
                 FROM questions q
                 JOIN conversations c ON c.id = q.conversation
                 LEFT JOIN projects p ON p.id = c.project
                 WHERE NOT EXISTS (SELECT 1 FROM deletions d WHERE d.conversation = c.id)
                 ORDER BY q.since, q.call",
            )?;
            let mut rows = statement.query([])?;
            let mut out = Vec::new();
            while let Some(row) = rows.next()? {
                out.push(QuestionRow {
                    call: CallId::new(row.get::<_, String>(0)?),
                    conversation: ConversationId::new(row.get::<_, String>(1)?),
                    title: row.get(2)?,
                    project: row.get(3)?,
                    question: row.get(4)?,
                    options: from_json(&row.get::<_, String>(5)?)?,
                    since: row.get(6)?,
                });
            }
            Ok(out)
        })
    }
}

/// Whether this call waits for an answer.
pub(crate) fn is_open(connection: &Connection, call: &CallId) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM questions WHERE call = ?1")?;
    Ok(statement.query_row([call.as_str()], |_| Ok(())).optional()?.is_some())
}

/// What an event does to the questions.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    let closed = match &event.payload {
        Payload::QuestionAsked { call, question, options } => {
            writing
                .prepare_cached(
                    "INSERT OR REPLACE INTO questions (call, conversation, question, options, since)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![call.as_str(), event.conversation.as_str(), question, json(options)?, event.at])?;
            return Ok(());
        }
        Payload::QuestionAnswered { call, .. } => call,
        Payload::ToolResult(result) => &result.call,
        _ => return Ok(()),
    };
    writing.prepare_cached("DELETE FROM questions WHERE call = ?1")?.execute([closed.as_str()])?;
    Ok(())
}

#[cfg(test)]
mod tests;
