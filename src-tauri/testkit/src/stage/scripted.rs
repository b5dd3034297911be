//! The model inside of the process: bodies are made by the real provider, answers come from the script.
//! It opens no connection. A request for which the script has no answer is noted and fails.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use assent_llm::{
    Body, CallPart, Finish, FinishedCall, Model, ModelCall, ModelFailure, ModelItem, ModelStream, Provider,
    ProviderConfig,
};
use assent_protocol::view::{FailureKind, ModelView, Protocol, ViewMessage};
use futures_util::stream;

use super::answer::{Answer, End, Piece, label, status};
use super::gates::Gates;
use super::random::{self, Dice};

/// An address that no request is ever sent to.
pub(super) const NOWHERE: &str = "http://127.0.0.1:9/v1";

/// The answers of a script, by the name of the model that gives them.
#[derive(Clone, Default)]
pub(super) struct Answers(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    by_model: BTreeMap<String, VecDeque<Answer>>,
    /// Makes answers up when there are none.
    dice: Option<Dice>,
    unanswered: Vec<String>,
}

impl Answers {
    pub(super) fn add(&self, model: &str, answers: impl IntoIterator<Item = Answer>) {
        self.with(|waiting| waiting.by_model.entry(model.to_owned()).or_default().extend(answers));
    }

    /// From now on there is always an answer: whatever the seed makes of it.
    pub(super) fn make_up(&self, seed: u64) {
        self.with(|waiting| waiting.dice = Some(Dice::new(seed)));
    }

    /// The next answer: of the sub-agent with this task, else of this model.
    fn take(&self, view: &ModelView) -> Option<Answer> {
        let task = match view.messages.first().map(AsRef::as_ref) {
            Some(ViewMessage::User { text, .. }) => Some(text.as_str()),
            _ => None,
        };
        self.with(|waiting| {
            let model = task.filter(|task| waiting.by_model.contains_key(*task)).unwrap_or(&view.model);
            let next = waiting.by_model.get_mut(model).and_then(VecDeque::pop_front);
            let next = next.or_else(|| waiting.dice.as_mut().map(random::answer));
            if next.is_none() {
                waiting.unanswered.push(model.to_owned());
            }
            next
        })
    }

