//! Tests of the claim: at most once, and nothing that differs from what was judged or approved.
//! Effects are no part of it.

use std::sync::Barrier;

use assent_protocol::event::Payload;
use assent_protocol::permission::{Answer, Verdict};
use assent_protocol::tool::{Cause, Outcome, Stored};

use super::*;
use crate::tests::{Write, append, approve, ask, begin, call, check_whole, end, id, now, proposing, result};

fn claim(store: &Store, write: &Write<'_>) -> Result<u32, ClaimError> {
    claim_with(store, write.cleared(), write)
}

fn claim_with(store: &Store, cleared: Cleared, write: &Write<'_>) -> Result<u32, ClaimError> {
    now(store.claim(cleared, write.record())).map(|(claimed, event)| {
        assert!(matches!(event.payload, Payload::ToolStarted { attempt: 1, .. }));
        claimed.attempt()
    })
}

fn state(store: &Store, name: &str) -> CallState {
    store.call(&call(name)).unwrap().unwrap().state
}

/// A refused claim leaves the log and the row as they were.
#[track_caller]
fn check_refused(store: &Store, cleared: Cleared, write: &Write<'_>, expected: ClaimError) {
    let before = (store.row(&id(write.conversation)).unwrap(), store.call(&call(write.call)).unwrap());
    assert_eq!(claim_with(store, cleared, write), Err(expected));
    assert_eq!((store.row(&id(write.conversation)).unwrap(), store.call(&call(write.call)).unwrap()), before);
    check_whole(store);
}

#[test]
fn an_approved_call_is_claimed_once_and_recorded_with_its_intent() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "笔记.md");
    approve(&store, &write);
    let record = ClaimRecord { keep: vec![b"old".to_vec()], ..write.record() };
    let (claimed, event) = now(store.claim(write.cleared(), record.clone())).unwrap();
    assert_eq!((claimed.attempt(), claimed.call.clone()), (1, call("c")));
    let expected = Payload::ToolStarted {
        call: call("c"),
        attempt: 1,
        boot: record.boot,
        intent: Some(record.intent),
        before: record.before,
    };
    assert_eq!(event.payload, expected);
    assert_eq!(store.content(Stored::of(b"old").hash).unwrap(), Some(b"old".to_vec()));
    assert_eq!(state(&store, "c"), CallState::Executing);
    check_refused(&store, write.cleared(), &write, ClaimError::AlreadyStarted { state: CallState::Executing });
    append(&store, "a", vec![result("c", Outcome::Unknown, None)]);
    check_refused(&store, write.cleared(), &write, ClaimError::AlreadyStarted { state: CallState::Unknown });
}

#[test]
fn of_racing_claims_exactly_one_wins() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let names: Vec<String> = (0..1000).map(|number| format!("c{number}")).collect();
    for name in &names {
        approve(&store, &Write::new("a", name, name));
    }
    race(&store, &names);
}

#[test]
fn of_racing_claims_on_a_disk_exactly_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let names: Vec<String> = (0..50).map(|number| format!("c{number}")).collect();
    for name in &names {
        approve(&store, &Write::new("a", name, name));
    }
    race(&store, &names);
}

fn race(store: &Store, names: &[String]) {
    let barrier = Barrier::new(4);
    let wins: Vec<Vec<bool>> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    names.iter().map(|name| claim(store, &Write::new("a", name, name)).is_ok()).collect()
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    for (index, name) in names.iter().enumerate() {
        let won = wins.iter().filter(|racer| racer[index]).count();
        assert_eq!(won, 1, "{won} claims won for {name}");
    }
    let started = store.events(&id("a"), 0, u64::MAX).unwrap();
    let started = started.iter().filter(|event| matches!(event.payload, Payload::ToolStarted { .. })).count();
    assert_eq!(started, names.len());
    check_whole(store);
}

#[test]
fn a_call_that_a_verdict_cleared_is_claimed_without_a_card() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write { by: Decider::Rule, ..Write::new("a", "c", "notes.md") };
    append(&store, "a", vec![proposing("m", &["c"]), write.judged(Verdict::Run { by: Decider::Rule, rule: None })]);
    assert_eq!(state(&store, "c"), CallState::Cleared);
    let by_mode = Write { by: Decider::Mode, ..Write::new("a", "c", "notes.md") };
    check_refused(&store, by_mode.cleared_by_verdict(), &by_mode, ClaimError::OtherCall);
    check_refused(&store, write.cleared(), &write, ClaimError::OtherCall);
    assert_eq!(claim_with(&store, write.cleared_by_verdict(), &write), Ok(1));
}

