//! What must hold after every script, whatever it was about (spec part 8, "Invariants").
//! It looks at the log, at the folders and at what really ran; it changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use assent_protocol::assessment::Card;
use assent_protocol::canonical;
use assent_protocol::event::{Event, Payload, RequestSent, ToolCall};
use assent_protocol::ids::{CallId, ConversationId, Sha};
use assent_protocol::permission::{Answer, Decider, Mode, Tier};
use assent_protocol::tool::{Intent, Outcome};
use assent_protocol::view::{Protocol, ViewMessage};
use assent_session::Session;
use assent_store::CallState;
use serde_json::json;

use super::play::Stage;
use super::watch::Run;
use crate::fake_server::{Dialect, violations_of};

/// Panics with words about the first invariant that doesn't hold.
pub(super) fn hold(stage: &Stage) {
    for (id, live) in &stage.lives {
        claims_come_first(&live.events);
        live_equals_replay(stage, id, &live.session);
        requests_are_recomputed(stage, id, &live.events);
        windows_keep_what_they_must(&live.events);
    }
    ran_as_decided(stage);
    folders_are_explained(stage);
    let engine = stage.engine.as_ref().expect("an engine runs");
    let differences = engine.verify().expect("the log can be verified");
    assert!(differences.is_empty(), "verify found {differences:?}");
}

/// No effect without an earlier claim, at most one attempt, one result a call, nothing High in auto.
fn claims_come_first(events: &[Event]) {
    let mut claimed: BTreeMap<&CallId, u32> = BTreeMap::new();
    let mut ended: BTreeSet<&CallId> = BTreeSet::new();
    let mut judged: BTreeMap<&CallId, &ToolCall> = BTreeMap::new();
    let mut cards: BTreeMap<&CallId, &Card> = BTreeMap::new();
    let mut mode = Mode::Ask;
    for event in events {
        match &event.payload {
            Payload::ModeSet { mode: set } => mode = *set,
            Payload::ToolCall(call) => drop(judged.insert(&call.call, call)),
            Payload::ApprovalRequested { call, card, .. } => drop(cards.insert(call, card)),
            Payload::ApprovalDecided { call, card, .. } => {
                assert_eq!(
                    cards.get(call).map(|shown| shown.digest),
                    Some(*card),
                    "{call}: decided on what was not shown"
                );
            }
            Payload::ToolStarted { call, intent: Some(_), .. } => {
                *claimed.entry(call).or_default() += 1;
                let tier = cards.get(call).map(|card| card.tier).or(judged.get(call).and_then(|judged| judged.tier));
                assert!(!(mode == Mode::Auto && tier == Some(Tier::High)), "{call}: High ran in auto");
                assert!(!(mode == Mode::Plan && tier != Some(Tier::Low)), "{call}: a change ran in plan");
            }
            Payload::ToolResult(result) => {
                assert!(ended.insert(&result.call), "{}: two results", result.call);
                let has_effect = !result.effects.is_empty();
                assert!(
                    !has_effect || claimed.contains_key(&result.call),
                    "{}: an effect without a claim",
                    result.call
                );
                let reads = judged.get(&result.call).is_none_or(|judged| judged.read_only);
                let ran = matches!(result.outcome, Outcome::Ok | Outcome::Unknown);
                assert!(reads || !ran || claimed.contains_key(&result.call), "{}: ran without a claim", result.call);
            }
            _ => {}
        }
    }
    assert!(claimed.values().all(|attempts| *attempts == 1), "claimed twice: {claimed:?}");
}

/// What a front-end folded from the signals is what a fold of the log says.
fn live_equals_replay(stage: &Stage, id: &ConversationId, live: &Session) {
    let store = stage.watch.store().expect("an engine runs");
    let events = store.fold_events(id).expect("the log can be read");
    let replay = Session::fold(&events);
    assert_eq!(picture(live), picture(&replay), "the live fold and the replay differ");
}

fn picture(session: &Session) -> String {
    let about = (
        (session.seq(), session.workspace(), session.is_titled(), session.choice(), session.mode(), session.limits()),
        (session.prompt(), session.tools(), session.rules(), session.queue(), session.calls(), session.ended()),
        (session.is_generating(), session.is_stopping(), session.iteration(), session.in_flight(), session.attempts()),
        (session.last_request(), session.estimate(), session.next()),
    );
    let history = session.history();
    format!("{about:#?} {:#?} {} {}", history.shown(), history.epoch(), history.characters())
}

