//! What holds after every step of a random run, and at its end.
//! Each rule is told once; the loop that asks for them is in the parent.

use std::collections::BTreeSet;
use std::sync::Arc;

use assent_protocol::event::Payload;
use assent_protocol::ids::CallId;
use assent_protocol::view::{ToolChoice, ViewMessage};
use assent_session::{CallState, Next, Session, characters};

use super::world::{Sent, World};

/// After every step.
pub fn hold(world: &World) {
    let session = &world.session;
    let shown = session.history().shown();
    let counted: u64 = shown.iter().map(|message| characters_of(message)).sum();
    assert_eq!(session.history().characters(), counted, "the count went astray");
    if let Next::Wait = session.next() {
        assert!(session.is_pending(), "it waits for nobody: {:?}", session.calls());
    }
    one_change_at_a_time(session);
    changes_are_judged_after_the_reads(session);
    if let Some(last) = world.sent.last() {
        alternates(&last.messages);
        for kept in &last.kept {
            assert!(last.messages.iter().any(|message| is_same(message, kept)), "{kept:?} was left out");
        }
        pairs(&last.messages);
        assert!(last.since_human <= world.max_iterations, "{} model calls without a person", last.since_human);
        let is_last = last.since_human == world.max_iterations;
        assert_eq!(last.tool_choice == ToolChoice::None, is_last, "tools at call {}", last.since_human);
    }
    if let [.., before, last] = world.sent.as_slice() {
        begins(before, last);
    }
}

/// When the run is over: whoever reads the log again comes to the same.
pub fn hold_at_the_end(world: &World) {
    let whole = Session::fold(&world.events);
    let without_chunks = world.events.iter().filter(|event| !matches!(event.payload, Payload::AssistantChunk { .. }));
    let short = Session::fold(without_chunks);
    for replay in [&whole, &short] {
        assert_eq!(replay.history().shown(), world.session.history().shown());
        assert_eq!(replay.next(), world.session.next());
        assert_eq!(replay.estimate(), world.session.estimate());
        assert_eq!(replay.history().epoch(), world.session.history().epoch());
    }
    let mut ended = BTreeSet::new();
    for event in &world.events {
        if let Payload::ToolResult(result) = &event.payload {
            assert!(ended.insert(result.call.clone()), "{}: two results", result.call);
        }
    }
    let proposed = world.events.iter().filter_map(|event| match &event.payload {
        Payload::AssistantMessage(message) => Some(message.calls.iter().map(|call| call.call.clone())),
        _ => None,
    });
    let proposed: BTreeSet<CallId> = proposed.flatten().collect();
    assert_eq!(proposed, ended, "every call has its result");
}

/// The first message that is sent may have a word about what was left out before its own.
fn is_same(shown: &ViewMessage, kept: &ViewMessage) -> bool {
    match (shown, kept) {
        (ViewMessage::User { text, .. }, ViewMessage::User { text: kept, .. }) => text.ends_with(kept.as_str()),
        (shown, kept) => shown == kept,
    }
}

/// A change runs alone, and only when all before it are done.
fn one_change_at_a_time(session: &Session) {
    let Next::Run(calls) = session.next() else { return };
    let changes: Vec<_> = calls.iter().filter(|call| session.call(call).is_some_and(|call| !call.reads)).collect();
    let Some(change) = changes.first() else {
        let first_open_change = session.calls().iter().position(|call| !call.reads && !call.is_done());
        let place = |id: &CallId| session.calls().iter().position(|call| call.call == *id);
        let is_ahead =
            |id: &CallId| first_open_change.is_none_or(|change| place(id).is_some_and(|place| place < change));
        assert!(calls.iter().all(is_ahead), "a read passed a change before it");
        return;
    };
    assert_eq!(calls.len(), 1, "a change runs alone");
    let before = session.calls().iter().take_while(|call| call.call != **change);
    let open: Vec<_> = before.filter(|call| !matches!(call.state, CallState::Done { .. })).collect();
    assert!(open.is_empty(), "{change} overtakes {open:?}");
}

/// A change is judged on what the reads ahead of it saw: those that can end by themselves have ended.
fn changes_are_judged_after_the_reads(session: &Session) {
    let Next::Assess(calls) = session.next() else { return };
    let mut is_behind_a_change = false;
    let mut running = None;
    for call in session.calls() {
        if !call.reads && calls.contains(&call.call) {
            assert!(running.is_none(), "{} is judged before {running:?} has ended", call.call);
        }
        is_behind_a_change |= !call.reads && !call.is_done();
        if call.reads && !is_behind_a_change && !call.is_done() && !call.is_pending() {
            running = Some(call.call.clone());
        }
    }
}

fn alternates(messages: &[Arc<ViewMessage>]) {
    let mut before = 'a';
    for message in messages {
        let role = match message.as_ref() {
            ViewMessage::User { text, .. } => {
                assert!(!text.is_empty(), "an empty message of the user");
                'u'
            }
            ViewMessage::Assistant { text, calls, .. } => {
                assert!(!text.is_empty() || !calls.is_empty(), "an empty message of the model");
                'a'
            }
            ViewMessage::ToolResult { .. } => 't',
        };
        let fits = matches!((before, role), ('a', 'u' | 't') | ('u', 'a') | ('t', 'a' | 't' | 'u'));
        assert!(fits, "{role} after {before} in {messages:#?}");
        before = role;
    }
    assert!(matches!(before, 'u' | 't'), "the model is asked after its own word: {messages:#?}");
}

/// Results directly behind their message, in call order, each once.
fn pairs(messages: &[Arc<ViewMessage>]) {
    let mut open: Vec<CallId> = Vec::new();
    for message in messages {
        match message.as_ref() {
            ViewMessage::ToolResult { call, text, .. } => {
                assert!(!text.is_empty(), "an empty result");
                assert!(!open.is_empty() && open.remove(0) == *call, "{call} out of its place");
            }
            ViewMessage::User { .. } => assert!(open.is_empty(), "a message before the results of {open:?}"),
            ViewMessage::Assistant { calls, .. } => {
                assert!(open.is_empty(), "an answer before the results of {open:?}");
                open = calls.iter().map(|call| call.call.clone()).collect();
            }
        }
    }
    assert!(open.is_empty(), "no result for {open:?}");
}

/// One request begins the next as long as nothing but an append happened; the user's last word may go on.
fn begins(before: &Sent, last: &Sent) {
    if before.epoch != last.epoch {
        return;
    }
    assert!(before.messages.len() <= last.messages.len(), "the view shrank without a word");
    for (index, (one, other)) in before.messages.iter().zip(&last.messages).enumerate() {
        let is_final = index + 1 == before.messages.len();
        let is_joined = match (one.as_ref(), other.as_ref()) {
            (ViewMessage::User { text, .. }, ViewMessage::User { text: longer, .. }) => {
                is_final && longer.starts_with(text.as_str())
            }
            _ => false,
        };
        assert!(one == other || is_joined, "message {index} changed from {one:?} to {other:?}");
    }
    assert!(last.estimate >= before.estimate, "more was sent and less estimated");
}

fn characters_of(message: &ViewMessage) -> u64 {
    match message {
        ViewMessage::User { text, .. } | ViewMessage::ToolResult { text, .. } => characters(text),
        ViewMessage::Assistant { text, reasoning, calls, .. } => {
            let calls = calls.iter().map(|call| characters(&call.name) + characters(&call.arguments)).sum::<u64>();
            characters(text) + characters(reasoning) + calls
        }
    }
}
