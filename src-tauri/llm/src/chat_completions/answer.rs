//! A pure machine from the bytes of an answer to model items. However the bytes are cut, the same items come out.
//! Opens no connection, keeps no time, and proposes nothing before a finish was seen.

use std::mem;

use assent_protocol::view::{FailureKind, FinishReason, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::calls::Calls;
use super::wire::{Choice, Chunk, Delta};
use crate::failure::{ErrorWords, Quote, error_words, in_stream};
use crate::item::{Finish, ModelFailure, ModelItem};
use crate::sse::EventReader;

/// No answer is longer, in bytes: what goes on beyond this is a fault of the server.
const MAX_ANSWER: usize = 64 << 20;

/// How many bytes of something unreadable are kept to be quoted.
const MAX_QUOTED: usize = 4096;

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More is to come.
    Open,
    /// A finish reason was seen; usage may follow closely, nothing else will.
    Ended,
    /// The final item is out.
    Over,
}

/// One answer being read.
#[derive(Debug)]
pub(crate) struct Answer {
    form: Form,
    quote: Quote,
    received: usize,
    events: EventReader,
    /// What came before the first chunk, to be quoted when none comes.
    opening: Vec<u8>,
    /// Data that was no JSON, to be quoted when the stream ends badly.
    stray: String,
    has_chunk: bool,
    has_text: bool,
    calls: Calls,
    refusal: String,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    is_over: bool,
}

/// What the bytes turned out to be.
#[derive(Debug)]
enum Form {
    /// Only white space so far.
    Unknown(Vec<u8>),
    Events,
    Document(Vec<u8>),
    Page(Vec<u8>),
}

impl Answer {
    /// An answer of which nothing has arrived.
    pub(crate) fn new(quote: Quote) -> Self {
        Self {
            form: Form::Unknown(Vec::new()),
            quote,
            received: 0,
            events: EventReader::default(),
            opening: Vec::new(),
            stray: String::new(),
            has_chunk: false,
            has_text: false,
            calls: Calls::default(),
            refusal: String::new(),
            usage: None,
            finish: None,
            is_over: false,
        }
    }

    /// How far it has come.
    pub(crate) fn progress(&self) -> Progress {
        match (self.is_over, self.finish) {
            (true, _) => Progress::Over,
            (false, Some(_)) => Progress::Ended,
            (false, None) => Progress::Open,
        }
    }

