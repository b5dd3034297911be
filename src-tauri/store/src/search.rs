//! Searching past conversations: phrases in, messages and titles out, the best first, with a piece of each.
//! What is indexed, and how far, stands with the table.

use assent_protocol::ids::{ConversationId, MessageId};
use assent_protocol::search::{SearchHit, SearchResults, Who};
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::reply::Reply;
use crate::snippet::snippet;
use crate::store::{Durability, Store};
use crate::table::{events, search};
use crate::terms::Query;
use crate::words::from_word;

/// Hits of one search at most.
const MOST_HITS: u32 = 200;

/// Where to look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Among {
    /// In all conversations.
    #[default]
    All,
    /// In those that stand in the same project as this one, and not in itself. One without a project has those without one
    /// that work in the same folder, or like it in none.
    Beside(ConversationId),
}

/// A search. Deleted conversations are never looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Words with spaces between them, phrases in quotes; the last word may be a beginning. Nothing in it is malformed.
    pub query: String,
    /// Whether one of the phrases is enough.
    pub any: bool,
    /// Where.
    pub among: Among,
    /// Hits at most; 200 are the most.
    pub limit: u32,
    /// Now, in milliseconds since 1970: what is newer counts more.
    pub now: i64,
}

impl Store {
    /// Looks for titles and messages. What was said just now is indexed before; blocks for as long as that takes.
    pub fn search(&self, search: Search) -> Result<SearchResults, StoreError> {
        if self.read(search::is_waited_for)? {
            // Where nothing can be written the results say that they aren't complete.
            while self.write(Durability::Light, search::index_waiting).wait() == Ok(true) {}
        }
        self.read(move |connection| {
            let complete = search::is_complete(connection)?;
            let hits = match Query::read(&search.query) {
                Some(query) => hits(connection, &search, &query)?,
                None => Vec::new(),
            };
            Ok(SearchResults { hits, complete })
        })
    }

    /// Does a small piece of what is left to index, older messages too, or to sweep out of the index; false: nothing is left.
    /// The writer does the same whenever nobody writes.
    pub fn index_more(&self) -> Reply<bool> {
        self.write(Durability::Light, search::advance)
    }
}

/// A hit as the index knows it.
struct Found {
    hit: SearchHit,
    /// In whose own log the message stands.
    owner: ConversationId,
    seq: u64,
}

fn hits(connection: &Connection, search: &Search, query: &Query) -> Result<Vec<SearchHit>, StoreError> {
    let mut out = Vec::new();
    for Found { mut hit, owner, seq } in found(connection, search, &query.expression(search.any))? {
        if seq == search::TITLE {
            hit.snippet = snippet(&hit.title, query);
        } else {
            let event = events::one(connection, &owner, seq)?;
            let (_, text) = search::said(&event.payload).ok_or_else(|| StoreError::damaged("a hit is no message"))?;
            hit.snippet = snippet(text, query);
            hit.message = message_of(&event.payload);
        }
        out.push(hit);
    }
    Ok(out)
}

/// Deleted conversations with their forks, and those forks' forks, each with the last message that it has of the first one.
const HEIRS: &str = "
    WITH RECURSIVE heirs (owner, heir, upto) AS (
        SELECT c.origin, c.id, c.origin_seq FROM conversations c JOIN deletions d ON d.conversation = c.origin
        UNION ALL
        SELECT heirs.owner, c.id, min(heirs.upto, c.origin_seq) FROM heirs JOIN conversations c ON c.origin = heirs.heir
    )";

/// The conversation in which a document is shown: its own; where that is deleted, the fork with that message in which
/// something happened last, but a conversation that looks beside itself (`?2`) stands for its message before all others.
const SHOWN: &str = "
    iif(NOT EXISTS (SELECT 1 FROM deletions WHERE deletions.conversation = d.conversation), d.conversation,
        (SELECT h.heir FROM heirs h JOIN conversations f ON f.id = h.heir
         WHERE h.owner = d.conversation AND d.seq BETWEEN 1 AND h.upto
             AND NOT EXISTS (SELECT 1 FROM deletions WHERE deletions.conversation = h.heir)
         ORDER BY h.heir IS ?2 DESC, f.updated_at DESC, f.id LIMIT 1))";

/// Ranked by how rare and how frequent the words are (BM25), up to twice that for what is new: half of the addition is left
/// after a month. Titles count one and a half times. What a deleted conversation said is found in its forks.
fn found(connection: &Connection, search: &Search, expression: &str) -> Result<Vec<Found>, StoreError> {
    let (beside, place) = match &search.among {
        Among::All => (None, Place::default()),
        Among::Beside(conversation) => (Some(conversation.as_str()), place(connection, conversation)?),
    };
    let mut statement = connection.prepare_cached(&format!(
        "{HEIRS}
         SELECT c.id, c.title, p.name, c.archived, d.who, d.seq, iif(d.seq = 0, c.updated_at, d.at) AS moment, d.conversation
         FROM search_index
         JOIN search_documents d ON d.id = search_index.rowid
         JOIN conversations c ON c.id = {SHOWN}
         LEFT JOIN projects p ON p.id = c.project
         WHERE search_index MATCH ?1 AND c.parent IS NULL
             AND (?2 IS NULL OR (c.id <> ?2 AND c.project IS ?3 AND (?3 IS NOT NULL OR c.workspace IS ?4)))
         ORDER BY bm25(search_index) * (1 + 1 / (1 + max(0.0, ?5 - moment) / 2592000000.0)) * iif(d.seq = 0, 1.5, 1),
             moment DESC, d.id
         LIMIT ?6",
    ))?;
    let limit = search.limit.min(MOST_HITS);
    let mut rows = statement.query(params![expression, beside, place.project, place.workspace, search.now, limit])?;
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        let who: Who = from_word(&row.get::<_, String>(4)?)?;
        let seq: u64 = row.get(5)?;
        out.push(Found {
            owner: ConversationId::new(row.get::<_, String>(7)?),
            seq,
            hit: SearchHit {
                conversation: ConversationId::new(row.get::<_, String>(0)?),
                title: row.get(1)?,
                project: row.get(2)?,
                archived: row.get(3)?,
                who,
                seq: (seq != search::TITLE).then_some(seq),
                message: None,
                at: row.get(6)?,
                snippet: Vec::new(),
            },
        });
    }
    Ok(out)
}

/// What conversations have in common that may read one another.
#[derive(Default)]
struct Place {
    project: Option<String>,
    workspace: Option<String>,
}

fn place(connection: &Connection, conversation: &ConversationId) -> Result<Place, StoreError> {
    let mut statement = connection.prepare_cached("SELECT project, workspace FROM conversations WHERE id = ?1")?;
    Ok(statement
        .query_row([conversation.as_str()], |row| Ok(Place { project: row.get(0)?, workspace: row.get(1)? }))?)
}

fn message_of(payload: &assent_protocol::event::Payload) -> Option<MessageId> {
    use assent_protocol::event::Payload;
    match payload {
        Payload::UserMessage { message, .. } => Some(message.clone()),
        Payload::AssistantMessage(answer) => Some(answer.message.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
