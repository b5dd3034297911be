//! Tool calls and the state each is in: a projection of the logs, and the audit list.
//! Which move is allowed is checked before an event is appended; here it is only carried out.

use std::fmt;

use assent_protocol::event::{AssistantMessage, Event, Mark, Payload, ToolCall, ToolResult};
use assent_protocol::ids::{BootId, CallId, ConversationId, Sha};
use assent_protocol::permission::{Answer, Decider, Tier, Verdict};
use assent_protocol::tool::{Cause, Intent, Outcome};
use rusqlite::{Connection, Row, ToSql, named_params, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::store::Store;
use crate::words::{from_json, from_word, json, sha, word};
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE executions (
            call TEXT PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            -- The message that proposed it, and its place in that message.
            seq INTEGER NOT NULL,
            position INTEGER NOT NULL,
            tool TEXT NOT NULL,
            arguments TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('proposed', 'pending', 'approved', 'cleared', 'executing', 'finished',
                'failed', 'unknown', 'rejected', 'refused', 'expired', 'stopped')),
            tier TEXT,
            read_only INTEGER NOT NULL DEFAULT 0,
            digest TEXT,
            card TEXT,
            decided_by TEXT,
            note TEXT,
            attempt INTEGER NOT NULL DEFAULT 0,
            boot TEXT,
            -- JSON array of paths that it touches.
            targets TEXT NOT NULL DEFAULT '[]',
            proposed_at INTEGER NOT NULL,
            started_at INTEGER,
            ended_at INTEGER,
            -- How it ended; none: it has no result yet.
            outcome TEXT,
            cause TEXT,
            duration_ms INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX executions_in_order ON executions (conversation, seq, position);
        CREATE INDEX executions_by_time ON executions (proposed_at);
        CREATE INDEX executions_running ON executions (call) WHERE state = 'executing';
    ",
}];

macro_rules! states {
    ($( $(#[$doc:meta])* $state:ident = $word:literal ),* $(,)?) => {
        /// The state of a call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum CallState { $( $(#[$doc])* $state ),* }

        impl CallState {
            /// Its word.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$state => $word ),* }
            }

            fn parse(word: &str) -> Result<Self, StoreError> {
                match word {
                    $( $word => Ok(Self::$state), )*
                    _ => Err(StoreError::damaged(format_args!("{word} is no state of a call"))),
                }
            }
        }
    };
}

states! {
    /// The model asked for it; nothing is decided.
    Proposed = "proposed",
    /// A card waits for a person.
    Pending = "pending",
    /// The card was approved.
    Approved = "approved",
    /// It needs nobody's answer.
    Cleared = "cleared",
    /// It was started and has no result yet.
    Executing = "executing",
    /// It ran and worked.
    Finished = "finished",
    /// It ran and failed, or could not be run.
    Failed = "failed",
    /// It may have run; nobody can tell.
    Unknown = "unknown",
    /// A person said no.
    Rejected = "rejected",
    /// Policy or the tool said no.
    Refused = "refused",
    /// It was interrupted before anyone decided.
    Expired = "expired",
    /// A stop closed it.
    Stopped = "stopped",
}

impl fmt::Display for CallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One call, as the audit list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// The call.
    pub call: CallId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Number of the message that proposed it.
    pub seq: u64,
    /// Its place in that message, from 0.
    pub position: u32,
    /// Tool name.
    pub tool: String,
    /// Argument text, raw.
    pub arguments: String,
    /// Its state.
    pub state: CallState,
    /// Risk; none: not assessed, or could not be.
    pub tier: Option<Tier>,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// SHA-256 over tool, version, workspace and arguments.
    pub digest: Option<Sha>,
    /// Digest of the card that was shown last.
    pub card: Option<Sha>,
    /// Who settled whether it runs.
    pub decided_by: Option<Decider>,
    /// The person's words.
    pub note: Option<String>,
    /// How often it was started.
    pub attempt: u32,
    /// The program start that ran it.
    pub boot: Option<BootId>,
    /// Paths that it touches.
    pub targets: Vec<String>,
    /// When it was proposed: milliseconds since 1970.
    pub proposed_at: i64,
    /// When it was started.
    pub started_at: Option<i64>,
    /// When it got its result.
    pub ended_at: Option<i64>,
    /// How it ended; none: it has no result yet.
    pub outcome: Option<Outcome>,
    /// Why, where the outcome alone doesn't say it.
    pub cause: Option<Cause>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
}

const COLUMNS: &str = "call, conversation, seq, position, tool, arguments, state, tier, read_only, digest, card, \
    decided_by, note, attempt, boot, targets, proposed_at, started_at, ended_at, outcome, cause, duration_ms";

impl Store {
    /// One call, with its conversation and state; none: there is no such call.
    pub fn call(&self, call: &CallId) -> Result<Option<Execution>, StoreError> {
        let call = call.clone();
        self.read(move |connection| find(connection, &call))
    }

