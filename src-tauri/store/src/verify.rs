//! Verifying a history: everything computed from the log is computed again in memory and compared.
//! It repairs nothing and changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use assent_protocol::event::{Event, ForkOrigin, Payload};
use assent_protocol::ids::{CallId, ConversationId, Sha};
use assent_protocol::snapshot::Difference;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::files::Files;
use crate::migrate;
use crate::project::project;
use crate::store::Store;
use crate::table::{PROJECTIONS, references, search};
use crate::writer::Writing;

impl Store {
    /// Replays all logs and says every difference: gaps, unreadable events, calls without their pair, contents that
    /// don't fit their hash, rows that don't follow from the log. Empty: all is well. Takes as long as the log is.
    pub fn verify(&self) -> Result<Vec<Difference>, StoreError> {
        let files = self.files();
        self.read(move |connection| {
            let mut found = Vec::new();
            let mut rebuilt = Connection::open_in_memory()?;
            rebuilt.pragma_update(None, "foreign_keys", true)?;
            migrate::migrate(&mut rebuilt, &migrate::steps(), None, crate::open::time_stamp)?;
            replay(connection, &rebuilt, &mut found)?;
            check_contents(connection, files.as_deref(), &mut found)?;
            for (table, order) in PROJECTIONS {
                compare(connection, &rebuilt, table, order, &mut found)?;
            }
            found.extend(search::differences(connection, &rebuilt)?);
            Ok(found)
        })
    }
}

fn difference(conversation: Option<&ConversationId>, message: impl Into<String>) -> Difference {
    Difference { conversation: conversation.cloned(), message: message.into() }
}

