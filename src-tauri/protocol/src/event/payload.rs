//! Table.
//! What each kind of event carries. New fields get `#[serde(default)]`, so that old logs stay readable.
//! No payload has a field named like the envelope's (`conversation`, `seq`, `at`, `kind`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::assessment::Card;
use crate::attachment::Attachment;
use crate::ids::{BootId, CallId, CompactionId, ConversationId, ItemId, MessageId, ProjectId, RequestId, Sha};
use crate::permission::{Answer, Decider, Mode, Rule, Scope, Tier, Verdict};
use crate::preview::Preview;
use crate::settings::{Limits, ModelChoice};
use crate::skill::SkillUse;
use crate::tool::{Brief, Cause, FileEffect, FileState, Intent, Outcome, Stored};
use crate::view::{FailureKind, FinishReason, Protocol, ProviderItem, ToolChoice, Usage};

/// Writes the enum twice from one list: as people and front-ends see it (one flat object tagged by `kind`), and in the
/// form that is read from the log's two columns. The second exists for speed alone: a flat tagged enum can only be read
/// by buffering the whole object first, which costs three times as much over a long log.
macro_rules! payloads {
    ($($variants:tt)*) => {
        /// The payload of an event, tagged by `kind`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
        #[serde(tag = "kind")]
        #[allow(missing_docs, reason = "the fields' own types are documented; each variant says what happened")]
        pub enum Payload {
            $($variants)*
            /// A kind that this version doesn't know: kept and skipped.
            #[serde(untagged)]
            #[ts(skip)]
            Unknown(UnknownPayload),
        }

        /// A payload whose kind stands beside it.
        #[derive(Deserialize)]
        #[serde(remote = "Payload")]
        pub(super) enum Known {
            $($variants)*
        }
    };
}

