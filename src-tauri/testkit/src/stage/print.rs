//! The log as text: one readable line an event, with ids, times and paths as names.
//! It leaves out nothing that a reader would decide by, and nothing that differs from run to run stays in.

use std::collections::BTreeMap;

use assent_protocol::attachment::Attachment;
use assent_protocol::event::{
    AssistantMessage, CutText, ForkOrigin, Payload, QueueEdit, RequestSent, ToolCall, ToolResult,
};
use assent_protocol::ids::{CallId, ItemId};
use assent_protocol::permission::{Scope, Verdict};
use assent_protocol::settings::Limits;
use assent_protocol::tool::{Brief, FileEffect, Intent};
use assent_protocol::view::{ToolChoice, Usage};

/// Longest text that a line shows whole, in characters.
const TEXT: usize = 160;

/// Names for ids, given in the order in which they are first seen.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: BTreeMap<String, String>,
    counts: BTreeMap<char, usize>,
    root: String,
    base: String,
}

impl Names {
    pub(super) fn new(root: &str, base: &str) -> Self {
        Self { root: root.to_owned(), base: base.to_owned(), ..Self::default() }
    }

    /// The name of an id: its kind's letter and a number.
    pub(super) fn of(&mut self, kind: char, id: &str) -> String {
        if let Some(name) = self.names.get(id) {
            return name.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let name = format!("{kind}{count}");
        self.names.insert(id.to_owned(), name.clone());
        name
    }

    /// The name of an id that was seen.
    pub(super) fn known(&self, id: &str) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    /// The id with this name.
    pub(super) fn id(&self, name: &str) -> Option<&str> {
        self.names.iter().find(|(_, known)| known.as_str() == name).map(|(id, _)| id.as_str())
    }

    /// `text` with every id, the root and the folder that holds it replaced by their names.
    pub(super) fn replace(&self, text: &str) -> String {
        let mut text = text.replace(&self.root, "ROOT").replace(&self.base, "BASE");
        for (id, name) in &self.names {
            if text.contains(id.as_str()) {
                text = text.replace(id.as_str(), name);
            }
        }
        text
    }
}

fn created_words(workspace: Option<&str>, fork: Option<&ForkOrigin>) -> String {
    let of = fork.map(|fork| {
        let from = if fork.imported { ", imported and" } else { "," };
        format!("{from} forked at {}", fork.seq)
    });
    let of = of.unwrap_or_default();
    format!("{}{of}", workspace.unwrap_or("no folder"))
}

/// The line of an event, without its text's ids replaced.
pub(super) fn line(payload: &Payload, names: &mut Names) -> String {
    let kind = payload.kind();
    let rest = match payload {
        Payload::ConversationCreated { workspace, fork, .. } => created_words(workspace.as_deref(), fork.as_ref()),
        Payload::TitleSet { title, by } => format!("{title:?} by {}", word(by)),
        Payload::ConversationArchived { archived } => archived.to_string(),
        Payload::ModelSet { .. } | Payload::FallbacksSet { .. } | Payload::ProviderSwitched { .. } => of_model(payload),
        Payload::ModeSet { mode } => word(mode),
        Payload::LimitsSet { limits, .. } => limits_words(limits),
        Payload::PromptSet { .. } | Payload::TurnStop {} | Payload::Unknown(_) => String::new(),
        Payload::ToolsSet { names, reading, .. } => format!("{} tools, {} reading", names.len(), reading.len()),
        Payload::UserMessage { text: words, delivery, context, attachments, skills, .. } => {
            let context = context.as_ref().map(|context| format!("{} ", text(context))).unwrap_or_default();
            let skills: String = skills.iter().map(|skill| format!(" invoking {}", skill.name)).collect();
            format!("{} {context}{}{}{skills}", word(delivery), text(words), with(attachments))
        }
        Payload::TurnStart { cause } => word(cause),
        Payload::TurnEnd { reason, message, .. } => {
            let message = message.as_ref().map(|message| format!(" {}", text(message))).unwrap_or_default();
            format!("{}{message}", word(reason))
        }
        Payload::IterationStart { since_human, in_turn } => format!("{in_turn} ({since_human} since a person acted)"),
        Payload::IterationEnd { in_turn } => in_turn.to_string(),
        Payload::RequestSent(sent) => sent_line(sent, names),
        Payload::RequestFailed { request, failure, message, attempt, retry_in_ms } => {
            let retry = retry_in_ms.map(|wait| format!(", again in {}", wait_words(wait))).unwrap_or_default();
            let request = names.of('r', request.as_str());
            format!("{request} attempt {attempt} {} {}{retry}", word(failure), text(message))
        }
        Payload::AssistantChunk { request, part, text: words, .. } => {
            format!("{} {} {}", names.of('r', request.as_str()), word(part), text(words))
        }
        Payload::AssistantMessage(message) => message_line(message, names),
        Payload::AssistantDiscarded { request, failure, text: words, .. } => {
            format!("{} {} {}", names.of('r', request.as_str()), word(failure), text(words))
        }
        Payload::ToolCall(judged) => judged_line(judged, names),
        Payload::ApprovalRequested { call, card, again } => {
            let again = again.map(|again| format!(" again: {}", word(&again))).unwrap_or_default();
            format!("{} {} {:?}{again}", names.of('c', call.as_str()), word(&card.tier), card.reason.line())
        }
        Payload::ApprovalDecided { call, answer, by, scope, note, .. } => {
            let note = note.as_ref().map(|note| format!(" {}", text(note))).unwrap_or_default();
            let scope = match scope {
                Scope::Once => String::new(),
                Scope::Conversation { rule } => format!(" and whatever fits {}", json(rule)),
            };
            format!("{} {} by {}{scope}{note}", names.of('c', call.as_str()), word(answer), word(by))
        }
        Payload::RuleRevoked { rule } => json(rule),
        Payload::ToolStarted { call, attempt, intent, .. } => {
            let intent = intent.as_ref().map(|intent| format!(" attempt {attempt} {}", intent_words(intent)));
            format!("{}{}", names.of('c', call.as_str()), intent.unwrap_or_else(|| " reads".to_owned()))
        }
        Payload::ToolResult(result) => result_line(result, names),
        Payload::QuestionAsked { .. }
        | Payload::QuestionAnswered { .. }
        | Payload::AgentStarted { .. }
        | Payload::AgentEnded { .. } => of_own_tool(payload, names),
        Payload::ToolResolved { call, mark } => format!("{} {}", names.of('c', call.as_str()), word(mark)),
        Payload::EffectReverted { call, effects } => {
            format!("{}{}", names.of('c', call.as_str()), effects_words(effects))
        }
        Payload::QueueEdited { item, edit } => queue_words(item, edit, names),
        Payload::QueueTaken { item, .. } => names.of('i', item.as_str()),
        Payload::WindowMoved { pruned, cut, .. } => moved_words(pruned, cut, names),
        Payload::MemorySet { .. }
        | Payload::CompactionStart { .. }
        | Payload::CompactionPart { .. }
        | Payload::CompactionEnd { .. }
        | Payload::CompactionFailed { .. } => of_aside(payload),
        Payload::UsageRecorded { request, usage, cost_micros, .. } => {
            format!("{}{}", names.of('r', request.as_str()), usage_words(usage, *cost_micros))
        }
    };
    if rest.is_empty() { kind.to_owned() } else { format!("{kind} {rest}") }
}

fn of_aside(payload: &Payload) -> String {
    match payload {
        Payload::MemorySet { content, noted } => {
            let content = if content.is_some() { "some" } else { "none" };
            format!("{content}{}", if *noted { " told with the next message" } else { "" })
        }
        Payload::CompactionStart { cause, messages, instructions, .. } => {
            let wish = instructions.as_ref().map(|wish| format!(", wishing {wish:?}")).unwrap_or_default();
            format!("{} {messages} messages{wish}", word(cause))
        }
        Payload::CompactionPart { text: words, .. } => text(words),
        Payload::CompactionEnd { summary, kept, tokens_before, tokens_after, .. } => {
            let kept = kept.as_ref().map(|kept| format!(" + {}", text(kept))).unwrap_or_default();
            let shrinks = if tokens_after < tokens_before { "smaller" } else { "not smaller" };
            format!("{}{kept}, {shrinks}", text(summary))
        }
        Payload::CompactionFailed { cause, message, .. } => format!("{} {}", word(cause), text(message)),
        _ => String::new(),
    }
}

/// What a call did that asked a person or a sub-agent.
fn of_own_tool(payload: &Payload, names: &mut Names) -> String {
    match payload {
        Payload::QuestionAsked { call, question, options } => {
            let options = if options.is_empty() { String::new() } else { format!(" {options:?}") };
            format!("{} {}{options}", names.of('c', call.as_str()), text(question))
        }
        Payload::QuestionAnswered { call, answer } => format!("{} {}", names.of('c', call.as_str()), text(answer)),
        Payload::AgentStarted { call, iterations, .. } => {
            format!("{} with up to {iterations} requests", names.of('c', call.as_str()))
        }
        Payload::AgentEnded { call, iterations, cost_micros, .. } => {
            let cost = cost_micros.map(|cost| format!(" for {cost}")).unwrap_or_default();
            format!("{} after request {iterations}{cost}", names.of('c', call.as_str()))
        }
        _ => String::new(),
    }
}

fn moved_words(pruned: &[CallId], cut: &[CutText], names: &mut Names) -> String {
    let pruned: Vec<String> = pruned.iter().map(|call| names.of('c', call.as_str())).collect();
    let cut: String = cut.iter().map(|cut| format!(" cut to {} characters", cut.keep)).collect();
    format!("pruned [{}]{cut}", pruned.join(" "))
}

/// What was changed of an item of the inbox.
fn queue_words(item: &ItemId, edit: &QueueEdit, names: &mut Names) -> String {
    let item = names.of('i', item.as_str());
    match edit {
        QueueEdit::Added { text: words, delivery, attachments } => {
            format!("{item} added {} {}{}", word(delivery), text(words), with(attachments))
        }
        QueueEdit::Changed { text: words } => format!("{item} changed {}", text(words)),
        QueueEdit::Withdrawn => format!("{item} withdrawn"),
        QueueEdit::Moved { before: None } => format!("{item} moved to the end"),
        QueueEdit::Moved { before: Some(before) } => format!("{item} moved before {}", names.of('i', before.as_str())),
        QueueEdit::Delivery { delivery } => format!("{item} becomes {}", word(delivery)),
    }
}

fn limits_words(limits: &Limits) -> String {
    let Limits { max_iterations, retries, .. } = limits;
    format!("max {max_iterations} retries {retries}")
}

fn sent_line(sent: &RequestSent, names: &mut Names) -> String {
    let attempt = if sent.attempt > 1 { format!(" attempt {}", sent.attempt) } else { String::new() };
    let tools = if sent.tool_choice == ToolChoice::None { " tools off" } else { "" };
    let purpose = if sent.purpose.is_own() { String::new() } else { format!(" for {}", word(&sent.purpose)) };
    let shorter = if sent.shorter { " shorter" } else { "" };
    format!("{}{attempt}{tools}{purpose}{shorter}", names.of('r', sent.request.as_str()))
}

fn message_line(message: &AssistantMessage, names: &mut Names) -> String {
    let mut line = names.of('r', message.request.as_str());
    if !message.text.is_empty() {
        line = format!("{line} {}", text(&message.text));
    }
    for call in &message.calls {
        line = format!("{line} {}={} {}", names.of('c', call.call.as_str()), call.name, cut(&call.arguments));
    }
    let finish = message.finish.as_ref().map_or_else(|| "unfinished".to_owned(), word);
    let partial = if message.partial { " partial" } else { "" };
    format!("{line} {finish}{partial}")
}

fn judged_line(judged: &ToolCall, names: &mut Names) -> String {
    let tier = judged.tier.as_ref().map_or_else(|| "no tier".to_owned(), word);
    let verdict = match &judged.verdict {
        Verdict::Run { by, rule } => {
            let rule = rule.as_ref().map(|rule| format!(" {}", json(rule))).unwrap_or_default();
            format!("run by {}{rule}", word(by))
        }
        Verdict::Ask => "ask".to_owned(),
        Verdict::Refuse { by, why } => format!("refuse by {} {}", word(by), text(why)),
        Verdict::Defer { after } => format!("after {}", names.of('c', after.as_str())),
    };
    let cause = judged.cause.as_ref().map(|cause| format!(" ({})", word(cause))).unwrap_or_default();
    let preview =
        judged.preview.as_ref().map(|preview| format!(", shows {:?}", cut(&preview.text()))).unwrap_or_default();
    format!("{} {tier}: {verdict}{cause}{preview}", names.of('c', judged.call.as_str()))
}

fn result_line(result: &ToolResult, names: &mut Names) -> String {
    let cause = result.cause.as_ref().map(|cause| format!(" ({})", word(cause))).unwrap_or_default();
    let brief = match &result.brief {
        Brief::Exit { code: Some(code), .. } => format!(" exit {code}"),
        _ => String::new(),
    };
    let recovered = if result.recovered { " recovered" } else { "" };
    let note = result.note.as_ref().map(|note| format!(" + {}", text(note))).unwrap_or_default();
    let call = names.of('c', result.call.as_str());
    let effects = effects_words(&result.effects);
    format!("{call} {}{cause}{recovered}{brief}{effects} {}{note}", word(&result.outcome), text(&result.shown))
}

fn intent_words(intent: &Intent) -> String {
    match intent {
        Intent::Write { path, before, .. } => {
            format!("{} {path}", if before.is_some() { "rewrite" } else { "create" })
        }
        Intent::Delete { path, .. } => format!("delete {path}"),
        Intent::Rename { from, to } => format!("rename {from} to {to}"),
        Intent::Command => "command".to_owned(),
    }
}

fn effects_words(effects: &[FileEffect]) -> String {
    let of = |effect: &FileEffect| {
        let what = match (effect.before, effect.after) {
            (None, Some(_)) => "created",
            (Some(_), None) => "gone",
            _ if effect.moved_to.is_some() => "moved",
            _ => "changed",
        };
        format!(" [{} {what}]", effect.path)
    };
    effects.iter().map(of).collect()
}

/// A wait by its base: the jitter is up to a quarter either way.
fn wait_words(ms: u64) -> String {
    let base = [1_000, 2_000, 4_000].into_iter().find(|base| (base * 3 / 4..=base * 5 / 4).contains(&ms));
    match base {
        Some(base) if ms != base => format!("about {} s", base / 1000),
        _ => format!("{ms} ms"),
    }
}

/// Who is asked from here on.
fn of_model(payload: &Payload) -> String {
    match payload {
        Payload::ModelSet { choice, learned } => {
            format!("{} window {}{}", choice.model, choice.window, if *learned { " learned" } else { "" })
        }
        Payload::FallbacksSet { choices } => {
            choices.iter().map(|choice| choice.label.as_str()).collect::<Vec<_>>().join(", ")
        }
        Payload::ProviderSwitched { failure, attempt, from, choice } => {
            format!("{from} gives way to {} after attempt {attempt}: {}", choice.label, word(failure))
        }
        _ => String::new(),
    }
}

/// The counts that were told, where their cost is known; a script without prices is about something else.
fn usage_words(usage: &Usage, cost_micros: Option<u64>) -> String {
    let parts = [(usage.input, "in"), (usage.cache_read, "cached"), (usage.cache_write, "kept"), (usage.output, "out")];
    let told = parts.iter().filter_map(|(count, word)| count.map(|count| format!("{count} {word}")));
    let told = told.collect::<Vec<_>>().join(", ");
    match (cost_micros, usage.output) {
        (Some(cost), _) => format!(" {told} for {cost}"),
        (None, None) => format!(" {told}, output unknown"),
        (None, Some(_)) => String::new(),
    }
}

/// A unit enum's word, as it is written in JSON.
fn word<T: serde::Serialize>(value: &T) -> String {
    json(value).trim_matches('"').to_owned()
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}

fn text(words: &str) -> String {
    format!("{:?}", cut(words))
}

pub(super) fn cut(words: &str) -> String {
    let total = words.chars().count();
    if total <= TEXT {
        return words.to_owned();
    }
    let head: String = words.chars().take(TEXT / 2).collect();
    let tail: String = words.chars().skip(total - TEXT / 4).collect();
    format!("{head}…{} more…{tail}", total - TEXT / 2 - TEXT / 4)
}

fn with(attachments: &[Attachment]) -> String {
    let one = |attachment: &Attachment| format!(" with {} ({})", attachment.name, attachment.media_type.as_str());
    attachments.iter().map(one).collect()
}
