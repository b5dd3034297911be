//! A pure machine from the events of a stream to model items.
//! Cuts no bytes (the shared reader does), and mends no arguments.

use std::borrow::Cow;

use assent_protocol::view::{FailureKind, FinishReason, Protocol, ProviderItem, Usage};
use serde_json::value::RawValue;

use super::wire::{Event, Item, Response};
use crate::answer::{Machine, Out, Readable, may_be_passed};
use crate::item::{CallPart, Finish, FinishedCall};
use crate::json_text::argument_text;
use crate::placed;

/// One answer being read.
#[derive(Debug, Default)]
pub(crate) struct ResponsesAnswer {
    has_begun: bool,
    parts: Vec<Part>,
    calls: Vec<FinishedCall>,
    items: Vec<ProviderItem>,
    refusal: String,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
}

/// One thing of the output, as it is being written.
#[derive(Debug)]
struct Part {
    index: Option<u64>,
    id: String,
    kind: Kind,
    is_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Bytes of text that were shown.
    Message {
        shown: usize,
    },
    /// Bytes of reasoning that were shown.
    Reasoning {
        shown: usize,
    },
    /// Its place among the calls.
    Call(usize),
    Other,
}

/// Whether an event of this kind changes anything here.
fn matters(kind: &str) -> bool {
    let ends = ["completed", "done", "incomplete", "failed", "cancelled"];
    kind == "error"
        || kind.strip_prefix("response.").is_some_and(|end| ends.contains(&end))
        || kind.starts_with("response.output_item.")
        || PIECES.contains(&kind)
}

/// The events with pieces that are read.
const PIECES: [&str; 6] = [
    "response.output_text.delta",
    "response.refusal.delta",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.reasoning.delta",
    "response.function_call_arguments.delta",
];

impl Kind {
    /// As items call themselves.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Message { .. } => Some("message"),
            Self::Reasoning { .. } => Some("reasoning"),
            Self::Call(_) => Some("function_call"),
            Self::Other => None,
        }
    }
}

impl Machine for ResponsesAnswer {
    fn take(&mut self, name: &[u8], data: &[u8], out: &mut Out<'_>) -> Readable {
        let Ok(event) = serde_json::from_slice::<Event<'_>>(data) else {
            return may_be_passed(name, data, matters);
        };
        let kind = event.kind.clone().unwrap_or_else(|| String::from_utf8_lossy(name));
        if kind == "error" || event.error.is_some_and(is_something) {
            out.error(&String::from_utf8_lossy(data));
            return Readable::Yes;
        }
        self.has_begun |= kind.starts_with("response.");
        let delta = event.delta.as_deref().unwrap_or_default();
        match kind.as_ref() {
            "response.output_item.added" | "response.output_item.done" => {
                let Some(raw) = event.item else { return Readable::Yes };
                let Ok(item) = serde_json::from_str::<Item<'_>>(raw.get()) else { return Readable::No };
                match kind.ends_with("added") {
                    true => self.begin(event.output_index, &item, out),
                    false => self.end_item(event.output_index, &item, raw, out),
                }
            }
            "response.output_text.delta" => self.add_text(&event, delta, out),
            "response.refusal.delta" => self.refusal.push_str(delta),
            "response.reasoning_summary_part.added" if event.summary_index.is_some_and(|index| index > 0) => {
                self.add_reasoning(&event, "\n\n", out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" | "response.reasoning.delta" => {
                self.add_reasoning(&event, delta, out);
            }
            "response.function_call_arguments.delta" => self.add_arguments(&event, delta, out),
            "response.completed"
            | "response.done"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled" => {
                let Some(response) = event.response else { return Readable::No };
                if !self.end(&response, kind.trim_start_matches("response."), out) {
                    return Readable::No;
                }
            }
            _ => {}
        }
        Readable::Yes
    }

    /// Gateways write it behind the last event; an answer without that is none.
    fn take_done(&mut self, out: &mut Out<'_>) {
        out.fail(FailureKind::Disconnected, "the answer broke off before its end".to_owned());
    }

    fn take_document(&mut self, whole: &[u8], out: &mut Out<'_>) -> bool {
        let Ok(response) = serde_json::from_slice::<Response<'_>>(whole) else { return false };
        if response.object.as_deref() != Some("response") || response.output.is_none() {
            return false;
        }
        self.end(&response, "completed", out)
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn has_ended(&self) -> bool {
        self.finish.is_some()
    }

    fn finish(&mut self, out: &mut Out<'_>) {
        let has_calls = !self.calls.is_empty();
        let reason = match self.finish.unwrap_or(FinishReason::Stop) {
            FinishReason::Stop if has_calls => FinishReason::ToolCalls,
            FinishReason::Stop if !self.refusal.is_empty() => FinishReason::Refusal,
            other => other,
        };
        let words = Some(out.quoted(&self.refusal)).filter(|words| !words.is_empty());
        let calls = std::mem::take(&mut self.calls);
        let items = std::mem::take(&mut self.items);
        out.finished(Finish { reason, calls, items, usage: self.usage, words });
    }
}

