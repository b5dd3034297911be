//! The full-text index of titles and messages: a projection that keeps terms and places, and no text of its own.
//! An append only notes what is to be indexed, because indexing a long answer takes longer than storing it; it is indexed
//! as soon as nobody writes, or somebody searches. So are histories from before the index, piece by piece.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::ConversationId;
use assent_protocol::search::Who;
use assent_protocol::snapshot::Difference;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::table::events;
use crate::terms::terms;
use crate::words::word;
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 5,
    sql: "
        CREATE TABLE search_documents (
            id INTEGER PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            -- The message's event; 0: the title.
            seq INTEGER NOT NULL,
            who TEXT NOT NULL,
            -- When it was said; 0: the title.
            at INTEGER NOT NULL,
            UNIQUE (conversation, seq)
        ) STRICT;
        -- A row a document, by its id. The text itself stands in the log. Words that begin with the same two letters stand together,
        -- since a search goes on from the second letter typed.
        CREATE VIRTUAL TABLE search_index USING fts5 (
            terms, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2'
        );

        -- Documents that are to be indexed.
        CREATE TABLE search_waiting (
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            PRIMARY KEY (conversation, seq)
        ) STRICT, WITHOUT ROWID;

        -- Conversations that are older than the index: what they said up to `upto` is indexed as far as `done`.
        CREATE TABLE search_backlog (
            conversation TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            done INTEGER NOT NULL,
            upto INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO search_backlog (conversation, done, upto) SELECT id, 0, seq FROM conversations;

        -- A row as long as terms of purged conversations may still stand in the index.
        CREATE TABLE search_sweep (begun INTEGER NOT NULL) STRICT;
    ",
}];

/// Seq of a title among the documents.
pub(crate) const TITLE: u64 = 0;

/// Documents of one piece of what waits, and messages of one of the backlog.
const PIECE_MESSAGES: u32 = 64;
/// Bytes of text after which a piece ends.
const PIECE_BYTES: usize = 64 * 1024;
/// Pages that one step of the sweep merges, about.
const SWEEP_PAGES: i32 = 64;

/// What an event does to the index: it waits to be in it. Nothing that is streamed is: only whole messages, and the title.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    let seq = match (&event.payload, said(&event.payload)) {
        (Payload::TitleSet { .. }, _) => {
            remove(writing, &event.conversation, TITLE)?;
            TITLE
        }
        (_, Some((_, text))) if !text.is_empty() => event.seq,
        _ => return Ok(()),
    };
    writing
        .prepare_cached("INSERT OR IGNORE INTO search_waiting (conversation, seq) VALUES (?1, ?2)")?
        .execute(params![event.conversation.as_str(), seq])?;
    Ok(())
}

/// Puts what an event says into the index.
pub(crate) fn index(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    if let Payload::TitleSet { title, .. } = &event.payload {
        remove(writing, &event.conversation, TITLE)?;
        return insert(writing, &event.conversation, TITLE, Who::Title, 0, title);
    }
    match said(&event.payload) {
        Some((who, text)) => insert(writing, &event.conversation, event.seq, who, event.at, text),
        None => Ok(()),
    }
}

/// The words of a message, and whose they are.
pub(crate) fn said(payload: &Payload) -> Option<(Who, &str)> {
    match payload {
        Payload::UserMessage { text, .. } => Some((Who::User, text)),
        Payload::AssistantMessage(message) => Some((Who::Assistant, &message.text)),
        _ => None,
    }
}

/// Takes a conversation out of the index. Its terms are overwritten by the sweep.
pub(crate) fn purge(writing: &Writing<'_>, conversation: &str) -> Result<(), StoreError> {
    let ids = "SELECT id FROM search_documents WHERE conversation = ?1";
    writing.execute(&format!("DELETE FROM search_index WHERE rowid IN ({ids})"), [conversation])?;
    let removed = writing.execute("DELETE FROM search_documents WHERE conversation = ?1", [conversation])?;
    writing.execute("DELETE FROM search_waiting WHERE conversation = ?1", [conversation])?;
    writing.execute("DELETE FROM search_backlog WHERE conversation = ?1", [conversation])?;
    if removed > 0 {
        writing.execute("DELETE FROM search_sweep", [])?;
        writing.execute("INSERT INTO search_sweep (begun) VALUES (0)", [])?;
    }
    Ok(())
}

