//! A pure machine from the events of a chat-completions stream to model items.
//! Cuts no bytes (the shared reader does), and mends no arguments.

use std::mem;

use assent_protocol::view::{FailureKind, FinishReason, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::calls::Calls;
use super::wire::{Choice, Chunk, Delta};
use crate::answer::{Machine, Out, Readable};
use crate::failure::error_words;
use crate::item::Finish;

/// One answer being read.
#[derive(Debug, Default)]
pub(crate) struct ChatAnswer {
    has_chunk: bool,
    has_text: bool,
    calls: Calls,
    refusal: String,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
}

impl Machine for ChatAnswer {
    fn take(&mut self, _: &[u8], data: &[u8], out: &mut Out<'_>) -> Readable {
        match serde_json::from_slice::<Chunk<'_>>(data) {
            Ok(chunk) => {
                self.take_chunk(&chunk, data, out);
                Readable::Yes
            }
            Err(_) => Readable::No,
        }
    }

    /// `[DONE]` is a finish of its own: some servers never say another.
    fn take_done(&mut self, out: &mut Out<'_>) {
        self.finish = self.finish.or(Some(FinishReason::Stop));
        self.finish(out);
    }

    fn take_document(&mut self, whole: &[u8], out: &mut Out<'_>) -> bool {
        let Ok(chunk) = serde_json::from_slice::<Chunk<'_>>(whole) else { return false };
        self.take_chunk(&chunk, whole, out);
        let has_message = chunk.choices.iter().flatten().any(|choice| choice.message.is_some());
        if has_message && !out.is_over() {
            self.finish = self.finish.or(Some(FinishReason::Stop));
            self.finish(out);
        }
        has_message
    }

    fn has_begun(&self) -> bool {
        self.has_chunk
    }

    fn has_ended(&self) -> bool {
        self.finish.is_some()
    }

    fn finish(&mut self, out: &mut Out<'_>) {
        let has_calls = !self.calls.is_empty();
        let reason = match self.finish.unwrap_or(FinishReason::Stop) {
            FinishReason::Stop | FinishReason::ToolCalls if has_calls => FinishReason::ToolCalls,
            FinishReason::Stop | FinishReason::ToolCalls if !self.refusal.is_empty() => FinishReason::Refusal,
            FinishReason::ToolCalls => FinishReason::Stop,
            other => other,
        };
        let (calls, items) = mem::take(&mut self.calls).finish();
        let words = Some(out.quoted(&self.refusal)).filter(|words| !words.is_empty());
        out.finished(Finish { reason, calls, items, usage: self.usage, words });
    }
}

impl ChatAnswer {
    fn take_chunk(&mut self, chunk: &Chunk<'_>, data: &[u8], out: &mut Out<'_>) {
        let choice = chunk.choices.iter().flatten().find(|choice| choice.index.0.is_none_or(|index| index == 0));
        let has_error = says_something(chunk.error) || choice.is_some_and(|choice| says_something(choice.error));
        if has_error {
            let inner = choice.and_then(|choice| choice.error).filter(|_| !says_something(chunk.error));
            let text = inner.map_or(String::from_utf8_lossy(data), |error| error.get().into());
            return out.error(&text);
        }
        if chunk.choices.is_none() && chunk.usage.is_none() {
            let document = serde_json::from_slice::<Value>(data).ok();
            if document.as_ref().and_then(error_words).is_some() {
                out.error(&String::from_utf8_lossy(data));
            }
            return;
        }
        self.has_chunk = true;
        let has_usage = self.take_usage(chunk, choice);
        if let Some(choice) = choice {
            self.take_choice(choice, out);
        }
        if has_usage && self.finish.is_some() && !out.is_over() {
            self.finish(out);
        }
    }

    fn take_choice(&mut self, choice: &Choice<'_>, out: &mut Out<'_>) {
        // A finish reason ends the content: what is repeated after it was proposed already.
        if self.finish.is_some() {
            return;
        }
        if let Some(delta) = &choice.delta {
            self.take_delta(delta, out);
        } else if let Some(message) = &choice.message
            && !self.has_text
            && self.calls.is_empty()
        {
            self.take_delta(message, out);
        }
        match finish_of(&choice.finish_reason.0) {
            Some(Ok(reason)) => self.finish = Some(reason),
            Some(Err(failure)) => {
                let words = format!("the provider ended the answer: {}", out.quoted(&choice.finish_reason.0));
                out.fail(failure, words);
            }
            None => {}
        }
    }

    fn take_delta(&mut self, delta: &Delta<'_>, out: &mut Out<'_>) {
        // Some servers write the reasoning twice, under both names.
        let reasoning = match delta.reasoning_content.text.is_empty() {
            true => &delta.reasoning.text,
            false => &delta.reasoning_content.text,
        };
        for piece in [reasoning, &delta.content.reasoning] {
            out.reasoning(piece);
        }
        if !delta.content.text.is_empty() {
            self.has_text = true;
            out.text(&delta.content.text);
        }
        self.refusal.push_str(&delta.refusal.text);
        for (place, call) in delta.tool_calls.iter().flatten().enumerate() {
            if let Some(part) = self.calls.take(call, place) {
                out.call(part);
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
