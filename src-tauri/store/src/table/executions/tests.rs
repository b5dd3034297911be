//! Tests of the calls' table: what each event does to a state, and the audit list.
//! Whether an event may come at all is tested with `append`, `decide` and `claim`.

use assent_protocol::permission::Mode;

use super::*;
use crate::tests::{Write, append, approve, ask, begin, call, check_whole, end, id, now, proposing, result};

fn state(store: &Store, name: &str) -> CallState {
    store.call(&call(name)).unwrap().unwrap().state
}

#[test]
fn a_call_that_runs_goes_through_all_states() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "笔记.md");
    append(&store, "a", vec![proposing("m", &["c"])]);
    assert_eq!(state(&store, "c"), CallState::Proposed);
    append(&store, "a", vec![write.judged(Verdict::Ask)]);
    assert_eq!(state(&store, "c"), CallState::Proposed);
    append(&store, "a", vec![write.requested()]);
    assert_eq!(state(&store, "c"), CallState::Pending);
    store.decide(write.decision(Answer::Approved)).wait().unwrap();
    assert_eq!(state(&store, "c"), CallState::Approved);
    now(store.claim(write.cleared(), write.record())).unwrap();
    assert_eq!(state(&store, "c"), CallState::Executing);
    append(&store, "a", vec![result("c", Outcome::Ok, None)]);
    let execution = store.call(&call("c")).unwrap().unwrap();
    assert_eq!(
        execution,
        Execution {
            call: call("c"),
            conversation: id("a"),
            seq: 5,
            position: 0,
            tool: "write_file".to_owned(),
            arguments: r#"{"content":"hello","path":"笔记.md"}"#.to_owned(),
            state: CallState::Finished,
            tier: Some(Tier::Medium),
            read_only: false,
            digest: Some(write.cleared().call_digest),
            card: Some(write.card().digest),
            decided_by: Some(Decider::User),
            note: None,
            attempt: 1,
            boot: Some(BootId::new("boot-1")),
            targets: vec!["笔记.md".to_owned()],
            proposed_at: 20,
            started_at: Some(60),
            ended_at: Some(20),
            outcome: Some(Outcome::Ok),
            cause: None,
            duration_ms: Some(7),
        }
    );
    check_whole(&store);
}

#[test]
fn each_result_has_its_state() {
    for (started, outcome, cause, expected) in [
        (true, Outcome::Ok, None, CallState::Finished),
        (true, Outcome::Error, None, CallState::Failed),
        (true, Outcome::Error, Some(Cause::Timeout), CallState::Failed),
        (true, Outcome::Unknown, Some(Cause::Interrupted), CallState::Unknown),
        (true, Outcome::Stopped, Some(Cause::Stop), CallState::Stopped),
        (false, Outcome::Stopped, Some(Cause::Stop), CallState::Stopped),
        (false, Outcome::Error, Some(Cause::UnknownTool), CallState::Refused),
        (false, Outcome::Error, Some(Cause::BadArguments), CallState::Refused),
        (false, Outcome::Rejected, Some(Cause::Mode), CallState::Refused),
        (false, Outcome::Rejected, Some(Cause::User), CallState::Rejected),
        (false, Outcome::Rejected, Some(Cause::Interrupted), CallState::Expired),
    ] {
        let store = Store::memory().unwrap();
        begin(&store, "a");
        let write = Write::new("a", "c", "notes.md");
        approve(&store, &write);
        if started {
            now(store.claim(write.cleared(), write.record())).unwrap();
        }
        append(&store, "a", vec![result("c", outcome, cause), end()]);
        assert_eq!(state(&store, "c"), expected, "{outcome:?} {cause:?}");
        check_whole(&store);
    }
}

#[test]
fn a_verdict_clears_refuses_or_leaves_open() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let write = Write::new("a", "c", "notes.md");
    append(&store, "a", vec![proposing("m", &["c", "d"])]);
    let refuse = Verdict::Refuse { by: Decider::Mode, why: "plan".to_owned() };
    for (verdict, expected) in [
        (Verdict::Defer { after: call("d") }, CallState::Proposed),
        (refuse, CallState::Refused),
        (Verdict::Ask, CallState::Proposed),
        (Verdict::Run { by: Decider::Mode, rule: None }, CallState::Cleared),
    ] {
        append(&store, "a", vec![write.judged(verdict)]);
        assert_eq!(state(&store, "c"), expected);
    }
    assert_eq!(store.call(&call("c")).unwrap().unwrap().decided_by, Some(Decider::Mode));
    assert_eq!(state(&store, "d"), CallState::Proposed);
}

#[test]
fn a_mark_settles_an_unknown_outcome() {
    for (mark, expected) in [(Mark::Done, CallState::Finished), (Mark::NotDone, CallState::Failed)] {
        let store = Store::memory().unwrap();
        begin(&store, "a");
        let write = Write::new("a", "c", "notes.md");
        approve(&store, &write);
        now(store.claim(write.cleared(), write.record())).unwrap();
        append(&store, "a", vec![result("c", Outcome::Unknown, None)]);
        append(&store, "a", vec![Payload::ToolResolved { call: call("c"), mark }]);
        let execution = store.call(&call("c")).unwrap().unwrap();
        assert_eq!((execution.state, execution.outcome), (expected, Some(Outcome::Unknown)));
        check_whole(&store);
    }
}

#[test]
fn calls_come_in_the_order_that_the_model_gave() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![proposing("m1", &["z", "y"]), proposing("m2", &["x"])]);
    let names: Vec<String> = store.calls(&id("a")).unwrap().iter().map(|one| one.call.to_string()).collect();
    assert_eq!(names, ["z", "y", "x"]);
}

#[test]
fn the_audit_list_is_searched_in_plain_text() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    for (name, path) in [("c", "100%.md"), ("d", "1000.md"), ("e", "a_b"), ("f", "aXb"), ("g", "笔记")] {
        ask(&store, &Write::new("a", name, path));
    }
    let noted = crate::Decision {
        note: Some("Not Now".to_owned()),
        ..Write::new("a", "g", "笔记").decision(Answer::Rejected)
    };
    store.decide(noted).wait().unwrap();
    let find = |text: &str| -> Vec<String> {
        store.audit(text, 0, 100).unwrap().iter().map(|one| one.call.to_string()).collect()
    };
    assert_eq!(find("100%"), ["c"]);
    assert_eq!(find("a_b"), ["e"]);
    assert_eq!(find("笔记"), ["g"]);
    assert_eq!(find("not now"), ["g"]);
    assert_eq!(find(""), ["g", "f", "e", "d", "c"]);
    assert_eq!(store.audit("", 1, 2).unwrap().len(), 2);
    append(&store, "a", vec![Payload::ModeSet { mode: Mode::Auto }]);
    check_whole(&store);
}
