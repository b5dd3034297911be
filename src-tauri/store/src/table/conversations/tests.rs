//! Tests of the conversation list: what each event does to a row, and what other tables add to it.
//! Purging is tested with the purge.

use assent_protocol::event::{Again, EndReason, TurnCause};
use assent_protocol::permission::Decider;
use assent_protocol::settings::ModelChoice;
use assent_protocol::view::Protocol;

use super::*;
use crate::tests::{Write, append, ask, begin, check_whole, chunk, end, id, proposing, user};

fn row(store: &Store) -> ConversationRow {
    store.row(&id("a")).unwrap().unwrap()
}

#[test]
fn a_row_follows_its_log() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let fresh = ConversationRow {
        id: id("a"),
        project: None,
        workspace: Some(crate::tests::WORKSPACE.to_owned()),
        fork: None,
        title: String::new(),
        mode: Mode::Ask,
        model: None,
        fallbacks: Vec::new(),
        generating: true,
        pending: 0,
        queued: 0,
        ended: None,
        unread: false,
        archived: false,
        parent: None,
        seq: 4,
        created_at: 10,
        updated_at: 10,
    };
    assert_eq!(row(&store), fresh);
    let choice = ModelChoice {
        provider: None,
        label: "练习".to_owned(),
        base_url: String::new(),
        protocol: Protocol::Practice,
        model: "practice".to_owned(),
        window: 8192,
        coefficient: 0.35,
        tools: true,
        echo_reasoning: false,
        empty_text: false,
        without_encrypted: false,
        found: false,
        output_limit: None,
        images: false,
        documents: false,
        price: None,
    };
    append(
        &store,
        "a",
        vec![
            Payload::TitleSet { title: "标题 \"x\"".to_owned(), by: Decider::User },
            Payload::ModeSet { mode: Mode::Plan },
            Payload::ModelSet { choice: choice.clone(), learned: false },
            Payload::ConversationArchived { archived: true },
            end(),
        ],
    );
    let expected = ConversationRow {
        title: "标题 \"x\"".to_owned(),
        mode: Mode::Plan,
        model: Some(choice),
        fallbacks: Vec::new(),
        generating: false,
        ended: Some(EndReason::Completed),
        unread: true,
        archived: true,
        parent: None,
        seq: 9,
        updated_at: 20,
        ..fresh
    };
    assert_eq!(row(&store), expected);
    append(&store, "a", vec![Payload::TurnStart { cause: TurnCause::Continue }]);
    assert_eq!((row(&store).generating, row(&store).ended), (true, None));
    check_whole(&store);
}

#[test]
fn stopping_is_part_of_an_open_turn_alone() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let place = || store.place(&id("a")).unwrap().unwrap();
    assert!(place().generating && !place().stopping);
    append(&store, "a", vec![Payload::TurnStop {}]);
    assert!(place().generating && place().stopping);
    append(&store, "a", vec![end()]);
    assert!(!place().generating && !place().stopping);
    append(&store, "a", vec![Payload::TurnStop {}]);
    assert!(!place().stopping, "there is nothing to stop");
    assert_eq!(store.place(&id("nobody")).unwrap(), None);
}

#[test]
fn what_deserves_a_look_is_unread_until_it_was_looked_at() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![chunk("r", "x"), proposing("m", &[]), user("a", "steer")]);
    assert!(!row(&store).unread, "text alone doesn't");
    let write = Write::new("a", "c", "notes.md");
    ask(&store, &write);
    assert!(row(&store).unread, "a card does");
    store.mark_read(&id("a"), row(&store).seq).wait().unwrap();
    assert!(!row(&store).unread);
    append(
        &store,
        "a",
        vec![Payload::ApprovalRequested {
            call: crate::tests::call("c"),
            card: Box::new(write.card()),
            again: Some(Again::Changed),
        }],
    );
    assert!(row(&store).unread);
    store.mark_read(&id("a"), row(&store).seq).wait().unwrap();
    append(&store, "a", vec![end()]);
    assert!(row(&store).unread, "an end does");
}

