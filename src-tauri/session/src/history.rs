//! The history as the model sees it: appended to by the fold, cut by recorded window moves, never edited otherwise.
//! It holds messages only; system prompt and tools are added by whoever makes the request.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use assent_protocol::event::CutText;
use assent_protocol::ids::CallId;
use assent_protocol::view::{Protocol, ProviderItem, ViewCall, ViewMessage};

use crate::attached::{Said, Takes, weight as attachment_weight};
use crate::result_words::ends;
use crate::tokens::{characters, weigh};

/// Stands in front of what is left when the window has moved.
const LEFT_OUT: &str = "[Earlier messages of this conversation were left out of this request to save space.]";

/// All messages, and those that are shown.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Grows whenever `shown` changes other than at its end.
    epoch: u64,
    entries: Vec<Entry>,
    shown: Vec<Arc<ViewMessage>>,
    shown_weight: f64,
    shown_characters: u64,
    /// Entries of groups that begin before this seq are left out.
    keep_from: u64,
    /// What stands in the place of everything before the entries.
    summary: Option<Summary>,
    pruned: HashSet<CallId>,
    /// Texts of which only the ends are sent: how many characters, by the seq of their message.
    cuts: HashMap<u64, usize>,
    /// Whom the next request goes to.
    present: Option<Arc<Origin>>,
    /// What that one takes beside words.
    takes: Takes,
    /// Whom the last request went to.
    asked: Option<Arc<Origin>>,
}

/// A summary of what was there before.
#[derive(Debug, Clone)]
struct Summary {
    /// As it is sent.
    text: Arc<str>,
    /// The last message of a person before it: it stays while there is none behind it.
    user: Option<Entry>,
}

/// Who wrote a message. Reasoning and other things of a provider's own mean nothing to another one, and are refused by
/// many: they go back to the same model at the same address only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Its base URL.
    pub base_url: String,
    /// Wire format.
    pub protocol: Protocol,
    /// Model name.
    pub model: String,
}

/// One message with its place in the log.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Seq of the event that began its group: a user message, or an assistant message with its results.
    pub group: u64,
    /// The message.
    pub message: Arc<ViewMessage>,
    /// Its weight for estimates.
    pub weight: f64,
    characters: u64,
    /// Who wrote it; none: a person or a tool.
    origin: Option<Arc<Origin>>,
}

impl History {
    /// Changes whenever something other than an append happened to [`History::shown`].
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// What is sent.
    pub fn shown(&self) -> &[Arc<ViewMessage>] {
        &self.shown
    }

    /// Weight of what is sent.
    pub fn weight(&self) -> f64 {
        self.shown_weight
    }

    /// Characters of what is sent.
    pub fn characters(&self) -> u64 {
        self.shown_characters
    }

    /// All messages behind the summary, whether sent or not.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Those of groups that begin before this seq.
    pub(crate) fn span(&self, until: u64) -> &[Entry] {
        &self.entries[..self.entries.partition_point(|entry| entry.group < until)]
    }