payloads! {
    /// The first event of every log.
    #[serde(rename = "conversation/created")]
    ConversationCreated {
        project: Option<ProjectId>,
        /// Canonical root of the workspace; none: a conversation without files.
        workspace: Option<String>,
        /// What it goes on from: its log begins behind that event, and those up to it are read there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fork: Option<ForkOrigin>,
        /// Set in a sub-agent's: the call that it works for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<ParentCall>,
    },
    #[serde(rename = "title/set")]
    TitleSet { title: String, by: Decider },
    #[serde(rename = "conversation/archived")]
    ConversationArchived { archived: bool },
    #[serde(rename = "model/set")]
    ModelSet {
        choice: ModelChoice,
        /// Learned from what the server of the present model answered, instead of picked by a person.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        learned: bool,
    },
    /// Models that take over in a turn when the one before fails, in order.
    #[serde(rename = "fallbacks/set")]
    FallbacksSet { choices: Vec<ModelChoice> },
    /// The next of them took over, for the rest of the turn.
    #[serde(rename = "provider/switched")]
    ProviderSwitched {
        /// Why the one before failed.
        failure: FailureKind,
        /// How many attempts it was given.
        attempt: u32,
        /// Name of the one before.
        from: String,
        choice: ModelChoice,
    },
    #[serde(rename = "mode/set")]
    ModeSet { mode: Mode },
    #[serde(rename = "limits/set")]
    LimitsSet {
        limits: Limits,
        /// What the settings had then: where the two agree, the conversation follows the settings. Older logs say nothing of
        /// it; what nobody changed follows there.
        #[serde(default)]
        defaults: Limits,
    },
    /// The system prompt, recorded when it changes; its text is stored by hash.
    #[serde(rename = "prompt/set")]
    PromptSet { content: Stored },
    /// What is remembered across conversations, recorded when it changes; its text is stored by hash.
    #[serde(rename = "memory/set")]
    MemorySet {
        /// None: nothing is remembered.
        content: Option<Stored>,
        /// Told with the next message instead of ahead of the history, where a change would move everything behind it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        noted: bool,
    },
    /// The tool definitions, recorded when they change; the JSON array is stored by hash.
    #[serde(rename = "tools/set")]
    ToolsSet {
        content: Stored,
        names: Vec<String>,
        /// Those whose calls change nothing.
        reading: Vec<String>,
    },
    /// A person's word (or context put in their place), as the model sees it.
    #[serde(rename = "user/message")]
    UserMessage {
        message: MessageId,
        text: Arc<str>,
        delivery: Delivery,
        /// Context in front of the text, for the model only (workspace snapshot, looked-up knowledge).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<Arc<str>>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
        /// Skills that it invokes; their texts stand in the context.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skills: Vec<SkillUse>,
    },
    #[serde(rename = "turn/start")]
    TurnStart { cause: TurnCause },
    #[serde(rename = "turn/stop")]
    TurnStop {},
    #[serde(rename = "turn/end")]
    TurnEnd {
        reason: EndReason,
        /// For people, where the reason alone doesn't say it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// Set where it ended because its money was used up: then Continue allows the same amount again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        money: Option<MoneyUsedUp>,
    },
    #[serde(rename = "iteration/start")]
    IterationStart {
        /// Number since the last human act, from 1.
        since_human: u32,
        /// Number in the turn, from 1.
        in_turn: u32,
    },
    #[serde(rename = "iteration/end")]
    IterationEnd { in_turn: u32 },
    #[serde(rename = "request/sent")]
    RequestSent(RequestSent),
    #[serde(rename = "request/failed")]
    RequestFailed {
        request: RequestId,
        failure: FailureKind,
        message: String,
        /// Number of this attempt, from 1.
        attempt: u32,
        /// How long to wait before the next attempt; none: there is no next one.
        retry_in_ms: Option<u64>,
    },
    /// Coalesced text, evidence only: what counts is the message.
    #[serde(rename = "assistant/chunk")]
    AssistantChunk { request: RequestId, part: Part, offset: u64, text: String },
    #[serde(rename = "assistant/message")]
    AssistantMessage(AssistantMessage),
    #[serde(rename = "assistant/discarded")]
    AssistantDiscarded {
        request: RequestId,
        failure: FailureKind,
        message: String,
        /// The text that had arrived, for Keep; none was: empty.
        #[serde(default)]
        text: String,
    },
    #[serde(rename = "tool/call")]
    ToolCall(ToolCall),
    #[serde(rename = "approval/requested")]
    ApprovalRequested {
        call: CallId,
        card: Box<Card>,
        /// Why the card is shown anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<Again>,
    },
    #[serde(rename = "approval/decided")]
    ApprovalDecided {
        call: CallId,
        /// Digest of the card that was decided on.
        card: Sha,
        answer: Answer,
        by: Decider,
        #[serde(default)]
        scope: Scope,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// A person took back a rule that was made with an approval.
    #[serde(rename = "rule/revoked")]
    RuleRevoked { rule: Rule },
    /// The claim (side effects, synced in full) or the start of a read (not synced).
    #[serde(rename = "tool/started")]
    ToolStarted {
        call: CallId,
        attempt: u32,
        boot: BootId,
        /// What is about to happen; none: a read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        intent: Option<Intent>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        before: Vec<FileState>,
    },
    #[serde(rename = "tool/result")]
    ToolResult(ToolResult),
    /// A sub-agent begins to work for a call.
    #[serde(rename = "agent/started")]
    AgentStarted {
        call: CallId,
        agent: ConversationId,
        /// Model calls that are set aside for it.
        iterations: u32,
    },
    /// It is done, or was ended.
    #[serde(rename = "agent/ended")]
    AgentEnded {
        call: CallId,
        agent: ConversationId,
        /// Model calls that it made.
        iterations: u32,
        /// Known cost of its requests in millionths of a US dollar; none: no request's cost is known.
        cost_micros: Option<u64>,
    },
    /// A call asks a person something, and waits.
    #[serde(rename = "question/asked")]
    QuestionAsked {
        call: CallId,
        question: String,
        /// Answers on offer; a person may give another one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
    },
    /// A person answered it.
    #[serde(rename = "question/answered")]
    QuestionAnswered { call: CallId, answer: String },
    /// A person's mark on an unknown outcome.
    #[serde(rename = "tool/resolved")]
    ToolResolved { call: CallId, mark: Mark },
    #[serde(rename = "effect/reverted")]
    EffectReverted { call: CallId, effects: Vec<FileEffect> },
    /// Something was added to the inbox, changed or withdrawn.
    #[serde(rename = "queue/edited")]
    QueueEdited { item: ItemId, edit: QueueEdit },
    #[serde(rename = "queue/taken")]
    QueueTaken { item: ItemId, message: MessageId },
    /// From here on part of the history is left out of requests.
    #[serde(rename = "window/moved")]
    WindowMoved {
        /// Groups that begin before this seq are left out.
        keep_from: u64,
        /// Calls whose results are sent as a short note only.
        pruned: Vec<CallId>,
        /// Messages that are too large to be sent whole and may not be left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cut: Vec<CutText>,
        /// Estimated tokens before and after.
        tokens_before: u64,
        tokens_after: u64,
    },
    /// The span before `until` is being made into a summary.
    #[serde(rename = "compaction/start")]
    CompactionStart {
        compaction: CompactionId,
        cause: CompactionCause,
        /// First seq whose group stays as it is.
        until: u64,
        /// Messages that become the summary, an earlier summary not counted.
        messages: u32,
        /// Weight of one piece at most: the span is read in pieces of this size.
        piece: f64,
        /// Estimated tokens of a request before.
        tokens_before: u64,
        /// What a person wants the summary to keep.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
    },
    /// The summary of one piece.
    #[serde(rename = "compaction/part")]
    CompactionPart { compaction: CompactionId, text: Arc<str> },
    /// From here on the summary stands in the place of the span.
    #[serde(rename = "compaction/end")]
    CompactionEnd {
        compaction: CompactionId,
        summary: Arc<str>,
        /// What must not be lost with the span: tasks, changed files, skills, cards that wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<Arc<str>>,
        /// Estimated tokens of a request before and after.
        tokens_before: u64,
        tokens_after: u64,
    },
    /// There is no summary; nothing changed.
    #[serde(rename = "compaction/failed")]
    CompactionFailed { compaction: CompactionId, cause: CompactionFailure, message: String },
    #[serde(rename = "usage/recorded")]
    UsageRecorded {
        request: RequestId,
        purpose: Purpose,
        usage: Usage,
        /// In millionths of a US dollar; none: unknown.
        cost_micros: Option<u64>,
        /// The model's token coefficient after this answer.
        coefficient: f64,
    },
}

/// The event that a fork goes on from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ForkOrigin {
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its number: the last one that the two have in common.
    pub seq: u64,
    /// That conversation came from a file: its words count, and nothing of how it was set up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// The call that a sub-agent works for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ParentCall {
    /// The conversation that made the call.
    pub conversation: ConversationId,
    /// The call.
    pub call: CallId,
}

