//! Conversations as the list shows them: a projection of each log, one row a conversation.
//! Pending cards, the inbox, what was looked at and what is deleted are other tables, joined on reading.

use assent_protocol::event::{Event, ForkOrigin, ParentCall, Payload};
use assent_protocol::ids::{CallId, ConversationId, ProjectId};
use assent_protocol::permission::Mode;
use assent_protocol::snapshot::ConversationRow;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::store::Store;
use crate::words::{from_json, from_word, json, word};
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[FIRST, FALLBACKS, FORKS, PARENTS, IMPORTS];

/// Whether what it is a fork of came from a file.
const IMPORTS: Migration =
    Migration { version: 7, sql: "ALTER TABLE conversations ADD COLUMN origin_imported INTEGER NOT NULL DEFAULT 0;" };

const FALLBACKS: Migration =
    Migration { version: 2, sql: "ALTER TABLE conversations ADD COLUMN fallbacks TEXT NOT NULL DEFAULT '[]';" };

const FORKS: Migration = Migration {
    version: 6,
    sql: "
        -- What it is a fork of, and the last event that the two have in common.
        ALTER TABLE conversations ADD COLUMN origin TEXT;
        ALTER TABLE conversations ADD COLUMN origin_seq INTEGER;
        CREATE INDEX conversations_by_origin ON conversations (origin) WHERE origin IS NOT NULL;
    ",
};

const PARENTS: Migration = Migration {
    version: 6,
    sql: "
        -- The conversation and the call that a sub-agent works for.
        ALTER TABLE conversations ADD COLUMN parent TEXT;
        ALTER TABLE conversations ADD COLUMN parent_call TEXT;
        CREATE INDEX conversations_by_parent ON conversations (parent) WHERE parent IS NOT NULL;
    ",
};

const FIRST: Migration = Migration {
    version: 1,
    sql: "
        CREATE TABLE conversations (
            id TEXT PRIMARY KEY,
            project TEXT,
            workspace TEXT,
            title TEXT NOT NULL DEFAULT '',
            mode TEXT NOT NULL DEFAULT 'ask',
            model TEXT,
            generating INTEGER NOT NULL DEFAULT 0,
            stopping INTEGER NOT NULL DEFAULT 0,
            ended TEXT,
            archived INTEGER NOT NULL DEFAULT 0,
            seq INTEGER NOT NULL,
            -- The last message or discarded answer: chunks before it are settled.
            settled INTEGER NOT NULL DEFAULT 0,
            -- The last thing that deserves a look: an ended turn or a new card.
            notable INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX conversations_generating ON conversations (id) WHERE generating = 1;
    ",
};

/// Where a conversation stands, for the checks of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its mode.
    pub mode: Mode,
    /// Canonical root of its workspace: its project's folder now, else where it began.
    pub workspace: Option<String>,
    /// Whether a turn is open.
    pub generating: bool,
    /// Whether that turn is being stopped.
    pub stopping: bool,
    /// Whether it is deleted (and may yet be restored).
    pub deleted: bool,
}

const ROWS: &str = "
    SELECT c.id, c.project, coalesce(p.folder, c.workspace), c.title, c.mode, c.model, c.generating,
        (SELECT count(*) FROM cards WHERE cards.conversation = c.id)
            + (SELECT count(*) FROM questions WHERE questions.conversation = c.id),
        (SELECT count(*) FROM queue WHERE queue.conversation = c.id),
        c.ended, c.notable > coalesce(r.seq, 0), c.archived, c.seq, c.created_at, c.updated_at, c.fallbacks, c.origin, c.origin_seq,
        c.origin_imported, c.parent, c.parent_call
    FROM conversations c
    LEFT JOIN projects p ON p.id = c.project
    LEFT JOIN reads r ON r.conversation = c.id";

