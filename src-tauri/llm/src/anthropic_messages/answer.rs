//! A pure machine from the events of a stream to model items.
//! Cuts no bytes (the shared reader does), and mends no arguments.

use std::borrow::Cow;

use assent_protocol::view::{FailureKind, FinishReason, Protocol, ProviderItem, Usage};
use serde_json::value::RawValue;

use super::wire::{Block, Counts, Delta, Event, Message, StopDetails};
use crate::answer::{Machine, Out, Readable, may_be_passed};
use crate::item::{CallPart, Finish, FinishedCall};
use crate::placed;

/// One answer being read.
#[derive(Debug, Default)]
pub(crate) struct AnthropicAnswer {
    has_begun: bool,
    has_text: bool,
    blocks: Vec<Open>,
    calls: Vec<FinishedCall>,
    items: Vec<ProviderItem>,
    usage: Option<Usage>,
    stop: Option<String>,
    /// The provider's words with its stopping.
    words: String,
    has_ended: bool,
}

/// A block that has begun. Blocks stay here when they have stopped: some servers number two alike.
#[derive(Debug)]
struct Open {
    index: u64,
    content: Content,
    is_stopped: bool,
}

#[derive(Debug)]
enum Content {
    Text,
    Thinking {
        text: String,
        signature: Option<String>,
        /// Its place in the message.
        calls: usize,
        has_text: bool,
    },
    Call {
        /// Among the calls of this answer.
        index: usize,
        /// Arguments that came whole with the beginning; pieces that come after all take their place.
        whole: String,
    },
    /// Something whose pieces aren't read.
    Other,
}

impl Machine for AnthropicAnswer {
    fn take(&mut self, name: &[u8], data: &[u8], out: &mut Out<'_>) -> Readable {
        let Ok(event) = serde_json::from_slice::<Event<'_>>(data) else {
            let matters = |kind: &str| kind == "error" || kind.starts_with("message_") || kind.starts_with("content_");
            return may_be_passed(name, data, matters);
        };
        let kind = event.kind.clone().unwrap_or_else(|| String::from_utf8_lossy(name));
        if kind == "error" || (event.error.is_some_and(|error| error.get() != "null")) {
            out.error(&String::from_utf8_lossy(data));
            return Readable::Yes;
        }
        match kind.as_ref() {
            "message_start" => self.begin(event.message, out),
            "content_block_start" => match event.content_block.map(|block| serde_json::from_str(block.get())) {
                Some(Ok(block)) => self.begin_block(event.index, &block, event.content_block, out),
                Some(Err(_)) => return Readable::No,
                None => {}
            },
            "content_block_delta" => self.add(event.index, &event.delta.unwrap_or_default(), out),
            "content_block_stop" => self.end_block(event.index, out),
            "message_delta" => self.end(&event.delta.unwrap_or_default(), event.usage, out),
            "message_stop" => {
                self.has_ended = true;
                self.finish(out);
            }
            _ => {}
        }
        Readable::Yes
    }

    /// Gateways write it behind the last event; an answer without `message_stop` is none.
    fn take_done(&mut self, out: &mut Out<'_>) {
        out.fail(FailureKind::Disconnected, "the answer broke off before its end".to_owned());
    }

    fn take_document(&mut self, whole: &[u8], out: &mut Out<'_>) -> bool {
        let Ok(Message { kind, content, stop_reason, stop_details, usage }) = serde_json::from_slice(whole) else {
            return false;
        };
        let (Some("message"), Some(content)) = (kind.as_deref(), content) else { return false };
        for (index, raw) in (0..).zip(content) {
            let Ok(block) = serde_json::from_str::<Block<'_>>(raw.get()) else { return false };
            self.begin_block(Some(index), &block, Some(raw), out);
            self.end_block(Some(index), out);
        }
        self.stop = stop_reason.map(Cow::into_owned);
        self.take_words(stop_details.as_ref());
        if let Some(counts) = usage {
            counts.put_into(self.usage.get_or_insert_default());
        }
        self.finish(out);
        true
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn finish(&mut self, out: &mut Out<'_>) {
        self.end_blocks(out);
        let has_calls = !self.calls.is_empty();
        let stop = self.stop.take().unwrap_or_default();
        let reason = match stop.as_str() {
            "max_tokens" => FinishReason::Length,
            "refusal" => FinishReason::Refusal,
            "model_context_window_exceeded" => {
                let words = "the provider ended the answer: the model's context is full";
                return out.fail(FailureKind::ContextTooLong, words.to_owned());
            }
            _ if has_calls => FinishReason::ToolCalls,
            _ => FinishReason::Stop,
        };
        let calls = std::mem::take(&mut self.calls);
        let items = std::mem::take(&mut self.items);
        let words = Some(out.quoted(&self.words)).filter(|words| !words.is_empty());
        out.finished(Finish { reason, calls, items, usage: self.usage, words });
    }
}

