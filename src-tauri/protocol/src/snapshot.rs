//! What a front-end gets to begin with: rows of the lists, and a conversation as it stands at one seq.
//! After a snapshot at seq n come exactly the signals after n.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::assessment::Card;
use crate::attachment::Attachment;
use crate::event::{EndReason, Event, ForkOrigin, ParentCall};
use crate::ids::{CallId, ConversationId, ProjectId, RequestId};
use crate::known::KnownModel;
use crate::permission::Mode;
use crate::settings::{ModelChoice, Settings};
use crate::signal::Delta;
use crate::todo::TodoItem;
use crate::usage::UsageTotals;
use crate::view::FailureKind;
use crate::view::Usage;

/// Everything a window needs to draw itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Overview {
    /// Projects, by name.
    pub projects: Vec<ProjectRow>,
    /// Conversations that aren't deleted, newest first.
    pub conversations: Vec<ConversationRow>,
    /// Settings.
    pub settings: Settings,
    /// Something that people must see first, such as a damaged history that was set aside.
    pub notices: Vec<Notice>,
}

/// A definition in a source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SymbolHit {
    /// Qualified name, e.g. `Retry::run`.
    pub name: String,
    /// What it is, with the language's own word where there is one.
    pub kind: String,
    /// Its file in the workspace.
    pub path: String,
    /// Its first line, from 1.
    pub line: u32,
}

/// A project in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProjectRow {
    /// Its id.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// Canonical root of its workspace.
    pub folder: String,
    /// Whether the folder is there now.
    pub present: bool,
    /// Whether the folder is the user's home, which deserves a warning.
    pub home: bool,
}

/// A conversation in the list: a projection of its log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationRow {
    /// Its id.
    pub id: ConversationId,
    /// Its project.
    pub project: Option<ProjectId>,
    /// Canonical root of its workspace.
    pub workspace: Option<String>,
    /// What it is a fork of.
    #[serde(default)]
    pub fork: Option<ForkOrigin>,
    /// Its title; empty while it has none.
    pub title: String,
    /// Its mode.
    pub mode: Mode,
    /// Its model: the one that a person picked.
    pub model: Option<ModelChoice>,
    /// Models that take over in a turn when that one fails, in order.
    #[serde(default)]
    pub fallbacks: Vec<ModelChoice>,
    /// Whether a turn is open.
    pub generating: bool,
    /// Cards and questions that wait for a person.
    pub pending: u32,
    /// Items in the inbox.
    pub queued: u32,
    /// How the last turn ended.
    pub ended: Option<EndReason>,
    /// Whether something ended since it was last looked at.
    pub unread: bool,
    /// Whether it is archived.
    pub archived: bool,
    /// The call that it works for, where it is a sub-agent: such a row is in no list.
    #[serde(default)]
    pub parent: Option<ParentCall>,
    /// Last seq of its log.
    pub seq: u64,
    /// When it began: milliseconds since 1970.
    pub created_at: i64,
    /// When something happened last.
    pub updated_at: i64,
}

/// A conversation as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Opened {
    /// Its row.
    pub row: ConversationRow,
    /// The seq that this is a picture of.
    pub seq: u64,
    /// Events of the newest messages, oldest first, without chunks of ended messages.
    pub events: Vec<Event>,
    /// Whether older events exist.
    pub earlier: bool,
    /// What is happening now: text so far, output so far, the phase. Applied like deltas that just came.
    pub live: Vec<Delta>,
    /// The draft that was being written.
    pub draft: String,
    /// What is attached to it.
    #[serde(default)]
    pub attached: Vec<Attachment>,
    /// What it has used so far.
    pub usage: UsageTotals,
    /// The steps that the model keeps.
    #[serde(default)]
    pub todo: Vec<TodoItem>,
}

/// Older events of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct HistoryPage {
    /// Events before the asked seq, oldest first.
    pub events: Vec<Event>,
    /// Whether there are still older ones.
    pub earlier: bool,
}

/// A card that waits, in whatever conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PendingRow {
    /// The call.
    pub call: CallId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// The conversation's title.
    pub title: String,
    /// The project's name.
    pub project: Option<String>,
    /// Tool name.
    pub tool: String,
    /// The card.
    pub card: Card,
    /// Since when it waits: milliseconds since 1970.
    pub since: i64,
}