/// Every request can be recomputed from the log, is one that providers take, and is begun by the one before it.
fn requests_are_recomputed(stage: &Stage, id: &ConversationId, events: &[Event]) {
    let engine = stage.engine.as_ref().expect("an engine runs");
    let mut before: Option<(String, RequestSent)> = None;
    let mut may_differ = true;
    for event in events {
        match &event.payload {
            Payload::WindowMoved { .. }
            | Payload::CompactionEnd { .. }
            | Payload::MemorySet { .. }
            | Payload::ModelSet { .. }
            | Payload::ProviderSwitched { .. }
            | Payload::TurnEnd { .. }
            | Payload::PromptSet { .. }
            | Payload::ToolsSet { .. } => may_differ = true,
            Payload::RequestSent(sent) => {
                let recomputed = engine.recompute(id, |_, other| other.request == sent.request);
                let recomputed = recomputed.expect("a request can be recomputed");
                assert!(recomputed.is_equal(), "request {} is another one when recomputed", sent.request);
                let body = String::from_utf8(recomputed.body.to_vec()).expect("a body is text");
                assert_eq!(violations_of(dialect(sent.protocol), &body), Vec::<String>::new(), "{body}");
                if !sent.purpose.is_own() {
                    continue;
                }
                if let Some((earlier, _)) = before.as_ref().filter(|_| !may_differ) {
                    begins(earlier, &body);
                }
                before = Some((body, sent.clone()));
                may_differ = false;
            }
            _ => {}
        }
    }
}

fn dialect(protocol: Protocol) -> Dialect {
    match protocol {
        Protocol::Responses => Dialect::Responses,
        Protocol::AnthropicMessages => Dialect::AnthropicMessages,
        Protocol::ChatCompletions | Protocol::Practice => Dialect::ChatCompletions,
    }
}

/// Whatever is left out: the last six messages and the turn's own are sent, and what is sent fits as long as anything
/// else could be left out.
fn windows_keep_what_they_must(events: &[Event]) {
    let mut session = Session::default();
    for event in events {
        session.apply(event);
        if !matches!(&event.payload, Payload::RequestSent(sent) if sent.purpose.is_own()) {
            continue;
        }
        let history = session.history();
        let is_message = |message: &ViewMessage| !matches!(message, ViewMessage::ToolResult { .. });
        let all: Vec<&ViewMessage> = history.entries().iter().map(|entry| entry.message.as_ref()).collect();
        let shown: Vec<&ViewMessage> = history.shown().iter().map(|message| message.as_ref()).collect();
        let last_six = all.iter().rev().filter(|message| is_message(message)).take(6);
        let last_user = all.iter().rev().find(|message| matches!(message, ViewMessage::User { .. }));
        for kept in last_six.chain(last_user) {
            assert!(shown.iter().any(|message| is_same(message, kept)), "{kept:?} was left out");
        }
        let window = session.choice().map_or(0, |choice| choice.window);
        let budget = (window - (window / 4).min(8_192)) as f64 * 0.85;
        let messages = shown.iter().filter(|message| is_message(message)).count();
        let fits = session.estimate() as f64 <= budget || messages <= 7;
        assert!(fits, "{} tokens were sent of a budget of {budget}, in {messages} messages", session.estimate());
    }
}

/// The first message that is sent may have a word about what was left out before its own, and what is too large is there
/// by its ends.
fn is_same(shown: &ViewMessage, kept: &ViewMessage) -> bool {
    let by_ends = |shown: &str, kept: &str| {
        let tail = shown.split_once("characters of this message were left out to save space]…").map(|(_, tail)| tail);
        tail.is_some_and(|tail| !tail.is_empty() && kept.ends_with(tail))
    };
    match (shown, kept) {
        (ViewMessage::User { text, attachments }, ViewMessage::User { text: kept, attachments: all }) => {
            let untaken = all.iter().find(|attachment| !attachments.contains(attachment));
            let own = untaken.map_or(Some(text.as_str()), |untaken| before_note(text, &untaken.name));
            own.is_some_and(|own| own.ends_with(kept.as_str()) || by_ends(own, kept))
        }
        // Reasoning stays away from a model that didn't write it.
        (ViewMessage::Assistant { text, calls, .. }, ViewMessage::Assistant { text: whole, calls: of_whole, .. }) => {
            calls == of_whole && (text == whole || by_ends(text, whole))
        }
        (shown, kept) => shown == kept,
    }
}

/// What stands in a text before the note that says that this attachment is left out; none: it says no such thing.
fn before_note<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let note = text.find(&format!(" {name}: left out, this model takes no "))?;
    let begin = text[..note].rfind('[')?;
    Some(text[..begin].trim_end())
}

/// All of `earlier` up to the end of its messages begins `later`, cache markers aside; the last message may go on.
fn begins(earlier: &str, later: &str) {
    const MARKER: &str = r#","cache_control":{"type":"ephemeral"}"#;
    let (earlier, later) = (earlier.replace(MARKER, ""), later.replace(MARKER, ""));
    let end = earlier.rfind(']').expect("messages are a list");
    let common = earlier.bytes().zip(later.bytes()).take_while(|(one, other)| one == other).count();
    // The last message ends with a quote, braces and brackets; what is joined to it goes on before them.
    let needed = earlier[..end].trim_end_matches(['"', '}', ']']).len();
    assert!(common >= needed, "the prefix moved after {common} of {needed} bytes:\n{earlier}\n{later}");
}