    /// A conversation's calls in the order in which the model gave them.
    pub fn calls(&self, conversation: &ConversationId) -> Result<Vec<Execution>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            select(connection, "WHERE conversation = ?1 ORDER BY seq, position", &[&conversation.as_str()])
        })
    }

    /// Calls whose tool, arguments, targets or note contain `text`, newest first; at most `limit` after `skip`.
    /// Empty text finds all. Upper and lower case of ASCII letters are the same.
    pub fn audit(&self, text: &str, skip: u64, limit: u64) -> Result<Vec<Execution>, StoreError> {
        let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let pattern = format!("%{escaped}%");
        self.read(move |connection| {
            select(
                connection,
                "WHERE tool LIKE ?1 ESCAPE '\\' OR arguments LIKE ?1 ESCAPE '\\' OR targets LIKE ?1 ESCAPE '\\'
                     OR note LIKE ?1 ESCAPE '\\'
                 ORDER BY proposed_at DESC, call DESC LIMIT ?3 OFFSET ?2",
                &[&pattern, &skip, &limit],
            )
        })
    }
}

/// One call.
pub(crate) fn find(connection: &Connection, call: &CallId) -> Result<Option<Execution>, StoreError> {
    Ok(select(connection, "WHERE call = ?1", &[&call.as_str()])?.pop())
}

/// Calls with a side effect that run now, with the workspace that each runs in.
pub(crate) fn running(connection: &Connection) -> Result<Vec<(CallId, String, Vec<String>)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT e.call, coalesce(p.folder, c.workspace, ''), e.targets
         FROM executions e INDEXED BY executions_running
         JOIN conversations c ON c.id = e.conversation
         LEFT JOIN projects p ON p.id = c.project
         WHERE e.state = 'executing' AND e.read_only = 0
             AND NOT EXISTS (SELECT 1 FROM imported i WHERE i.conversation = e.conversation)",
    )?;
    let mut rows = statement.query([])?;
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        let targets: String = row.get(2)?;
        out.push((CallId::new(row.get::<_, String>(0)?), row.get(1)?, from_json(&targets)?));
    }
    Ok(out)
}

/// What an event does to the rows of its calls.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    match &event.payload {
        Payload::AssistantMessage(message) => propose(writing, event, message),
        Payload::ToolCall(judged) => judge(writing, judged),
        Payload::ApprovalRequested { call, card, .. } => update(
            writing,
            "state = 'pending', card = :a, decided_by = NULL, note = NULL WHERE call = :call
             AND state IN ('proposed', 'pending', 'approved', 'cleared')",
            call,
            &[&card.digest.to_string()],
        ),
        Payload::ApprovalDecided { call, answer, by, note, .. } => {
            let state = match answer {
                Answer::Approved => CallState::Approved,
                Answer::Rejected if *by == Decider::Stop => CallState::Stopped,
                Answer::Rejected => CallState::Rejected,
            };
            update(
                writing,
                "state = :a, decided_by = :b, note = :c WHERE call = :call AND state = 'pending'",
                call,
                &[&state.as_str(), &word(by), note],
            )
        }
        Payload::ToolStarted { call, attempt, boot, intent, .. } => {
            let targets = intent.as_ref().map_or_else(Vec::new, paths);
            update(
                writing,
                "state = 'executing', attempt = :a, boot = :b, started_at = :c,
                 targets = (SELECT json_group_array(DISTINCT value)
                     FROM (SELECT value FROM json_each(targets) UNION ALL SELECT value FROM json_each(:d)))
                 WHERE call = :call AND outcome IS NULL",
                call,
                &[attempt, &boot.as_str(), &event.at, &json(&targets)?],
            )
        }
        Payload::ToolResult(result) => end(writing, event.at, result),
        Payload::ToolResolved { call, mark } => {
            let state = match mark {
                Mark::Done => CallState::Finished,
                Mark::NotDone => CallState::Failed,
            };
            update(writing, "state = :a WHERE call = :call AND state = 'unknown'", call, &[&state.as_str()])
        }
        _ => Ok(()),
    }
}

/// Paths that an intent changes.
pub(crate) fn paths(intent: &Intent) -> Vec<String> {
    match intent {
        Intent::Write { path, .. } => vec![path.clone()],
        Intent::Delete { path, trash } => vec![path.clone(), trash.clone()],
        Intent::Rename { from, to } => vec![from.clone(), to.clone()],
        Intent::Command => Vec::new(),
    }
}

fn propose(writing: &Writing<'_>, event: &Event, message: &AssistantMessage) -> Result<(), StoreError> {
    for (position, call) in message.calls.iter().enumerate() {
        writing
            .prepare_cached(
                "INSERT INTO executions (call, conversation, seq, position, tool, arguments, state, proposed_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'proposed', ?7)",
            )?
            .execute(params![
                call.call.as_str(),
                event.conversation.as_str(),
                event.seq,
                position,
                call.name,
                call.arguments,
                event.at
            ])?;
    }
    Ok(())
}

