//! Tests of logs that come from a file: what is taken in, what is refused, and that nothing happens in them any more.

use assent_protocol::event::{Event, ForkOrigin, Payload, RequestSent, UnknownPayload};
use assent_protocol::ids::RequestId;
use assent_protocol::permission::Answer;
use assent_protocol::tool::{Outcome, Stored};
use serde_json::Map;

use crate::tests::{Write, append, approve, ask, begin, call, check_whole, end, id, now, proposing, result, user};
use crate::{Content, DecideError, Durability, Logs, Store, StoreError};

/// A store where a conversation `a` wrote a file, was forked as `b`, and keeps a prompt.
fn elsewhere() -> Store {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let prompt = Content::of(b"be kind".to_vec());
    let set = Payload::PromptSet { content: prompt.stored() };
    store.append(&id("a"), 20, vec![set], Durability::Light, vec![prompt]).wait().unwrap();
    let write = Write::new("a", "c1", "x");
    approve(&store, &write);
    now(store.claim(write.cleared(), write.record())).unwrap();
    append(&store, "a", vec![result("c1", Outcome::Ok, None), end()]);
    let last = store.row(&id("a")).unwrap().unwrap().seq;
    let fork = Some(ForkOrigin { conversation: id("a"), seq: last, imported: false });
    let created = Payload::ConversationCreated { project: None, workspace: None, fork, parent: None };
    store.create_conversation(&id("b"), 30, vec![created], Vec::new()).wait().unwrap();
    append(&store, "b", vec![user("b", "more"), end()]);
    check_whole(&store);
    store
}

fn taken(store: &Store, logs: &Logs, contents: &[&[u8]]) -> Result<(), StoreError> {
    let contents = contents.iter().map(|bytes| Content::of(bytes.to_vec())).collect();
    store.import(100, logs.events.clone(), contents).wait()
}

/// The file of `b` where only `change` differs, and what is said of it.
fn refused(change: impl Fn(&mut Vec<Event>)) -> String {
    let mut logs = elsewhere().logs(&id("b")).unwrap();
    change(&mut logs.events);
    let store = Store::memory().unwrap();
    let error = taken(&store, &logs, &[b"be kind"]).unwrap_err();
    assert_eq!(store.events(&id("a"), 0, 100).unwrap(), Vec::new(), "all or nothing");
    assert_eq!(store.content(Stored::of(b"be kind").hash).unwrap(), None);
    error.to_string()
}

fn payload(kind: &str) -> impl Fn(&Event) -> bool + '_ {
    move |event| event.payload.kind() == kind
}

#[test]
fn what_left_one_store_is_the_same_in_another() {
    let from = elsewhere();
    let logs = from.logs(&id("b")).unwrap();
    assert_eq!(logs.contents, [Stored::of(b"be kind").hash]);
    let store = Store::memory().unwrap();
    taken(&store, &logs, &[b"be kind"]).unwrap();
    for name in ["a", "b"] {
        assert_eq!(store.events(&id(name), 0, 100).unwrap(), from.events(&id(name), 0, 100).unwrap());
        assert!(store.is_imported(&id(name)).unwrap());
    }
    assert_eq!(store.logs(&id("b")).unwrap(), logs);
    assert_eq!(store.rows().unwrap(), Vec::new(), "hidden");
    check_whole(&store);
    // Once more, it is there.
    taken(&store, &logs, &[]).unwrap();
    // Where it came from, it is there too, and goes on.
    taken(&from, &logs, &[]).unwrap();
    assert!(!from.is_imported(&id("b")).unwrap());
    append(&from, "b", vec![user("b", "and more")]);
    // What came from a file can be followed by what was said there since.
    taken(&store, &from.logs(&id("b")).unwrap(), &[]).unwrap();
    assert_eq!(store.events(&id("b"), 0, 100).unwrap(), from.events(&id("b"), 0, 100).unwrap());
    check_whole(&store);
}