impl ResponsesAnswer {
    /// The part that an event speaks of: by its id, else by its index, else the last one that isn't done.
    fn find(&self, index: Option<u64>, id: &str) -> Option<usize> {
        let by_id = || self.parts.iter().rposition(|part| !id.is_empty() && part.id == id);
        let by_index = || self.parts.iter().rposition(|part| index.is_some() && part.index == index);
        let last = || self.parts.iter().rposition(|part| !part.is_done).filter(|_| id.is_empty() && index.is_none());
        by_index().filter(|at| self.parts[*at].id == id || id.is_empty()).or_else(by_id).or_else(by_index).or_else(last)
    }

    fn begin(&mut self, index: Option<u64>, item: &Item<'_>, out: &mut Out<'_>) {
        let id = item.id.as_deref().unwrap_or_default().to_owned();
        let is_repeated = |part: &Part| !id.is_empty() && part.id == id && part.index == index && !part.is_done;
        if self.parts.iter().any(is_repeated) {
            return;
        }
        let kind = match item.kind.as_deref() {
            Some("message") => Kind::Message { shown: 0 },
            Some("reasoning") => Kind::Reasoning { shown: 0 },
            Some("function_call") => {
                let name = item.name.as_deref().unwrap_or_default().to_owned();
                let arguments = item.arguments.map(argument_text).unwrap_or_default().into_owned();
                let label = item.call_id.as_deref().filter(|id| !id.is_empty()).or(item.id.as_deref());
                let provider_id = label.filter(|id| !id.is_empty()).map(str::to_owned);
                let place = self.calls.len();
                out.call(CallPart { index: place as u32, name: name.clone(), arguments: arguments.clone() });
                self.calls.push(FinishedCall { provider_id, name, arguments });
                Kind::Call(place)
            }
            _ => Kind::Other,
        };
        self.parts.push(Part { index, id, kind, is_done: false });
    }

    /// The part of a piece; begun here where a server never said that it begins.
    fn part_for(&mut self, event: &Event<'_>, kind: Kind) -> usize {
        let id = event.item_id.as_deref().unwrap_or_default();
        let known = self.find(event.output_index, id);
        known.unwrap_or_else(|| {
            self.parts.push(Part { index: event.output_index, id: id.to_owned(), kind, is_done: false });
            self.parts.len() - 1
        })
    }

    fn add_text(&mut self, event: &Event<'_>, delta: &str, out: &mut Out<'_>) {
        let at = self.part_for(event, Kind::Message { shown: 0 });
        if let Kind::Message { shown } = &mut self.parts[at].kind {
            *shown += delta.len();
        }
        out.text(delta);
    }

    fn add_reasoning(&mut self, event: &Event<'_>, delta: &str, out: &mut Out<'_>) {
        let at = self.part_for(event, Kind::Reasoning { shown: 0 });
        if let Kind::Reasoning { shown } = &mut self.parts[at].kind {
            *shown += delta.len();
        }
        out.reasoning(delta);
    }

    fn add_arguments(&mut self, event: &Event<'_>, delta: &str, out: &mut Out<'_>) {
        let id = event.item_id.as_deref().unwrap_or_default();
        let Some(Kind::Call(place)) = self.find(event.output_index, id).map(|at| self.parts[at].kind) else {
            return;
        };
        self.push_arguments(place, delta, out);
    }

    fn push_arguments(&mut self, place: usize, piece: &str, out: &mut Out<'_>) {
        let call = &mut self.calls[place];
        if !piece.is_empty() {
            call.arguments.push_str(piece);
            out.call(CallPart { index: place as u32, name: call.name.clone(), arguments: piece.to_owned() });
        }
    }

