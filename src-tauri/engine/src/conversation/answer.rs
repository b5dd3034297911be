//! One model call: request recorded, stream read, text coalesced into chunks, the answer recorded.
//! It never retries by itself: a failure is recorded, and the fold says whether there is another attempt.

use std::sync::{Arc, Mutex};

use assent_llm::{CallPart, Finish, Model, ModelCall, ModelFailure, ModelItem};
use assent_protocol::event::{AssistantMessage, Part, Payload, ProposedCall, RequestSent};
use assent_protocol::ids::{CallId, MessageId, RequestId, Sha};
use assent_protocol::settings::ModelChoice;
use assent_protocol::signal::{Delta, Phase};
use assent_protocol::view::{FailureKind, ToolChoice};
use assent_session::Texts;
use assent_store::{Durability, StoreError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::doing::{Answering, Doing};
use super::writing::Writing;
use super::{Conversation, Step};
use crate::attachments::contents;
use crate::slots::Permit;

/// Waits before the attempts after the first, in milliseconds (spec part 3), each ±25 %.
const BACK_OFF_MS: [u64; 3] = [1_000, 2_000, 4_000];
/// Attempts at most of which one may differ from the one before, because of what the server said.
const ADAPTATIONS: u32 = 5;
/// A server's own wish is obeyed up to this (spec part 3).
const LONGEST_WAIT_MS: u64 = 60_000;

impl Conversation {
    /// Records the request, with the iteration that begins with it, and opens its stream.
    pub(super) async fn open_stream(&mut self, permit: Permit, tool_choice: ToolChoice) -> Result<Step, StoreError> {
        self.follow_settings().await?;
        let model = match self.model() {
            Ok(model) => model,
            Err(message) => return self.not_sent(message).await,
        };
        let mut payloads = self.iteration_start();
        let texts = Texts {
            system: self.text(self.session.prompt())?,
            tools: self.text(self.session.tools())?,
            memory: self.text(self.session.memory())?,
        };
        self.contents = contents(&self.shared.store, self.session.history().shown(), &self.contents)?;
        let view = Arc::new(self.session.view(texts, tool_choice, Arc::clone(&self.contents)));
        let body = model.body(&view, self.body.take());
        self.body = Some(body.clone());
        let request = RequestId::new(self.shared.clock.id());
        let Some(choice) = self.session.choice().cloned() else {
            return self.not_sent("the conversation has no model".to_owned()).await;
        };
        let sent = RequestSent {
            request: request.clone(),
            attempt: self.session.attempts() + 1,
            purpose: self.purpose(),
            provider: choice.label.clone(),
            model: choice.model.clone(),
            protocol: choice.protocol,
            builder: model.builder().to_owned(),
            tool_choice,
            digest: body.digest,
            bytes: body.bytes.len() as u64,
            prefix: body.shared_prefix,
            stable: body.stable,
            characters: self.session.history().characters(),
            estimate: self.session.estimate(),
            choice: None,
            shorter: false,
        };
        payloads.push(Payload::RequestSent(sent));
        self.append(payloads, Durability::Light).await?;
        self.enter(Phase::Connecting);
        let cancel = CancellationToken::new();
        let timeouts = self.timeouts();
        let stream = model.stream(ModelCall { body, view, cancel: cancel.clone(), timeouts });
        self.doing = Doing::Answering(Box::new(Answering {
            request,
            choice,
            stream: Mutex::new(stream),
            cancel,
            permit: Some(permit),
            text: String::new(),
            reasoning: String::new(),
            unwritten: None,
            write_at: Instant::now(),
            weight: self.session.weight(),
            writing: Vec::new(),
            told: None,
        }));
        Ok(Step::Rest)
    }

    /// The start of an iteration, where none is open.
    pub(super) fn iteration_start(&self) -> Vec<Payload> {
        if self.session.has_open_iteration() {
            return Vec::new();
        }
        let (in_turn, since_human) = self.session.iteration();
        vec![Payload::IterationStart { since_human: since_human + 1, in_turn: in_turn + 1 }]
    }

    /// No request could be made: recorded as a failed one, so that the turn ends in words.
    async fn not_sent(&mut self, message: String) -> Result<Step, StoreError> {
        let mut payloads = self.iteration_start();
        payloads.push(Payload::RequestFailed {
            request: RequestId::new(self.shared.clock.id()),
            failure: FailureKind::BadRequest,
            message,
            attempt: self.session.attempts() + 1,
            retry_in_ms: None,
        });
        self.append(payloads, Durability::Light).await?;
        Ok(Step::Again)
    }

    /// The model of the conversation; its key is read anew when the choice changed.
    fn model(&mut self) -> Result<Arc<dyn Model>, String> {
        let choice = self.session.choice().ok_or("the conversation has no model")?;
        let name = format!("{:?} {} {}", choice.protocol, choice.base_url, choice.model);
        if let Some((known, model)) = &self.model
            && *known == name
        {
            return Ok(Arc::clone(model));
        }
        let model = self.shared.models.get(choice, self.shared.host.as_ref(), &self.shared.settings())?;
        self.model = Some((name, Arc::clone(&model)));
        self.body = None;
        Ok(model)
    }

    /// The text of a stored content, kept while the conversation runs.
    fn text(&mut self, stored: Option<assent_protocol::tool::Stored>) -> Result<Arc<str>, StoreError> {
        let Some(stored) = stored else { return Ok("".into()) };
        if let Some((_, text)) = self.texts.iter().find(|(hash, _)| *hash == stored.hash) {
            return Ok(Arc::clone(text));
        }
        let missing =
            || StoreError::Damaged { message: format!("content {} of the conversation is missing", stored.hash) };
        let bytes = self.shared.store.content(stored.hash)?.ok_or_else(missing)?;
        let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
        self.texts.push((stored.hash, Arc::clone(&text)));
        Ok(text)
    }

    /// Takes a batch of stream items.
    pub(super) async fn items(&mut self, items: Option<Vec<ModelItem>>) -> Result<(), StoreError> {
        let Some(items) = items else {
            let message = "the stream ended without saying why".to_owned();
            let failure = FailureKind::Disconnected;
            let opened = true;
            return self.failed(ModelFailure { failure, message, status: None, retry_after_ms: None, opened }).await;
        };
        for item in items {
            match item {
                ModelItem::Opened => self.enter(Phase::FirstToken),
                ModelItem::Alive => {}
                ModelItem::Usage(usage) => {
                    if let Doing::Answering(answering) = &mut self.doing {
                        answering.told = Some(usage);
                    }
                }
                ModelItem::Text(text) => self.streamed(Part::Text, &text).await?,
                ModelItem::Reasoning(text) => self.streamed(Part::Reasoning, &text).await?,
                ModelItem::Call(part) => self.writing(&part),
                ModelItem::Finished(finish) => return self.finished(finish).await,
                ModelItem::Failed(failure) => return self.failed(failure).await,
            }
        }
        Ok(())
    }

    async fn streamed(&mut self, part: Part, text: &str) -> Result<(), StoreError> {
        if text.is_empty() {
            return Ok(());
        }
        self.enter(if part == Part::Text { Phase::Writing } else { Phase::Thinking });
        let Doing::Answering(answering) = &self.doing else { return Ok(()) };
        if answering.must_write_before(part) {
            self.write_chunk().await?;
        }
        let Doing::Answering(answering) = &mut self.doing else { return Ok(()) };
        let offset = if part == Part::Text { answering.text.len() } else { answering.reasoning.len() } as u64;
        let request = answering.request.clone();
        let is_enough = answering.take(part, text);
        self.shared.bus.delta(&self.id, Delta::Text { request, part, offset, text: text.to_owned() });
        if is_enough {
            self.write_chunk().await?;
        }
        Ok(())
    }

    /// Writes the text that isn't in the log yet.
    pub(super) async fn write_chunk(&mut self) -> Result<(), StoreError> {
        match self.chunk() {
            Some(chunk) => self.append(vec![chunk], Durability::Light).await,
            None => Ok(()),
        }
    }

    fn chunk(&mut self) -> Option<Payload> {
        let Doing::Answering(answering) = &mut self.doing else { return None };
        let (part, offset, text) = answering.unwritten()?;
        Some(Payload::AssistantChunk { request: answering.request.clone(), part, offset, text })
    }

    /// A call that is still being written is already visible.
    fn writing(&mut self, part: &CallPart) {
        self.enter(Phase::Writing);
        let Doing::Answering(answering) = &mut self.doing else { return };
        let index = part.index as usize;
        if answering.writing.len() <= index {
            answering.writing.resize_with(index + 1, Writing::default);
        }
        let writing = &mut answering.writing[index];
        writing.name.clone_from(&part.name);
        writing.read(&part.arguments);
        let delta = Delta::Writing {
            request: answering.request.clone(),
            index: part.index,
            name: writing.name.clone(),
            target: writing.target.clone(),
            lines: writing.lines,
        };
        self.shared.bus.delta(&self.id, delta);
    }

    /// The answer is whole: recorded, its calls with ids of our own.
    async fn finished(&mut self, finish: Finish) -> Result<(), StoreError> {
        let chunk = self.chunk();
        let Doing::Answering(answering) = std::mem::replace(&mut self.doing, Doing::Nothing) else { return Ok(()) };
        let Answering { request, choice, permit, text, reasoning, weight, .. } = *answering;
        drop(permit);
        let words = finish.words.filter(|_| text.is_empty());
        let calls = finish.calls.into_iter().map(|call| ProposedCall {
            call: CallId::new(self.shared.clock.id()),
            provider_id: call.provider_id,
            name: call.name,
            arguments: call.arguments,
        });
        let message = AssistantMessage {
            message: MessageId::new(self.shared.clock.id()),
            request: request.clone(),
            text: words.map_or_else(|| text.into(), Into::into),
            reasoning: reasoning.into(),
            calls: calls.collect(),
            finish: Some(finish.reason),
            partial: false,
            items: finish.items,
        };
        let mut payloads: Vec<Payload> = chunk.into_iter().collect();
        payloads.push(Payload::AssistantMessage(message));
        payloads.extend(finish.usage.map(|usage| self.usage(request, self.purpose(), &choice, usage, weight)));
        self.append(payloads, Durability::Light).await
    }

    /// The attempt failed: before the answer began it may be repeated, after that it is evidence.
    async fn failed(&mut self, failed: ModelFailure) -> Result<(), StoreError> {
        self.follow_settings().await?;
        let chunk = self.chunk();
        let Doing::Answering(answering) = std::mem::replace(&mut self.doing, Doing::Nothing) else { return Ok(()) };
        let attempt = self.session.attempts();
        let mut payloads: Vec<Payload> = chunk.into_iter().collect();
        let ModelFailure { failure, message, retry_after_ms, opened, .. } = failed;
        let request = answering.request.clone();
        if !opened
            && attempt <= ADAPTATIONS
            && let Some((choice, words)) = self.session.choice().and_then(|choice| adapted(choice, failure))
        {
            drop(answering);
            let message = format!("{}. {words}", message.trim_end_matches('.'));
            let failed = Payload::RequestFailed { request, failure, message, attempt, retry_in_ms: Some(0) };
            return self.go_on_with(choice, failed).await;
        }
        if opened && failure != FailureKind::ContextTooLong {
            payloads.push(Payload::AssistantDiscarded { request, failure, message, text: answering.text.clone() });
        } else {
            let may_retry = attempt <= self.session.limits().retries;
            let retry_in_ms = match failure {
                // The key may have been changed where it is kept: then it is tried at once.
                FailureKind::Unauthorized | FailureKind::Forbidden => (self.has_new_key() && may_retry).then_some(0),
                _ => (failure.is_retryable() && may_retry).then(|| self.wait_before(attempt, retry_after_ms)),
            };
            payloads.push(Payload::RequestFailed { request, failure, message, attempt, retry_in_ms });
        }
        payloads.extend(self.unfinished_usage(&answering));
        drop(answering);
        self.append(payloads, Durability::Light).await
    }

    /// Whether the present model's key is another one now than the one that was refused.
    fn has_new_key(&mut self) -> bool {
        self.model = None;
        let Some(choice) = self.session.choice() else { return false };
        self.shared.models.has_new_key(choice, self.shared.host.as_ref(), &self.shared.settings())
    }

    /// The attempt failed for something that this model can't: the next ones do without it.
    async fn go_on_with(&mut self, choice: ModelChoice, failed: Payload) -> Result<(), StoreError> {
        self.model = None;
        self.append(vec![failed, Payload::ModelSet { choice, learned: true }], Durability::Light).await?;
        self.fit_tools().await
    }

    /// How long to wait before the attempt after `attempt`, jitter included.
    pub(super) fn wait_before(&self, attempt: u32, asked: Option<u64>) -> u64 {
        if let Some(asked) = asked {
            return asked.min(LONGEST_WAIT_MS);
        }
        let index = (attempt.saturating_sub(1) as usize).min(BACK_OFF_MS.len() - 1);
        let base = BACK_OFF_MS[index];
        let dice = Sha::of(self.shared.clock.id().as_bytes()).as_bytes()[0];
        base * 3 / 4 + base * u64::from(dice) / 510
    }

    /// A person stopped the answer: text that arrived is kept, the message marked partial.
    pub(super) async fn cut_answer(&mut self) -> Result<(), StoreError> {
        let chunk = self.chunk();
        let Doing::Answering(answering) = std::mem::replace(&mut self.doing, Doing::Nothing) else { return Ok(()) };
        answering.cancel.cancel();
        let request = answering.request.clone();
        let mut payloads: Vec<Payload> = chunk.into_iter().collect();
        if answering.text.is_empty() {
            payloads.push(Payload::RequestFailed {
                request,
                failure: FailureKind::Stopped,
                message: "stopped before any text came".to_owned(),
                attempt: self.session.attempts(),
                retry_in_ms: None,
            });
        } else {
            payloads.push(Payload::AssistantMessage(AssistantMessage {
                message: MessageId::new(self.shared.clock.id()),
                request,
                text: answering.text.as_str().into(),
                reasoning: answering.reasoning.as_str().into(),
                calls: Vec::new(),
                finish: None,
                partial: true,
                items: Vec::new(),
            }));
        }
        payloads.extend(self.unfinished_usage(&answering));
        drop(answering);
        self.append(payloads, Durability::Full).await
    }

    /// What is being answered now, as deltas for a snapshot.
    pub(super) fn answering_deltas(&self) -> Vec<Delta> {
        let Doing::Answering(answering) = &self.doing else { return Vec::new() };
        let text = |part: Part, text: &str| Delta::Text {
            request: answering.request.clone(),
            part,
            offset: 0,
            text: text.to_owned(),
        };
        let parts = [(Part::Reasoning, &answering.reasoning), (Part::Text, &answering.text)];
        let texts = parts.into_iter().filter(|(_, whole)| !whole.is_empty()).map(|(part, whole)| text(part, whole));
        let writing = answering.writing.iter().enumerate().map(|(index, writing)| Delta::Writing {
            request: answering.request.clone(),
            index: u32::try_from(index).unwrap_or(u32::MAX),
            name: writing.name.clone(),
            target: writing.target.clone(),
            lines: writing.lines,
        });
        texts.chain(writing).collect()
    }
}

/// What a model turned out not to take, taken from the choice (spec part 3), with the words that say so; none: there is
/// nothing to change.
fn adapted(choice: &ModelChoice, failure: FailureKind) -> Option<(ModelChoice, &'static str)> {
    match failure {
        FailureKind::NoTools if choice.tools => {
            Some((ModelChoice { tools: false, ..choice.clone() }, "The conversation goes on without tools"))
        }
        FailureKind::NullContent if !choice.empty_text => Some((
            ModelChoice { empty_text: true, ..choice.clone() },
            "It is sent again with an empty text in the place of null",
        )),
        FailureKind::WantsReasoning if !choice.echo_reasoning => Some((
            ModelChoice { echo_reasoning: true, ..choice.clone() },
            "It is sent again with the reasoning of earlier answers",
        )),
        FailureKind::RefusesReasoning if choice.echo_reasoning => Some((
            ModelChoice { echo_reasoning: false, ..choice.clone() },
            "It is sent again without the reasoning of earlier answers",
        )),
        FailureKind::NoEncryptedReasoning if !choice.without_encrypted => Some((
            ModelChoice { without_encrypted: true, ..choice.clone() },
            "It is sent again without asking for reasoning",
        )),
        _ => None,
    }
}
