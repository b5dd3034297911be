//! What can be asked of a folded conversation, beside what comes next.
//! Only answers; nothing here changes the fold.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use assent_protocol::assessment::LastRun;
use assent_protocol::attachment::Contents;
use assent_protocol::event::{EndReason, ParentCall, RequestSent};
use assent_protocol::ids::{CallId, Sha};
use assent_protocol::permission::{Matcher, Mode, Rule};
use assent_protocol::settings::{Limits, ModelChoice};
use assent_protocol::tool::Stored;
use assent_protocol::view::{ModelView, ToolChoice};

use crate::call::Call;
use crate::fold::{Queued, Session};
use crate::history::{History, put_before};
use crate::turn::{InFlight, Turn};

/// Weight of a byte of what is known by its size only. Measured: prompt and tools, as they are sent, count 0.24 tokens a byte.
const FIXED: f64 = 0.7;

/// The texts of what the log names by hash. Empty: there is none.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    /// The system prompt.
    pub system: Arc<str>,
    /// The tool definitions.
    pub tools: Arc<str>,
    /// What is remembered across conversations.
    pub memory: Arc<str>,
}

/// Weight of what is known by its size only.
pub(crate) fn fixed(content: Option<Stored>) -> f64 {
    content.map_or(0, |content| content.bytes) as f64 * FIXED
}

fn remembered(memory: &str) -> String {
    format!(
        "[Memory: what the user and earlier conversations noted down. Not part of this conversation.]\n<memory>\n{}\n</memory>",
        memory.trim()
    )
}

impl Session {
    /// Last seq that was applied.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// When it began: milliseconds since 1970.
    pub fn began(&self) -> i64 {
        self.began
    }

    /// Canonical root of the workspace.
    pub fn workspace(&self) -> Option<&str> {
        self.workspace.as_deref()
    }

    /// The call that this conversation works for, where it is a sub-agent's.
    pub fn parent(&self) -> Option<&ParentCall> {
        self.parent.as_ref()
    }

    /// Whether it has a title.
    pub fn is_titled(&self) -> bool {
        self.titled.is_some()
    }

    /// The model.
    pub fn choice(&self) -> Option<&ModelChoice> {
        self.choice.as_ref()
    }

    /// The model that a person picked: where a fallback answers, the one that it stands in for.
    pub fn picked(&self) -> Option<&ModelChoice> {
        self.picked.as_ref()
    }

    /// Models that take over when that one fails, in order.
    pub fn fallbacks(&self) -> &[ModelChoice] {
        &self.fallbacks
    }

    /// The mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The limits after the settings' own became these. A sub-agent keeps what it was given.
    pub fn limits_by(&self, defaults: Limits) -> Limits {
        if self.parent.is_some() {
            return self.limits;
        }
        self.limits.following(self.default_limits, defaults)
    }

    /// The system prompt's content.
    pub fn prompt(&self) -> Option<Stored> {
        self.prompt
    }

    /// The tool definitions' content.
    pub fn tools(&self) -> Option<Stored> {
        self.tools
    }

    /// Rules that a person made here.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The inbox.
    pub fn queue(&self) -> &VecDeque<Queued> {
        &self.queue
    }

    /// Whether a turn is open.
    pub fn is_generating(&self) -> bool {
        self.turn.is_some()
    }

