//! Summaries: what has become long is read by a model in pieces, and its summary takes the place of what was read.
//! When, of what, and whether the summary will do is the fold's answer; a failure leaves everything as it was.

use std::sync::{Arc, Mutex};

use assent_llm::{Model, ModelCall, ModelFailure};
use assent_protocol::event::{CompactionCause, CompactionFailure, Event, Payload, Purpose, RequestSent};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{CompactionId, RequestId};
use assent_protocol::settings::ModelChoice;
use assent_protocol::signal::Phase;
use assent_protocol::view::{FailureKind, ModelView, Protocol, ToolChoice, ViewMessage};
use assent_session::CompactionPlan;
use assent_store::{Durability, StoreError};
use tokio_util::sync::CancellationToken;

use super::asking::{Told, ask};
use super::doing::{Asking, Doing};
use super::{Conversation, Step, looked_into};
use crate::replay::builder;

/// Share of the room for a request that a piece takes at most: its frame and an estimate that is off need the rest.
const PIECE: f64 = 0.8;
/// Weight of a piece at least: a window that somebody set far too small mustn't cost a request for each word.
const LEAST_PIECE: f64 = 500.0;
/// Longest instructions of a person, in characters.
const INSTRUCTIONS: usize = 2_000;

impl Conversation {
    /// Begins a summary on a person's wish.
    pub(super) async fn compact(&mut self, instructions: Option<String>) -> Result<(), Failure> {
        let invalid = |words: &str| Failure::new(Code::Invalid, words);
        if self.session.is_generating() || self.session.compacting().is_some() {
            return Err(invalid("not while a turn runs or a summary is being made"));
        }
        let instructions = instructions.map(|words| words.trim().to_owned()).filter(|words| !words.is_empty());
        if instructions.as_ref().is_some_and(|words| words.chars().count() > INSTRUCTIONS) {
            return Err(invalid("the instructions are too long: 2,000 characters at most"));
        }
        if self.askable(Purpose::Compaction).is_empty() {
            return Err(invalid("the practice model can't summarise: pick another model"));
        }
        let plan = self.session.plan_compaction(CompactionCause::Person);
        let plan = plan.ok_or_else(|| invalid("there is nothing to summarise yet but the newest messages"))?;
        self.begin_compaction(plan, instructions).await.map_err(|error| Self::storage(&error))
    }

    /// Begins a summary of this span.
    pub(super) async fn begin_compaction(
        &mut self,
        plan: CompactionPlan,
        instructions: Option<String>,
    ) -> Result<(), StoreError> {
        let CompactionPlan { cause, until, messages, tokens_before } = plan;
        let compaction = CompactionId::new(self.shared.clock.id());
        let rooms = self.askable(Purpose::Compaction).iter().map(room).reduce(f64::min);
        // A window that has just proved to be smaller than it was thought is not filled again.
        let share = if cause == CompactionCause::TooLong { PIECE / 2.0 } else { PIECE };
        let piece = (rooms.unwrap_or_default() * share).max(LEAST_PIECE);
        let started =
            Payload::CompactionStart { compaction, cause, until, messages, piece, tokens_before, instructions };
        self.append(vec![started], Durability::Full).await
    }

    /// Models that may be asked for something on the side, in order.
    pub(super) fn askable(&self, purpose: Purpose) -> Vec<ModelChoice> {
        let asides = self.shared.settings().asides;
        let configured = match purpose {
            Purpose::Title => asides.title,
            _ => asides.compaction,
        };
        let own = || self.session.choice().into_iter().chain(self.session.fallbacks()).cloned().collect();
        let mut choices: Vec<ModelChoice> = if configured.is_empty() { own() } else { configured };
        choices.retain(|choice| choice.protocol != Protocol::Practice);
        choices
    }

    /// Asks for the next part.
    pub(super) async fn summarise(&mut self) -> Result<Step, StoreError> {
        let Some(compacting) = self.session.compacting() else { return Ok(Step::Again) };
        let (fallen, attempt) = (compacting.fallen, compacting.attempts + 1);
        let shorter = compacting.is_shorter();
        let last = compacting.failure.clone();
        let Some(choice) = self.askable(Purpose::Compaction).into_iter().nth(fallen) else {
            let message = last.unwrap_or_else(|| "there is no model that could summarise".to_owned());
            return self.fail_compaction(CompactionFailure::Model, message).await;
        };
        self.enter(Phase::Compacting);
        let model = match self.shared.models.get(&choice, self.shared.host.as_ref(), &self.shared.settings()) {
            Ok(model) => model,
            Err(message) => return self.not_asked(attempt, message).await,
        };
        let Some(view) = self.session.aside_view(Purpose::Compaction, &choice.model) else { return Ok(Step::Again) };
        let call = self.side_call(&choice, model.as_ref(), view);
        let sent = self.side_request(Purpose::Compaction, &choice, model.as_ref(), &call);
        let sent = RequestSent { attempt, shorter, ..sent };
        let (request, cancel) = (sent.request.clone(), call.cancel.clone());
        self.append(vec![Payload::RequestSent(sent)], Durability::Light).await?;
        let told = ask(Arc::clone(&self.shared.slots), self.id.clone(), model, call);
        self.doing = Doing::Asking(Box::new(Asking { request, choice, cancel, told: Mutex::new(Box::pin(told)) }));
        Ok(Step::Rest)
    }

