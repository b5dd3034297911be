//! Tests of open questions: what puts one there, what takes it away, and that it is answered once.
//! What a person may answer is the engine's business.

use assent_protocol::event::{Payload, ToolCall};
use assent_protocol::permission::{Decider, Verdict};
use assent_protocol::tool::{Cause, Outcome};

use crate::tests::{Write, append, begin, call, check_whole, id, proposing, result};
use crate::{Durability, Store, StoreError};

fn asked(name: &str) -> Payload {
    let options = vec!["yes".to_owned(), "否".to_owned()];
    Payload::QuestionAsked { call: call(name), question: format!("May {name}?"), options }
}

fn answered(name: &str) -> Payload {
    Payload::QuestionAnswered { call: call(name), answer: "yes".to_owned() }
}

fn cleared(name: &str) -> Payload {
    let verdict = Verdict::Run { by: Decider::Tool, rule: None };
    let Payload::ToolCall(judged) = Write::new("a", name, name).judged(verdict) else { panic!("it is judged") };
    Payload::ToolCall(ToolCall { read_only: true, paths: Vec::new(), ..judged })
}

fn open(store: &Store) -> Vec<String> {
    store.questions().unwrap().iter().map(|row| row.call.to_string()).collect()
}

fn try_append(store: &Store, payload: Payload) -> Result<(), StoreError> {
    store.append(&id("a"), 20, vec![payload], Durability::Light, Vec::new()).wait().map(|_| ())
}

#[test]
fn a_question_waits_until_it_is_answered_and_is_answered_once() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![proposing("m", &["one", "two"])]);
    assert!(matches!(try_append(&store, asked("one")), Err(StoreError::WrongState { .. })), "it is not cleared");
    append(&store, "a", vec![cleared("one"), cleared("two"), asked("one"), asked("two")]);
    assert_eq!(open(&store), ["one", "two"]);
    let row = store.questions().unwrap().remove(0);
    assert_eq!((row.question.as_str(), row.options.join(" "), row.since), ("May one?", "yes 否".to_owned(), 20));
    let of = store.row(&id("a")).unwrap().unwrap();
    assert_eq!((of.pending, of.unread), (2, true));
    assert!(matches!(try_append(&store, asked("one")), Err(StoreError::WrongState { .. })), "it is asked already");
    append(&store, "a", vec![answered("one"), result("one", Outcome::Ok, None)]);
    assert_eq!(open(&store), ["two"]);
    assert!(
        matches!(try_append(&store, answered("one")), Err(StoreError::WrongState { .. })),
        "it is answered already"
    );
    check_whole(&store);
}

#[test]
fn a_stop_and_a_deletion_take_it_away() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let both = [cleared("one"), cleared("two"), asked("one"), asked("two")];
    append(&store, "a", [proposing("m", &["one", "two"])].into_iter().chain(both).collect());
    append(&store, "a", vec![result("one", Outcome::Stopped, Some(Cause::Stop))]);
    assert_eq!(open(&store), ["two"]);
    store.delete(&id("a"), 1).wait().unwrap();
    assert_eq!(open(&store), [""; 0]);
    store.restore(&id("a")).wait().unwrap();
    assert_eq!(open(&store), ["two"]);
    check_whole(&store);
}
