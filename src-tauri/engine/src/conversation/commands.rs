//! What a conversation can be told, and what it answers. Each command is checked against the fold, then appended.
//! A command never runs a tool or a model itself: it changes the log, and the loop goes on from there.

use assent_protocol::attachment::Attachment;
use assent_protocol::context::ContextReport;
use assent_protocol::event::{CompactionFailure, Delivery, EndReason, Mark, Payload, QueueEdit, TurnCause};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{CallId, ItemId, MessageId, RequestId, Sha};
use assent_protocol::permission::{Answer, Decider, Mode, Rule, Scope};
use assent_protocol::settings::{Limits, ModelChoice};
use assent_protocol::signal::{Delta, Phase};
use assent_protocol::skill::SkillList;
use assent_protocol::snapshot::{Opened, Standing};
use assent_session::{CallState, kept};
use assent_store::{DecideError, Decision, Durability};
use assent_tools::effects::Probe;
use tokio::sync::oneshot;

use super::Conversation;
use super::doing::Doing;
use super::title::Named;
use crate::attachments::may_send;
use crate::models;

/// Messages that a snapshot begins with.
const SNAPSHOT_MESSAGES: u32 = 60;

/// A command with the way back for its answer.
pub(crate) struct Command {
    /// What is wanted.
    pub ask: Ask,
}

/// The answer's way back.
pub(super) type Reply<T> = oneshot::Sender<Result<T, Failure>>;

/// What a conversation can be told.
pub(crate) enum Ask {
    /// A snapshot.
    Open(Reply<Opened>),
    /// What it is doing.
    Standing(Reply<Standing>),
    /// A message; with `reject`, what is pending is rejected with it as the note.
    Send { text: String, delivery: Delivery, reject: bool, attachments: Vec<Attachment>, reply: Reply<()> },
    /// A queued item is changed, moved, redelivered or taken back.
    EditQueued { item: ItemId, edit: QueueEdit, reply: Reply<()> },
    /// Yes to exactly this card.
    Approve { call: CallId, digest: Sha, scope: Scope, note: Option<String>, reply: Reply<()> },
    /// No to whatever card of this call is pending.
    Reject { call: CallId, note: Option<String>, reply: Reply<()> },
    /// The answer to a question.
    Answer { call: CallId, text: String, reply: Reply<()> },
    /// Take back a rule that was made with an approval.
    RevokeRule { rule: Rule, reply: Reply<()> },
    /// What a sub-agent is to do; answered when its turn is over.
    Work { task: String, reply: Reply<()> },
    /// End the turn.
    Stop(Reply<()>),
    /// End the turn, and take nothing more from the inbox before a person acts: the conversation is left behind.
    Leave(Reply<()>),
    /// Go on after an ended turn.
    Continue(Reply<()>),
    /// Summarise all but the newest messages.
    Compact { instructions: Option<String>, reply: Reply<()> },
    /// What fills the window.
    Context(Reply<ContextReport>),
    /// A title came from a model, or none did.
    Named(Box<Named>),
    /// Keep a discarded answer's text.
    Keep { request: RequestId, reply: Reply<()> },
    /// Another mode.
    SetMode { mode: Mode, reply: Reply<()> },
    /// Another model.
    SetModel { choice: Box<ModelChoice>, reply: Reply<()> },
    /// Other models to take over.
    SetFallbacks { choices: Vec<ModelChoice>, reply: Reply<()> },
    /// Other limits.
    SetLimits { limits: Limits, reply: Reply<()> },
    /// Another title.
    Rename { title: String, reply: Reply<()> },
    /// Archive, or bring back.
    Archive { archived: bool, reply: Reply<()> },
    /// Skills that can be invoked, and what is wrong with others.
    Skills(Reply<SkillList>),
    /// The prompt anew.
    RefreshPrompt(Reply<bool>),
    /// Take back what a call did to files.
    Revert { call: CallId, reply: Reply<()> },
    /// A mark on an unknown outcome.
    Resolve { call: CallId, done: bool, reply: Reply<()> },
    /// Probe an unknown outcome again.
    CheckAgain { call: CallId, reply: Reply<bool> },
}

impl Ask {
    /// Whether a sub-agent hears it: it takes its task and a stop, and nothing that would make it another one.
    pub fn is_for_agents(&self) -> bool {
        matches!(self, Self::Open(_) | Self::Standing(_) | Self::Work { .. } | Self::Stop(_))
    }
}