#[test]
fn a_log_from_a_file_is_never_gone_on_with() {
    let from = Store::memory().unwrap();
    begin(&from, "a");
    approve(&from, &Write::new("a", "c1", "x"));
    ask(&from, &Write::new("a", "c2", "y"));
    let store = Store::memory().unwrap();
    taken(&store, &from.logs(&id("a")).unwrap(), &[]).unwrap();
    let imported = StoreError::Imported(id("a"));
    let more = store.append(&id("a"), 110, vec![user("a", "go on")], Durability::Light, Vec::new());
    assert_eq!(more.wait(), Err(imported.clone()));
    let decision = Write::new("a", "c2", "y").decision(Answer::Approved);
    assert_eq!(store.decide(decision).wait(), Err(DecideError::Store(imported.clone())));
    let write = Write::new("a", "c1", "x");
    assert!(now(store.claim(write.cleared(), write.record())).is_err());
    assert_eq!(store.restore(&id("a")).wait(), Err(imported));
    // Its turn is open and cards wait in it; nobody hears of them, and no start has to settle them.
    assert_eq!(store.open_turns().unwrap(), Vec::new());
    assert_eq!(store.pending().unwrap(), Vec::new());
    check_whole(&store);
}

#[test]
fn a_call_that_runs_in_a_file_keeps_no_path_busy_here() {
    let from = Store::memory().unwrap();
    begin(&from, "a");
    let write = Write::new("a", "c1", "x");
    approve(&from, &write);
    now(from.claim(write.cleared(), write.record())).unwrap();
    let store = Store::memory().unwrap();
    taken(&store, &from.logs(&id("a")).unwrap(), &[]).unwrap();
    begin(&store, "here");
    let write = Write::new("here", "c2", "x");
    approve(&store, &write);
    now(store.claim(write.cleared(), write.record())).unwrap();
}

#[test]
fn it_goes_when_the_last_fork_of_it_has_gone() {
    let from = elsewhere();
    let store = Store::memory().unwrap();
    taken(&store, &from.logs(&id("b")).unwrap(), &[b"be kind"]).unwrap();
    let last = store.row(&id("b")).unwrap().unwrap().seq;
    let fork = Some(ForkOrigin { conversation: id("b"), seq: last, imported: true });
    let created = Payload::ConversationCreated { project: None, workspace: None, fork: fork.clone(), parent: None };
    store.create_conversation(&id("c"), 110, vec![created], Vec::new()).wait().unwrap();
    assert_eq!(store.row(&id("c")).unwrap().unwrap().fork, fork);
    assert_eq!(store.rows().unwrap().len(), 1);
    assert!(!store.has_to_purge(1_000).unwrap());
    store.delete(&id("c"), 120).wait().unwrap();
    assert_eq!(store.purge(1_000).wait().unwrap(), [id("c"), id("b"), id("a")]);
    assert_eq!(store.content(Stored::of(b"be kind").hash).unwrap(), None);
    // Nothing of it is left that could be in the way.
    taken(&store, &from.logs(&id("b")).unwrap(), &[b"be kind"]).unwrap();
    check_whole(&store);
}

#[test]
fn what_it_used_was_used_elsewhere() {
    let from = Store::memory().unwrap();
    begin(&from, "a");
    let usage = assent_protocol::view::Usage { input: Some(5), ..Default::default() };
    let used = Payload::UsageRecorded {
        request: RequestId::new("r1"),
        purpose: assent_protocol::event::Purpose::Chat,
        usage,
        cost_micros: Some(7),
        coefficient: 0.3,
    };
    append(&from, "a", vec![used]);
    assert_eq!(from.usage(&[0, 1_000]).unwrap().total.requests, 1);
    let store = Store::memory().unwrap();
    taken(&store, &from.logs(&id("a")).unwrap(), &[]).unwrap();
    assert_eq!(store.usage(&[0, 1_000]).unwrap().total.requests, 0);
    store.purge(1_000).wait().unwrap();
    assert_eq!(store.usage(&[0, 1_000]).unwrap().total.requests, 0);
}

