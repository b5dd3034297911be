//! Tests of verifying: a sound history has no difference, and each kind of manipulation is found.
//! Manipulations go around the store, as another program would.

use assent_protocol::event::{Mark, QueueEdit, RequestSent};
use assent_protocol::ids::{ItemId, RequestId};
use assent_protocol::permission::{Decider, Verdict};
use assent_protocol::tool::{Outcome, Stored};
use assent_protocol::view::{Protocol, ToolChoice, Usage};

use super::*;
use crate::Durability;
use crate::tests::{Write, append, approve, ask, begin, check_whole, chunk, end, id, now, proposing, result, user};

/// Every kind of row that is computed from the log.
fn busy(store: &Store) {
    begin(store, "a");
    begin(store, "b");
    let write = Write::new("a", "ran", "notes.md");
    approve(store, &write);
    now(store.claim(write.cleared(), write.record())).unwrap();
    append(store, "a", vec![result("ran", Outcome::Unknown, None)]);
    append(store, "a", vec![Payload::ToolResolved { call: crate::tests::call("ran"), mark: Mark::Done }]);
    ask(store, &Write::new("a", "waits", "待定.md"));
    let cleared = Write::new("b", "cleared", "x");
    append(
        store,
        "b",
        vec![proposing("m", &["cleared", "raw"]), cleared.judged(Verdict::Run { by: Decider::Mode, rule: None })],
    );
    let edit = QueueEdit::Added {
        text: "later".into(),
        delivery: assent_protocol::event::Delivery::NextTurn,
        attachments: Vec::new(),
    };
    append(store, "a", vec![Payload::QueueEdited { item: ItemId::new("i"), edit }, chunk("r", "x")]);
    let sent = RequestSent {
        request: RequestId::new("r"),
        attempt: 1,
        purpose: assent_protocol::event::Purpose::Chat,
        provider: "p".into(),
        model: "m".into(),
        protocol: Protocol::ChatCompletions,
        builder: "1".into(),
        tool_choice: ToolChoice::Auto,
        digest: Stored::of(b"body").hash,
        bytes: 4,
        prefix: 0,
        stable: 0,
        characters: 4,
        estimate: 2,
        choice: None,
        shorter: false,
    };
    let used = Payload::UsageRecorded {
        request: RequestId::new("r"),
        purpose: assent_protocol::event::Purpose::Chat,
        usage: Usage { input: Some(5), ..Usage::default() },
        cost_micros: None,
        coefficient: 0.35,
    };
    append(store, "a", vec![Payload::RequestSent(sent), used]);
    let prompt = Payload::PromptSet { content: Stored::of(b"be good") };
    store
        .append(&id("a"), 1, vec![prompt], Durability::Light, vec![crate::Content::of(b"be good".to_vec())])
        .wait()
        .unwrap();
}

fn manipulate(store: &Store, sql: &'static str) {
    store.write::<_, StoreError, _>(Durability::Light, move |writing| Ok(writing.execute_batch(sql)?)).wait().unwrap();
}

#[track_caller]
fn check_found(sql: &'static str, expected: &str) {
    let store = Store::memory().unwrap();
    busy(&store);
    check_whole(&store);
    manipulate(&store, sql);
    let found = store.verify().unwrap();
    assert!(found.iter().any(|difference| difference.message.contains(expected)), "{sql}: {found:?}");
}

#[test]
fn a_manipulated_view_is_found() {
    for (sql, expected) in [
        (
            "UPDATE conversations SET mode = 'auto' WHERE id = 'a'",
            "row a of conversations: mode is auto, the log says ask",
        ),
        ("UPDATE executions SET state = 'approved' WHERE call = 'waits'", "state is approved, the log says pending"),
        ("UPDATE executions SET digest = card WHERE call = 'waits'", "row waits of executions: digest is"),
        ("DELETE FROM cards", "row waits of cards is missing"),
        ("UPDATE queue SET body = 'other'", "body is other, the log says later"),
        ("UPDATE requests SET input = 7", "input is 7, the log says 5"),
        ("DELETE FROM content_references", "of content_references is missing"),
        (
            "INSERT INTO executions (call, conversation, seq, position, tool, arguments, state, proposed_at)
             VALUES ('made up', 'b', 1, 0, 't', '{}', 'approved', 1)",
            "row made up of executions doesn't follow from the log",
        ),
    ] {
        check_found(sql, expected);
    }
}

#[test]
fn a_manipulated_content_is_found() {
    check_found("UPDATE contents SET body = CAST('be bad!' AS BLOB)", "doesn't fit its hash");
    check_found("DELETE FROM contents", "which isn't stored");
}

#[test]
fn a_manipulated_log_is_found() {
    const OFF: &str = "DROP TRIGGER events_stay; DROP TRIGGER events_never_change;";
    let cases: [(&'static str, &str); 4] = [
        ("DELETE FROM events WHERE conversation = 'a' AND seq = 3", "event 3 is missing before event 4"),
        ("UPDATE events SET body = '{}' WHERE conversation = 'a' AND seq = 2", "event 2 can't be read"),
        ("DELETE FROM events WHERE kind = 'assistant/message'", "which nobody proposed"),
        (
            "UPDATE events SET body = replace(body, '\"ask\"', '\"auto\"') WHERE kind = 'mode/set'",
            "mode is ask, the log says auto",
        ),
    ];
    for (sql, expected) in cases {
        let store = Store::memory().unwrap();
        busy(&store);
        manipulate(&store, OFF);
        manipulate(&store, sql);
        let found = store.verify().unwrap();
        assert!(found.iter().any(|difference| difference.message.contains(expected)), "{sql}: {found:?}");
    }
}

#[test]
fn a_call_that_an_ended_turn_left_open_is_found() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![proposing("m", &["c"])]);
    check_whole(&store);
    append(&store, "a", vec![end(), user("a", "next")]);
    let found = store.verify().unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "call c was proposed and has no result");
    assert_eq!(found[0].conversation, Some(id("a")));
}