    /// What is left over on either side: answers that nobody asked for, and requests without an answer.
    pub(super) fn left_over(&self) -> Vec<String> {
        self.with(|waiting| {
            let unasked = waiting.by_model.iter().filter(|(_, answers)| !answers.is_empty());
            let unasked =
                unasked.map(|(model, answers)| format!("{model}: {} answers were not asked for", answers.len()));
            let unanswered = waiting.unanswered.iter().map(|model| format!("{model}: a request too many"));
            unasked.chain(unanswered).collect()
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Waiting) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The scripted model.
pub(super) struct Scripted {
    answers: Answers,
    gates: Gates,
    maker: Provider,
}

impl Scripted {
    pub(super) fn new(answers: Answers, gates: Gates) -> Result<Self, String> {
        let config = ProviderConfig::new(Protocol::ChatCompletions, NOWHERE);
        let maker = Provider::new(config).map_err(|error| error.to_string())?;
        Ok(Self { answers, gates, maker })
    }
}

impl Model for Scripted {
    fn builder(&self) -> &'static str {
        self.maker.builder()
    }

    fn body(&self, view: &ModelView, previous: Option<Body>) -> Body {
        self.maker.body(view, previous)
    }

    fn stream(&self, call: ModelCall) -> ModelStream {
        let playing = match self.answers.take(&call.view) {
            Some(answer) => Playing::new(answer, self.gates.clone()),
            None => Playing::unanswered(self.gates.clone()),
        };
        let (cancel, timeouts) = (call.cancel, call.timeouts);
        Box::pin(stream::unfold(Some(playing), move |playing| {
            let cancel = cancel.clone();
            async move {
                let mut playing = playing?;
                let opened = playing.opened;
                // A gate is passed whole or not at all: what waits there longer than it may has failed.
                let limit = if opened { timeouts.idle } else { timeouts.first_byte };
                let item = tokio::select! {
                    biased;
                    () = cancel.cancelled() => failed(FailureKind::Stopped, "stopped".to_owned(), opened),
                    item = playing.next() => item,
                    () = tokio::time::sleep(limit) => silent(limit, opened),
                };
                let is_last = matches!(item, ModelItem::Finished(_) | ModelItem::Failed(_));
                Some((vec![item], if is_last { None } else { Some(playing) }))
            }
        }))
    }
}

/// An answer on its way.
struct Playing {
    pieces: VecDeque<Piece>,
    answer: Answer,
    gates: Gates,
    opened: bool,
    calls: Vec<FinishedCall>,
}

impl Playing {
    fn new(answer: Answer, gates: Gates) -> Self {
        Self { pieces: answer.pieces.clone().into(), answer, gates, opened: false, calls: Vec::new() }
    }

    fn unanswered(gates: Gates) -> Self {
        Self::new(super::answer::refused(FailureKind::BadRequest, "the script has no answer"), gates)
    }

    async fn next(&mut self) -> ModelItem {
        if let End::Refused { failure, words, retry_after_s } = &self.answer.end {
            let message = format!("{} (HTTP {}): {words}", what(*failure), status(*failure));
            return ModelItem::Failed(ModelFailure {
                failure: *failure,
                message,
                status: Some(status(*failure)),
                retry_after_ms: retry_after_s.map(|seconds| seconds * 1000),
                opened: false,
            });
        }
        if !self.opened {
            self.opened = true;
            return ModelItem::Opened;
        }
        match self.pieces.pop_front() {
            Some(Piece::Think(text)) => ModelItem::Reasoning(text),
            Some(Piece::Say(text)) => ModelItem::Text(text),
            Some(Piece::Told(usage)) => ModelItem::Usage(usage),
            Some(Piece::Gate(gate)) => {
                self.gates.pass(&gate).await;
                ModelItem::Alive
            }
            Some(Piece::Call { id, name, arguments }) => {
                let index = self.calls.len();
                let provider_id = Some(id.unwrap_or_else(|| label(index)));
                self.calls.push(FinishedCall { provider_id, name: name.clone(), arguments: arguments.clone() });
                ModelItem::Call(CallPart { index: u32::try_from(index).unwrap_or(u32::MAX), name, arguments })
            }
            None => self.end(),
        }
    }

    fn end(&mut self) -> ModelItem {
        if let End::Broken(failure) = self.answer.end {
            return failed(failure, "the connection broke off".to_owned(), true);
        }
        ModelItem::Finished(Finish {
            reason: self.answer.reason(),
            calls: std::mem::take(&mut self.calls),
            items: Vec::new(),
            usage: self.answer.usage,
            words: None,
        })
    }
}

fn failed(failure: FailureKind, message: String, opened: bool) -> ModelItem {
    let status = opened.then_some(200);
    ModelItem::Failed(ModelFailure { failure, message, status, retry_after_ms: None, opened })
}

fn silent(limit: std::time::Duration, opened: bool) -> ModelItem {
    let (failure, what) = match opened {
        true => (FailureKind::IdleTimeout, "the answer stood still for"),
        false => (FailureKind::FirstByteTimeout, "no answer within"),
    };
    failed(failure, format!("{what} {} s", limit.as_secs()), opened)
}

/// The words that the real provider has for these.
fn what(failure: FailureKind) -> &'static str {
    match failure {
        FailureKind::Unauthorized => "the key is missing or wrong",
        FailureKind::Forbidden => "access is refused",
        FailureKind::NotFound => "there is no such endpoint or model",
        FailureKind::ContextTooLong => "the request is too large",
        FailureKind::RateLimited => "too many requests",
        FailureKind::Server => "the server has a problem",
        _ => "the request was refused",
    }
}
