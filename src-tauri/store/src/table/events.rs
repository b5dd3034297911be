//! The log: one row an event, never changed, numbered without gaps in each conversation.
//! Triggers keep it so, whatever code runs; what an event means stands elsewhere.

use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::ConversationId;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::error::StoreError;
use crate::lineage;
use crate::migrate::Migration;
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[FIRST, FORKS];

/// The log of a fork begins behind the event that it goes on from.
const FORKS: Migration = Migration {
    version: 6,
    sql: "
        DROP TRIGGER events_have_no_gap;
        CREATE TRIGGER events_have_no_gap BEFORE INSERT ON events
        WHEN NEW.seq <> 1 + coalesce(
            (SELECT max(seq) FROM events WHERE conversation = NEW.conversation),
            iif(NEW.kind = 'conversation/created', json_extract(NEW.body, '$.fork.seq'), 0), 0)
        BEGIN SELECT RAISE(ABORT, 'an event takes the next number'); END;
    ",
};

const FIRST: Migration = Migration {
    version: 1,
    sql: "
        CREATE TABLE events (
            conversation TEXT NOT NULL,
            seq INTEGER NOT NULL CHECK (seq > 0),
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (conversation, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX events_messages ON events (conversation, seq)
            WHERE kind IN ('user/message', 'assistant/message');

        -- A conversation that is being purged: the only one whose events may go.
        CREATE TABLE purging (conversation TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

        CREATE TRIGGER events_never_change BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;
        CREATE TRIGGER events_stay BEFORE DELETE ON events
        WHEN NOT EXISTS (SELECT 1 FROM purging WHERE conversation = OLD.conversation)
        BEGIN SELECT RAISE(ABORT, 'an event is never deleted alone'); END;
        CREATE TRIGGER events_have_no_gap BEFORE INSERT ON events
        WHEN NEW.seq <> 1 + coalesce((SELECT max(seq) FROM events WHERE conversation = NEW.conversation), 0)
        BEGIN SELECT RAISE(ABORT, 'an event takes the next number'); END;
    ",
};

/// The number of a conversation's last event; 0: it has none.
pub(crate) fn last_seq(connection: &Connection, conversation: &ConversationId) -> Result<u64, StoreError> {
    let last: Option<u64> = connection
        .prepare_cached("SELECT max(seq) FROM events WHERE conversation = ?1")?
        .query_row([conversation.as_str()], |row| row.get(0))?;
    Ok(last.unwrap_or(0))
}

/// Adds an event, whose number has to be the next.
pub(crate) fn insert(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    writing
        .prepare_cached("INSERT INTO events (conversation, seq, at, kind, body) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![
            event.conversation.as_str(),
            event.seq,
            event.at,
            event.payload.kind(),
            event.payload.encode()
        ])?;
    Ok(())
}

/// At most `limit` events after a number, all kinds, oldest first, as those of `conversation`.
pub(crate) fn after(
    connection: &Connection,
    conversation: &ConversationId,
    seq: u64,
    limit: u64,
) -> Result<Vec<Event>, StoreError> {
    let mut out = Vec::new();
    for stretch in lineage::stretches(connection, conversation)?.iter().rev() {
        let mut statement = connection.prepare_cached(
            "SELECT seq, at, kind, body FROM events WHERE conversation = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq LIMIT ?4",
        )?;
        let left = limit.saturating_sub(out.len() as u64);
        let from = seq.max(stretch.after);
        let rows = statement.query(params![stretch.conversation.as_str(), from, stretch.upto, left])?;
        out.extend(collect(conversation, rows)?);
    }
    Ok(out)
}

/// Events from `from` (included) to `to` (excluded), oldest first, as those of `conversation`. Chunks up to `settled` are left
/// out: a message or a discard that stands at that number has replaced them. Of what a fork goes on from, all are.
pub(crate) fn span(
    connection: &Connection,
    conversation: &ConversationId,
    from: u64,
    to: u64,
    settled: u64,
) -> Result<Vec<Event>, StoreError> {
    let to = to.min(i64::MAX.unsigned_abs());
    let mut out = Vec::new();
    for stretch in lineage::stretches(connection, conversation)?.iter().rev() {
        let mut statement = connection.prepare_cached(
            "SELECT seq, at, kind, body FROM events
             WHERE conversation = ?1 AND seq > ?2 AND seq >= ?3 AND seq <= ?4 AND seq < ?5
                 AND (kind <> 'assistant/chunk' OR seq > ?6)
             ORDER BY seq",
        )?;
        let settled = if stretch.conversation == *conversation { settled } else { stretch.upto };
        let rows =
            statement.query(params![stretch.conversation.as_str(), stretch.after, from, stretch.upto, to, settled])?;
        out.extend(collect(conversation, rows)?);
    }
    Ok(out)
}

/// Events of a conversation's own log with a number after `after` and up to `upto`, oldest first.
pub(crate) fn own(
    connection: &Connection,
    conversation: &ConversationId,
    after: u64,
    upto: u64,
) -> Result<Vec<Event>, StoreError> {
    let upto = upto.min(i64::MAX.unsigned_abs());
    let mut statement = connection.prepare_cached(
        "SELECT seq, at, kind, body FROM events WHERE conversation = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq",
    )?;
    collect(conversation, statement.query(params![conversation.as_str(), after, upto])?)
}

/// One event, which has to be there.
pub(crate) fn one(connection: &Connection, conversation: &ConversationId, seq: u64) -> Result<Event, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT seq, at, kind, body FROM events WHERE conversation = ?1 AND seq = ?2")?;
    let found = collect(conversation, statement.query(params![conversation.as_str(), seq])?)?;
    let missing = || StoreError::damaged(format_args!("event {seq} of conversation {conversation} is missing"));
    found.into_iter().next().ok_or_else(missing)
}

/// At most `limit` messages after number `after` and up to `upto`, a person's and the model's, oldest first.
pub(crate) fn messages(
    connection: &Connection,
    conversation: &ConversationId,
    after: u64,
    upto: u64,
    limit: u32,
) -> Result<Vec<Event>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, at, kind, body FROM events INDEXED BY events_messages
         WHERE conversation = ?1 AND seq > ?2 AND seq <= ?3 AND kind IN ('user/message', 'assistant/message')
         ORDER BY seq LIMIT ?4",
    )?;
    collect(conversation, statement.query(params![conversation.as_str(), after, upto, limit])?)
}