    /// The summary of what was before, as it is sent.
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_ref().map(|summary| summary.text.as_ref())
    }

    /// Messages that are left out to save space.
    pub(crate) fn left_out(&self) -> u32 {
        let kept_user = self.kept_user(self.keep_from);
        let gone = self.entries.iter().take_while(|entry| entry.group < self.keep_from);
        let gone = gone.filter(|entry| {
            Some(entry.group) != kept_user && !matches!(entry.message.as_ref(), ViewMessage::ToolResult { .. })
        });
        u32::try_from(gone.count()).unwrap_or(u32::MAX)
    }

    /// Weight of what would be sent if nothing were left out.
    pub(crate) fn untrimmed_weight(&self) -> f64 {
        let left_out = self.entries.iter().take_while(|entry| entry.group < self.keep_from);
        self.shown_weight + left_out.map(|entry| self.sent_weight(entry)).sum::<f64>()
    }

    /// Puts a summary in the place of all groups that begin before `until`. They are no longer here: the log has them.
    pub(crate) fn replace(&mut self, until: u64, text: Arc<str>) {
        let user = self.last_user().cloned();
        let gone = self.span(until).len();
        self.entries.drain(..gone);
        self.summary = Some(Summary { text, user: user.filter(|entry| entry.group < until) });
        let has = |call: &CallId| {
            self.entries.iter().any(|entry| match entry.message.as_ref() {
                ViewMessage::ToolResult { call: of, .. } => of == call,
                ViewMessage::User { .. } | ViewMessage::Assistant { .. } => false,
            })
        };
        self.pruned.retain(has);
        self.cuts.retain(|group, _| *group >= until);
        self.epoch += 1;
        self.rebuild();
    }

    /// The newest message of a person.
    fn last_user(&self) -> Option<&Entry> {
        let earlier = self.summary.as_ref().and_then(|summary| summary.user.as_ref());
        self.entries.iter().rfind(|entry| is_user(entry)).or(earlier)
    }

    /// Calls whose results are sent as a short note.
    pub fn pruned(&self) -> &HashSet<CallId> {
        &self.pruned
    }

    /// First seq whose group is still sent.
    pub fn keep_from(&self) -> u64 {
        self.keep_from
    }

    /// Whether the last message is the model's.
    pub fn ends_with_assistant(&self) -> bool {
        matches!(self.shown.last().map(Arc::as_ref), Some(ViewMessage::Assistant { .. }))
    }

    /// Adds a person's words; joined with the message before it when that is a person's too.
    pub fn push_user(&mut self, seq: u64, said: Said) {
        if said.text.is_empty() && said.attachments.is_empty() {
            return;
        }
        if let Some(entry) = self.entries.last_mut()
            && let Some(joined) = joined(&entry.message, said.clone())
        {
            *entry = Entry::new(entry.group, joined);
        } else {
            self.entries.push(Entry::new(seq, said_message(said)));
            return self.show_last();
        }
        let fitted = self.takes.fit(said);
        if let Some(shown) = self.shown.last_mut()
            && let Some(joined) = joined(shown, fitted)
        {
            self.shown_weight += weight_of(&joined) - weight_of(shown);
            self.shown_characters += characters_of(&joined) - characters_of(shown);
            *shown = Arc::new(joined);
        } else {
            self.show_last();
        }
    }

    /// Adds the model's message. An empty one (no text, no calls) is left out: providers refuse it.
    pub fn push_assistant(
        &mut self,
        seq: u64,
        text: &str,
        reasoning: &str,
        calls: Vec<ViewCall>,
        items: Vec<ProviderItem>,
    ) {
        if text.is_empty() && calls.is_empty() {
            return;
        }
        let message = ViewMessage::Assistant { text: text.to_owned(), reasoning: reasoning.to_owned(), calls, items };
        self.entries.push(Entry { origin: self.asked.clone(), ..Entry::new(seq, message) });
        self.show_last();
    }

    /// From here on requests go to this model. What others left of their own is no longer sent, nor what it doesn't take.
    pub fn speak_to(&mut self, origin: Origin, takes: Takes) {
        if self.present.as_deref() == Some(&origin) && self.takes == takes {
            return;
        }
        self.present = Some(Arc::new(origin));
        self.takes = takes;
        let has_own = |entry: &Entry| match entry.message.as_ref() {
            ViewMessage::Assistant { reasoning, items, .. } => !reasoning.is_empty() || !items.is_empty(),
            ViewMessage::User { attachments, .. } => !attachments.is_empty(),
            ViewMessage::ToolResult { .. } => false,
        };
        if self.entries.iter().any(has_own) {
            self.epoch += 1;
            self.rebuild();
        }
    }

    /// A request went out: what answers it is of whom it went to.
    pub fn asked(&mut self) {
        self.asked.clone_from(&self.present);
    }

    /// Adds the result of a call of the last assistant message.
    pub fn push_result(&mut self, call: CallId, name: &str, text: &str) {
        let group = self.entries.last().map_or(0, |entry| entry.group);
        let message = ViewMessage::ToolResult { call, name: name.to_owned(), text: text.to_owned() };
        self.entries.push(Entry::new(group, message));
        self.show_last();
    }

    /// Leaves out groups before `keep_from`, the text of the pruned results and the middle of the cut texts, from here on.
    pub fn cut(&mut self, keep_from: u64, pruned: &[CallId], cut: &[CutText]) {
        self.keep_from = keep_from;
        self.pruned.extend(pruned.iter().cloned());
        self.cuts.extend(cut.iter().map(|cut| (cut.message, usize::try_from(cut.keep).unwrap_or(usize::MAX))));
        self.epoch += 1;
        self.rebuild();
    }

    /// Marks that something before the messages changed (prompt, tools, model).
    pub fn touch(&mut self) {
        self.epoch += 1;
    }

    /// The user message that stays although its group lies before `keep_from`: the turn's own, when nothing after
    /// the cut is a person's.
    pub fn kept_user(&self, keep_from: u64) -> Option<u64> {
        let users = || self.entries.iter().filter(|entry| is_user(entry));
        if users().any(|entry| entry.group >= keep_from) {
            return None;
        }
        users().next_back().map(|entry| entry.group)
    }

    fn show_last(&mut self) {
        let Some(entry) = self.entries.last() else { return };
        if self.is_foreign(entry) || self.is_untaken(entry) {
            let sent = self.sent_form(entry);
            self.shown_weight += weight_of(&sent);
            self.shown_characters += characters_of(&sent);
            return self.shown.push(sent);
        }
        self.shown_weight += entry.weight;
        self.shown_characters += entry.characters;
        self.shown.push(Arc::clone(&entry.message));
    }

    /// Whether another model than the present one wrote a message.
    fn is_foreign(&self, entry: &Entry) -> bool {
        entry.origin.is_some() && entry.origin != self.present
    }

    /// Whether something stands beside a message that the present model doesn't take.
    fn is_untaken(&self, entry: &Entry) -> bool {
        matches!(entry.message.as_ref(), ViewMessage::User { attachments, .. } if !self.takes.takes_all(attachments))
    }

    fn rebuild(&mut self) {
        let kept_user = self.kept_user(self.keep_from);
        let mut shown: Vec<Arc<ViewMessage>> = Vec::new();
        let mut left_out = false;
        let earlier = self.summary.as_ref().and_then(|summary| summary.user.as_ref());
        shown.extend(earlier.filter(|_| !self.entries.iter().any(is_user)).map(|entry| self.sent_form(entry)));
        for entry in &self.entries {
            if entry.group < self.keep_from && Some(entry.group) != kept_user {
                left_out = true;
                continue;
            }
            shown.push(self.sent_form(entry));
        }
        if left_out {
            put_before(&mut shown, LEFT_OUT);
        }
        if let Some(summary) = &self.summary {
            put_before(&mut shown, &summary.text);
        }
        self.shown_weight = shown.iter().map(|message| weight_of(message)).sum();
        self.shown_characters = shown.iter().map(|message| characters_of(message)).sum();
        self.shown = shown;
    }

    /// Whether only the ends of a message are sent.
    pub fn is_cut(&self, entry: &Entry) -> bool {
        self.cuts.contains_key(&entry.group) && !matches!(entry.message.as_ref(), ViewMessage::ToolResult { .. })
    }

    /// Weight of a message as it would be sent now.
    pub fn sent_weight(&self, entry: &Entry) -> f64 {
        match entry.message.as_ref() {
            ViewMessage::ToolResult { call, .. } if self.pruned.contains(call) => entry.pruned_weight(),
            _ if self.is_cut(entry) || self.is_foreign(entry) || self.is_untaken(entry) => {
                weight_of(&self.sent_form(entry))
            }
            _ => entry.weight,
        }
    }

    fn sent_form(&self, entry: &Entry) -> Arc<ViewMessage> {
        match (entry.message.as_ref(), self.cuts.get(&entry.group)) {
            (ViewMessage::ToolResult { call, name, text }, _) if self.pruned.contains(call) => {
                let text = pruned_words(text);
                Arc::new(ViewMessage::ToolResult { call: call.clone(), name: name.clone(), text })
            }
            (ViewMessage::User { text, attachments }, keep) if keep.is_some() || self.is_untaken(entry) => {
                let text = keep.map_or_else(|| text.clone(), |keep| cut_words(text, *keep));
                Arc::new(said_message(self.takes.fit(Said { text, attachments: attachments.clone() })))
            }
            (ViewMessage::Assistant { text, reasoning, calls, items }, keep)
                if keep.is_some() || self.is_foreign(entry) =>
            {
                let text = keep.map_or_else(|| text.clone(), |keep| cut_words(text, *keep));
                let (reasoning, items) = match self.is_foreign(entry) {
                    true => (String::new(), Vec::new()),
                    false => (reasoning.clone(), items.clone()),
                };
                Arc::new(ViewMessage::Assistant { text, reasoning, calls: calls.clone(), items })
            }
            _ => Arc::clone(&entry.message),
        }
    }
}