impl Conversation {
    /// Carries out a command and answers it.
    pub(super) async fn command(&mut self, command: Command) {
        match command.ask {
            Ask::Open(reply) => answer(reply, self.opened()),
            Ask::Standing(reply) => answer(reply, Ok(self.standing())),
            Ask::Send { text, delivery, reject, attachments, reply } => {
                self.person_acts();
                answer(reply, self.send(text, delivery, reject, attachments).await);
            }
            Ask::EditQueued { item, edit, reply } => answer(reply, self.edit_queued(item, edit).await),
            Ask::Approve { call, digest, scope, note, reply } => {
                self.person_acts();
                answer(reply, self.decide(call, digest, Answer::Approved, scope, note).await);
            }
            Ask::Reject { call, note, reply } => {
                self.person_acts();
                answer(reply, self.reject(call, note).await);
            }
            Ask::Answer { call, text, reply } => {
                self.person_acts();
                answer(reply, self.answer_question(call, &text).await);
            }
            Ask::RevokeRule { rule, reply } => answer(reply, self.revoke_rule(rule).await),
            Ask::Work { task, reply } => {
                self.held = false;
                self.begin_work(task, reply).await;
            }
            Ask::Stop(reply) => {
                self.try_again();
                answer(reply, self.stop().await);
            }
            Ask::Leave(reply) => {
                self.held = true;
                self.try_again();
                answer(reply, self.stop().await);
            }
            Ask::Continue(reply) => {
                self.person_acts();
                answer(reply, self.continue_turn().await);
            }
            Ask::Compact { instructions, reply } => {
                self.person_acts();
                answer(reply, self.compact(instructions).await);
            }
            Ask::Context(reply) => answer(reply, Ok(self.session.context())),
            Ask::Named(named) => {
                if let Err(error) = self.named(*named).await {
                    self.storage_failed(&error).await;
                }
            }
            Ask::Keep { request, reply } => answer(reply, self.keep(request).await),
            Ask::SetMode { mode, reply } => answer(reply, self.record(Payload::ModeSet { mode }).await),
            Ask::SetModel { choice, reply } => answer(reply, self.set_model(*choice).await),
            Ask::SetFallbacks { choices, reply } => {
                answer(reply, self.record(Payload::FallbacksSet { choices }).await);
            }
            Ask::SetLimits { limits, reply } => {
                let defaults = self.shared.settings().limits;
                answer(reply, self.record(Payload::LimitsSet { limits, defaults }).await);
            }
            Ask::Rename { title, reply } => {
                answer(reply, self.record(Payload::TitleSet { title, by: Decider::User }).await);
            }
            Ask::Archive { archived, reply } => {
                answer(reply, self.record(Payload::ConversationArchived { archived }).await);
            }
            Ask::Skills(reply) => answer(reply, self.skills().await),
            Ask::RefreshPrompt(reply) => answer(reply, self.refresh_prompt().await),
            Ask::Revert { call, reply } => answer(reply, self.revert(call).await),
            Ask::Resolve { call, done, reply } => answer(reply, self.resolve(call, done).await),
            Ask::CheckAgain { call, reply } => answer(reply, self.check_again(call).await),
        }
    }

    /// A person acted: what waits may go on, and a log that couldn't be written is tried again.
    fn person_acts(&mut self) {
        self.held = false;
        self.try_again();
    }

    fn try_again(&mut self) {
        if std::mem::take(&mut self.broken) {
            self.enter(Phase::Saving);
        }
    }

    pub(super) async fn record(&mut self, payload: Payload) -> Result<(), Failure> {
        self.append(vec![payload], Durability::Full).await.map_err(|error| Self::storage(&error))
    }

    fn opened(&self) -> Result<Opened, Failure> {
        let store = &self.shared.store;
        let missing = || Failure::new(Code::NotFound, "there is no such conversation");
        let row = store.row(&self.id).map_err(|error| Self::storage(&error))?.ok_or_else(missing)?;
        let page = store.newest(&self.id, SNAPSHOT_MESSAGES).map_err(|error| Self::storage(&error))?;
        let mut live = self.answering_deltas();
        live.extend(self.live.deltas());
        live.push(Delta::Phase { phase: self.phase.clone(), since: self.since });
        let draft = store.draft(&self.id).map_err(|error| Self::storage(&error))?;
        let attached = store.draft_attachments(&self.id).map_err(|error| Self::storage(&error))?;
        let usage = store.usage_of(&self.id).map_err(|error| Self::storage(&error))?;
        let (seq, todo) = (self.session.seq(), self.session.todo().to_vec());
        Ok(Opened { seq, row, events: page.events, earlier: page.earlier, live, draft, attached, usage, todo })
    }

    fn standing(&self) -> Standing {
        Standing {
            generating: self.session.is_generating(),
            phase: self.phase.clone(),
            since: self.since,
            seq: self.session.seq(),
        }
    }

