//! Requests to models and what they used: a projection, one row a request, summed on reading.
//! It holds neither bodies nor addresses; a body is recomputed from the log.

use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::{ConversationId, RequestId, Sha};
use assent_protocol::view::Usage;
use rusqlite::params;

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::store::Store;
use crate::words::{sha, word};
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
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
}];

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

/// What a conversation used of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageSum {
    /// The conversation.
    pub conversation: ConversationId,
    /// Model name.
    pub model: String,
    /// Requests with known usage.
    pub requests: u64,
    /// Tokens; a figure that no request told is `None`.
    pub usage: Usage,
    /// Millionths of a US dollar, as far as known.
    pub cost_micros: Option<u64>,
}

impl Store {
    /// What was used, by conversation and model; of one conversation, or of all.
    pub fn usage(&self, conversation: Option<&ConversationId>) -> Result<Vec<UsageSum>, StoreError> {
        let conversation = conversation.cloned();
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT conversation, model, count(*), sum(input), sum(output), sum(cache_read), sum(cache_write),
                     sum(reasoning), sum(cost_micros)
                 FROM requests
                 WHERE (?1 IS NULL OR conversation = ?1)
                     AND coalesce(input, output, cache_read, cache_write, reasoning, cost_micros) IS NOT NULL
                 GROUP BY conversation, model ORDER BY conversation, model",
            )?;
            let sums = statement.query_map([conversation.as_ref().map(ConversationId::as_str)], |row| {
                Ok(UsageSum {
                    conversation: ConversationId::new(row.get::<_, String>(0)?),
                    model: row.get(1)?,
                    requests: row.get(2)?,
                    usage: Usage {
                        input: row.get(3)?,
                        output: row.get(4)?,
                        cache_read: row.get(5)?,
                        cache_write: row.get(6)?,
                        reasoning: row.get(7)?,
                    },
                    cost_micros: row.get(8)?,
                })
            })?;
            Ok(sums.collect::<Result<_, _>>()?)
        })
    }

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
                         reasoning, cost_micros)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT (request) DO UPDATE SET input = excluded.input, output = excluded.output,
                         cache_read = excluded.cache_read, cache_write = excluded.cache_write,
                         reasoning = excluded.reasoning, cost_micros = excluded.cost_micros
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
                    cost_micros
                ])?;
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests;