    /// A thing of the output is whole: what its pieces didn't show is shown now, and what has to be sent back is kept.
    fn end_item(&mut self, index: Option<u64>, item: &Item<'_>, raw: &RawValue, out: &mut Out<'_>) {
        let id = item.id.as_deref().unwrap_or_default();
        let at = match self.find(index, id) {
            Some(at) => at,
            None => {
                self.begin(index, item, out);
                self.parts.len() - 1
            }
        };
        self.end_part(at, item, raw, out);
    }

    fn end_part(&mut self, at: usize, item: &Item<'_>, raw: &RawValue, out: &mut Out<'_>) {
        if std::mem::replace(&mut self.parts[at].is_done, true) {
            return;
        }
        match self.parts[at].kind {
            Kind::Message { shown: 0 } => {
                let text = item.text_of("output_text");
                self.parts[at].kind = Kind::Message { shown: text.len() };
                out.text(&text);
                if self.refusal.is_empty() {
                    self.refusal = item.text_of("refusal");
                }
            }
            Kind::Call(place) => {
                let whole = item.arguments.map(argument_text).unwrap_or_default();
                // Pieces that a server didn't send; what differs otherwise stays as it was shown.
                if let Some(rest) = whole.strip_prefix(self.calls[place].arguments.as_str()) {
                    let rest = rest.to_owned();
                    self.push_arguments(place, &rest, out);
                }
            }
            Kind::Reasoning { shown } => {
                if shown == 0 {
                    out.reasoning(&item.reasoning());
                }
                // Without its encrypted content nobody knows the item again: nothing is left on the server.
                if item.encrypted_content.as_deref().is_some_and(|content| !content.is_empty()) {
                    let has_text = self.parts.iter().any(|part| matches!(part.kind, Kind::Message { shown: 1.. }));
                    self.items.push(placed::keep(Protocol::Responses, self.calls.len(), has_text, raw));
                }
            }
            Kind::Message { .. } | Kind::Other => {}
        }
    }

    /// The response is over; false when what it holds can't be read.
    fn end(&mut self, response: &Response<'_>, said: &str, out: &mut Out<'_>) -> bool {
        self.has_begun = true;
        if let Some(counts) = response.usage {
            self.usage = Some(counts.usage());
        }
        let status = match said {
            "completed" | "done" => response.status.as_deref().unwrap_or(said),
            said => said,
        };
        if status == "failed" || status == "cancelled" || response.error.is_some_and(is_something) {
            let error = response.error.filter(|error| is_something(error));
            self.tell_usage(out);
            out.error(
                &error.map_or_else(|| format!("the response is {status}").into(), |error| Cow::from(error.get())),
            );
            return true;
        }
        if !self.end_output(response, out) {
            return false;
        }
        let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
        self.finish = Some(match (status, reason) {
            ("incomplete", Some("content_filter")) => FinishReason::ContentFilter,
            ("incomplete", _) => FinishReason::Length,
            _ => FinishReason::Stop,
        });
        self.finish(out);
        true
    }

    /// What the whole response holds. Some servers give its items other ids and places than in the stream, so that the
    /// second call here is the second call there; only what the stream didn't have is new.
    fn end_output(&mut self, response: &Response<'_>, out: &mut Out<'_>) -> bool {
        let mut before: Vec<Option<String>> = Vec::new();
        for (index, raw) in (0..).zip(response.output.iter().flatten()) {
            let Ok(item) = serde_json::from_str::<Item<'_>>(raw.get()) else { return false };
            let kind = item.kind.as_deref().map(str::to_owned);
            let nth = before.iter().filter(|earlier| **earlier == kind).count();
            let alike = |part: &&(usize, &Part)| part.1.kind.name() == kind.as_deref();
            let parts = || self.parts.iter().enumerate();
            let by_id = parts().find(|(_, part)| !part.id.is_empty() && Some(part.id.as_str()) == item.id.as_deref());
            let found = by_id.or_else(|| parts().filter(|part| alike(&part)).nth(nth)).map(|(at, _)| at);
            let at = found.unwrap_or_else(|| {
                self.begin(Some(index), &item, out);
                self.parts.len() - 1
            });
            self.end_part(at, &item, raw, out);
            before.push(kind);
        }
        true
    }

    fn tell_usage(&self, out: &mut Out<'_>) {
        if let Some(usage) = self.usage {
            out.usage(usage);
        }
    }
}

fn is_something(error: &RawValue) -> bool {
    !matches!(error.get(), "null" | "\"\"" | "{}" | "false")
}