#[test]
fn nothing_is_claimed_before_it_is_approved_or_after_it_was_closed() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "notes.md");
    check_refused(&store, write.cleared(), &write, ClaimError::NoCall(call("c")));
    ask(&store, &write);
    check_refused(&store, write.cleared(), &write, ClaimError::NotCleared { state: CallState::Pending });
    store.decide(write.decision(Answer::Rejected)).wait().unwrap();
    check_refused(&store, write.cleared(), &write, ClaimError::NotCleared { state: CallState::Rejected });
    let stopped = Write::new("a", "d", "notes.md");
    approve(&store, &stopped);
    append(&store, "a", vec![result("d", Outcome::Stopped, Some(Cause::Stop))]);
    check_refused(&store, stopped.cleared(), &stopped, ClaimError::NotCleared { state: CallState::Stopped });
}

#[test]
fn a_redrawn_card_takes_the_approval_back() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let old = Write::new("a", "c", "notes.md");
    approve(&store, &old);
    let new = Write { content: "changed since", ..Write::new("a", "c", "notes.md") };
    append(&store, "a", vec![new.judged(Verdict::Ask), new.requested()]);
    check_refused(&store, old.cleared(), &old, ClaimError::NotCleared { state: CallState::Pending });
    store.decide(new.decision(Answer::Approved)).wait().unwrap();
    check_refused(&store, old.cleared(), &old, ClaimError::OtherCard);
    assert_eq!(claim(&store, &new), Ok(1));
}

#[test]
fn p49_each_bound_field_that_changed_after_the_card_was_drawn_stops_the_claim() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    let write = Write::new("a", "c", "notes.md");
    approve(&store, &write);
    let content = Write { content: "other", ..Write::new("a", "c", "notes.md") };
    check_refused(&store, content.cleared(), &content, ClaimError::OtherCard);
    let path = Write::new("a", "c", "other.md");
    check_refused(&store, path.cleared(), &path, ClaimError::OtherCard);
    let tier = Write { tier: Tier::High, ..Write::new("a", "c", "notes.md") };
    check_refused(&store, tier.cleared(), &tier, ClaimError::OtherCard);
    let elsewhere = Write::new("b", "c", "notes.md");
    check_refused(&store, elsewhere.cleared(), &write, ClaimError::NoCall(call("c")));
    // The digest in the row is what was judged: a row judged with other arguments doesn't fit the clearance.
    let other = Write { content: "other", ..Write::new("a", "d", "notes.md") };
    let judged = Write::new("a", "d", "notes.md");
    append(&store, "a", vec![proposing("m", &["d"]), judged.judged(Verdict::Run { by: Decider::Mode, rule: None })]);
    check_refused(&store, other.cleared_by_verdict(), &other, ClaimError::OtherCall);
    assert_eq!(claim(&store, &write), Ok(1));
}

#[test]
fn the_present_mode_holds_whoever_approved() {
    for (mode, tier, by, allowed) in [
        (Mode::Ask, Tier::Medium, Decider::User, true),
        (Mode::Ask, Tier::High, Decider::User, true),
        (Mode::Ask, Tier::Medium, Decider::Rule, true),
        (Mode::Ask, Tier::Medium, Decider::Mode, false),
        (Mode::Ask, Tier::Low, Decider::Tool, true),
        (Mode::Auto, Tier::Medium, Decider::Mode, true),
        (Mode::Auto, Tier::Medium, Decider::User, true),
        (Mode::Auto, Tier::High, Decider::User, false),
        (Mode::Auto, Tier::High, Decider::Rule, false),
        (Mode::Plan, Tier::Medium, Decider::User, false),
        (Mode::Plan, Tier::High, Decider::Rule, false),
        (Mode::Plan, Tier::Low, Decider::Tool, true),
    ] {
        let store = Store::memory().unwrap();
        begin(&store, "a");
        let write = Write { tier, by, ..Write::new("a", "c", "notes.md") };
        let cleared = if by == Decider::User {
            approve(&store, &write);
            write.cleared()
        } else {
            append(&store, "a", vec![proposing("m", &["c"]), write.judged(Verdict::Run { by, rule: None })]);
            write.cleared_by_verdict()
        };
        append(&store, "a", vec![Payload::ModeSet { mode }]);
        if allowed {
            assert_eq!(claim_with(&store, cleared, &write), Ok(1), "{mode:?} {tier:?} {by:?}");
        } else {
            check_refused(&store, cleared, &write, ClaimError::Mode { mode });
        }
    }
}

