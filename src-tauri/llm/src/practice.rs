//! The practice model: built in, offline, and no language model. It understands a handful of requests in English and
//! Chinese, works out its calls from them, and answers from what the tools really returned.
//! Makes nothing up: what it doesn't understand it says, and what it is it says too.

mod answer;
mod progress;
mod request;
mod tool_call;

use std::time::Duration;

use assent_protocol::view::{FailureKind, FinishReason, ModelView, Usage, ViewMessage};
use futures_util::stream;
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use crate::chat_completions::BodyForm;
use crate::item::{CallPart, Finish, FinishedCall, ModelFailure, ModelItem};
use crate::model::{Body, Model, ModelCall, ModelStream};
use crate::wire_format::WireFormat as _;

/// The model's name.
pub const NAME: &str = "practice";

/// Pause between two words: slow enough to be seen as a stream, fast enough not to be waited for.
const PACE: Duration = Duration::from_millis(8);

/// The practice model.
#[derive(Debug)]
pub struct Practice {
    form: BodyForm,
    pace: Duration,
}

/// What it says and calls in answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The words.
    pub text: String,
    /// The calls.
    pub calls: Vec<FinishedCall>,
}

impl Practice {
    /// At its usual pace.
    pub fn new() -> Self {
        Self::with_pace(PACE)
    }

    /// With another pause between words.
    pub fn with_pace(pace: Duration) -> Self {
        Self { form: BodyForm::new(false, false, true, &Map::new()), pace }
    }
}

impl Default for Practice {
    fn default() -> Self {
        Self::new()
    }
}

impl Model for Practice {
    fn builder(&self) -> &'static str {
        "practice/1"
    }

    fn body(&self, view: &ModelView, previous: Option<Body>) -> Body {
        self.form.body(view, previous)
    }

    fn stream(&self, call: ModelCall) -> ModelStream {
        let reply = progress::reply(&call.view);
        let batches = batches(&call.view, reply).into_iter();
        let (cancel, pace) = (call.cancel, self.pace);
        Box::pin(stream::unfold(Some(batches), move |batches| {
            let cancel = cancel.clone();
            async move {
                let mut batches = batches?;
                if !wait(&cancel, pace).await {
                    return Some((vec![ModelItem::Failed(stopped())], None));
                }
                let batch = batches.next()?;
                Some((batch, Some(batches)))
            }
        }))
    }
}

/// Waits for the next word; `false` when a stop came.
async fn wait(cancel: &CancellationToken, pace: Duration) -> bool {
    if pace.is_zero() {
        tokio::task::yield_now().await;
        return !cancel.is_cancelled();
    }
    tokio::select! {
        biased;
        () = cancel.cancelled() => false,
        () = tokio::time::sleep(pace) => true,
    }
}

fn batches(view: &ModelView, reply: Reply) -> Vec<Vec<ModelItem>> {
    let output = reply.text.chars().count()
        + reply.calls.iter().map(|call| call.name.len() + call.arguments.chars().count()).sum::<usize>();
    let usage = Usage { input: Some(characters(view)), output: Some(output as u64), ..Usage::default() };
    let mut batches = vec![vec![ModelItem::Opened]];
    batches.extend(words(&reply.text).into_iter().map(|word| vec![ModelItem::Text(word)]));
    for (index, call) in reply.calls.iter().enumerate() {
        batches.push(vec![ModelItem::Call(CallPart {
            index: index as u32,
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        })]);
    }
    let reason = match reply.calls.is_empty() {
        true => FinishReason::Stop,
        false => FinishReason::ToolCalls,
    };
    batches.push(vec![ModelItem::Finished(Finish {
        reason,
        calls: reply.calls,
        items: Vec::new(),
        usage: Some(usage),
        words: None,
    })]);
    batches
}

/// Words with the space behind them; a Chinese character is a word.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        word.push(letter);
        if letter.is_whitespace() || ('\u{2e80}'..='\u{ffef}').contains(&letter) {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Everything the view holds, in characters: its unit of usage.
fn characters(view: &ModelView) -> u64 {
    let count = |text: &str| text.chars().count() as u64;
    let messages = view.messages.iter().map(|message| match message.as_ref() {
        ViewMessage::User { text, .. } | ViewMessage::ToolResult { text, .. } => count(text),
        ViewMessage::Assistant { text, calls, .. } => {
            count(text) + calls.iter().map(|call| count(&call.name) + count(&call.arguments)).sum::<u64>()
        }
    });
    count(&view.system) + count(&view.tools) + messages.sum::<u64>()
}

fn stopped() -> ModelFailure {
    ModelFailure {
        failure: FailureKind::Stopped,
        message: "stopped".to_owned(),
        status: None,
        retry_after_ms: None,
        opened: true,
    }
}

#[cfg(test)]
mod tests;