    /// Takes what arrived. After the final item everything is read over.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<ModelItem> {
        let mut items = Vec::new();
        if self.is_over || bytes.is_empty() {
            return items;
        }
        self.received += bytes.len();
        if self.received > MAX_ANSWER {
            let words = format!("the answer is longer than {} MiB", MAX_ANSWER >> 20);
            self.fail(FailureKind::InStream, words, &mut items);
            return items;
        }
        match &mut self.form {
            Form::Events => self.read_events(bytes, &mut items),
            Form::Document(whole) => whole.extend_from_slice(bytes),
            Form::Page(start) => {
                let room = MAX_QUOTED.saturating_sub(start.len()).min(bytes.len());
                start.extend_from_slice(&bytes[..room]);
            }
            Form::Unknown(start) => {
                start.extend_from_slice(bytes);
                let start = mem::take(start);
                self.recognise(start, &mut items);
            }
        }
        if items.is_empty() {
            items.push(ModelItem::Alive);
        }
        items
    }

    /// The bytes are over, or nobody wants to wait for more of them.
    pub(crate) fn end(&mut self) -> Vec<ModelItem> {
        let mut items = Vec::new();
        if self.is_over {
            return items;
        }
        match mem::replace(&mut self.form, Form::Events) {
            Form::Unknown(_) => {
                self.fail(FailureKind::NotAStream, "the answer was empty".to_owned(), &mut items);
            }
            Form::Document(whole) => self.read_document(&whole, &mut items),
            Form::Page(start) => self.fail_unreadable("a web page", &start, &mut items),
            Form::Events => self.end_events(&mut items),
        }
        items
    }

    fn recognise(&mut self, start: Vec<u8>, items: &mut Vec<ModelItem>) {
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            None | Some(0xef) if start.len() < 3 || first.is_none() => self.form = Form::Unknown(start),
            Some(b'{' | b'[') => self.form = Form::Document(text.to_vec()),
            Some(b'<') => self.form = Form::Page(text[..text.len().min(MAX_QUOTED)].to_vec()),
            _ => {
                self.form = Form::Events;
                self.read_events(&start, items);
            }
        }
    }

    fn read_events(&mut self, bytes: &[u8], items: &mut Vec<ModelItem>) {
        if !self.has_chunk && self.opening.len() < MAX_QUOTED {
            let room = (MAX_QUOTED - self.opening.len()).min(bytes.len());
            self.opening.extend_from_slice(&bytes[..room]);
        }
        let mut events = mem::take(&mut self.events);
        events.push(bytes, |name, data| self.take_event(name, data, items));
        self.events = events;
    }

    fn end_events(&mut self, items: &mut Vec<ModelItem>) {
        let mut events = mem::take(&mut self.events);
        events.finish(|name, data| {
            // An event without its empty line counts only when its data is whole.
            if data == b"[DONE]" || serde_json::from_slice::<&RawValue>(data).is_ok() {
                self.take_event(name, data, items);
            }
        });
        if self.is_over {
            return;
        }
        if self.finish.is_some() {
            self.finish(items);
        } else if self.has_chunk {
            let words = match self.stray.is_empty() {
                true => "the answer broke off before its end".to_owned(),
                false => format!("the answer broke off: {}", self.quote.words(&self.stray)),
            };
            self.fail(FailureKind::Disconnected, words, items);
        } else {
            let opening = mem::take(&mut self.opening);
            self.fail_unreadable("no event stream", &opening, items);
        }
    }

    fn take_event(&mut self, name: &[u8], data: &[u8], items: &mut Vec<ModelItem>) {
        if self.is_over {
            return;
        }
        let data = data.trim_ascii();
        if data == b"[DONE]" {
            return self.take_done(items);
        }
        if name == b"error" {
            return self.take_error(&String::from_utf8_lossy(data), items);
        }
        if data.first() != Some(&b'{') {
            // Some servers write words of their own between the chunks.
            if self.stray.len() < MAX_QUOTED {
                self.stray.push_str(&String::from_utf8_lossy(data));
            }
            return;
        }
        if let Ok(chunk) = serde_json::from_slice::<Chunk<'_>>(data) {
            return self.take_chunk(&chunk, data, items);
        }
        // Read again without broken characters and doubled fields; what then still fails is no chunk.
        let text = String::from_utf8_lossy(data);
        let again = serde_json::from_str::<Value>(&text).map(|value| value.to_string());
        match again.as_deref().map(serde_json::from_str::<Chunk<'_>>) {
            Ok(Ok(chunk)) => self.take_chunk(&chunk, text.as_bytes(), items),
            _ => {
                let words = format!("the answer holds a malformed event: {}", self.quote.words(&text));
                self.fail(FailureKind::InStream, words, items);
            }
        }
    }

    /// `[DONE]` is a finish of its own: some servers never say another.
    fn take_done(&mut self, items: &mut Vec<ModelItem>) {
        if self.finish.is_none() {
            if !self.has_chunk {
                let words = "the stream ended without an answer".to_owned();
                return self.fail(FailureKind::NotAStream, words, items);
            }
            self.finish = Some(FinishReason::Stop);
        }
        self.finish(items);
    }

    fn take_error(&mut self, text: &str, items: &mut Vec<ModelItem>) {
        let error = serde_json::from_str::<Value>(text)
            .ok()
            .and_then(|document| error_words(&document))
            .unwrap_or_else(|| ErrorWords { code: String::new(), message: text.to_owned() });
        self.is_over = true;
        items.push(ModelItem::Failed(in_stream(&error, &self.quote)));
    }

    fn take_chunk(&mut self, chunk: &Chunk<'_>, data: &[u8], items: &mut Vec<ModelItem>) {
        let choice = chunk.choices.iter().flatten().find(|choice| choice.index.0.is_none_or(|index| index == 0));
        let has_error = says_something(chunk.error) || choice.is_some_and(|choice| says_something(choice.error));
        if has_error {
            let inner = choice.and_then(|choice| choice.error).filter(|_| !says_something(chunk.error));
            let text = inner.map_or(String::from_utf8_lossy(data), |error| error.get().into());
            return self.take_error(&text, items);
        }
        if chunk.choices.is_none() && chunk.usage.is_none() {
            let document = serde_json::from_slice::<Value>(data).ok();
            if document.as_ref().and_then(error_words).is_some() {
                self.take_error(&String::from_utf8_lossy(data), items);
            }
            return;
        }
        self.has_chunk = true;
        self.opening = Vec::new();
        let has_usage = self.take_usage(chunk, choice);
        if let Some(choice) = choice {
            self.take_choice(choice, items);
        }
        if has_usage && self.finish.is_some() && !self.is_over {
            self.finish(items);
        }
    }

    fn take_choice(&mut self, choice: &Choice<'_>, items: &mut Vec<ModelItem>) {
        // A finish reason ends the content: what is repeated after it was proposed already.
        if self.finish.is_some() {
            return;
        }
        if let Some(delta) = &choice.delta {
            self.take_delta(delta, items);
        } else if let Some(message) = &choice.message
            && !self.has_text
            && self.calls.is_empty()
        {
            self.take_delta(message, items);
        }
        match finish_of(&choice.finish_reason.0) {
            Some(Ok(reason)) => self.finish = Some(reason),
            Some(Err(failure)) => {
                let words = format!("the provider ended the answer: {}", self.quote.words(&choice.finish_reason.0));
                self.fail(failure, words, items);
            }
            None => {}
        }
    }

    fn take_delta(&mut self, delta: &Delta<'_>, items: &mut Vec<ModelItem>) {
        // Some servers write the reasoning twice, under both names.
        let reasoning = match delta.reasoning_content.text.is_empty() {
            true => &delta.reasoning.text,
            false => &delta.reasoning_content.text,
        };
        for piece in [reasoning, &delta.content.reasoning] {
            if !piece.is_empty() {
                push_reasoning(items, piece);
            }
        }
        if !delta.content.text.is_empty() {
            self.has_text = true;
            push_text(items, &delta.content.text);
        }
        self.refusal.push_str(&delta.refusal.text);
        for (place, call) in delta.tool_calls.iter().flatten().enumerate() {
            if let Some(part) = self.calls.take(call, place) {
                items.push(ModelItem::Call(part));
            }
        }
    }

    fn take_usage(&mut self, chunk: &Chunk<'_>, choice: Option<&Choice<'_>>) -> bool {
        let inside = choice.and_then(|choice| choice.usage);
        let found = [chunk.usage, inside, chunk.x_groq]
            .into_iter()
            .flatten()
            .filter_map(|raw| serde_json::from_str::<Value>(raw.get()).ok())
            .find_map(|value| usage_of(value.get("usage").unwrap_or(&value)));
        if let Some(usage) = found {
            self.usage = Some(usage);
        }
        found.is_some()
    }

    fn read_document(&mut self, whole: &[u8], items: &mut Vec<ModelItem>) {
        let Ok(chunk) = serde_json::from_slice::<Chunk<'_>>(whole) else {
            let error = serde_json::from_slice::<Value>(whole).ok().and_then(|it| error_words(&it));
            return match error {
                Some(_) => self.take_error(&String::from_utf8_lossy(whole), items),
                None => self.fail_unreadable("no answer", whole, items),
            };
        };
        self.take_chunk(&chunk, whole, items);
        if self.is_over {
            return;
        }
        let has_message = chunk.choices.iter().flatten().any(|choice| choice.message.is_some());
        if has_message {
            self.finish = self.finish.or(Some(FinishReason::Stop));
            self.finish(items);
        } else {
            self.fail_unreadable("no answer", whole, items);
        }
    }

    fn finish(&mut self, items: &mut Vec<ModelItem>) {
        self.is_over = true;
        let has_calls = !self.calls.is_empty();
        let reason = match self.finish.unwrap_or(FinishReason::Stop) {
            FinishReason::Stop | FinishReason::ToolCalls if has_calls => FinishReason::ToolCalls,
            FinishReason::Stop | FinishReason::ToolCalls if !self.refusal.is_empty() => FinishReason::Refusal,
            FinishReason::ToolCalls => FinishReason::Stop,
            other => other,
        };
        let (calls, provider_items) = mem::take(&mut self.calls).finish();
        let words = Some(self.quote.words(&self.refusal)).filter(|words| !words.is_empty());
        let usage = self.usage;
        items.push(ModelItem::Finished(Finish { reason, calls, items: provider_items, usage, words }));
    }

    fn fail(&mut self, failure: FailureKind, message: String, items: &mut Vec<ModelItem>) {
        self.is_over = true;
        items.push(ModelItem::Failed(ModelFailure {
            failure,
            message,
            status: Some(200),
            retry_after_ms: None,
            opened: true,
        }));
    }

    fn fail_unreadable(&mut self, what: &str, bytes: &[u8], items: &mut Vec<ModelItem>) {
        let words = self.quote.words(&String::from_utf8_lossy(bytes));
        let message = format!("not a stream: the server sent {what}: {words}");
        self.fail(FailureKind::NotAStream, message, items);
    }
}