/// A payload from a newer version, verbatim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct UnknownPayload {
    /// Its kind.
    pub kind: String,
    /// Everything else.
    #[serde(flatten)]
    #[ts(skip)]
    pub rest: serde_json::Map<String, serde_json::Value>,
}

/// When a message takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// Starts a turn, after the running one.
    NextTurn,
    /// Put in before the next model call of the running turn.
    NextStep,
    /// Context that wakes nothing.
    Inject,
}

/// Why a turn begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum TurnCause {
    /// A message.
    Message,
    /// Continue or Retry after an ended turn.
    Continue,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The model was done.
    Completed,
    /// The last permitted model call was used.
    MaxIterations,
    /// The model reached its output limit.
    MaxTokens,
    /// A person stopped it.
    Stopped,
    /// It went round in circles, was rejected three times in a row, or used up its money.
    Blocked,
    /// Something failed.
    Error,
    /// A crash or restart ended it.
    Interrupted,
}

/// What a turn cost as far as that is known, and what it was allowed to, in millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MoneyUsedUp {
    /// Known cost since the turn began.
    pub spent_micros: u64,
    /// The limit.
    pub limit_micros: u64,
}

/// Text or reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The answer.
    Text,
    /// The reasoning.
    Reasoning,
}

/// What a request was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// The conversation itself.
    Chat,
    /// A title.
    Title,
    /// A sub-agent's work for a call.
    Agent,
    /// A summary of what came before.
    Compaction,
}

impl Purpose {
    /// Whether it is the conversation itself, a sub-agent's own included, instead of something done for it on the side.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Chat | Self::Agent)
    }
}

/// Why a span is made into a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionCause {
    /// The requests have become long.
    Long,
    /// The provider refused a request as too long.
    TooLong,
    /// A person wants it.
    Person,
}

/// Why there is no summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionFailure {
    /// No model could be asked, or none gave an answer.
    Model,
    /// What came was empty, or no shorter than what it would stand for.
    Useless,
    /// A person stopped it.
    Stopped,
    /// The program ended meanwhile.
    Interrupted,
}