    async fn send(
        &mut self,
        text: String,
        delivery: Delivery,
        reject: bool,
        attachments: Vec<Attachment>,
    ) -> Result<(), Failure> {
        if text.trim().is_empty() && (attachments.is_empty() || reject && self.session.is_pending()) {
            return Err(Failure::new(Code::Invalid, "the message is empty"));
        }
        if reject && self.session.is_pending() {
            if !attachments.is_empty() {
                return Err(Failure::new(Code::Invalid, "a rejection takes no attachments: send them afterwards"));
            }
            return self.reject_all(&text).await;
        }
        self.may_invoke(&text).await?;
        let is_busy = self.session.is_generating() || self.session.compacting().is_some();
        let is_free = !is_busy && self.session.queue().is_empty();
        if is_free && let Some(choice) = self.renewed_choice() {
            self.set_model(choice).await?;
        }
        may_send(&self.shared.store, &self.id, &attachments, self.session.choice())?;
        let message = MessageId::new(self.shared.clock.id());
        let appended = match (is_free, delivery) {
            (true, Delivery::NextTurn | Delivery::NextStep) => {
                let text = text.into();
                let skills = Vec::new();
                let said = Payload::UserMessage { message, text, delivery, context: None, attachments, skills };
                self.begin_turn(vec![said]).await
            }
            _ => {
                let item = ItemId::new(self.shared.clock.id());
                let added = Payload::QueueEdited { item, edit: QueueEdit::Added { text, delivery, attachments } };
                self.append(vec![added], Durability::Full).await
            }
        };
        appended.map_err(|error| Self::storage(&error))
    }

    async fn decide(
        &mut self,
        call: CallId,
        card: Sha,
        answer: Answer,
        scope: Scope,
        note: Option<String>,
    ) -> Result<(), Failure> {
        self.check_scope(&call, &scope)?;
        let at = self.shared.clock.now();
        let decision = Decision { call, card, answer, by: Decider::User, scope, note, at };
        match self.shared.store.decide(decision).await {
            Ok(event) => {
                self.recorded(vec![event]);
                // Whatever follows is a new phase, even if it is another wait.
                self.enter(Phase::Saving);
                #[cfg(debug_assertions)]
                assent_tools::pause::at("after-decision");
                Ok(())
            }
            Err(DecideError::Store(error)) => Err(Self::storage(&error)),
            Err(DecideError::CardChanged) => Err(Failure::new(Code::CardChanged, DecideError::CardChanged.to_string())),
            Err(error) => Err(Failure::new(Code::NotPending, error.to_string())),
        }
    }

    /// A wider scope has to be one that the card offers.
    fn check_scope(&self, call: &CallId, scope: &Scope) -> Result<(), Failure> {
        let Scope::Conversation { rule } = scope else { return Ok(()) };
        let pending = self.shared.store.pending().map_err(|error| Self::storage(&error))?;
        let card = pending.iter().find(|row| row.call == *call);
        match card {
            Some(row) if row.card.breadths.iter().any(|breadth| breadth.rule == *rule) => Ok(()),
            Some(_) => Err(Failure::new(Code::Invalid, "the card does not offer that scope")),
            None => Err(Failure::new(Code::NotPending, "nothing is pending for that call")),
        }
    }

    async fn reject(&mut self, call: CallId, note: Option<String>) -> Result<(), Failure> {
        match self.session.call(&call).map(|call| &call.state) {
            Some(CallState::Pending { card: Some(card) }) => {
                let card = *card;
                self.decide(call, card, Answer::Rejected, Scope::Once, note).await
            }
            _ => Err(Failure::new(
                Code::NotPending,
                "nothing is pending for that call: somebody decided, or it was closed",
            )),
        }
    }

    async fn reject_all(&mut self, note: &str) -> Result<(), Failure> {
        let pending: Vec<CallId> =
            self.session.calls().iter().filter(|call| call.is_pending()).map(|call| call.call.clone()).collect();
        for call in pending {
            self.reject(call, Some(note.to_owned())).await?;
        }
        Ok(())
    }

    async fn revoke_rule(&mut self, rule: Rule) -> Result<(), Failure> {
        if !self.session.rules().contains(&rule) {
            return Err(Failure::new(Code::NotFound, "there is no such rule in this conversation"));
        }
        self.record(Payload::RuleRevoked { rule }).await
    }

    async fn stop(&mut self) -> Result<(), Failure> {
        if self.session.compacting().is_some() {
            self.doing.cancel();
            self.doing = Doing::Nothing;
            let message = "stopped by the user".to_owned();
            let stopped = self.fail_compaction(CompactionFailure::Stopped, message).await;
            stopped.map_err(|error| Self::storage(&error))?;
        }
        if !self.session.is_generating() {
            return Ok(());
        }
        let recorded = match self.session.is_stopping() {
            true => Ok(()),
            false => self.record(Payload::TurnStop {}).await,
        };
        // What runs ends, whether or not the log can take it.
        self.doing.cancel();
        recorded?;
        match &self.doing {
            Doing::Answering(_) => self.cut_answer().await.map_err(|error| Self::storage(&error)),
            Doing::Queued(_) | Doing::BackingOff(_) | Doing::Blocked(_) => {
                self.doing = Doing::Nothing;
                Ok(())
            }
            Doing::Nothing | Doing::Running(_) | Doing::Asking(_) => Ok(()),
        }
    }