    /// A call for a view that isn't the conversation's own.
    pub(super) fn side_call(&self, choice: &ModelChoice, model: &dyn Model, view: ModelView) -> ModelCall {
        let view = Arc::new(view);
        let body = model.body(&view, None);
        ModelCall { body, view, cancel: CancellationToken::new(), timeouts: self.timeouts_of(choice) }
    }

    /// What is recorded of it.
    pub(super) fn side_request(
        &self,
        purpose: Purpose,
        choice: &ModelChoice,
        model: &dyn Model,
        call: &ModelCall,
    ) -> RequestSent {
        let is_own = self.session.choice() == Some(choice);
        let texts = || call.view.messages.iter().map(|message| text_of(message)).chain([call.view.system.as_ref()]);
        let weight: f64 = texts().map(assent_session::weigh).sum();
        RequestSent {
            request: RequestId::new(self.shared.clock.id()),
            attempt: 1,
            purpose,
            provider: choice.label.clone(),
            model: choice.model.clone(),
            protocol: choice.protocol,
            builder: builder(model, purpose),
            tool_choice: ToolChoice::Auto,
            digest: call.body.digest,
            bytes: call.body.bytes.len() as u64,
            prefix: 0,
            stable: call.body.stable,
            characters: texts().map(assent_session::characters).sum(),
            estimate: (weight * choice.coefficient).ceil() as u64,
            choice: (!is_own).then(|| Box::new(choice.clone())),
            shorter: false,
        }
    }

    /// The answer came, or didn't.
    pub(super) async fn told(&mut self, told: Result<Told, ModelFailure>) -> Result<(), StoreError> {
        let Doing::Asking(asking) = std::mem::replace(&mut self.doing, Doing::Nothing) else { return Ok(()) };
        let Asking { request, choice, .. } = *asking;
        let Some(compacting) = self.session.compacting() else { return Ok(()) };
        let compaction = compacting.compaction.clone();
        let attempt = compacting.attempts + 1;
        let payloads = match told {
            Ok(Told { text, usage }) => {
                let usage = self.usage(request, Purpose::Compaction, &choice, usage.unwrap_or_default(), 0.0);
                vec![Payload::CompactionPart { compaction, text: text.into() }, usage]
            }
            Err(ModelFailure { failure, message, retry_after_ms, .. }) => {
                let may_retry = is_worth_another(failure) && attempt <= self.session.limits().retries;
                let retry_in_ms = may_retry.then(|| self.wait_before(attempt, retry_after_ms));
                vec![Payload::RequestFailed { request, failure, message, attempt, retry_in_ms }]
            }
        };
        self.append(payloads, Durability::Light).await
    }

    /// The request could not even be made.
    async fn not_asked(&mut self, attempt: u32, message: String) -> Result<Step, StoreError> {
        let request = RequestId::new(self.shared.clock.id());
        let failure = FailureKind::BadRequest;
        let failed = Payload::RequestFailed { request, failure, message, attempt, retry_in_ms: None };
        self.append(vec![failed], Durability::Light).await?;
        Ok(Step::Again)
    }

    /// The summary takes its place; prompt, tools and memory are read anew, since the prefix moves anyway.
    pub(super) async fn end_compaction(&mut self) -> Result<Step, StoreError> {
        let Some(compacting) = self.session.compacting() else { return Ok(Step::Again) };
        let Some(summary) = compacting.summary().cloned() else { return Ok(Step::Again) };
        let (compaction, tokens_before) = (compacting.compaction.clone(), compacting.tokens_before);
        let kept = self.session.kept_facts().map(Into::into);
        let mut contents = Vec::new();
        let fresh = self.fresh_fixed_part(&mut contents).await?;
        let mut end = Payload::CompactionEnd { compaction, summary, kept, tokens_before, tokens_after: 0 };
        let mut after = self.session.clone();
        let event = |payload: &Payload| Event {
            conversation: self.id.clone(),
            seq: self.session.seq() + 1,
            at: 0,
            payload: payload.clone(),
        };
        fresh.iter().chain([&end]).for_each(|payload| after.apply(&event(payload)));
        if let Payload::CompactionEnd { tokens_after, .. } = &mut end {
            *tokens_after = after.estimate();
        }
        let payloads = [end].into_iter().chain(fresh).collect();
        self.append_with(payloads, Durability::Full, contents).await?;
        // Rules of folders that went with the span come again with the next result from there.
        self.looked_into = Arc::new(Mutex::new(looked_into(&self.session)));
        Ok(Step::Again)
    }

    /// There is no summary.
    pub(super) async fn fail_compaction(
        &mut self,
        cause: CompactionFailure,
        message: String,
    ) -> Result<Step, StoreError> {
        if let Some(compacting) = self.session.compacting() {
            let compaction = compacting.compaction.clone();
            self.append(vec![Payload::CompactionFailed { compaction, cause, message }], Durability::Full).await?;
        }
        Ok(Step::Again)
    }
}

/// Whether asking the same model again may help: nothing of the answer was used, so it may also when it broke off.
fn is_worth_another(failure: FailureKind) -> bool {
    failure.is_retryable()
        || matches!(failure, FailureKind::Disconnected | FailureKind::IdleTimeout | FailureKind::InStream)
}

/// Weight that a request to a model may have.
fn room(choice: &ModelChoice) -> f64 {
    assent_session::budget(choice.window) / choice.coefficient
}

fn text_of(message: &ViewMessage) -> &str {
    match message {
        ViewMessage::User { text, .. } | ViewMessage::Assistant { text, .. } | ViewMessage::ToolResult { text, .. } => {
            text
        }
    }
}