/// A request, as it went out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RequestSent {
    /// Its id.
    pub request: RequestId,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// What for.
    pub purpose: Purpose,
    /// Provider's name; never its URL.
    pub provider: String,
    /// Model name.
    pub model: String,
    /// Wire format.
    pub protocol: Protocol,
    /// Version of the code that made the body.
    pub builder: String,
    /// Whether tools could be called.
    pub tool_choice: ToolChoice,
    /// SHA-256 of the exact body.
    pub digest: Sha,
    /// Length of the body in bytes.
    pub bytes: u64,
    /// How many of its leading bytes equal the request before, cache markers and closing brackets left out of both.
    pub prefix: u64,
    /// Its length in bytes without cache markers and closing brackets: what the next request should begin with.
    #[serde(default)]
    pub stable: u64,
    /// Characters sent, from which tokens are estimated.
    pub characters: u64,
    /// Estimated input tokens.
    pub estimate: u64,
    /// The model that was asked, where it isn't the conversation's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Box<ModelChoice>>,
    /// Whether a shorter text is asked for, because the one before was no shorter than what it stands for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shorter: bool,
}

/// An answer of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AssistantMessage {
    /// Its id.
    pub message: MessageId,
    /// The request that it answers.
    pub request: RequestId,
    /// The text.
    pub text: Arc<str>,
    /// The reasoning.
    #[serde(default)]
    pub reasoning: Arc<str>,
    /// Proposed calls, in order.
    #[serde(default)]
    pub calls: Vec<ProposedCall>,
    /// Why the model stopped; none: a person's stop cut it off.
    pub finish: Option<FinishReason>,
    /// Whether it was cut off.
    #[serde(default)]
    pub partial: bool,
    /// What has to be sent back to the provider.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ProviderItem>,
}

/// A call as the model proposed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProposedCall {
    /// Our id.
    pub call: CallId,
    /// The provider's label.
    pub provider_id: Option<String>,
    /// Tool name.
    pub name: String,
    /// Argument text, raw.
    pub arguments: String,
}

/// A call as it was judged. A later one for the same call replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolCall {
    /// The call.
    pub call: CallId,
    /// Tool name.
    pub name: String,
    /// Argument text, raw.
    pub arguments: String,
    /// Risk; none: the call could not be assessed.
    pub tier: Option<Tier>,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// What policy, or the tool, says.
    pub verdict: Verdict,
    /// Why it was refused, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// SHA-256 over tool, version, workspace and arguments; none: not valid arguments.
    pub digest: Option<Sha>,
    /// Paths it touches or depends on.
    #[serde(default)]
    pub paths: Vec<String>,
    /// What it looks at or acts on, for the one-line card.
    #[serde(default)]
    pub target: String,
    /// The change to files that a call makes which runs unasked; what is asked for has it on its card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Box<Preview>>,
}

/// Why a card is shown anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Again {
    /// Something it depends on changed since it was drawn.
    Changed,
    /// It was approved before the restart, and not run.
    ApprovedBeforeRestart,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolResult {
    /// The call.
    pub call: CallId,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, where the outcome alone doesn't say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What the model gets, without the note.
    pub shown: Arc<str>,
    /// The whole output, stored once; none: `shown` is all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Stored>,
    /// The result in a few words.
    pub brief: Brief,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// What happened to files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<FileEffect>,
    /// Files whose content the model has now seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<FileState>,
    /// A budget or context note behind the result, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Rule files of folders whose text stands in the note: each is told once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Found again after a crash by looking at the files, not by having run it to its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

/// A message of which only the beginning and the end are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CutText {
    /// Seq of its event.
    pub message: u64,
    /// How many characters of it are still sent.
    pub keep: u64,
}

/// A person's mark on an unknown outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// It happened.
    Done,
    /// It did not happen.
    NotDone,
}

/// A change to the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "edit")]
pub enum QueueEdit {
    /// New item at the end.
    Added {
        /// Its text.
        text: String,
        /// When it takes effect.
        delivery: Delivery,
        /// What stands beside it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
    },
    /// New text; what stands beside it stays.
    Changed {
        /// The text.
        text: String,
    },
    /// Taken back.
    Withdrawn,
    /// Put into another place of the line.
    Moved {
        /// The item that it now stands directly before; none: it stands at the end.
        before: Option<ItemId>,
    },
    /// It takes effect at another time.
    Delivery {
        /// When.
        delivery: Delivery,
    },
}