#[test]
fn the_list_is_ordered_by_what_happened_last_and_hides_what_is_deleted() {
    let store = Store::memory().unwrap();
    ["a", "b", "c"].iter().for_each(|name| drop(begin(&store, name)));
    append(&store, "b", vec![chunk("r", "x")]);
    store.delete(&id("c"), 1).wait().unwrap();
    let names: Vec<String> = store.rows().unwrap().iter().map(|row| row.id.to_string()).collect();
    assert_eq!(names, ["b", "a"]);
    assert!(store.row(&id("c")).unwrap().is_some(), "it can be looked at, to be settled or restored");
    assert_eq!(store.open_turns().unwrap(), [id("a"), id("b"), id("c")]);
    append(&store, "b", vec![end()]);
    assert_eq!(store.open_turns().unwrap(), [id("a"), id("c")]);
}

#[test]
fn a_located_project_moves_its_conversations_along() {
    let store = Store::memory().unwrap();
    let project = ProjectId::new("p");
    store.insert_project(&project, "One", "/old", 1).wait().unwrap();
    let created = Payload::ConversationCreated {
        project: Some(project.clone()),
        workspace: Some("/old".to_owned()),
        fork: None,
        parent: None,
    };
    store.create_conversation(&id("a"), 1, vec![created], Vec::new()).wait().unwrap();
    assert_eq!(row(&store).workspace.as_deref(), Some("/old"));
    store.locate_project(&project, "/new place/新").wait().unwrap();
    assert_eq!(row(&store).workspace.as_deref(), Some("/new place/新"));
    assert_eq!(store.place(&id("a")).unwrap().unwrap().workspace.as_deref(), Some("/new place/新"));
    store.remove_project(&project).wait().unwrap();
    assert_eq!(row(&store).workspace.as_deref(), Some("/new place/新"), "a removed project keeps its place");
    check_whole(&store);
}

#[test]
fn a_sub_agent_is_in_no_list_and_counts_and_goes_with_its_conversation() {
    use assent_protocol::event::ParentCall;
    use assent_protocol::ids::CallId;

    use crate::table::requests::tests::{sent, used};

    let store = Store::memory().unwrap();
    crate::tests::begin(&store, "a");
    let parent = ParentCall { conversation: id("a"), call: CallId::new("c") };
    let created =
        Payload::ConversationCreated { project: None, workspace: None, fork: None, parent: Some(parent.clone()) };
    let turn = Payload::TurnStart { cause: assent_protocol::event::TurnCause::Message };
    store.create_conversation(&id("a.1"), 1, vec![created, turn], Vec::new()).wait().unwrap();
    let spent = vec![sent("r", 1, "m"), used("r", 10, None, Some(7))];
    store.append(&id("a.1"), 30, spent, crate::Durability::Light, Vec::new()).wait().unwrap();
    assert_eq!(store.rows().unwrap().iter().map(|row| row.id.clone()).collect::<Vec<_>>(), [id("a")]);
    assert_eq!(store.agents(&id("a")).unwrap(), [id("a.1")]);
    assert_eq!(store.row(&id("a.1")).unwrap().unwrap().parent, Some(parent));
    assert_eq!(store.open_turns().unwrap(), [id("a"), id("a.1")], "it is settled after a crash");
    assert_eq!(store.usage_of(&id("a")).unwrap().cost_micros, Some(7));
    assert_eq!(store.usage_of(&id("a.1")).unwrap().cost_micros, Some(7));
    let report = store.usage(&[0, 100]).unwrap();
    let named: Vec<_> =
        report.conversations.iter().map(|one| (one.conversation.clone(), one.totals.requests)).collect();
    assert_eq!(named, [(id("a"), 1)], "once, under the conversation that it worked for");
    crate::tests::check_whole(&store);
    store.delete(&id("a"), 50).wait().unwrap();
    store.purge(100).wait().unwrap();
    assert_eq!(store.row(&id("a.1")).unwrap(), None);
    assert_eq!(store.events(&id("a.1"), 0, 10).unwrap(), Vec::new());
    assert_eq!(store.usage(&[0, 900_001]).unwrap().purged.cost_micros, Some(7));
    crate::tests::check_whole(&store);
}