/// The number of the `messages`-th newest message before `before`; none: there are fewer.
pub(crate) fn start_of_newest(
    connection: &Connection,
    conversation: &ConversationId,
    before: u64,
    messages: u32,
) -> Result<Option<u64>, StoreError> {
    let before = before.min(i64::MAX.unsigned_abs());
    let mut left = messages.saturating_sub(1);
    for stretch in lineage::stretches(connection, conversation)? {
        let of = "FROM events INDEXED BY events_messages
             WHERE conversation = ?1 AND seq > ?2 AND seq <= ?3 AND seq < ?4 AND kind IN ('user/message', 'assistant/message')";
        let (owner, after, upto) = (stretch.conversation.as_str(), stretch.after, stretch.upto);
        let found = connection
            .prepare_cached(&format!("SELECT seq {of} ORDER BY seq DESC LIMIT 1 OFFSET ?5"))?
            .query_row(params![owner, after, upto, before, left], |row| row.get(0))
            .optional()?;
        if found.is_some() {
            return Ok(found);
        }
        let mut count = connection.prepare_cached(&format!("SELECT count(*) {of}"))?;
        left -= count.query_row(params![owner, after, upto, before], |row| row.get::<_, u32>(0))?;
    }
    Ok(None)
}

/// Deletes a conversation's events, under the mark that the trigger asks for.
pub(crate) fn purge(writing: &Writing<'_>, conversation: &str) -> Result<(), StoreError> {
    writing.execute("INSERT INTO purging (conversation) VALUES (?1)", [conversation])?;
    writing.execute("DELETE FROM events WHERE conversation = ?1", [conversation])?;
    writing.execute("DELETE FROM purging WHERE conversation = ?1", [conversation])?;
    Ok(())
}

/// Reads one event out of `seq, at, kind, body`.
pub(crate) fn read(conversation: &ConversationId, row: &Row<'_>) -> Result<Event, StoreError> {
    let seq = row.get(0)?;
    let payload = Payload::decode(text(row, 2)?, text(row, 3)?)
        .map_err(|error| StoreError::damaged(format_args!("event {seq} of conversation {conversation}: {error}")))?;
    Ok(Event { conversation: conversation.clone(), seq, at: row.get(1)?, payload })
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str, StoreError> {
    row.get_ref(column)?.as_str().map_err(StoreError::damaged)
}

fn collect(conversation: &ConversationId, mut rows: rusqlite::Rows<'_>) -> Result<Vec<Event>, StoreError> {
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(read(conversation, row)?);
    }
    Ok(events)
}

#[cfg(test)]
mod tests;