fn judge(writing: &Writing<'_>, judged: &ToolCall) -> Result<(), StoreError> {
    let (state, by) = match &judged.verdict {
        Verdict::Run { by, .. } => (CallState::Cleared, Some(*by)),
        Verdict::Refuse { by, .. } => (CallState::Refused, Some(*by)),
        Verdict::Ask | Verdict::Defer { .. } => (CallState::Proposed, None),
    };
    let tier = judged.tier.as_ref().map(word);
    let digest = judged.digest.map(|digest| digest.to_string());
    let by = by.as_ref().map(word);
    writing
        .prepare_cached(
            "UPDATE executions SET state = :state, tool = :tool, tier = :tier, read_only = :read_only, digest = :digest, card = NULL,
                 decided_by = :by, note = NULL, arguments = :arguments, targets = :targets
             WHERE call = :call AND state IN ('proposed', 'pending', 'approved', 'cleared', 'refused')
                 AND outcome IS NULL",
        )?
        .execute(named_params! {
            ":state": state.as_str(),
            ":tool": judged.name,
            ":tier": tier,
            ":read_only": judged.read_only,
            ":digest": digest,
            ":by": by,
            ":arguments": judged.arguments,
            ":targets": json(&judged.paths)?,
            ":call": judged.call.as_str(),
        })?;
    Ok(())
}

fn end(writing: &Writing<'_>, at: i64, result: &ToolResult) -> Result<(), StoreError> {
    let state = match (result.outcome, result.cause) {
        (Outcome::Ok, _) => CallState::Finished,
        (Outcome::Error, Some(Cause::UnknownTool | Cause::BadArguments | Cause::Budget | Cause::Repeated)) => {
            CallState::Refused
        }
        (Outcome::Error, _) => CallState::Failed,
        (Outcome::Unknown, _) => CallState::Unknown,
        (Outcome::Stopped, _) => CallState::Stopped,
        (Outcome::Rejected, Some(Cause::User)) => CallState::Rejected,
        (Outcome::Rejected, Some(Cause::Interrupted)) => CallState::Expired,
        (Outcome::Rejected, _) => CallState::Refused,
    };
    update(
        writing,
        "state = :a, outcome = :b, cause = :c, ended_at = :d, duration_ms = :e
         WHERE call = :call AND outcome IS NULL",
        &result.call,
        &[&state.as_str(), &word(&result.outcome), &result.cause.as_ref().map(word), &at, &result.duration_ms],
    )
}

/// `UPDATE executions SET` with `:a`, `:b`, … in order, and `:call`.
fn update(writing: &Writing<'_>, set: &str, call: &CallId, values: &[&dyn ToSql]) -> Result<(), StoreError> {
    let call = call.as_str();
    let mut named: Vec<(&str, &dyn ToSql)> = vec![(":call", &call)];
    named.extend([":a", ":b", ":c", ":d", ":e"].into_iter().zip(values.iter().copied()));
    writing.prepare_cached(&format!("UPDATE executions SET {set}"))?.execute(named.as_slice())?;
    Ok(())
}

fn select(connection: &Connection, rest: &str, values: &[&dyn ToSql]) -> Result<Vec<Execution>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM executions {rest}"))?;
    let mut rows = statement.query(values)?;
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        out.push(read(row)?);
    }
    Ok(out)
}

fn read(row: &Row<'_>) -> Result<Execution, StoreError> {
    let text = |column: usize| row.get::<_, Option<String>>(column);
    Ok(Execution {
        call: CallId::new(row.get::<_, String>(0)?),
        conversation: ConversationId::new(row.get::<_, String>(1)?),
        seq: row.get(2)?,
        position: row.get(3)?,
        tool: row.get(4)?,
        arguments: row.get(5)?,
        state: CallState::parse(&row.get::<_, String>(6)?)?,
        tier: text(7)?.as_deref().map(from_word).transpose()?,
        read_only: row.get(8)?,
        digest: text(9)?.as_deref().map(sha).transpose()?,
        card: text(10)?.as_deref().map(sha).transpose()?,
        decided_by: text(11)?.as_deref().map(from_word).transpose()?,
        note: row.get(12)?,
        attempt: row.get(13)?,
        boot: text(14)?.map(BootId::new),
        targets: from_json(&row.get::<_, String>(15)?)?,
        proposed_at: row.get(16)?,
        started_at: row.get(17)?,
        ended_at: row.get(18)?,
        outcome: text(19)?.as_deref().map(from_word).transpose()?,
        cause: text(20)?.as_deref().map(from_word).transpose()?,
        duration_ms: row.get(21)?,
    })
}

#[cfg(test)]
mod tests;
