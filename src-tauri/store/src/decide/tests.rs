//! Tests of decisions: one winner, one card, one conversation.
//! What a decision leads to is tested with the claim.

use std::sync::Barrier;

use assent_protocol::event::Payload;
use assent_protocol::permission::{Answer, Decider, Mode, Scope};
use assent_protocol::tool::Stored;

use super::*;
use crate::tests::{Write, append, ask, begin, call, check_whole, end, id};

#[test]
fn p48_of_two_decisions_at_the_same_moment_one_is_recorded() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let names: Vec<String> = (0..1000).map(|number| format!("c{number}")).collect();
    for name in &names {
        ask(&store, &Write::new("a", name, name));
    }
    let barrier = Barrier::new(4);
    let outcomes: Vec<Vec<Result<Event, DecideError>>> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..4)
            .map(|racer| {
                let (store, names, barrier) = (&store, &names, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let answer = if racer % 2 == 0 { Answer::Approved } else { Answer::Rejected };
                    names.iter().map(|name| store.decide(Write::new("a", name, name).decision(answer)).wait()).collect()
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    for (index, name) in names.iter().enumerate() {
        let won: Vec<&Event> = outcomes.iter().filter_map(|racer| racer[index].as_ref().ok()).collect();
        let state = store.call(&call(name)).unwrap().unwrap().state;
        let [winner] = won[..] else { panic!("{} decisions won for {name}", won.len()) };
        let Payload::ApprovalDecided { answer, .. } = winner.payload else { panic!("{winner:?}") };
        let expected = if answer == Answer::Approved { CallState::Approved } else { CallState::Rejected };
        assert_eq!(state, expected);
        for racer in &outcomes {
            if let Err(error) = &racer[index] {
                assert_eq!(error, &DecideError::NotPending { state });
            }
        }
    }
    assert_eq!(store.pending().unwrap(), Vec::new());
    check_whole(&store);
}

#[test]
fn a_decision_holds_for_the_card_that_was_shown_alone() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let old = Write::new("a", "c", "notes.md");
    ask(&store, &old);
    let new = Write { content: "changed since", ..Write::new("a", "c", "notes.md") };
    append(&store, "a", vec![new.requested()]);
    assert_eq!(store.decide(old.decision(Answer::Approved)).wait(), Err(DecideError::CardChanged));
    let other = Decision { card: Stored::of(b"made up").hash, ..new.decision(Answer::Approved) };
    assert_eq!(store.decide(other).wait(), Err(DecideError::CardChanged));
    let unknown = Decision { call: call("elsewhere"), ..new.decision(Answer::Approved) };
    assert_eq!(store.decide(unknown).wait(), Err(DecideError::NoCall(call("elsewhere"))));
    assert_eq!(store.pending().unwrap().len(), 1, "nothing of it changed anything");
    store.decide(new.decision(Answer::Approved)).wait().unwrap();
    assert_eq!(store.call(&call("c")).unwrap().unwrap().state, CallState::Approved);
}

#[test]
fn what_was_decided_is_recorded_in_words() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "notes.md");
    ask(&store, &write);
    let decision = Decision { note: Some("不要碰它".to_owned()), ..write.decision(Answer::Rejected) };
    let event = store.decide(decision).wait().unwrap();
    let expected = Payload::ApprovalDecided {
        call: call("c"),
        card: write.card().digest,
        answer: Answer::Rejected,
        by: Decider::User,
        scope: Scope::Once,
        note: Some("不要碰它".to_owned()),
    };
    assert_eq!(event.payload, expected);
    assert_eq!(store.events(&id("a"), event.seq - 1, 1).unwrap(), vec![event]);
    let execution = store.call(&call("c")).unwrap().unwrap();
    assert_eq!((execution.note.as_deref(), execution.decided_by), (Some("不要碰它"), Some(Decider::User)));
}

#[test]
fn p52_a_mode_flip_decides_nothing() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "notes.md");
    ask(&store, &write);
    append(&store, "a", vec![Payload::ModeSet { mode: Mode::Auto }]);
    assert_eq!(store.call(&call("c")).unwrap().unwrap().state, CallState::Pending);
    assert_eq!(store.pending().unwrap().len(), 1);
}

#[test]
fn p55_a_card_is_there_again_after_a_restart_and_works() {
    let folder = tempfile::tempdir().unwrap();
    let write = Write::new("a", "c", "notes.md");
    {
        let (store, _) = Store::open(folder.path()).unwrap();
        begin(&store, "a");
        ask(&store, &write);
    }
    let (store, _) = Store::open(folder.path()).unwrap();
    let pending = store.pending().unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].card, write.card());
    assert_eq!(store.open_turns().unwrap(), vec![id("a")], "its turn is open, not hung");
    store.decide(write.decision(Answer::Approved)).wait().unwrap();
    assert_eq!(store.call(&call("c")).unwrap().unwrap().state, CallState::Approved);
    append(&store, "a", vec![crate::tests::result("c", assent_protocol::tool::Outcome::Ok, None), end()]);
    check_whole(&store);
}