    async fn continue_turn(&mut self) -> Result<(), Failure> {
        if self.session.is_generating() || self.session.compacting().is_some() {
            return Err(Failure::new(Code::Invalid, "the turn is still open"));
        }
        if self.session.history().entries().is_empty() {
            return Err(Failure::new(Code::Invalid, "there is nothing to continue"));
        }
        let mut contents = Vec::new();
        let fixed = self.fixed_part(&mut contents).await.map_err(|error| Self::storage(&error))?;
        let payloads = fixed.into_iter().chain([Payload::TurnStart { cause: TurnCause::Continue }]).collect();
        self.append_with(payloads, Durability::Full, contents).await.map_err(|error| Self::storage(&error))
    }

    /// The text of a discarded answer becomes the model's message; only while nothing came after it.
    async fn keep(&mut self, request: RequestId) -> Result<(), Failure> {
        let is_over = !self.session.is_generating() && self.session.ended() != Some(EndReason::Completed);
        let page = self.shared.store.newest(&self.id, SNAPSHOT_MESSAGES).map_err(|error| Self::storage(&error))?;
        let place = page.events.iter().rposition(
            |event| matches!(&event.payload, Payload::AssistantDiscarded { request: of, .. } if *of == request),
        );
        let (before, after) = page.events.split_at(place.map_or(0, |place| place + 1));
        let discarded = before.last().and_then(|event| match &event.payload {
            Payload::AssistantDiscarded { text, .. } => Some(text.clone()),
            _ => None,
        });
        let went_on = after.iter().any(|event| {
            matches!(
                &event.payload,
                Payload::AssistantMessage(_) | Payload::UserMessage { .. } | Payload::RequestSent(_)
            )
        });
        match discarded.filter(|text| is_over && !went_on && !text.is_empty()) {
            Some(text) => {
                let message = MessageId::new(self.shared.clock.id());
                self.record(kept(message, request, &text)).await
            }
            None => Err(Failure::new(Code::Invalid, "there is no text to keep, or the conversation went on")),
        }
    }

    /// The conversation's model by the present word of the person who configured its provider; none: that changes nothing.
    fn renewed_choice(&self) -> Option<ModelChoice> {
        let choice = self.session.choice()?;
        let settings = self.shared.settings();
        let provider = models::configured(choice, &settings).filter(|provider| provider.base_url == choice.base_url)?;
        let renewed = models::by_word(choice.clone(), provider);
        (renewed != *choice).then_some(renewed)
    }

    async fn set_model(&mut self, choice: ModelChoice) -> Result<(), Failure> {
        let mut choice = choice;
        self.shared.learned(&mut choice);
        self.model = None;
        self.record(Payload::ModelSet { choice, learned: false }).await?;
        let mut contents = Vec::new();
        if self.session.history().entries().is_empty() {
            return Ok(());
        }
        match self.tools_set(&mut contents) {
            Some(set) => {
                self.append_with(vec![set], Durability::Full, contents).await.map_err(|error| Self::storage(&error))
            }
            None => Ok(()),
        }
    }

    async fn resolve(&mut self, call: CallId, done: bool) -> Result<(), Failure> {
        if !self.session.is_unresolved(&call) {
            return Err(Failure::new(Code::NotPending, "the outcome of that call is not unknown"));
        }
        let mark = if done { Mark::Done } else { Mark::NotDone };
        self.record(Payload::ToolResolved { call, mark }).await
    }

    async fn check_again(&mut self, call: CallId) -> Result<bool, Failure> {
        if !self.session.is_unresolved(&call) {
            return Err(Failure::new(Code::NotPending, "the outcome of that call is not unknown"));
        }
        let events = self.shared.store.fold_events(&self.id).map_err(|error| Self::storage(&error))?;
        let intent = events.iter().rev().find_map(|event| match &event.payload {
            Payload::ToolStarted { call: started, intent, .. } if *started == call => intent.clone(),
            _ => None,
        });
        let Some(intent) = intent else { return Ok(false) };
        let mark = match self.probe(intent).await {
            Probe::Done(effects) => {
                self.remember_change(&effects).await.map_err(|error| Self::storage(&error))?;
                Mark::Done
            }
            Probe::NotDone => Mark::NotDone,
            Probe::Unknown => return Ok(false),
        };
        self.record(Payload::ToolResolved { call, mark }).await?;
        Ok(true)
    }
}

/// Answers, unless the asker is gone.
fn answer<T>(reply: Reply<T>, result: Result<T, Failure>) {
    drop(reply.send(result));
}
