//! The fold: one conversation's state after any prefix of its log, and how each event changes it.
//! It answers questions about that state; what to do next is asked in `next`.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use assent_protocol::assessment::LastRun;
use assent_protocol::attachment::Attachment;
use assent_protocol::event::{
    AssistantMessage, Delivery, EndReason, Event, ParentCall, Payload, RequestSent, ToolCall, ToolResult, TurnCause,
};
use assent_protocol::ids::{CallId, ConversationId, ItemId, RequestId, Sha};
use assent_protocol::permission::{Answer, Decider, Mode, Rule, Scope, Verdict};
use assent_protocol::settings::{Limits, ModelChoice};
use assent_protocol::skill::SkillUse;
use assent_protocol::tool::{Cause, FileEffect, Outcome, Stored};
use assent_protocol::view::{FailureKind, ToolChoice, ViewCall};
use assent_protocol::{canonical, event};

use crate::agents::Pool;
use crate::attached::Said;
use crate::call::{Call, CallState};
use crate::compaction::{Compacting, Record};
use crate::history::History;
use crate::result_words::rejected;
use crate::todo::Todo;
use crate::turn::{Answered, InFlight, Iteration, Turn};

/// An item of the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// Its id.
    pub item: ItemId,
    /// Its text.
    pub text: String,
    /// When it takes effect.
    pub delivery: Delivery,
    /// What stands beside it.
    pub attachments: Vec<Attachment>,
}

/// One conversation, folded.
#[derive(Debug, Clone, Default)]
pub struct Session {
    pub(crate) seq: u64,
    pub(crate) conversation: Option<ConversationId>,
    pub(crate) parent: Option<ParentCall>,
    pub(crate) workspace: Option<String>,
    pub(crate) began: i64,
    /// Who gave it its title.
    pub(crate) titled: Option<Decider>,
    /// Whether a model was asked for a title.
    pub(crate) title_asked: bool,
    /// The model that a person picked.
    pub(crate) picked: Option<ModelChoice>,
    /// The model that is asked: the picked one, or a fallback for the rest of a turn.
    pub(crate) choice: Option<ModelChoice>,
    pub(crate) fallbacks: Vec<ModelChoice>,
    pub(crate) mode: Mode,
    pub(crate) limits: Limits,
    /// What the settings had when the limits were set.
    pub(crate) default_limits: Limits,
    pub(crate) prompt: Option<Stored>,
    pub(crate) tools: Option<Stored>,
    /// What is remembered, as it stands ahead of the history.
    pub(crate) memory: Option<Stored>,
    /// What is remembered, as the model was told last.
    pub(crate) memory_told: Option<Stored>,
    pub(crate) reading: HashSet<String>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) history: History,
    pub(crate) queue: VecDeque<Queued>,
    pub(crate) turn: Option<Turn>,
    pub(crate) since_human: u32,
    pub(crate) compacting: Option<Compacting>,
    pub(crate) compactions: Record,
    /// Requests on their way that aren't the conversation's own.
    pub(crate) aside: HashSet<RequestId>,
    pub(crate) calls: Vec<Call>,
    /// Results of `calls` that are already in the history: a prefix, because results go back in call order.
    pub(crate) placed: usize,
    /// Context for the model that came while calls were open.
    pub(crate) notes: Vec<Said>,
    pub(crate) seen: Arc<HashMap<String, Sha>>,
    pub(crate) secrets: Arc<HashSet<String>>,
    /// Rule files that the model was told of, each with the number of the result that it stood beside last.
    pub(crate) told_rules: HashMap<String, u64>,
    /// Lines added and removed by the calls of this conversation, by path.
    pub(crate) changed: BTreeMap<String, (u32, u32)>,
    /// Skills that were invoked, each as it was last, by name.
    pub(crate) skills: Vec<SkillUse>,
    pub(crate) last_runs: HashMap<Sha, LastRun>,
    pub(crate) last_request: Option<RequestSent>,
    pub(crate) ended: Option<EndReason>,
    pub(crate) unresolved: HashMap<CallId, String>,
    pub(crate) pool: Pool,
    pub(crate) todo: Todo,
}

