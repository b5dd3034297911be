//! Tests of the inbox of cards: what puts one there, what redraws it, what takes it away.
//! Who may decide is tested with the decision.

use assent_protocol::event::Payload;
use assent_protocol::permission::{Answer, Decider, Verdict};
use assent_protocol::tool::{Cause, Outcome};

use crate::tests::{Write, append, ask, begin, call, check_whole, id, proposing, result};
use crate::{Durability, Store};

fn waiting(store: &Store) -> Vec<String> {
    store.pending().unwrap().iter().map(|row| row.call.to_string()).collect()
}

#[test]
fn cards_of_all_conversations_wait_in_one_list_oldest_first() {
    let store = Store::memory().unwrap();
    let project = assent_protocol::ids::ProjectId::new("p");
    store.insert_project(&project, "One", "/one", 1).wait().unwrap();
    let created = Payload::ConversationCreated {
        project: Some(project),
        workspace: Some("/one".to_owned()),
        fork: None,
        parent: None,
    };
    let turn = Payload::TurnStart { cause: assent_protocol::event::TurnCause::Message };
    store.create_conversation(&id("b"), 1, vec![created, turn], Vec::new()).wait().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![Payload::TitleSet { title: "标题".to_owned(), by: Decider::User }]);
    let writes = [Write::new("a", "z", "1"), Write::new("a", "y", "2")];
    let shown: Vec<Payload> = [proposing("m", &["z", "y"])]
        .into_iter()
        .chain(writes.iter().rev().flat_map(|write| [write.judged(Verdict::Ask), write.requested()]))
        .collect();
    append(&store, "a", shown);
    let later = Write::new("b", "x", "3");
    let shown = vec![proposing("n", &["x"]), later.judged(Verdict::Ask), later.requested()];
    store.append(&id("b"), 30, shown, Durability::Light, Vec::new()).wait().unwrap();
    assert_eq!(waiting(&store), ["z", "y", "x"]);
    let rows = store.pending().unwrap();
    assert_eq!(rows[0].card, writes[0].card());
    assert_eq!(
        (rows[0].title.as_str(), rows[0].project.as_deref(), rows[0].tool.as_str()),
        ("标题", None, "write_file")
    );
    assert_eq!(rows[2].project.as_deref(), Some("One"));
    assert_eq!(store.row(&id("a")).unwrap().unwrap().pending, 2);
    store.delete(&id("a"), 1).wait().unwrap();
    assert_eq!(waiting(&store), ["x"]);
    store.restore(&id("a")).wait().unwrap();
    assert_eq!(waiting(&store), ["z", "y", "x"]);
    check_whole(&store);
}

#[test]
fn a_redrawn_card_replaces_the_old_one_and_takes_an_approval_back() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let old = Write::new("a", "c", "notes.md");
    ask(&store, &old);
    let new = Write { content: "changed", ..Write::new("a", "c", "notes.md") };
    append(&store, "a", vec![new.requested()]);
    assert_eq!(store.pending().unwrap().iter().map(|row| row.card.clone()).collect::<Vec<_>>(), [new.card()]);
    store.decide(new.decision(Answer::Approved)).wait().unwrap();
    assert_eq!(waiting(&store), [""; 0]);
    append(&store, "a", vec![new.requested()]);
    assert_eq!(waiting(&store), ["c"]);
    check_whole(&store);
}

#[test]
fn a_decision_a_new_verdict_and_a_result_take_the_card_away() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    for name in ["decided", "judged", "ended", "stays"] {
        ask(&store, &Write::new("a", name, name));
    }
    store.decide(Write::new("a", "decided", "decided").decision(Answer::Rejected)).wait().unwrap();
    append(
        &store,
        "a",
        vec![Write::new("a", "judged", "judged").judged(Verdict::Run { by: Decider::Rule, rule: None })],
    );
    append(&store, "a", vec![result("ended", Outcome::Stopped, Some(Cause::Stop))]);
    assert_eq!(waiting(&store), ["stays"]);
    assert_eq!(
        store.call(&call("stays")).unwrap().unwrap().card,
        Some(Write::new("a", "stays", "stays").card().digest)
    );
    check_whole(&store);
}