/// Whether everything that was said is indexed.
pub(crate) fn is_complete(connection: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM search_backlog) AND NOT EXISTS (SELECT 1 FROM search_waiting)";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Whether something waits that was said since there is an index.
pub(crate) fn is_waited_for(connection: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM search_waiting)";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Whether `advance` has anything to do.
pub(crate) fn has_work(connection: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM search_waiting) OR EXISTS (SELECT 1 FROM search_backlog)
        OR EXISTS (SELECT 1 FROM search_sweep)";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Does the next piece of what is left: indexes what waits, then some older messages, the latest conversation first,
/// or sweeps. False: there is nothing left.
pub(crate) fn advance(writing: &Writing<'_>) -> Result<bool, StoreError> {
    if is_waited_for(writing)? {
        index_waiting(writing)?;
        return has_work(writing);
    }
    let next = writing
        .prepare_cached(
            "SELECT b.conversation, b.done, b.upto, c.title FROM search_backlog b
             JOIN conversations c ON c.id = b.conversation ORDER BY c.updated_at DESC, c.id LIMIT 1",
        )?
        .query_row([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get::<_, String>(3)?)))
        .optional()?;
    match next {
        Some((conversation, done, upto, title)) => {
            catch_up(writing, &ConversationId::new(conversation), done, upto, &title)?;
        }
        None => sweep(writing)?,
    }
    has_work(writing)
}

/// Indexes a piece of what was said since there is an index; whether more of it waits.
pub(crate) fn index_waiting(writing: &Writing<'_>) -> Result<bool, StoreError> {
    let mut bytes = 0;
    for _ in 0..PIECE_MESSAGES {
        let first = writing
            .prepare_cached(
                "SELECT w.conversation, w.seq, c.title FROM search_waiting w
                 JOIN conversations c ON c.id = w.conversation LIMIT 1",
            )?
            .query_row([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?, row.get::<_, String>(2)?)))
            .optional()?;
        let Some((conversation, seq, title)) = first else { return Ok(false) };
        let conversation = ConversationId::new(conversation);
        if seq == TITLE {
            remove(writing, &conversation, TITLE)?;
            insert(writing, &conversation, TITLE, Who::Title, 0, &title)?;
        } else {
            let event = events::one(writing, &conversation, seq)?;
            bytes += said(&event.payload).map_or(0, |(_, text)| text.len());
            index(writing, &event)?;
        }
        writing
            .prepare_cached("DELETE FROM search_waiting WHERE conversation = ?1 AND seq = ?2")?
            .execute(params![conversation.as_str(), seq])?;
        if bytes >= PIECE_BYTES {
            break;
        }
    }
    is_waited_for(writing)
}

fn catch_up(
    writing: &Writing<'_>,
    conversation: &ConversationId,
    done: u64,
    upto: u64,
    title: &str,
) -> Result<(), StoreError> {
    if done == 0 {
        remove(writing, conversation, TITLE)?;
        insert(writing, conversation, TITLE, Who::Title, 0, title)?;
    }
    let messages = events::messages(writing, conversation, done, upto, PIECE_MESSAGES)?;
    let is_whole = messages.len() < PIECE_MESSAGES as usize;
    let mut reached = messages.last().filter(|_| !is_whole).map_or(upto, |last| last.seq);
    let mut bytes = 0;
    for (number, event) in messages.iter().enumerate() {
        if let Some((who, text)) = said(&event.payload) {
            insert(writing, conversation, event.seq, who, event.at, text)?;
            bytes += text.len();
        }
        if bytes >= PIECE_BYTES && number + 1 < messages.len() {
            reached = event.seq;
            break;
        }
    }
    if reached >= upto {
        writing.execute("DELETE FROM search_backlog WHERE conversation = ?1", [conversation.as_str()])?;
    } else {
        writing
            .prepare_cached("UPDATE search_backlog SET done = ?2 WHERE conversation = ?1")?
            .execute(params![conversation.as_str(), reached])?;
    }
    Ok(())
}

/// A step of rewriting the index without what was removed from it: until then a removed document's terms lie in the file.
fn sweep(writing: &Writing<'_>) -> Result<(), StoreError> {
    let Some(begun) =
        writing.query_row("SELECT begun FROM search_sweep", [], |row| row.get::<_, bool>(0)).optional()?
    else {
        return Ok(());
    };
    // A negative number puts all parts of the index on the list of those to be merged; positive ones work it off.
    let pages = if begun { SWEEP_PAGES } else { -SWEEP_PAGES };
    let before = changes(writing)?;
    writing.execute("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?1)", [pages])?;
    // SQLite's own sign that nothing was left to do is fewer than two changes.
    if begun && changes(writing)? - before < 2 {
        writing.execute("DELETE FROM search_sweep", [])?;
    } else {
        writing.execute("UPDATE search_sweep SET begun = 1", [])?;
    }
    Ok(())
}