impl Session {
    /// Folds a whole log.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut session = Self::default();
        for event in events {
            session.apply(event);
        }
        session
    }

    /// Applies the next event.
    pub fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        match &event.payload {
            Payload::ConversationCreated { .. }
            | Payload::TitleSet { .. }
            | Payload::ModelSet { .. }
            | Payload::FallbacksSet { .. }
            | Payload::ProviderSwitched { .. }
            | Payload::ModeSet { .. }
            | Payload::LimitsSet { .. }
            | Payload::PromptSet { .. }
            | Payload::MemorySet { .. }
            | Payload::ToolsSet { .. } => self.set(event),
            Payload::UserMessage { text, delivery, context, attachments, skills, .. } => {
                let mut said =
                    Said { text: context.as_deref().unwrap_or_default().to_owned(), attachments: Vec::new() };
                said.join(Said { text: text.to_string(), attachments: attachments.clone() });
                self.user_message(event.seq, said, *delivery, skills);
            }
            Payload::TurnStart { cause } => self.turn_start(event.seq, *cause),
            Payload::TurnStop {} => self.with_turn(|turn| turn.stopping = true),
            Payload::TurnEnd { reason, .. } => self.turn_end(event.seq, *reason),
            Payload::IterationStart { since_human, in_turn } => {
                self.since_human = *since_human;
                self.with_turn(|turn| {
                    turn.iterations = *in_turn;
                    turn.iteration = Some(Iteration::default());
                });
            }
            Payload::IterationEnd { .. } => self.with_turn(|turn| turn.iteration = None),
            Payload::RequestSent(sent) => self.request_sent(sent),
            Payload::RequestFailed { request, message, retry_in_ms, .. } if self.is_aside(request) => {
                self.aside_failed(request, *retry_in_ms, message);
            }
            Payload::RequestFailed { failure, message, retry_in_ms, .. } => {
                self.request_failed(event.seq, *failure, message, *retry_in_ms, false);
            }
            Payload::AssistantChunk { part, text, .. } => {
                if *part == event::Part::Text {
                    self.with_request(|request| request.text.push_str(text));
                }
            }
            Payload::AssistantMessage(message) => self.assistant_message(event.seq, message),
            Payload::AssistantDiscarded { failure, message, .. } => {
                self.request_failed(event.seq, *failure, message, None, true)
            }
            Payload::ToolCall(call) => self.tool_call(call),
            Payload::ApprovalRequested { call, card, .. } => {
                let digest = card.digest;
                self.with_call(call, |call| call.state = CallState::Pending { card: Some(digest) });
            }
            Payload::ApprovalDecided { call, card, answer, by, scope, note } => {
                self.decided(call, *card, *answer, *by, scope, note.as_deref());
            }
            Payload::ToolStarted { call, intent, before, .. } => {
                let state = CallState::Executing { intent: intent.clone(), before: before.clone() };
                self.with_call(call, |call| call.state = state);
            }
            Payload::ToolResult(result) => self.tool_result(event.seq, result),
            Payload::AgentStarted { .. } | Payload::AgentEnded { .. } => self.agent_changed(&event.payload),
            Payload::QuestionAsked { call, .. } => self.with_call(call, |call| call.state = CallState::Asked),
            Payload::QuestionAnswered { .. } => self.human_act(),
            Payload::ToolResolved { call, mark } => self.resolved(event.seq, call, *mark),
            Payload::EffectReverted { effects, .. } => self.reverted(event.seq, effects),
            Payload::QueueEdited { item, edit } => self.queue_edited(item, edit),
            Payload::QueueTaken { item, .. } => self.queue.retain(|queued| queued.item != *item),
            Payload::WindowMoved { keep_from, pruned, cut, .. } => self.history.cut(*keep_from, pruned, cut),
            Payload::CompactionStart { .. }
            | Payload::CompactionPart { .. }
            | Payload::CompactionEnd { .. }
            | Payload::CompactionFailed { .. } => self.compaction(&event.payload),
            Payload::UsageRecorded { request, purpose, coefficient, cost_micros, .. } => {
                self.aside.remove(request);
                self.used(purpose.is_own().then_some(*coefficient), *cost_micros);
            }
            Payload::RuleRevoked { rule } => self.rules.retain(|known| known != rule),
            Payload::ConversationArchived { .. } | Payload::Unknown(_) => {}
        }
    }

    pub(crate) fn with_turn(&mut self, change: impl FnOnce(&mut Turn)) {
        if let Some(turn) = &mut self.turn {
            change(turn);
        }
    }

    fn with_request(&mut self, change: impl FnOnce(&mut InFlight)) {
        let iteration = self.turn.as_mut().and_then(|turn| turn.iteration.as_mut());
        if let Some(request) = iteration.and_then(|iteration| iteration.request.as_mut()) {
            change(request);
        }
    }

    fn with_call(&mut self, call: &CallId, change: impl FnOnce(&mut Call)) {
        if let Some(call) = self.calls.iter_mut().find(|known| known.call == *call) {
            change(call);
        }
    }

    /// What was known of cost counts against the turn's limit; unknown costs can't.
    fn used(&mut self, coefficient: Option<f64>, cost_micros: Option<u64>) {
        let cost = cost_micros.unwrap_or(0);
        self.with_turn(|turn| turn.spent_micros = turn.spent_micros.saturating_add(cost));
        if let Some(coefficient) = coefficient {
            self.learned(coefficient);
        }
    }

    fn user_message(&mut self, seq: u64, said: Said, delivery: Delivery, skills: &[SkillUse]) {
        self.skills_used(skills);
        self.push_said(seq, said);
        if delivery != Delivery::Inject {
            self.human_act();
        }
    }

    /// A person acted: the count of model calls begins anew.
    fn human_act(&mut self) {
        self.since_human = 0;
        self.pool.refill();
        self.with_turn(|turn| {
            turn.note_change();
            turn.repetitions = 0;
        });
    }

    fn turn_start(&mut self, seq: u64, cause: TurnCause) {
        self.turn = Some(Turn::default());
        if cause == TurnCause::Continue {
            self.since_human = 0;
            self.pool.refill();
            if self.history.ends_with_assistant() {
                self.push_user(seq, "Continue.");
            }
        }
    }

    pub(crate) fn turn_end(&mut self, seq: u64, reason: EndReason) {
        self.back_to_picked();
        self.turn = None;
        self.ended = Some(reason);
        self.calls.clear();
        self.placed = 0;
        self.place_notes(seq);
    }

    fn request_sent(&mut self, sent: &RequestSent) {
        if !sent.purpose.is_own() {
            return self.aside_sent(sent);
        }
        self.last_request = Some(sent.clone());
        self.history.asked();
        self.with_turn(|turn| {
            if let Some(iteration) = &mut turn.iteration {
                iteration.attempts = sent.attempt;
                iteration.retry_in_ms = None;
                iteration.request = Some(InFlight {
                    request: sent.request.clone(),
                    tool_choice: sent.tool_choice,
                    text: String::new(),
                });
            }
        });
    }

    fn request_failed(&mut self, seq: u64, failure: FailureKind, message: &str, retry: Option<u64>, began: bool) {
        let has_fallback = !began && failure.is_anothers_chance() && self.next_fallback().is_some();
        self.with_turn(|turn| {
            turn.note_failure(failure);
            if let Some(iteration) = &mut turn.iteration {
                iteration.request = None;
                iteration.retry_in_ms = retry;
                iteration.failed_over = (has_fallback && retry.is_none()).then_some(failure);
            }
            let too_long = failure == FailureKind::ContextTooLong && turn.too_long <= 2;
            if retry.is_none() && !too_long {
                turn.failed = Some((EndReason::Error, message.to_owned()));
            }
        });
        self.place_notes(seq);
    }

    fn assistant_message(&mut self, seq: u64, message: &AssistantMessage) {
        let calls = message.calls.iter().map(view_call).collect();
        self.history.push_assistant(seq, &message.text, &message.reasoning, calls, message.items.clone());
        self.placed = 0;
        self.todo_message();
        self.calls = message
            .calls
            .iter()
            .map(|proposed| Call {
                call: proposed.call.clone(),
                name: proposed.name.clone(),
                arguments: proposed.arguments.clone(),
                reads: self.reading.contains(&proposed.name),
                judged: None,
                note: None,
                state: CallState::Proposed,
            })
            .collect();
        let has_text = !message.text.trim().is_empty();
        let has_calls = !message.calls.is_empty();
        self.with_turn(|turn| {
            turn.too_long = 0;
            turn.compacted = false;
            turn.empty = if has_text || has_calls { 0 } else { turn.empty + 1 };
            let tool_choice = turn
                .iteration
                .as_mut()
                .and_then(|iteration| {
                    iteration.answered = true;
                    iteration.request.take()
                })
                .map_or(ToolChoice::Auto, |request| request.tool_choice);
            turn.last = Some(Answered { finish: message.finish, tool_choice, calls: has_calls, text: has_text });
        });
        if !has_calls {
            self.place_notes(seq);
        }
    }

    fn tool_call(&mut self, judged: &ToolCall) {
        let state = match &judged.verdict {
            Verdict::Run { by, .. } => CallState::Cleared { by: *by, card: None },
            Verdict::Ask => CallState::Pending { card: None },
            Verdict::Refuse { .. } => CallState::Refused,
            Verdict::Defer { after } => CallState::Deferred { after: after.clone() },
        };
        let reads = judged.read_only;
        self.with_call(&judged.call, |call| {
            // A call through another one is the inner call from its judgement on.
            call.name.clone_from(&judged.name);
            call.arguments.clone_from(&judged.arguments);
            call.judged = Some(judged.clone());
            call.reads = call.reads || reads;
            call.state = state;
        });
    }

    fn decided(&mut self, id: &CallId, card: Sha, answer: Answer, by: Decider, scope: &Scope, note: Option<&str>) {
        if let (Answer::Approved, Scope::Conversation { rule }) = (answer, scope)
            && !self.rules.contains(rule)
        {
            self.rules.push(rule.clone());
        }
        let state = match answer {
            Answer::Approved => CallState::Cleared { by, card: Some(card) },
            Answer::Rejected => CallState::Refused,
        };
        self.with_call(id, |call| {
            call.state = state;
            call.note = note.filter(|_| answer == Answer::Approved).map(str::to_owned);
            if answer == Answer::Rejected
                && let Some(judged) = &mut call.judged
            {
                judged.verdict = Verdict::Refuse { by, why: rejected(by, note) };
                judged.cause = Some(Cause::User);
            }
        });
        let judged = self.call(id).and_then(|call| call.judged.clone());
        if by == Decider::User {
            self.human_act();
            if answer == Answer::Rejected
                && let Some(digest) = judged.and_then(|judged| judged.digest)
            {
                self.with_turn(|turn| {
                    turn.rejected.insert(digest);
                });
            }
        }
    }

    fn tool_result(&mut self, seq: u64, result: &ToolResult) {
        for state in &result.seen {
            self.note_seen(&state.path, state.hash);
        }
        for effect in &result.effects {
            self.note_seen(&effect.path, effect.after);
            self.note_changed(effect);
            if let Some(moved) = &effect.moved_to {
                self.note_seen(moved, effect.before);
            }
        }
        self.told_rules.extend(result.rules.iter().map(|rules| (rules.clone(), seq)));
        self.pool.give_up(&result.call);
        let Some(position) = self.calls.iter().position(|call| call.call == result.call) else {
            return self.late_result(result);
        };
        self.count_result(position, result);
        self.todo_result(position, result);
        self.note_secret(position, result);
        if result.outcome == Outcome::Unknown {
            self.unresolved.insert(result.call.clone(), self.calls[position].name.clone());
        }
        let shown = match &result.note {
            Some(note) => Arc::from(format!("{}\n\n{note}", result.shown)),
            None => Arc::clone(&result.shown),
        };
        self.calls[position].state = CallState::Done { shown };
        for call in &mut self.calls {
            if matches!(&call.state, CallState::Deferred { after } if *after == result.call) {
                call.state = CallState::Proposed;
            }
        }
        self.place_results(seq);
    }

    fn count_result(&mut self, position: usize, result: &ToolResult) {
        let digest = self.calls[position].judged.as_ref().and_then(|judged| judged.digest);
        let was_running = matches!(self.calls[position].state, CallState::Executing { intent: Some(_), .. });
        let first_of_message = position == 0;
        if let (Some(digest), true) = (digest, matches!(result.outcome, Outcome::Ok | Outcome::Error)) {
            let last = LastRun { outcome: result.outcome, duration_ms: result.duration_ms };
            self.last_runs.insert(digest, last);
        }
        self.with_turn(|turn| {
            match (result.outcome, result.cause) {
                (Outcome::Rejected, Some(Cause::User)) => turn.rejections += 1,
                (Outcome::Rejected, Some(Cause::Mode | Cause::Rule)) if first_of_message => turn.rejections += 1,
                (Outcome::Ok | Outcome::Error, _) => turn.rejections = 0,
                _ => {}
            }
            if result.cause == Some(Cause::Repeated) {
                turn.repetitions += 1;
            }
            if !result.effects.is_empty() {
                turn.note_change();
            } else if was_running {
                turn.note_change_by(digest);
            }
            if let (Some(digest), true) = (digest, matches!(result.outcome, Outcome::Ok | Outcome::Error)) {
                turn.note_result(digest, Sha::of(result.shown.as_bytes()));
            }
        });
    }

    /// Puts results into the history in call order, as far as they have come.
    pub(crate) fn place_results(&mut self, seq: u64) {
        while let Some(call) = self.calls.get(self.placed) {
            let CallState::Done { shown } = &call.state else { return };
            let shown = Arc::clone(shown);
            self.history.push_result(call.call.clone(), &call.name, &shown);
            self.placed += 1;
        }
        self.place_notes(seq);
    }

    /// Words for the model: at once, or behind the answer and the results that are still to come. What was sent never
    /// changes afterwards.
    fn push_said(&mut self, seq: u64, said: Said) {
        if self.in_flight().is_none() && self.calls.iter().all(Call::is_done) {
            self.history.push_user(seq, said);
        } else {
            self.notes.push(said);
        }
    }

    fn reverted(&mut self, seq: u64, effects: &[FileEffect]) {
        for effect in effects {
            self.changed.remove(&effect.path);
        }
        let paths: Vec<&str> = effects.iter().map(|effect| effect.path.as_str()).collect();
        let words = format!("[The user took back your change of {}.]", paths.join(", "));
        self.with_turn(Turn::note_change);
        self.push_user(seq, &words);
    }

    pub(crate) fn push_user(&mut self, seq: u64, text: &str) {
        self.push_said(seq, Said { text: text.to_owned(), attachments: Vec::new() });
    }

    fn place_notes(&mut self, seq: u64) {
        for note in std::mem::take(&mut self.notes) {
            self.history.push_user(seq, note);
        }
    }
}

fn view_call(proposed: &event::ProposedCall) -> ViewCall {
    let arguments = match canonical::parse_arguments(&proposed.arguments) {
        Ok(_) if !proposed.arguments.trim().is_empty() => proposed.arguments.clone(),
        _ => "{}".to_owned(),
    };
    ViewCall { call: proposed.call.clone(), name: proposed.name.clone(), arguments }
}

#[cfg(test)]
mod tests;