impl Entry {
    fn new(group: u64, message: ViewMessage) -> Self {
        let weight = weight_of(&message);
        let characters = characters_of(&message);
        Self { group, message: Arc::new(message), weight, characters, origin: None }
    }

    /// The weight when its text is pruned; the same for what isn't a result.
    pub fn pruned_weight(&self) -> f64 {
        match self.message.as_ref() {
            ViewMessage::ToolResult { text, .. } => weigh(&pruned_words(text)),
            _ => self.weight,
        }
    }
}

fn pruned_words(text: &str) -> String {
    let count = characters(text);
    format!("[This result of {count} characters was left out to save space; call the tool again if it is needed.]")
}

/// The beginning and the end of a text, `keep` characters together.
pub fn cut_words(text: &str, keep: usize) -> String {
    match ends(text, keep) {
        Some((head, left_out, tail)) => {
            format!("{head}…[{left_out} characters of this message were left out to save space]…{tail}")
        }
        None => text.to_owned(),
    }
}

pub(crate) fn is_user(entry: &Entry) -> bool {
    matches!(entry.message.as_ref(), ViewMessage::User { .. })
}

/// Puts words ahead of the messages: in front of the first one where that is a person's, else as a message of their own.
pub(crate) fn put_before(messages: &mut Vec<Arc<ViewMessage>>, words: &str) {
    match messages.first().map(Arc::as_ref) {
        Some(ViewMessage::User { text, attachments }) => {
            let mut said = Said { text: words.to_owned(), attachments: Vec::new() };
            said.join(Said { text: text.clone(), attachments: attachments.clone() });
            messages[0] = Arc::new(said_message(said));
        }
        _ => messages.insert(0, Arc::new(ViewMessage::user(words))),
    }
}

