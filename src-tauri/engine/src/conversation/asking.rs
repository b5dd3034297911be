//! One question on the side to a model, from the free slot to the whole answer.
//! It writes nothing: what was asked and what came of it is recorded by whoever asks.

use std::sync::Arc;

use assent_llm::{Model, ModelCall, ModelFailure, ModelItem};
use assent_protocol::ids::ConversationId;
use assent_protocol::view::{FailureKind, FinishReason, Usage};
use futures_util::StreamExt as _;
use tokio_util::sync::CancellationToken;

use crate::slots::Slots;

/// An answer as a whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    /// Its text, never empty.
    pub text: String,
    /// What was counted.
    pub usage: Option<Usage>,
}

/// Waits for a slot, asks, and reads the answer to its end. An answer without text, or one that was broken off by a filter
/// or a refusal, is a failure.
pub(crate) async fn ask(
    slots: Arc<Slots>,
    conversation: ConversationId,
    model: Arc<dyn Model>,
    call: ModelCall,
) -> Result<Told, ModelFailure> {
    let cancel = call.cancel.clone();
    let ticket = Slots::line_up(&slots);
    let permit = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(failure(FailureKind::Stopped, "stopped", false)),
        permit = ticket.permit(&conversation) => permit,
    };
    drop(ticket);
    let told = read(model, call, &cancel).await;
    drop(permit);
    told
}

async fn read(model: Arc<dyn Model>, call: ModelCall, cancel: &CancellationToken) -> Result<Told, ModelFailure> {
    let mut stream = model.stream(call);
    let mut text = String::new();
    while let Some(items) = stream.next().await {
        for item in items {
            match item {
                ModelItem::Text(more) => text.push_str(&more),
                ModelItem::Failed(failed) => return Err(failed),
                ModelItem::Finished(finish) => {
                    let is_whole = !matches!(finish.reason, FinishReason::ContentFilter | FinishReason::Refusal);
                    if !is_whole || text.trim().is_empty() {
                        let words = finish.words.unwrap_or_else(|| "the model gave no answer".to_owned());
                        return Err(failure(FailureKind::InStream, &words, true));
                    }
                    return Ok(Told { text, usage: finish.usage });
                }
                ModelItem::Opened
                | ModelItem::Alive
                | ModelItem::Reasoning(_)
                | ModelItem::Call(_)
                | ModelItem::Usage(_) => {}
            }
        }
    }
    let stopped = cancel.is_cancelled();
    let kind = if stopped { FailureKind::Stopped } else { FailureKind::Disconnected };
    Err(failure(kind, "the stream ended without saying why", true))
}

fn failure(kind: FailureKind, message: &str, opened: bool) -> ModelFailure {
    ModelFailure { failure: kind, message: message.to_owned(), status: None, retry_after_ms: None, opened }
}
