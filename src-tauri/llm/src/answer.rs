//! Reads the bytes of an answer, whatever its wire format: tells a stream from a document and a web page, cuts it into
//! events and hands each to the format's own machine. However the bytes are cut, the same items come out.
//! Opens no connection, keeps no time, and proposes nothing before a finish was seen.

use std::fmt;
use std::mem;

use assent_protocol::view::{FailureKind, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::failure::{ErrorWords, Quote, error_words, in_stream};
use crate::item::{CallPart, Finish, ModelFailure, ModelItem};
use crate::json_text::mend_surrogates;
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

/// What a wire format makes of its events. Called no more once the final item is out.
pub(crate) trait Machine: fmt::Debug + Send {
    /// Takes one event, whose data is meant to be a JSON object; says whether it could be read.
    fn take(&mut self, name: &[u8], data: &[u8], out: &mut Out<'_>) -> Readable;
    /// Takes the mark `[DONE]`; called only when something has begun.
    fn take_done(&mut self, out: &mut Out<'_>);
    /// Takes a whole answer that came as one document instead of a stream; `false`: it is none.
    fn take_document(&mut self, whole: &[u8], out: &mut Out<'_>) -> bool;
    /// Whether anything of an answer has come.
    fn has_begun(&self) -> bool;
    /// Whether a finish reason was seen.
    fn has_ended(&self) -> bool;
    /// The answer is whole: gives the final item.
    fn finish(&mut self, out: &mut Out<'_>);
}

/// Whether an event that couldn't be read as a whole may be read over: it is of none of these kinds, so it matters to nobody.
pub(crate) fn may_be_passed(name: &[u8], data: &[u8], matters: impl Fn(&str) -> bool) -> Readable {
    let value: Option<Value> = serde_json::from_slice(data).ok();
    let kind = value.as_ref().map(|value| value.get("type").and_then(Value::as_str).map(str::to_owned));
    match kind.map(|kind| kind.unwrap_or_else(|| String::from_utf8_lossy(name).into_owned())) {
        Some(kind) if !kind.is_empty() && !matters(&kind) => Readable::Yes,
        _ => Readable::No,
    }
}

/// Whether an event could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readable {
    /// It was taken, or is nothing that matters.
    Yes,
    /// It isn't of the documented form.
    No,
}

/// Collects the items that come out of one portion of bytes.
#[derive(Debug)]
pub(crate) struct Out<'a> {
    items: Vec<ModelItem>,
    quote: &'a Quote,
    is_over: bool,
}

impl Out<'_> {
    /// A piece of the answer; pieces of one read become one item.
    pub(crate) fn text(&mut self, piece: &str) {
        match self.items.last_mut() {
            _ if piece.is_empty() => {}
            Some(ModelItem::Text(text)) => text.push_str(piece),
            _ => self.items.push(ModelItem::Text(piece.to_owned())),
        }
    }

    /// A piece of the reasoning; pieces of one read become one item.
    pub(crate) fn reasoning(&mut self, piece: &str) {
        match self.items.last_mut() {
            _ if piece.is_empty() => {}
            Some(ModelItem::Reasoning(text)) => text.push_str(piece),
            _ => self.items.push(ModelItem::Reasoning(piece.to_owned())),
        }
    }

    /// A piece of a call.
    pub(crate) fn call(&mut self, part: CallPart) {
        self.items.push(ModelItem::Call(part));
    }

    /// What was counted so far, in place of what was said before.
    pub(crate) fn usage(&mut self, usage: Usage) {
        self.items.push(ModelItem::Usage(usage));
    }

    /// The good end.
    pub(crate) fn finished(&mut self, finish: Finish) {
        self.is_over = true;
        self.items.push(ModelItem::Finished(finish));
    }

    /// The bad end: an error that the provider reports, as the text of a JSON document or in plain words.
    pub(crate) fn error(&mut self, text: &str) {
        let error = serde_json::from_str::<Value>(text)
            .ok()
            .and_then(|document| error_words(&document))
            .unwrap_or_else(|| ErrorWords { code: String::new(), message: text.to_owned() });
        self.is_over = true;
        self.items.push(ModelItem::Failed(in_stream(&error, self.quote)));
    }

    /// The bad end: a fault that we found.
    pub(crate) fn fail(&mut self, failure: FailureKind, message: String) {
        self.is_over = true;
        self.items.push(ModelItem::Failed(ModelFailure {
            failure,
            message,
            status: Some(200),
            retry_after_ms: None,
            opened: true,
        }));
    }

    /// A provider's words as they may be shown.
    pub(crate) fn quoted(&self, text: &str) -> String {
        self.quote.words(text)
    }

    /// Whether the final item is out.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    fn fail_unreadable(&mut self, what: &str, bytes: &[u8]) {
        let words = self.quote.words(&String::from_utf8_lossy(bytes));
        self.fail(FailureKind::NotAStream, format!("not a stream: the server sent {what}: {words}"));
    }
}

/// One answer being read.
#[derive(Debug)]
pub(crate) struct Answer {
    form: Form,
    quote: Quote,
    received: usize,
    events: EventReader,
    /// What came before the first event that meant something, to be quoted when none comes.
    opening: Vec<u8>,
    /// Data that was no JSON, to be quoted when the stream ends badly.
    stray: String,
    machine: Box<dyn Machine>,
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
    /// An answer of which nothing has arrived, in the wire format of `machine`.
    pub(crate) fn new(machine: Box<dyn Machine>, quote: Quote) -> Self {
        Self {
            form: Form::Unknown(Vec::new()),
            quote,
            received: 0,
            events: EventReader::default(),
            opening: Vec::new(),
            stray: String::new(),
            machine,
            is_over: false,
        }
    }

    /// How far it has come.
    pub(crate) fn progress(&self) -> Progress {
        match (self.is_over, self.machine.has_ended()) {
            (true, _) => Progress::Over,
            (false, true) => Progress::Ended,
            (false, false) => Progress::Open,
        }
    }

    /// Takes what arrived. After the final item everything is read over.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<ModelItem> {
        if self.is_over || bytes.is_empty() {
            return Vec::new();
        }
        self.received += bytes.len();
        let mut items = self.collect(|answer, out| answer.read(bytes, out));
        if items.is_empty() {
            items.push(ModelItem::Alive);
        }
        items
    }

    /// The bytes are over, or nobody wants to wait for more of them.
    pub(crate) fn end(&mut self) -> Vec<ModelItem> {
        if self.is_over {
            return Vec::new();
        }
        self.collect(|answer, out| match mem::replace(&mut answer.form, Form::Events) {
            Form::Unknown(_) => out.fail(FailureKind::NotAStream, "the answer was empty".to_owned()),
            Form::Document(whole) => answer.read_document(&whole, out),
            Form::Page(start) => out.fail_unreadable("a web page", &start),
            Form::Events => answer.end_events(out),
        })
    }

    fn collect(&mut self, read: impl FnOnce(&mut Self, &mut Out<'_>)) -> Vec<ModelItem> {
        let quote = mem::take(&mut self.quote);
        let mut out = Out { items: Vec::new(), quote: &quote, is_over: false };
        read(self, &mut out);
        let Out { items, is_over, .. } = out;
        self.is_over = is_over;
        self.quote = quote;
        items
    }

    fn read(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        if self.received > MAX_ANSWER {
            return out.fail(FailureKind::InStream, format!("the answer is longer than {} MiB", MAX_ANSWER >> 20));
        }
        match &mut self.form {
            Form::Events => self.read_events(bytes, out),
            Form::Document(whole) => whole.extend_from_slice(bytes),
            Form::Page(start) => {
                let room = MAX_QUOTED.saturating_sub(start.len()).min(bytes.len());
                start.extend_from_slice(&bytes[..room]);
            }
            Form::Unknown(start) => {
                start.extend_from_slice(bytes);
                let start = mem::take(start);
                self.recognise(start, out);
            }
        }
    }

    fn recognise(&mut self, start: Vec<u8>, out: &mut Out<'_>) {
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            None | Some(0xef) if start.len() < 3 || first.is_none() => self.form = Form::Unknown(start),
            Some(b'{' | b'[') => self.form = Form::Document(text.to_vec()),
            Some(b'<') => self.form = Form::Page(text[..text.len().min(MAX_QUOTED)].to_vec()),
            _ => {
                self.form = Form::Events;
                self.read_events(&start, out);
            }
        }
    }

    fn read_events(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        if !self.machine.has_begun() && self.opening.len() < MAX_QUOTED {
            let room = (MAX_QUOTED - self.opening.len()).min(bytes.len());
            self.opening.extend_from_slice(&bytes[..room]);
        }
        let mut events = mem::take(&mut self.events);
        events.push(bytes, |name, data| self.take_event(name, data, out));
        self.events = events;
    }

    fn end_events(&mut self, out: &mut Out<'_>) {
        let mut events = mem::take(&mut self.events);
        events.finish(|name, data| {
            // An event without its empty line counts only when its data is whole.
            if data == b"[DONE]" || serde_json::from_slice::<&RawValue>(data).is_ok() {
                self.take_event(name, data, out);
            }
        });
        if out.is_over {
            return;
        }
        if self.machine.has_ended() {
            self.machine.finish(out);
        } else if self.machine.has_begun() {
            let words = match self.stray.is_empty() {
                true => "the answer broke off before its end".to_owned(),
                false => format!("the answer broke off: {}", out.quoted(&self.stray)),
            };
            out.fail(FailureKind::Disconnected, words);
        } else {
            out.fail_unreadable("no event stream", &self.opening);
        }
    }

    fn take_event(&mut self, name: &[u8], data: &[u8], out: &mut Out<'_>) {
        if out.is_over {
            return;
        }
        let data = data.trim_ascii();
        if data == b"[DONE]" {
            return match self.machine.has_begun() {
                true => self.machine.take_done(out),
                false => out.fail_unreadable("a stream without an answer", &self.opening),
            };
        }
        if name == b"error" {
            return out.error(&String::from_utf8_lossy(data));
        }
        if data.first() != Some(&b'{') {
            // Some servers write words of their own between the events.
            if self.stray.len() < MAX_QUOTED {
                self.stray.push_str(&String::from_utf8_lossy(data));
            }
            return;
        }
        if self.machine.take(name, data, out) == Readable::No {
            self.take_mended(name, data, out);
        }
        if self.machine.has_begun() {
            self.opening = Vec::new();
        }
    }

    /// Reads an event again without broken characters and doubled fields; what then still fails is none.
    fn take_mended(&mut self, name: &[u8], data: &[u8], out: &mut Out<'_>) {
        let text = String::from_utf8_lossy(data);
        let again = serde_json::from_str::<Value>(&mend_surrogates(&text)).map(|value| value.to_string());
        let taken = again.map(|again| self.machine.take(name, again.as_bytes(), out));
        if !matches!(taken, Ok(Readable::Yes)) {
            let words = format!("the answer holds a malformed event: {}", out.quoted(&text));
            out.fail(FailureKind::InStream, words);
        }
    }

    fn read_document(&mut self, whole: &[u8], out: &mut Out<'_>) {
        let is_answer = self.machine.take_document(whole, out);
        if is_answer || out.is_over {
            return;
        }
        let error = serde_json::from_slice::<Value>(whole).ok().and_then(|it| error_words(&it));
        match error {
            Some(_) => out.error(&String::from_utf8_lossy(whole)),
            None => out.fail_unreadable("no answer", whole),
        }
    }
}