fn changes(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("SELECT total_changes()", [], |row| row.get(0))?)
}

/// A text without terms isn't a document.
fn insert(
    writing: &Writing<'_>,
    conversation: &ConversationId,
    seq: u64,
    who: Who,
    at: i64,
    text: &str,
) -> Result<(), StoreError> {
    let terms = terms(text);
    if terms.is_empty() {
        return Ok(());
    }
    writing
        .prepare_cached("INSERT INTO search_documents (conversation, seq, who, at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![conversation.as_str(), seq, word(&who), at])?;
    writing
        .prepare_cached("INSERT INTO search_index (rowid, terms) VALUES (last_insert_rowid(), ?1)")?
        .execute([terms.join(" ")])?;
    Ok(())
}

fn remove(writing: &Writing<'_>, conversation: &ConversationId, seq: u64) -> Result<(), StoreError> {
    let id: Option<i64> = writing
        .prepare_cached("SELECT id FROM search_documents WHERE conversation = ?1 AND seq = ?2")?
        .query_row(params![conversation.as_str(), seq], |row| row.get(0))
        .optional()?;
    if let Some(id) = id {
        writing.prepare_cached("DELETE FROM search_index WHERE rowid = ?1")?.execute([id])?;
        writing.prepare_cached("DELETE FROM search_documents WHERE id = ?1")?.execute([id])?;
    }
    Ok(())
}

/// What differs between the index and one made anew from the log. What still waits may be missing.
pub(crate) fn differences(live: &Connection, rebuilt: &Connection) -> Result<Vec<Difference>, StoreError> {
    let mut backlog: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut statement = live.prepare("SELECT conversation, done, upto FROM search_backlog")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        backlog.insert(row.get(0)?, (row.get(1)?, row.get(2)?));
    }
    drop(rows);
    let mut waiting: BTreeSet<Place> = BTreeSet::new();
    let mut statement = live.prepare("SELECT conversation, seq FROM search_waiting")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        waiting.insert((row.get(0)?, row.get(1)?));
    }
    let may_be_missing = |place: &Place| {
        let (conversation, seq) = place;
        let older = backlog.get(conversation);
        let is_older =
            older.is_some_and(|(done, upto)| if *seq == TITLE { *done == 0 } else { seq > done && seq <= upto });
        is_older || waiting.contains(place)
    };
    let (live, rebuilt) = (documents(live)?, documents(rebuilt)?);
    let mut found = Vec::new();
    for place in live.keys().chain(rebuilt.keys().filter(|place| !live.contains_key(*place))) {
        let words = match (live.get(place), rebuilt.get(place)) {
            (Some(there), Some(expected)) if there == expected => continue,
            (None, Some(_)) if may_be_missing(place) => continue,
            (Some(_), Some(_)) => "is indexed by other words than it has",
            (Some(_), None) => "is indexed and isn't there",
            (None, _) => "isn't indexed",
        };
        let (conversation, seq) = place;
        let what = if *seq == TITLE { "the title".to_owned() } else { format!("message {seq}") };
        let conversation = Some(ConversationId::new(conversation));
        found.push(Difference { conversation, message: format!("search: {what} {words}") });
    }
    Ok(found)
}

/// Conversation and seq.
type Place = (String, u64);

/// The documents: whose they are, when they were said, and a sum over their terms with the places where these stand.
fn documents(connection: &Connection) -> Result<BTreeMap<Place, (String, i64, u64)>, StoreError> {
    let mut sums: BTreeMap<i64, u64> = BTreeMap::new();
    connection.execute_batch(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms USING fts5vocab (main, search_index, instance)",
    )?;
    let mut statement = connection.prepare("SELECT doc, term, offset FROM temp.search_terms")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut hash = DefaultHasher::new();
        row.get_ref(1)?.as_str().map_err(StoreError::damaged)?.hash(&mut hash);
        row.get::<_, i64>(2)?.hash(&mut hash);
        let sum = sums.entry(row.get(0)?).or_default();
        *sum = sum.wrapping_add(hash.finish());
    }
    drop(rows);
    drop(statement);
    connection.execute_batch("DROP TABLE temp.search_terms")?;
    let mut statement = connection.prepare("SELECT id, conversation, seq, who, at FROM search_documents")?;
    let mut rows = statement.query([])?;
    let mut out = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let sum = sums.remove(&row.get(0)?).unwrap_or(0);
        out.insert((row.get(1)?, row.get(2)?), (row.get(3)?, row.get(4)?, sum));
    }
    // Terms of no document.
    for (id, sum) in sums {
        out.insert((String::new(), id.unsigned_abs()), (String::new(), 0, sum));
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