/// Reads every log, checks it by itself, and projects it into `rebuilt`.
fn replay(connection: &Connection, rebuilt: &Connection, found: &mut Vec<Difference>) -> Result<(), StoreError> {
    let writing = Writing::alone(rebuilt);
    rebuilt.execute_batch("BEGIN")?;
    let mut statement =
        connection.prepare("SELECT conversation, seq, at, kind, body FROM events ORDER BY conversation, seq")?;
    let mut rows = statement.query([])?;
    let mut pairs = Pairs::default();
    let mut expected = (String::new(), 1);
    while let Some(row) = rows.next()? {
        let (name, seq, at): (String, u64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let conversation = ConversationId::new(&name);
        let is_first = expected.0 != name;
        if is_first {
            expected = (name, 1);
        }
        let (kind, body): (String, String) = (row.get(3)?, row.get(4)?);
        let payload = Payload::decode(&kind, &body);
        if let (true, Ok(Payload::ConversationCreated { fork: Some(origin), .. })) = (is_first, &payload) {
            expected.1 = origin.seq + 1;
            check_origin(connection, &conversation, origin, found)?;
        }
        if seq != expected.1 {
            found.push(difference(Some(&conversation), format!("event {} is missing before event {seq}", expected.1)));
        }
        expected.1 = seq + 1;
        let payload = match payload {
            Ok(payload) => payload,
            Err(error) => {
                found.push(difference(Some(&conversation), format!("event {seq} can't be read: {error}")));
                continue;
            }
        };
        let event = Event { conversation, seq, at, payload };
        pairs.note(&event, found);
        check_named(connection, &event, found)?;
        let projected = project(&writing, &event).and_then(|()| search::index(&writing, &event));
        if let Err(error) = projected {
            let message = format!("event {seq} ({kind}) doesn't follow from those before it: {error}");
            found.push(difference(Some(&event.conversation), message));
        }
    }
    rebuilt.execute_batch("COMMIT")?;
    pairs.finish(connection, found)
}

/// A fork goes on from an event that is there, and that stands before it.
fn check_origin(
    connection: &Connection,
    conversation: &ConversationId,
    origin: &ForkOrigin,
    found: &mut Vec<Difference>,
) -> Result<(), StoreError> {
    let is_there = connection
        .prepare_cached("SELECT 1 FROM events WHERE conversation = ?1 AND seq = ?2")?
        .query_row(params![origin.conversation.as_str(), origin.seq], |_| Ok(()))
        .optional()?;
    if is_there.is_none() {
        let message = format!("event {} of {}, which it goes on from, is missing", origin.seq, origin.conversation);
        found.push(difference(Some(conversation), message));
    }
    Ok(())
}

/// Calls as the log tells them.
#[derive(Default)]
struct Pairs {
    proposed: BTreeMap<CallId, ConversationId>,
    started: BTreeSet<CallId>,
    ended: BTreeSet<CallId>,
}

impl Pairs {
    fn note(&mut self, event: &Event, found: &mut Vec<Difference>) {
        let conversation = &event.conversation;
        let mut complain = |message: String| found.push(difference(Some(conversation), message));
        match &event.payload {
            Payload::AssistantMessage(message) => {
                for call in &message.calls {
                    if self.proposed.insert(call.call.clone(), conversation.clone()).is_some() {
                        complain(format!("call {} was proposed twice", call.call));
                    }
                }
            }
            Payload::ToolStarted { call, .. } => {
                if self.proposed.get(call) != Some(conversation) {
                    complain(format!("event {} starts call {call}, which nobody proposed", event.seq));
                }
                if !self.started.insert(call.clone()) {
                    complain(format!("call {call} was started twice"));
                }
            }
            Payload::ToolResult(result) => {
                if self.proposed.get(&result.call) != Some(conversation) {
                    complain(format!(
                        "event {} is the result of call {}, which nobody proposed",
                        event.seq, result.call
                    ));
                }
                if !self.ended.insert(result.call.clone()) {
                    complain(format!("call {} has two results", result.call));
                }
            }
            _ => {}
        }
    }

    /// A call without a result is all right as long as its turn is open.
    fn finish(self, connection: &Connection, found: &mut Vec<Difference>) -> Result<(), StoreError> {
        let mut statement = connection.prepare("SELECT id FROM conversations WHERE generating = 1")?;
        let open: BTreeSet<String> =
            statement.query_map([], |row| row.get(0))?.collect::<Result<_, rusqlite::Error>>()?;
        for (call, conversation) in &self.proposed {
            if !self.ended.contains(call) && !open.contains(conversation.as_str()) {
                let word = if self.started.contains(call) { "started" } else { "proposed" };
                found.push(difference(Some(conversation), format!("call {call} was {word} and has no result")));
            }
        }
        Ok(())
    }
}

fn check_named(connection: &Connection, event: &Event, found: &mut Vec<Difference>) -> Result<(), StoreError> {
    for hash in references::required(&event.payload) {
        let stored = connection
            .prepare_cached("SELECT 1 FROM contents WHERE hash = ?1")?
            .query_row([hash.as_bytes()], |_| Ok(()))
            .optional()?;
        if stored.is_none() {
            let message = format!("event {} names content {hash}, which isn't stored", event.seq);
            found.push(difference(Some(&event.conversation), message));
        }
    }
    Ok(())
}

fn check_contents(
    connection: &Connection,
    files: Option<&Files>,
    found: &mut Vec<Difference>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare("SELECT hash, body, in_file FROM contents ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let hash = Sha::from_bytes(row.get(0)?);
        let body = row.get_ref(1)?.as_blob().map_err(StoreError::damaged)?;
        let wrong = match (row.get::<_, Option<u64>>(2)?, files) {
            (Some(length), Some(files)) => files.wrong_with(hash, length),
            _ => (Sha::of(body) != hash).then(|| "doesn't fit its hash".to_owned()),
        };
        found.extend(wrong.map(|wrong| difference(None, format!("content {hash} {wrong}"))));
    }
    Ok(())
}

/// Compares a table row by row.
fn compare(
    live: &Connection,
    rebuilt: &Connection,
    table: &str,
    order: &str,
    found: &mut Vec<Difference>,
) -> Result<(), StoreError> {
    let keys = order.split(", ").count();
    let live = rows(live, table, order, keys)?;
    let rebuilt = rows(rebuilt, table, order, keys)?;
    for key in live.keys().chain(rebuilt.keys().filter(|key| !live.contains_key(*key))) {
        let (there, expected) = (live.get(key), rebuilt.get(key));
        let message = match (there, expected) {
            (Some(there), Some(expected)) if there == expected => continue,
            (Some(there), Some(expected)) => {
                let columns: Vec<String> = there
                    .iter()
                    .filter(|(column, value)| expected.get(*column) != Some(value))
                    .map(|(column, value)| {
                        let expected = expected.get(column).map_or("nothing", String::as_str);
                        format!("{column} is {value}, the log says {expected}")
                    })
                    .collect();
                format!("row {key} of {table}: {}", columns.join("; "))
            }
            (Some(_), None) => format!("row {key} of {table} doesn't follow from the log"),
            (None, _) => format!("row {key} of {table} is missing"),
        };
        let owner = there.or(expected).and_then(|row| row.get("conversation").or(row.get("id")));
        found.push(difference(owner.map(ConversationId::new).as_ref(), message));
    }
    Ok(())
}

type TableRows = BTreeMap<String, BTreeMap<String, String>>;

/// All rows as text, by their key.
fn rows(connection: &Connection, table: &str, order: &str, keys: usize) -> Result<TableRows, StoreError> {
    let mut statement = connection.prepare(&format!("SELECT {order}, * FROM {table}"))?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([])?;
    let mut out = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let mut key = Vec::with_capacity(keys);
        let mut columns = BTreeMap::new();
        for (index, name) in names.iter().enumerate() {
            let value = plain(row.get_ref(index)?);
            if index < keys {
                key.push(value);
            } else {
                columns.insert(name.clone(), value);
            }
        }
        out.insert(key.join(" "), columns);
    }
    Ok(out)
}

fn plain(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

#[cfg(test)]
mod tests;