/// Text pieces of one read become one item.
fn push_text(items: &mut Vec<ModelItem>, piece: &str) {
    match items.last_mut() {
        Some(ModelItem::Text(text)) => text.push_str(piece),
        _ => items.push(ModelItem::Text(piece.to_owned())),
    }
}

fn push_reasoning(items: &mut Vec<ModelItem>, piece: &str) {
    match items.last_mut() {
        Some(ModelItem::Reasoning(text)) => text.push_str(piece),
        _ => items.push(ModelItem::Reasoning(piece.to_owned())),
    }
}

fn says_something(error: Option<&RawValue>) -> bool {
    error.is_some_and(|raw| !matches!(raw.get(), "null" | "\"\"" | "{}" | "false"))
}

/// What a finish reason means; servers have many words for few things. Unknown words end the answer like "stop".
fn finish_of(word: &str) -> Option<Result<FinishReason, FailureKind>> {
    Some(match word.to_ascii_lowercase().as_str() {
        "" | "null" => return None,
        "length" | "max_tokens" | "max_output_tokens" | "max_length" => Ok(FinishReason::Length),
        "content_filter" | "safety" | "sensitive" | "recitation" | "blocklist" => Ok(FinishReason::ContentFilter),
        "refusal" => Ok(FinishReason::Refusal),
        "tool_calls" | "tool_use" | "tool_call" | "function_call" => Ok(FinishReason::ToolCalls),
        "model_context_window_exceeded" => Err(FailureKind::ContextTooLong),
        "error" | "abort" | "network_error" | "insufficient_system_resource" => Err(FailureKind::InStream),
        _ => Ok(FinishReason::Stop),
    })
}

/// Providers count cached tokens among the prompt's; ours are told apart.
fn usage_of(usage: &Value) -> Option<Usage> {
    let number = |path: &[&str]| path.iter().try_fold(usage, |at, field| at.get(*field))?.as_u64();
    let prompt = number(&["prompt_tokens"]);
    let output = number(&["completion_tokens"]);
    if prompt.is_none() && output.is_none() {
        return None;
    }
    let cache_read = number(&["prompt_tokens_details", "cached_tokens"])
        .or_else(|| number(&["prompt_cache_hit_tokens"]))
        .or_else(|| number(&["cached_tokens"]));
    let cache_write = number(&["prompt_tokens_details", "cache_write_tokens"]);
    let cached = cache_read.unwrap_or(0) + cache_write.unwrap_or(0);
    Some(Usage {
        input: prompt.map(|prompt| prompt.saturating_sub(cached)),
        output,
        cache_read,
        cache_write,
        reasoning: number(&["completion_tokens_details", "reasoning_tokens"]),
    })
}