fn said_message(said: Said) -> ViewMessage {
    ViewMessage::User { text: said.text, attachments: said.attachments }
}

/// A person's message with what was said next; none: it isn't a person's.
fn joined(message: &ViewMessage, next: Said) -> Option<ViewMessage> {
    let ViewMessage::User { text, attachments } = message else { return None };
    let mut said = Said { text: text.clone(), attachments: attachments.clone() };
    said.join(next);
    Some(said_message(said))
}

fn texts(message: &ViewMessage) -> impl Iterator<Item = &str> {
    let (own, reasoning, calls): (&str, &str, &[ViewCall]) = match message {
        ViewMessage::User { text, .. } | ViewMessage::ToolResult { text, .. } => (text, "", &[]),
        ViewMessage::Assistant { text, reasoning, calls, .. } => (text, reasoning, calls),
    };
    [own, reasoning].into_iter().chain(calls.iter().flat_map(|call| [call.name.as_str(), call.arguments.as_str()]))
}

pub(crate) fn weight_of(message: &ViewMessage) -> f64 {
    let attachments: &[_] = if let ViewMessage::User { attachments, .. } = message { attachments } else { &[] };
    texts(message).map(weigh).sum::<f64>() + attachments.iter().map(attachment_weight).sum::<f64>()
}

fn characters_of(message: &ViewMessage) -> u64 {
    texts(message).map(characters).sum()
}

#[cfg(test)]
mod tests;