    /// Whether a person asked the open turn to end.
    pub fn is_stopping(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.stopping)
    }

    /// How the last turn ended.
    pub fn ended(&self) -> Option<EndReason> {
        self.ended
    }

    /// Calls of the present message.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// How many cards and questions wait for a person.
    pub fn waiting_for_person(&self) -> usize {
        self.calls.iter().filter(|call| call.is_pending() || call.is_asked()).count()
    }

    /// A call of the present message.
    pub fn call(&self, call: &CallId) -> Option<&Call> {
        self.calls.iter().find(|known| known.call == *call)
    }

    /// Whether any card waits for a person.
    pub fn is_pending(&self) -> bool {
        self.calls.iter().any(Call::is_pending)
    }

    /// Hash of what the model last saw of a path.
    pub fn seen(&self, path: &str) -> Option<Sha> {
        self.seen.get(path).copied()
    }

    /// The same for all paths, shared, for work on another thread.
    pub fn all_seen(&self) -> Arc<HashMap<String, Sha>> {
        Arc::clone(&self.seen)
    }

    /// Secret files that a person let be read.
    pub fn allowed_secrets(&self) -> Arc<HashSet<String>> {
        Arc::clone(&self.secrets)
    }

    /// Rule files of folders below the root that the model was told of and can still see, or could before the window moved.
    pub fn told_rules(&self) -> impl Iterator<Item = &String> {
        self.told_rules.keys()
    }

    /// Repositories outside of the workspace that a person let be read for this conversation.
    pub fn allowed_repositories(&self) -> HashSet<String> {
        let allowed = self.rules.iter().filter_map(|rule| match &rule.matcher {
            Matcher::Repository { folder } => Some(folder.clone()),
            Matcher::Path { .. } | Matcher::Command { .. } | Matcher::Arguments { .. } => None,
        });
        allowed.collect()
    }

    /// How the same call (by digest) ended last time.
    pub fn last_run(&self, digest: &Sha) -> Option<LastRun> {
        self.last_runs.get(digest).copied()
    }

    /// The messages.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The last request that went out.
    pub fn last_request(&self) -> Option<&RequestSent> {
        self.last_request.as_ref()
    }

    /// The iteration that is open: its number in the turn, and its number since the last human act.
    pub fn iteration(&self) -> (u32, u32) {
        (self.turn.as_ref().map_or(0, |turn| turn.iterations), self.since_human)
    }

    /// Whether an iteration is open.
    pub fn has_open_iteration(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.iteration.is_some())
    }

    /// Whether this call's result is all that the iteration waits for: then [`Session::next`] ends it after that.
    pub fn ends_iteration(&self, call: &CallId) -> bool {
        let ends = |turn: &Turn| !turn.stopping && turn.iteration.as_ref().is_some_and(|iteration| iteration.answered);
        self.compacting.is_none()
            && self.turn.as_ref().is_some_and(ends)
            && self.calls.iter().all(|known| known.is_done() || known.call == *call)
    }

    /// The request that is on its way, or was when the program ended.
    pub fn in_flight(&self) -> Option<&InFlight> {
        self.turn.as_ref()?.iteration.as_ref()?.request.as_ref()
    }

    /// Attempts of the open iteration.
    pub fn attempts(&self) -> u32 {
        self.turn.as_ref().and_then(|turn| turn.iteration.as_ref()).map_or(0, |iteration| iteration.attempts)
    }

    /// A call whose outcome is unknown and not yet marked.
    pub fn is_unresolved(&self, call: &CallId) -> bool {
        self.unresolved.contains_key(call)
    }

    /// Whether the same call gave the same result twice in this turn, with no change in between.
    pub fn is_circling(&self, digest: &Sha) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.is_circling(digest))
    }

    /// Whether a person rejected exactly this call in this turn.
    pub fn was_rejected(&self, digest: &Sha) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.rejected.contains(digest))
    }

    /// An earlier call of the message that touches one of these paths and isn't done, or, when `refused`, the last
    /// earlier change that isn't done: its effect may turn the refusal.
    pub fn blocked_by(&self, call: &CallId, paths: &[String], refused: bool) -> Option<CallId> {
        let position = self.calls.iter().position(|known| known.call == *call)?;
        let open = |earlier: &&Call| !earlier.is_done() && !earlier.reads;
        let shares = |earlier: &&Call| {
            earlier.judged.as_ref().is_some_and(|judged| judged.paths.iter().any(|path| paths.contains(path)))
        };
        let mut earlier = self.calls[..position].iter().filter(open);
        let found = if refused { earlier.next_back() } else { earlier.rfind(shares) };
        found.map(|earlier| earlier.call.clone())
    }

    /// Weight of system prompt, tools and memory, which are known here by their size only.
    pub fn fixed_weight(&self) -> f64 {
        fixed(self.prompt) + fixed(self.tools) + fixed(self.memory)
    }

    /// Weight of everything that would be sent.
    pub fn weight(&self) -> f64 {
        self.fixed_weight() + self.history.weight()
    }

    /// Estimated tokens of everything that would be sent.
    pub fn estimate(&self) -> u64 {
        let coefficient = self.choice.as_ref().map_or(0.35, |choice| choice.coefficient);
        (self.weight() * coefficient).ceil() as u64
    }

    /// What the model would be shown now, with the texts and bytes that the log names by hash.
    pub fn view(&self, texts: Texts, tool_choice: ToolChoice, contents: Contents) -> ModelView {
        let Texts { system, tools, memory } = texts;
        let mut messages = self.history.shown().to_vec();
        if !memory.is_empty() {
            put_before(&mut messages, &remembered(&memory));
        }
        ModelView {
            model: self.choice.as_ref().map_or("", |choice| choice.model.as_str()).into(),
            epoch: self.history.epoch(),
            system,
            tools,
            messages,
            tool_choice,
            contents,
        }
    }
}