impl AnthropicAnswer {
    fn begin(&mut self, message: Option<Message<'_>>, out: &mut Out<'_>) {
        self.has_begun = true;
        if let Some(counts) = message.and_then(|message| message.usage) {
            let usage = self.usage.get_or_insert_default();
            counts.put_into(usage);
            out.usage(*usage);
        }
    }

    fn begin_block(&mut self, index: Option<u64>, block: &Block<'_>, raw: Option<&RawValue>, out: &mut Out<'_>) {
        self.has_begun = true;
        let index = index.unwrap_or_else(|| self.blocks.last().map_or(0, |last| last.index + 1));
        if self.is_repeated(index, block) {
            return;
        }
        self.end_block(Some(index), out);
        let content = match block.kind.as_deref() {
            Some("text") => {
                self.add_text(block.text.as_deref().unwrap_or_default(), out);
                Content::Text
            }
            Some("thinking") => {
                let text = block.thinking.as_deref().unwrap_or_default().to_owned();
                out.reasoning(&text);
                let signature = block.signature.as_deref().map(str::to_owned);
                Content::Thinking { text, signature, calls: self.calls.len(), has_text: self.has_text }
            }
            Some("redacted_thinking") => {
                let kept =
                    raw.map(|raw| placed::keep(Protocol::AnthropicMessages, self.calls.len(), self.has_text, raw));
                self.items.extend(kept);
                Content::Other
            }
            Some("tool_use") => self.begin_call(block, out),
            _ => Content::Other,
        };
        self.blocks.push(Open { index, content, is_stopped: false });
    }

    /// Whether this call's beginning was told already.
    fn is_repeated(&self, index: u64, block: &Block<'_>) -> bool {
        let open = self.blocks.iter().rfind(|open| open.index == index && !open.is_stopped);
        let Some(Open { content: Content::Call { index: call, .. }, .. }) = open else { return false };
        block.kind.as_deref() == Some("tool_use")
            && block.id.as_deref().is_some_and(|id| self.calls[*call].provider_id.as_deref() == Some(id))
    }

    fn begin_call(&mut self, block: &Block<'_>, out: &mut Out<'_>) -> Content {
        let name = block.name.as_deref().unwrap_or_default().to_owned();
        // A stream begins each call with an empty object; other servers send the whole arguments here.
        let whole = block.input.map(RawValue::get).filter(|input| !matches!(*input, "{}" | "null" | "\"\""));
        let whole = whole.unwrap_or_default().to_owned();
        let index = self.calls.len();
        let provider_id = block.id.as_deref().filter(|id| !id.is_empty()).map(str::to_owned);
        out.call(CallPart { index: index as u32, name: name.clone(), arguments: String::new() });
        self.calls.push(FinishedCall { provider_id, name, arguments: String::new() });
        Content::Call { index, whole }
    }