/// What ran is what was claimed, what was claimed is what was decided on, and that is what was shown.
fn ran_as_decided(stage: &Stage) {
    let runs = stage.watch.runs();
    let mut seen = BTreeSet::new();
    for run in &runs {
        assert!(seen.insert(run.call.clone()), "{} ran twice", run.call);
        assert_eq!(run.on_disk, Some(CallState::Executing), "{}: the claim was not on disk when it ran", run.call);
        let digest = canonical::digest(&json!({
            "tool": run.tool, "version": run.version, "workspace": run.workspace, "arguments": run.arguments,
        }));
        assert_eq!(run.call_digest, digest, "{}: another call ran than was cleared", run.call);
        let events = stage.lives.values().find(|live| live.events.iter().any(|event| proposes(event, &run.call)));
        let events = &events.expect("what ran was proposed").events;
        ran_as_shown(run, events, digest);
    }
}

fn ran_as_shown(run: &Run, events: &[Event], call_digest: Sha) {
    let mut card: Option<&Card> = None;
    let mut decided = None;
    let mut judged: Option<&ToolCall> = None;
    let mut mode = Mode::Ask;
    for event in events {
        match &event.payload {
            Payload::ToolCall(call) if call.call == run.call => judged = Some(call),
            Payload::ModeSet { mode: set } => mode = *set,
            Payload::ApprovalRequested { call, card: shown, .. } if *call == run.call => {
                (card, decided) = (Some(shown.as_ref()), None);
            }
            Payload::ApprovalDecided { call, card, answer, by, .. } if *call == run.call => {
                decided = Some((*card, *answer, *by));
            }
            Payload::ToolStarted { call, .. } if *call == run.call => break,
            _ => {}
        }
    }
    assert_eq!(judged.and_then(|judged| judged.digest), Some(call_digest), "{}: another call was judged", run.call);
    match (card, run.card_digest) {
        (Some(card), Some(cleared)) => {
            assert_eq!(decided, Some((cleared, Answer::Approved, run.by)), "{}: ran without that decision", run.call);
            assert_eq!(card.digest, cleared, "{}: another card was shown last", run.call);
            let shown = canonical::digest(&json!({
                "call": call_digest, "tier": card.tier, "touches": card.touches, "preview": card.preview,
            }));
            assert_eq!(shown, cleared, "{}: the digest is not that of what was shown", run.call);
        }
        (None, None) => {
            let fits = match run.by {
                Decider::Rule => true,
                Decider::Mode => mode == Mode::Auto && run.tier == Tier::Medium,
                Decider::Tool => run.tier == Tier::Low,
                Decider::User | Decider::Stop => false,
            };
            assert!(fits, "{}: a {:?} change ran by {:?} in {mode:?}", run.call, run.tier, run.by);
        }
        (shown, cleared) => {
            panic!("{}: shown {:?}, cleared {cleared:?}", run.call, shown.map(|card| card.digest))
        }
    }
}

fn proposes(event: &Event, call: &CallId) -> bool {
    matches!(&event.payload, Payload::AssistantMessage(message) if message.calls.iter().any(|one| one.call == *call))
}

/// Nothing beside the workspace changed; in it nothing but what a claim intended, a person took back, or another program
/// of the script wrote.
fn folders_are_explained(stage: &Stage) {
    let outside = stage.folders.outside().expect("the folders can be read");
    assert_eq!(outside, stage.outside_before, "something outside of the workspace changed");
    let now = stage.folders.files().expect("the folders can be read");
    let mut intended = BTreeSet::new();
    for event in stage.lives.values().flat_map(|live| &live.events) {
        let Payload::ToolStarted { intent: Some(intent), .. } = &event.payload else { continue };
        match intent {
            Intent::Write { path, .. } | Intent::Delete { path, .. } => drop(intended.insert(path.clone())),
            Intent::Rename { from, to } => intended.extend([from.clone(), to.clone()]),
            Intent::Command => return,
        }
    }
    intended.extend(stage.written_outside.iter().cloned());
    let is_intended = |path: &String| {
        intended
            .iter()
            .any(|one| path == one || path.strip_prefix(one.as_str()).is_some_and(|rest| rest.starts_with('/')))
    };
    let before = &stage.files_before;
    for path in before.keys().chain(now.keys()) {
        assert!(before.get(path) == now.get(path) || is_intended(path), "{path} changed and nobody claimed it");
    }
}