impl Store {
    /// Conversations that aren't deleted, the one where something happened last first. Sub-agents' aren't among them.
    pub fn rows(&self) -> Result<Vec<ConversationRow>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{ROWS} WHERE c.parent IS NULL AND NOT EXISTS (SELECT 1 FROM deletions d WHERE d.conversation = c.id)
                 ORDER BY c.updated_at DESC, c.id DESC"
            ))?;
            let mut rows = statement.query([])?;
            let mut out = Vec::new();
            while let Some(row) = rows.next()? {
                out.push(read(row)?);
            }
            Ok(out)
        })
    }

    /// The sub-agents of a conversation, oldest first.
    pub fn agents(&self, conversation: &ConversationId) -> Result<Vec<ConversationId>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            Ok(agents(connection, conversation.as_str())?.into_iter().map(ConversationId::new).collect())
        })
    }

    /// One conversation, deleted or not.
    pub fn row(&self, conversation: &ConversationId) -> Result<Option<ConversationRow>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| row(connection, &conversation))
    }

    /// Conversations with an open turn, deleted ones too: what has to be settled after a crash. A log that came from a file
    /// stays as it is.
    pub fn open_turns(&self) -> Result<Vec<ConversationId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM conversations c WHERE generating = 1
                     AND NOT EXISTS (SELECT 1 FROM imported i WHERE i.conversation = c.id) ORDER BY id",
            )?;
            let ids = statement.query_map([], |row| row.get::<_, String>(0))?;
            Ok(ids.map(|id| id.map(ConversationId::new)).collect::<Result<_, _>>()?)
        })
    }

    /// Where a conversation stands; none: there is no such conversation.
    pub fn place(&self, conversation: &ConversationId) -> Result<Option<Place>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| place(connection, &conversation))
    }
}

/// Ids of the sub-agents of a conversation, oldest first.
pub(crate) fn agents(connection: &Connection, conversation: &str) -> Result<Vec<String>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM conversations WHERE parent = ?1 ORDER BY created_at, id")?;
    let ids = statement.query_map([conversation], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// One row, by id.
pub(crate) fn row(
    connection: &Connection,
    conversation: &ConversationId,
) -> Result<Option<ConversationRow>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{ROWS} WHERE c.id = ?1"))?;
    let mut rows = statement.query([conversation.as_str()])?;
    rows.next()?.map(read).transpose()
}

pub(crate) fn place(connection: &Connection, conversation: &ConversationId) -> Result<Option<Place>, StoreError> {
    let found = connection
        .prepare_cached(
            "SELECT c.mode, coalesce(p.folder, c.workspace), c.generating, c.stopping,
                 EXISTS (SELECT 1 FROM deletions d WHERE d.conversation = c.id)
             FROM conversations c LEFT JOIN projects p ON p.id = c.project WHERE c.id = ?1",
        )?
        .query_row([conversation.as_str()], |row| {
            Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    found
        .map(|(mode, workspace, generating, stopping, deleted)| {
            Ok(Place { mode: from_word(&mode)?, workspace, generating, stopping, deleted })
        })
        .transpose()
}

/// The number up to which chunks are settled.
pub(crate) fn settled(connection: &Connection, conversation: &ConversationId) -> Result<u64, StoreError> {
    let settled = connection
        .prepare_cached("SELECT settled FROM conversations WHERE id = ?1")?
        .query_row([conversation.as_str()], |row| row.get(0))
        .optional()?;
    settled.ok_or_else(|| StoreError::NoConversation(conversation.clone()))
}

/// What an event does to its conversation's row.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    let id = event.conversation.as_str();
    if let Payload::ConversationCreated { project, workspace, fork, parent } = &event.payload {
        let (of, call) = parent.as_ref().map(|parent| (parent.conversation.as_str(), parent.call.as_str())).unzip();
        writing
            .prepare_cached(
                "INSERT INTO conversations
                     (id, project, workspace, seq, created_at, updated_at, origin, origin_seq, parent, parent_call,
                      origin_imported)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                id,
                project.as_ref().map(ProjectId::as_str),
                workspace,
                event.seq,
                event.at,
                fork.as_ref().map(|fork| fork.conversation.as_str()),
                fork.as_ref().map(|fork| fork.seq),
                of,
                call,
                fork.as_ref().is_some_and(|fork| fork.imported)
            ])?;
        return Ok(());
    }
    writing
        .prepare_cached("UPDATE conversations SET seq = ?2, updated_at = ?3 WHERE id = ?1")?
        .execute(params![id, event.seq, event.at])?;
    let set = |columns: &str, value: &dyn rusqlite::ToSql| -> Result<(), StoreError> {
        writing
            .prepare_cached(&format!("UPDATE conversations SET {columns} WHERE id = ?1"))?
            .execute(params![id, value])?;
        Ok(())
    };
    match &event.payload {
        Payload::TitleSet { title, .. } => set("title = ?2", title),
        Payload::ConversationArchived { archived } => set("archived = ?2", archived),
        Payload::ModelSet { choice, learned: false } => set("model = ?2", &json(choice)?),
        // Learned of a fallback, it is none of the picked model's.
        Payload::ModelSet { choice, learned: true } => {
            let same = ["$.model", "$.base_url"].map(|field| format!("model ->> '{field}' = ?2 ->> '{field}'"));
            let sql = format!("UPDATE conversations SET model = ?2 WHERE id = ?1 AND {}", same.join(" AND "));
            writing.prepare_cached(&sql)?.execute(params![id, json(choice)?])?;
            Ok(())
        }
        Payload::FallbacksSet { choices } => set("fallbacks = ?2", &json(choices)?),
        Payload::ModeSet { mode } => set("mode = ?2", &word(mode)),
        Payload::TurnStart { .. } => set("generating = ?2, stopping = 0, ended = NULL", &true),
        Payload::TurnStop {} => set("stopping = ?2 AND generating", &true),
        Payload::TurnEnd { reason, .. } => {
            set("ended = ?2, generating = 0, stopping = 0, notable = seq", &word(reason))
        }
        Payload::ApprovalRequested { .. } | Payload::QuestionAsked { .. } => set("notable = ?2", &event.seq),
        Payload::AssistantMessage(_) | Payload::AssistantDiscarded { .. } => set("settled = ?2", &event.seq),
        _ => Ok(()),
    }
}