    fn add(&mut self, index: Option<u64>, delta: &Delta<'_>, out: &mut Out<'_>) {
        self.has_begun = true;
        let at = match index {
            Some(index) => self.blocks.iter().rposition(|block| block.index == index),
            None => self.blocks.len().checked_sub(1),
        };
        if let Some(text) = &delta.text {
            self.add_text(text, out);
        }
        if let Some(thinking) = &delta.thinking {
            out.reasoning(thinking);
        }
        let Some(block) = at.map(|at| &mut self.blocks[at]) else {
            return;
        };
        match &mut block.content {
            Content::Thinking { text, signature, .. } => {
                text.push_str(delta.thinking.as_deref().unwrap_or_default());
                if let Some(piece) = &delta.signature {
                    signature.get_or_insert_default().push_str(piece);
                }
            }
            Content::Call { index, .. } => {
                let index = *index;
                self.push_arguments(index, delta.partial_json.as_deref().unwrap_or_default(), out);
            }
            Content::Text | Content::Other => {}
        }
    }

    fn add_text(&mut self, text: &str, out: &mut Out<'_>) {
        self.has_text |= !text.is_empty();
        out.text(text);
    }

    fn push_arguments(&mut self, index: usize, piece: &str, out: &mut Out<'_>) {
        let call = &mut self.calls[index];
        if !piece.is_empty() {
            call.arguments.push_str(piece);
            out.call(CallPart { index: index as u32, name: call.name.clone(), arguments: piece.to_owned() });
        }
    }

    /// A block is whole: its thinking is kept, to be sent back, and arguments that came at once are the call's.
    fn end_block(&mut self, index: Option<u64>, out: &mut Out<'_>) {
        let Some(index) = index else { return self.end_blocks(out) };
        if let Some(at) = self.blocks.iter().rposition(|block| block.index == index) {
            self.end_block_at(at, out);
        }
    }

    fn end_blocks(&mut self, out: &mut Out<'_>) {
        (0..self.blocks.len()).for_each(|at| self.end_block_at(at, out));
    }

    fn end_block_at(&mut self, at: usize, out: &mut Out<'_>) {
        let block = &mut self.blocks[at];
        if std::mem::replace(&mut block.is_stopped, true) {
            return;
        }
        if let Content::Call { index, whole } = &mut block.content {
            let (index, whole) = (*index, std::mem::take(whole));
            if self.calls[index].arguments.is_empty() {
                self.push_arguments(index, &whole, out);
            }
            return;
        }
        self.items.extend(kept(block));
    }

    fn take_words(&mut self, details: Option<&StopDetails<'_>>) {
        if let Some(explanation) = details.and_then(|details| details.explanation.as_deref()) {
            explanation.clone_into(&mut self.words);
        }
    }

    fn end(&mut self, delta: &Delta<'_>, counts: Option<Counts>, out: &mut Out<'_>) {
        self.has_begun = true;
        if let Some(reason) = &delta.stop_reason {
            self.stop = Some(reason.to_string());
        }
        self.take_words(delta.stop_details.as_ref());
        if let Some(counts) = counts {
            let usage = self.usage.get_or_insert_default();
            counts.put_into(usage);
            out.usage(*usage);
        }
    }
}

/// The thinking of a block as it has to be sent back; the block is emptied.
fn kept(block: &mut Open) -> Option<ProviderItem> {
    let content = std::mem::replace(&mut block.content, Content::Other);
    let Content::Thinking { text, signature, calls, has_text } = content else {
        block.content = content;
        return None;
    };
    let mut item = serde_json::json!({ "type": "thinking", "thinking": text });
    // Servers that don't sign send no signature, and want none.
    if let Some(signature) = signature {
        item["signature"] = signature.into();
    }
    let raw = serde_json::value::to_raw_value(&item).ok()?;
    Some(placed::keep(Protocol::AnthropicMessages, calls, has_text, &raw))
}