#[test]
fn a_stopped_ended_or_deleted_conversation_starts_nothing() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "notes.md");
    approve(&store, &write);
    store.delete(&id("a"), 1).wait().unwrap();
    check_refused(&store, write.cleared(), &write, ClaimError::Deleted);
    store.restore(&id("a")).wait().unwrap();
    append(&store, "a", vec![Payload::TurnStop {}]);
    check_refused(&store, write.cleared(), &write, ClaimError::Stopping);
    append(&store, "a", vec![end()]);
    assert_eq!(claim(&store, &write), Err(ClaimError::TurnEnded));
    let turn = Payload::TurnStart { cause: assent_protocol::event::TurnCause::Continue };
    append(&store, "a", vec![turn]);
    assert_eq!(claim(&store, &write), Ok(1));
}

#[test]
fn two_side_effects_never_share_a_path() {
    for (first, second, clash) in [
        ("src/main.rs", "src/main.rs", true),
        ("src", "src/main.rs", true),
        ("src/main.rs", "src", true),
        ("src", "src2", false),
        ("文件.md", "文件", false),
        ("", "anything", true),
    ] {
        let store = Store::memory().unwrap();
        begin(&store, "a");
        begin(&store, "b");
        let one = Write::new("a", "c", first);
        let two = Write::new("b", "d", second);
        approve(&store, &one);
        approve(&store, &two);
        assert_eq!(claim(&store, &one), Ok(1));
        if clash {
            let path = second.to_owned();
            check_refused(&store, two.cleared(), &two, ClaimError::TargetBusy { by: call("c"), path });
            append(&store, "a", vec![result("c", Outcome::Ok, None)]);
        }
        assert_eq!(claim(&store, &two), Ok(1), "{first} and {second}");
    }
}

#[test]
fn what_the_intent_names_is_a_target_too() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let rename = Write::new("a", "c", "old.md");
    let write = Write::new("a", "d", "new.md");
    approve(&store, &rename);
    approve(&store, &write);
    let intent = Intent::Rename { from: "old.md".to_owned(), to: "new.md".to_owned() };
    now(store.claim(rename.cleared(), ClaimRecord { intent, ..rename.record() })).unwrap();
    assert_eq!(store.call(&call("c")).unwrap().unwrap().targets, ["old.md", "new.md"]);
    check_refused(&store, write.cleared(), &write, ClaimError::TargetBusy { by: call("c"), path: "new.md".into() });
}

#[test]
fn the_same_path_in_another_workspace_is_another_path() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let created = Payload::ConversationCreated {
        project: None,
        workspace: Some("/srv/elsewhere".to_owned()),
        fork: None,
        parent: None,
    };
    let turn = Payload::TurnStart { cause: assent_protocol::event::TurnCause::Message };
    store.create_conversation(&id("b"), 1, vec![created, turn], Vec::new()).wait().unwrap();
    let (one, two) = (Write::new("a", "c", "notes.md"), Write::new("b", "d", "notes.md"));
    approve(&store, &one);
    approve(&store, &two);
    assert_eq!((claim(&store, &one), claim(&store, &two)), (Ok(1), Ok(1)));
}

#[test]
fn a_claim_that_cannot_be_written_is_no_claim() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "notes.md");
    approve(&store, &write);
    crate::tests::dont_wait_for_locks(&store);
    let other = Connection::open(folder.path().join("assent.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(claim(&store, &write), Err(ClaimError::Store(StoreError::Busy)));
    assert_eq!(state(&store, "c"), CallState::Approved);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(claim(&store, &write), Ok(1));
}
