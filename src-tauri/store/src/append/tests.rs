//! Tests of appending: numbers, atomicity, checks, durability of what was answered.
//! Projections are tested with their tables.

use assent_protocol::event::Payload;
use assent_protocol::permission::{Answer, Decider, Mode, Scope, Verdict};
use assent_protocol::tool::{Cause, Outcome, Stored};

use crate::table::executions::CallState;
use crate::tests::{Write, append, approve, ask, begin, call, check_whole, chunk, end, id, proposing, result, user};
use crate::{Durability, Store, StoreError};

fn try_append(store: &Store, payloads: Vec<Payload>) -> Result<(), StoreError> {
    store.append(&id("a"), 30, payloads, Durability::Light, Vec::new()).wait().map(|_| ())
}

#[test]
fn numbers_run_from_one_without_gaps_in_each_conversation() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    for text in ["x", "y", "z"] {
        append(&store, "a", vec![chunk("r", text), chunk("r", text)]);
        append(&store, "b", vec![chunk("r", text)]);
    }
    let seqs = |name| store.events(&id(name), 0, 1000).unwrap().iter().map(|event| event.seq).collect::<Vec<_>>();
    assert_eq!(seqs("a"), (1..=10).collect::<Vec<_>>());
    assert_eq!(seqs("b"), (1..=7).collect::<Vec<_>>());
    check_whole(&store);
}

#[test]
fn what_is_returned_is_what_is_stored() {
    let store = Store::memory().unwrap();
    let mut expected = begin(&store, "a");
    expected.extend(append(&store, "a", vec![proposing("m", &["c"]), user("a", "你好 \u{202e} 😀")]));
    assert_eq!(store.events(&id("a"), 0, 100).unwrap(), expected);
}

#[test]
fn several_events_are_all_stored_or_none() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let before = store.row(&id("a")).unwrap();
    let error = try_append(&store, vec![user("a", "kept?"), result("nobody", Outcome::Ok, None)]);
    assert_eq!(error, Err(StoreError::NoCall(call("nobody"))));
    assert_eq!(store.events(&id("a"), 4, 10).unwrap(), Vec::new());
    assert_eq!(store.row(&id("a")).unwrap(), before);
}

#[test]
fn a_conversation_begins_once_and_with_its_creation() {
    let store = Store::memory().unwrap();
    assert_eq!(try_append(&store, vec![end()]), Err(StoreError::NoConversation(id("a"))));
    let created = Payload::ConversationCreated { project: None, workspace: None, fork: None, parent: None };
    let begin_with = |payloads| store.create_conversation(&id("a"), 1, payloads, Vec::new()).wait().map(|_| ());
    assert_eq!(begin_with(vec![end()]), Err(StoreError::NotABeginning(id("a"))));
    assert_eq!(begin_with(vec![created.clone(), Payload::ModeSet { mode: Mode::Plan }]), Ok(()));
    assert_eq!(begin_with(vec![created.clone()]), Err(StoreError::NotABeginning(id("a"))));
    assert_eq!(try_append(&store, vec![created]), Err(StoreError::NotABeginning(id("a"))));
}

#[test]
fn a_call_has_exactly_one_result() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![proposing("m", &["c"]), result("c", Outcome::Stopped, Some(Cause::Stop))]);
    let error = try_append(&store, vec![result("c", Outcome::Ok, None)]);
    assert!(matches!(error, Err(StoreError::WrongState { state: CallState::Stopped, .. })), "{error:?}");
    check_whole(&store);
}

#[test]
fn the_call_of_another_conversation_is_no_call() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    append(&store, "b", vec![proposing("m", &["c"])]);
    assert_eq!(try_append(&store, vec![result("c", Outcome::Ok, None)]), Err(StoreError::NoCall(call("c"))));
}

#[test]
fn a_side_effect_never_starts_without_a_claim() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "notes.md");
    approve(&store, &write);
    let started = |intent| Payload::ToolStarted {
        call: call("c"),
        attempt: 1,
        boot: assent_protocol::ids::BootId::new("b"),
        intent,
        before: Vec::new(),
    };
    for intent in [None, Some(write.record().intent)] {
        let error = try_append(&store, vec![started(intent)]);
        assert!(matches!(error, Err(StoreError::WrongState { state: CallState::Approved, .. })), "{error:?}");
    }
}

#[test]
fn a_decision_in_a_batch_is_compared_and_set_too() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "notes.md");
    ask(&store, &write);
    let decided = |card| Payload::ApprovalDecided {
        call: call("c"),
        card,
        answer: Answer::Rejected,
        by: Decider::User,
        scope: Scope::Once,
        note: Some("不要".to_owned()),
    };
    let other = Stored::of(b"another card").hash;
    assert_eq!(try_append(&store, vec![decided(other)]), Err(StoreError::CardChanged(call("c"))));
    assert_eq!(try_append(&store, vec![decided(write.card().digest), user("a", "不要")]), Ok(()));
    let error = try_append(&store, vec![decided(write.card().digest)]);
    assert!(matches!(error, Err(StoreError::WrongState { state: CallState::Rejected, .. })), "{error:?}");
    let error = try_append(&store, vec![write.judged(Verdict::Ask)]);
    assert!(matches!(error, Err(StoreError::WrongState { state: CallState::Rejected, .. })), "{error:?}");
}

#[test]
fn works_from_async_code() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let events = crate::tests::now(async {
        let one = store.append(&id("a"), 1, vec![chunk("r", "1")], Durability::Full, Vec::new());
        let two = store.append(&id("a"), 2, vec![chunk("r", "2")], Durability::Light, Vec::new());
        (one.await.unwrap(), two.await.unwrap())
    });
    assert_eq!((events.0[0].seq, events.1[0].seq), (5, 6));
}
