//! Requests to models and what they used: a projection, one row a request.
//! It holds neither bodies nor addresses, and sums nothing: that is done on reading, in `usage`.

use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::{ConversationId, RequestId, Sha};
use rusqlite::params;

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::store::Store;
use crate::words::{sha, word};
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        sql: "
        CREATE TABLE requests (
            request TEXT PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            -- The event that says how it was sent last; none: only its usage is known.
            seq INTEGER,
            purpose TEXT NOT NULL,
            provider TEXT NOT NULL DEFAULT '',
            model TEXT NOT NULL DEFAULT '',
            digest TEXT,
            input INTEGER,
            output INTEGER,
            cache_read INTEGER,
            cache_write INTEGER,
            reasoning INTEGER,
            cost_micros INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX requests_by_conversation ON requests (conversation, seq);
    ",
    },
    Migration {
        version: 2,
        sql: "
        -- When its answer ended, well or not, or its usage was told; none: it is on its way.
        ALTER TABLE requests ADD COLUMN ended_at INTEGER;
        UPDATE requests SET ended_at = ends.at FROM (
            SELECT conversation, json_extract(body, '$.request') AS request, at, min(seq) FROM events
            WHERE kind IN ('request/failed', 'assistant/message', 'assistant/discarded', 'usage/recorded')
            GROUP BY 1, 2
        ) AS ends WHERE requests.request = ends.request AND requests.conversation = ends.conversation;
        CREATE INDEX requests_by_end ON requests (ended_at);
    ",
    },
];

/// A request of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRequest {
    /// Its id.
    pub request: RequestId,
    /// Number of the event that says how it was sent last.
    pub seq: u64,
    /// Provider's name.
    pub provider: String,
    /// Model name.
    pub model: String,
    /// SHA-256 of its exact body.
    pub digest: Sha,
}

impl Store {
    /// The requests of a conversation, oldest first.
    pub fn requests(&self, conversation: &ConversationId) -> Result<Vec<SentRequest>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT request, seq, provider, model, digest FROM requests
                 WHERE conversation = ?1 AND seq IS NOT NULL AND digest IS NOT NULL ORDER BY seq",
            )?;
            let mut rows = statement.query([conversation.as_str()])?;
            let mut out = Vec::new();
            while let Some(row) = rows.next()? {
                out.push(SentRequest {
                    request: RequestId::new(row.get::<_, String>(0)?),
                    seq: row.get(1)?,
                    provider: row.get(2)?,
                    model: row.get(3)?,
                    digest: sha(&row.get::<_, String>(4)?)?,
                });
            }
            Ok(out)
        })
    }
}

/// What an event does to the requests.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    let conversation = event.conversation.as_str();
    match &event.payload {
        Payload::RequestSent(sent) => {
            writing
                .prepare_cached(
                    "INSERT INTO requests (request, conversation, seq, purpose, provider, model, digest)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                     ON CONFLICT (request) DO UPDATE SET seq = excluded.seq, purpose = excluded.purpose,
                         provider = excluded.provider, model = excluded.model, digest = excluded.digest
                     WHERE conversation = excluded.conversation",
                )?
                .execute(params![
                    sent.request.as_str(),
                    conversation,
                    event.seq,
                    word(&sent.purpose),
                    sent.provider,
                    sent.model,
                    sent.digest.to_string()
                ])?;
        }
        Payload::UsageRecorded { request, purpose, usage, cost_micros, .. } => {
            writing
                .prepare_cached(
                    "INSERT INTO requests (request, conversation, purpose, input, output, cache_read, cache_write,
                         reasoning, cost_micros, ended_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                     ON CONFLICT (request) DO UPDATE SET input = excluded.input, output = excluded.output,
                         cache_read = excluded.cache_read, cache_write = excluded.cache_write,
                         reasoning = excluded.reasoning, cost_micros = excluded.cost_micros,
                         ended_at = coalesce(ended_at, excluded.ended_at)
                     WHERE conversation = excluded.conversation",
                )?
                .execute(params![
                    request.as_str(),
                    conversation,
                    word(purpose),
                    usage.input,
                    usage.output,
                    usage.cache_read,
                    usage.cache_write,
                    usage.reasoning,
                    cost_micros,
                    event.at
                ])?;
        }
        Payload::RequestFailed { request, .. } | Payload::AssistantDiscarded { request, .. } => {
            ended(writing, event, request)?;
        }
        Payload::AssistantMessage(message) => ended(writing, event, &message.request)?,
        _ => {}
    }
    Ok(())
}

/// An attempt that ended counts from then on, whether or not its usage is told. One that was never sent isn't here.
fn ended(writing: &Writing<'_>, event: &Event, request: &RequestId) -> Result<(), StoreError> {
    writing
        .prepare_cached(
            "UPDATE requests SET ended_at = ?3 WHERE request = ?1 AND conversation = ?2 AND ended_at IS NULL",
        )?
        .execute(params![request.as_str(), event.conversation.as_str(), event.at])?;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