#[test]
fn what_cannot_follow_is_refused_whole() {
    let at = |events: &[Event], is: &dyn Fn(&Event) -> bool| events.iter().position(is).unwrap();
    let missing = refused(|events| drop(events.remove(2)));
    assert_eq!(missing, "the file holds no whole conversation: event 4: it comes after event 2");
    let first = refused(|events| drop(events.remove(0)));
    assert!(first.contains("event 2: conversation a can't begin"), "{first}");
    let unproposed = refused(|events| {
        let at = at(events, &payload("assistant/message"));
        events[at].payload = proposing("m", &[]);
    });
    assert!(unproposed.contains("there is no call c1 in this conversation"), "{unproposed}");
    let undecided = refused(|events| {
        let at = at(events, &payload("approval/decided"));
        events[at].payload = user("a", "no");
    });
    assert!(undecided.contains("call c1 starts while it is pending"), "{undecided}");
    let another = refused(|events| {
        let at = at(events, &payload("approval/decided"));
        let Payload::ApprovalDecided { card, .. } = &mut events[at].payload else { unreachable!() };
        *card = Stored::of(b"other").hash;
    });
    assert!(another.contains("the card of call c1 was redrawn"), "{another}");
    let twice = refused(|events| {
        let at = at(events, &payload("turn/end"));
        events[at].payload = result("c1", Outcome::Ok, None);
    });
    assert!(twice.contains("a call has exactly one result"), "{twice}");
    let empty = refused(|events| {
        let at = at(events, &payload("prompt/set"));
        events[at].payload = Payload::PromptSet { content: Stored::of(b"another") };
    });
    assert!(empty.contains("is missing"), "{empty}");
    let newer = refused(|events| {
        let at = at(events, &payload("turn/end"));
        let unknown = UnknownPayload { kind: "dream/begun".to_owned(), rest: Map::new() };
        events[at].payload = Payload::Unknown(unknown);
    });
    assert!(newer.contains("this version doesn't know \"dream/begun\""), "{newer}");
    let orphan = refused(|events| events.retain(|event| event.conversation == id("b")));
    assert!(orphan.contains("conversation b can't begin"), "{orphan}");
    for seq in [0, 99] {
        let elsewhere = refused(|events| {
            let at = at(events, &|event: &Event| event.conversation == id("b"));
            let Payload::ConversationCreated { fork: Some(fork), .. } = &mut events[at].payload else { unreachable!() };
            fork.seq = seq;
        });
        assert!(elsewhere.contains("conversation b can't begin"), "{elsewhere}");
    }
}

#[test]
fn what_is_known_from_elsewhere_is_refused() {
    let from = elsewhere();
    let logs = from.logs(&id("b")).unwrap();
    // The same conversation went on here in another way.
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let before = store.events(&id("a"), 0, 100).unwrap();
    assert_eq!(taken(&store, &logs, &[b"be kind"]), Err(StoreError::WentOn(id("a"))));
    assert_eq!(store.events(&id("a"), 0, 100).unwrap(), before);
    // Another conversation has a call of that id.
    let store = Store::memory().unwrap();
    begin(&store, "other");
    append(&store, "other", vec![proposing("m", &["c1"])]);
    let error = taken(&store, &logs, &[b"be kind"]).unwrap_err().to_string();
    assert!(error.contains("c1 is known from elsewhere"), "{error}");
    // A file changes nothing of what came from one before.
    let store = Store::memory().unwrap();
    taken(&store, &logs, &[b"be kind"]).unwrap();
    let mut changed = logs.clone();
    let last = changed.events.len() - 2;
    changed.events[last].payload = user("b", "something else");
    assert_eq!(taken(&store, &changed, &[]), Err(StoreError::WentOn(id("b"))));
    check_whole(&store);
    assert_eq!(store.call(&call("c1")).unwrap().unwrap().conversation, id("a"));
}

#[test]
fn a_request_of_another_conversation_is_not_overwritten() {
    let sent = |conversation: &str, store: &Store| {
        let sent: RequestSent = serde_json::from_value(serde_json::json!({
            "request": "r1", "purpose": "chat", "provider": "p", "model": "m", "protocol": "chat-completions",
            "digest": Stored::of(b"x").hash, "builder": "b", "attempt": 1, "tool_choice": "auto", "bytes": 1, "prefix": 0,
            "characters": 1, "estimate": 1,
        }))
        .unwrap();
        append(store, conversation, vec![Payload::RequestSent(sent)]);
    };
    let from = Store::memory().unwrap();
    begin(&from, "a");
    sent("a", &from);
    let store = Store::memory().unwrap();
    begin(&store, "other");
    sent("other", &store);
    let error = taken(&store, &from.logs(&id("a")).unwrap(), &[]).unwrap_err().to_string();
    assert!(error.contains("r1 is known from elsewhere"), "{error}");
}