/// What a conversation is a fork of.
pub(crate) fn origin(connection: &Connection, conversation: &ConversationId) -> Result<Option<ForkOrigin>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT origin, origin_seq, origin_imported FROM conversations WHERE id = ?1")?;
    let mut rows = statement.query([conversation.as_str()])?;
    rows.next()?.map_or(Ok(None), |row| fork(row, 0))
}

/// Whether anything is a fork of it.
pub(crate) fn has_forks(connection: &Connection, conversation: &str) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM conversations WHERE origin = ?1)")?;
    Ok(statement.query_row([conversation], |row| row.get(0))?)
}

/// Three columns as the origin of a fork.
fn fork(row: &Row<'_>, column: usize) -> Result<Option<ForkOrigin>, StoreError> {
    let conversation: Option<String> = row.get(column)?;
    let (seq, imported) = (row.get(column + 1)?, row.get(column + 2)?);
    let found = conversation.map(ConversationId::new).zip(seq);
    Ok(found.map(|(conversation, seq)| ForkOrigin { conversation, seq, imported }))
}

/// Removes a row with everything that refers to it.
pub(crate) fn purge(writing: &Writing<'_>, conversation: &str) -> Result<(), StoreError> {
    writing.execute("DELETE FROM conversations WHERE id = ?1", [conversation])?;
    Ok(())
}

fn read(row: &Row<'_>) -> Result<ConversationRow, StoreError> {
    Ok(ConversationRow {
        id: ConversationId::new(row.get::<_, String>(0)?),
        project: row.get::<_, Option<String>>(1)?.map(ProjectId::new),
        workspace: row.get(2)?,
        title: row.get(3)?,
        mode: from_word(&row.get::<_, String>(4)?)?,
        model: row.get::<_, Option<String>>(5)?.as_deref().map(from_json).transpose()?,
        generating: row.get(6)?,
        pending: row.get(7)?,
        queued: row.get(8)?,
        ended: row.get::<_, Option<String>>(9)?.as_deref().map(from_word).transpose()?,
        unread: row.get(10)?,
        archived: row.get(11)?,
        seq: row.get(12)?,
        created_at: row.get(13)?,
        updated_at: row.get(14)?,
        fallbacks: from_json(&row.get::<_, String>(15)?)?,
        fork: fork(row, 16)?,
        parent: match (row.get::<_, Option<String>>(19)?, row.get::<_, Option<String>>(20)?) {
            (Some(conversation), Some(call)) => {
                Some(ParentCall { conversation: ConversationId::new(conversation), call: CallId::new(call) })
            }
            _ => None,
        },
    })
}

#[cfg(test)]
mod tests;
