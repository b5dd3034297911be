//! Everything the engine can be told: one table of methods with parameters and results.
//! From it come the request enum, the handler's exhaustive match and the TypeScript map; it does nothing itself.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::attachment::Attachment;
use crate::context::ContextReport;
use crate::event::Delivery;
use crate::ids::{CallId, ConversationId, ItemId, MessageId, ProjectId, ProviderId, RequestId, Sha};
use crate::known::KnownModel;
use crate::memory::{Memory, MemoryText};
use crate::permission::{Mode, Rule, Scope};
use crate::search::SearchResults;
use crate::settings::{KeyPlace, Limits, ModelChoice, Provider, Settings};
use crate::skill::SkillList;
use crate::snapshot::{
    ConversationRow, ExportFormat, HistoryPage, OfferedModel, Opened, OutputPage, Overview, PendingRow, Preset,
    ProjectRow, ProviderTest, QuestionRow, Replayed, Standing, SymbolHit,
};
use crate::steering::{Steering, TrustedContent, TrustedFile};
use crate::usage::{UsageOfRequest, UsageReport};

macro_rules! methods {
    ($( $(#[$doc:meta])* $name:literal $variant:ident { $( $field:ident : $type:ty ),* $(,)? } -> $result:ty; )*) => {
        /// A request with its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
        #[serde(tag = "method", content = "params")]
        #[allow(missing_docs, reason = "each method is documented on its variant")]
        pub enum Request {
            $( $(#[$doc])* #[serde(rename = $name)] $variant { $( $field: $type ),* }, )*
        }

        /// A result, in the order of [`Request`]. On the wire only the value is sent.
        #[derive(Debug, Clone, PartialEq, Serialize, TS)]
        #[serde(untagged)]
        pub enum Response {
            $( $(#[$doc])* $variant($result), )*
        }

        /// Names of all methods.
        pub const METHODS: &[&str] = &[ $( $name ),* ];

        impl Request {
            /// The method's name.
            pub fn method(&self) -> &'static str {
                match self { $( Request::$variant { .. } => $name, )* }
            }
        }

        /// The TypeScript map from method to parameters and result.
        pub fn typescript_methods(config: &ts_rs::Config) -> String {
            let mut out = String::from("export interface Methods {\n");
            $(
                out.push_str(concat!("  ", $name, ": { params: "));
                let fields: Vec<String> = vec![ $( format!(concat!(stringify!($field), ": {}"), <$type as TS>::name(config)) ),* ];
                if fields.is_empty() {
                    out.push_str("Record<string, never>");
                } else {
                    out.push_str(&format!("{{ {} }}", fields.join("; ")));
                }
                out.push_str(&format!("; result: {} }};\n", <$result as TS>::name(config)));
            )*
            out.push_str("}\n");
            out
        }

        /// Exports the types that methods mention to `folder`.
        pub fn export_types(config: &ts_rs::Config) -> Result<(), ts_rs::ExportError> {
            <Request as TS>::export_all(config)?;
            <Response as TS>::export_all(config)?;
            <crate::signal::Signal as TS>::export_all(config)?;
            <crate::failure::Failure as TS>::export_all(config)?;
            Ok(())
        }
    };
}

methods! {
    /// Projects, conversations, settings.
    "overview" Overview {} -> Overview;
    /// Opens a folder as a project; an open one is returned as it is.
    "open_folder" OpenFolder { path: String, allow_home: bool } -> ProjectRow;
    /// Renames a project.
    "rename_project" RenameProject { project: ProjectId, name: String } -> ();
    /// Takes a project off the list; its conversations stay, archived. Nothing in the folder changes.
    "remove_project" RemoveProject { project: ProjectId } -> ();
    /// Points a project whose folder moved at its new place. What is pending stays pending.
    "locate_project" LocateProject { project: ProjectId, path: String } -> ProjectRow;
    /// Begins a conversation.
    "create_conversation" CreateConversation { project: Option<ProjectId> } -> ConversationRow;
    /// A conversation as it stands; marks it as looked at.
    "open" Open { conversation: ConversationId } -> Box<Opened>;
    /// Older events.
    "history" History { conversation: ConversationId, before: u64 } -> HistoryPage;
    /// Events after a seq, for a client that missed some.
    "after" After { conversation: ConversationId, seq: u64 } -> HistoryPage;
    /// What a conversation is doing; for the watchdog.
    "standing" Standing { conversation: ConversationId } -> Standing;
    /// Sends a message. With cards pending and `reject` set, the text is the note with which they are rejected.
    /// `attachments` are what `attach` answered with in this conversation, 20 at most.
    "send" Send { conversation: ConversationId, text: String, delivery: Delivery, reject: bool, attachments: Vec<Attachment> } -> ();
    /// Stores an image (5 MB at most) or a PDF (32 MB at most), given as base64, to be sent with a message. What it is
    /// is told from its bytes.
    "attach" Attach { conversation: ConversationId, name: String, data: String } -> Attachment;
    /// The bytes of something that was attached in this conversation, as base64.
    "attachment" AttachmentData { conversation: ConversationId, hash: Sha } -> String;
    /// Changes a queued item.
    "edit_queued" EditQueued { conversation: ConversationId, item: ItemId, text: String } -> ();
    /// Takes a queued item back.
    "withdraw_queued" WithdrawQueued { conversation: ConversationId, item: ItemId } -> ();
    /// Puts a queued item directly before another one, or at the end.
    "move_queued" MoveQueued { conversation: ConversationId, item: ItemId, before: Option<ItemId> } -> ();
    /// Has a queued item take effect at another time: with the next turn, or before the next model call.
    "redeliver_queued" RedeliverQueued { conversation: ConversationId, item: ItemId, delivery: Delivery } -> ();
    /// Keeps the draft of a conversation.
    "save_draft" SaveDraft { conversation: ConversationId, text: String } -> ();
    /// Keeps what is attached to the draft of a conversation.
    "save_draft_attachments" SaveDraftAttachments { conversation: ConversationId, attachments: Vec<Attachment> } -> ();
    /// Marks a conversation as looked at.
    "mark_read" MarkRead { conversation: ConversationId } -> ();
    /// Approves exactly the card with this digest.
    "approve" Approve { call: CallId, digest: Sha, scope: Scope, note: Option<String> } -> ();
    /// Rejects whatever card of this call is pending.
    "reject" Reject { call: CallId, note: Option<String> } -> ();
    /// Takes back a rule that was made with an approval: what it let pass is asked for again.
    "revoke_rule" RevokeRule { conversation: ConversationId, rule: Rule } -> ();
    /// Answers the question of this call. Whoever comes second is told so.
    "answer_question" AnswerQuestion { call: CallId, text: String } -> ();
    /// Questions that wait for a person's answer, oldest first.
    "questions" Questions {} -> Vec<QuestionRow>;
    /// Every card that waits for a person, oldest first.
    "inbox" Inbox {} -> Vec<PendingRow>;
    /// Stops the running turn.
    "stop" Stop { conversation: ConversationId } -> ();
    /// Goes on after an ended turn: Continue, or Retry.
    "continue_turn" ContinueTurn { conversation: ConversationId } -> ();
    /// Summarises all but the newest messages; `instructions` say what the summary has to keep. Not while a turn runs.
    "compact" Compact { conversation: ConversationId, instructions: Option<String> } -> ();
    /// What fills the window of a conversation's model.
    "context" Context { conversation: ConversationId } -> ContextReport;
    /// Keeps the text of a discarded answer as the model's message.
    "keep_discarded" KeepDiscarded { conversation: ConversationId, request: RequestId } -> ();
    /// Sets a conversation's mode.
    "set_mode" SetMode { conversation: ConversationId, mode: Mode } -> ();
    /// Sets a conversation's model.
    "set_model" SetModel { conversation: ConversationId, choice: ModelChoice } -> ();
    /// Sets the models that take over when a conversation's own fails, in order.
    "set_fallbacks" SetFallbacks { conversation: ConversationId, choices: Vec<ModelChoice> } -> ();
    /// Sets a conversation's limits.
    "set_limits" SetLimits { conversation: ConversationId, limits: Limits } -> ();
    /// Renames a conversation.
    "rename" Rename { conversation: ConversationId, title: String } -> ();
    /// Archives a conversation, or brings it back.
    "archive" Archive { conversation: ConversationId, archived: bool } -> ();
    /// Deletes a conversation: hidden at once, purged later.
    "delete" Delete { conversation: ConversationId } -> ();
    /// Takes a deletion back, until it is purged.
    "restore" Restore { conversation: ConversationId } -> ();
    /// A new conversation with the same settings takes its place; the old one is archived.
    "clear" Clear { conversation: ConversationId } -> ConversationRow;
    /// A conversation that goes on from behind an answer of this one and what came of its calls, or from before a person's
    /// message: `seq` is that message's. Model, mode, limits and what the model was told go along; rules, the inbox, cards and
    /// drafts stay. Calls that are open there are closed.
    "fork" Fork { conversation: ConversationId, seq: u64 } -> ConversationRow;
    /// Says a person's message anew, with these words, in a fork that goes on from before it.
    "resend" Resend { conversation: ConversationId, message: MessageId, text: String, attachments: Vec<Attachment> } -> ConversationRow;
    /// Takes back what a call did to files.
    "revert" Revert { call: CallId } -> ();
    /// A person's mark on an unknown outcome.
    "resolve" Resolve { call: CallId, done: bool } -> ();
    /// Probes an unknown outcome again; true when it could be settled.
    "check_again" CheckAgain { call: CallId } -> bool;
    /// What is remembered: of the project, where one is named, and of the person.
    "memory" ReadMemory { project: Option<ProjectId> } -> Memory;
    /// Replaces a text of it: the project's, or without one the person's. `before` is the hash of what was edited; where the
    /// file is another one by now, nothing is written.
    "save_memory" SaveMemory { project: Option<ProjectId>, text: String, before: Option<Sha> } -> MemoryText;
    /// A part of a call's whole output.
    "output" Output { call: CallId, offset: u64, length: u64 } -> OutputPage;
    /// What the model saw: a past request, recomputed.
    "replay" Replay { conversation: ConversationId, request: RequestId } -> Replayed;
    /// The conversation as text for people.
    "export" Export { conversation: ConversationId, format: ExportFormat } -> String;
    /// Takes in a conversation from the text of a file that was exported as JSON. It goes on in `project`, set up as a new one is.
    "import" Import { project: Option<ProjectId>, text: String } -> ConversationRow;
    /// Models on offer: configured, found on this machine, practice.
    "models" Models {} -> Vec<OfferedModel>;
    /// Known providers.
    "presets" Presets {} -> Vec<Preset>;
    /// What is known of models at an address without asking it.
    "known_models" KnownModels { base_url: String, models: Vec<String> } -> Vec<KnownModel>;
    /// Adds or changes a provider. A changed host drops the key.
    "save_provider" SaveProvider { provider: Provider } -> ();
    /// Removes a provider and its key.
    "remove_provider" RemoveProvider { provider: ProviderId } -> ();
    /// Keeps a provider's key, bound to its host; empty forgets it.
    "set_key" SetKey { provider: ProviderId, key: String } -> KeyPlace;
    /// Where a provider's key is kept.
    "key_place" KeyPlaceOf { provider: ProviderId } -> KeyPlace;
    /// Tries a provider and says what failed. A given key is tried and not kept.
    "test_provider" TestProvider { provider: Provider, key: Option<String> } -> ProviderTest;
    /// Replaces the settings.
    "save_settings" SaveSettings { settings: Settings } -> ();
    /// What was used, by day, model, purpose and conversation. `bounds` are the beginnings of the days, ascending, and the
    /// end of the last one, in milliseconds since 1970: whoever asks knows its own midnights.
    "usage" Usage { bounds: Vec<i64> } -> UsageReport;
    /// The newest requests of a conversation with what each used, newest first.
    "usage_requests" UsageRequests { conversation: ConversationId } -> Vec<UsageOfRequest>;
    /// Titles and messages in which everything stands that is looked for: words with spaces between them, of which the last
    /// may be a beginning, and phrases in quotes. No query is malformed. Best first, 200 at most.
    "search" Search { query: String, limit: u32 } -> SearchResults;
    /// Files of the workspace that fit what was typed after `@`, best first.
    "complete_path" CompletePath { conversation: ConversationId, typed: String } -> Vec<String>;
    /// Definitions in source files of the workspace whose names fit what was typed after `@`, best first. Of a large
    /// workspace each answer knows more than the one before.
    "complete_symbol" CompleteSymbol { conversation: ConversationId, typed: String } -> Vec<SymbolHit>;
    /// Skills that can be invoked with `/name` in a message of this conversation, and what is wrong with others.
    "skills" Skills { conversation: ConversationId } -> SkillList;
    /// Files of a project's folder that steer the model, with whether they are trusted.
    "steering" Steering { project: ProjectId } -> Steering;
    /// Trusts exactly these contents of steering files. Each has to be what stands there now; else none is.
    "trust" Trust { project: ProjectId, files: Vec<TrustedContent> } -> ();
    /// Steering files of all folders of which some content is trusted, by folder and path.
    "trusted" Trusted {} -> Vec<TrustedFile>;
    /// Trusts steering files of a folder no longer, whatever they say; the folder needn't be there or be a project any more.
    "distrust" Distrust { root: String, paths: Vec<String> } -> ();
    /// Sets the system prompt of a conversation anew from the files that are trusted now; true when it became another one.
    "refresh_prompt" RefreshPrompt { conversation: ConversationId } -> bool;
}