/// A question that waits for a person's answer, in whatever conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuestionRow {
    /// The call that asks.
    pub call: CallId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// The conversation's title.
    pub title: String,
    /// The project's name.
    pub project: Option<String>,
    /// What is asked.
    pub question: String,
    /// Answers on offer; a person may give another one.
    pub options: Vec<String>,
    /// Since when it waits: milliseconds since 1970.
    pub since: i64,
}

/// What the watchdog is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Standing {
    /// Whether a turn is open.
    pub generating: bool,
    /// What it is doing.
    pub phase: crate::signal::Phase,
    /// Since when: milliseconds since 1970.
    pub since: i64,
    /// Last seq of the log.
    pub seq: u64,
}

/// A past request, recomputed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Replayed {
    /// The request.
    pub request: RequestId,
    /// The body, pretty enough to read: the exact bytes as text.
    pub body: String,
    /// Whether its digest equals the recorded one.
    pub equal: bool,
    /// Version of the code that made the recorded one.
    pub recorded_builder: String,
    /// Version of the code that made this one.
    pub builder: String,
    /// How many of its leading bytes equalled the request before.
    pub prefix: u64,
    /// How many bytes of the request before it should have begun with; none: there was none.
    pub stable_before: Option<u64>,
    /// What was counted of it, cached input included; none: nothing was.
    pub usage: Option<Usage>,
    /// The request before it, to compare with; none: it is the first.
    pub before: Option<RequestId>,
}

/// A form in which a conversation leaves as a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    /// Markdown.
    Markdown,
    /// One page for a browser, which needs nothing else and runs nothing.
    Html,
    /// Everything that the log holds, for programs and for importing it elsewhere.
    Json,
}

/// A part of a long output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OutputPage {
    /// The text, made into valid UTF-8.
    pub text: String,
    /// Where it begins in the whole, in bytes.
    pub offset: u64,
    /// Length of the whole, in bytes.
    pub total: u64,
}

/// How a provider answered a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProviderTest {
    /// Whether it works.
    pub works: bool,
    /// What was tried and what came of it, in order.
    pub steps: Vec<TestStep>,
    /// Models that the server lists, with what is known of each.
    pub models: Vec<KnownModel>,
    /// Window that the server told for the model, in tokens.
    pub window: Option<u64>,
}

/// A step of a provider's test. Closed, so that the window can say it in its own language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "step")]
pub enum TestStep {
    /// The list of models was asked for.
    Listed {
        /// Where, without the query.
        address: String,
        /// Why that failed; none: it worked.
        trouble: Option<Trouble>,
    },
    /// The model was asked for a word.
    Asked {
        /// Where, without the query.
        address: String,
        /// Why that failed; none: it worked.
        trouble: Option<Trouble>,
    },
    /// The key can't be read from where it is kept.
    KeyUnreadable {
        /// What the system said.
        message: String,
    },
    /// The provider can't be asked as it is configured.
    Unusable {
        /// What is wrong with it.
        message: String,
    },
}

/// Why a step of a test failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Trouble {
    /// What kind.
    pub kind: FailureKind,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// What the server or the system said.
    pub message: String,
}

/// A model on offer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OfferedModel {
    /// What would be set.
    pub choice: ModelChoice,
    /// Where it was found: "practice", "local server", "environment", or the provider's name.
    pub found: String,
}

/// A known provider, as a starting point for settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Preset {
    /// Name.
    pub name: String,
    /// Base URL.
    pub base_url: String,
    /// Wire format.
    pub protocol: crate::view::Protocol,
    /// Environment variable of its key; none: needs no key.
    pub key_variable: Option<String>,
    /// A model to begin with.
    pub model: Option<String>,
}

/// Something that people must see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "about")]
pub enum Notice {
    /// The history was damaged; it was set aside, untouched.
    HistoryDamaged {
        /// Where the damaged database is now.
        kept_at: String,
        /// What SQLite said.
        message: String,
    },
}

/// One difference that `verify` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Difference {
    /// Where.
    pub conversation: Option<ConversationId>,
    /// What.
    pub message: String,
}
