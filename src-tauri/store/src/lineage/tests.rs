//! Tests of logs that begin in another one: they are read as one, and what a fork goes on from is there as long as it is.
//! What goes along in a fork is tested with the engine.

use assent_protocol::event::{Event, ForkOrigin, Payload};

use crate::tests::{append, begin, check_whole, chunk, end, id, proposing, user};
use crate::{Store, StoreError};

fn fork(store: &Store, name: &str, origin: &str, seq: u64) -> Result<Vec<Event>, StoreError> {
    let fork = Some(ForkOrigin { conversation: id(origin), seq, imported: false });
    let created = Payload::ConversationCreated { project: None, workspace: None, fork, parent: None };
    store.create_conversation(&id(name), 30, vec![created], Vec::new()).wait()
}

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

/// What was said, in order.
fn said(events: &[Event]) -> Vec<String> {
    let text = |event: &Event| match &event.payload {
        Payload::UserMessage { text, .. } => Some(text.to_string()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

/// `a` says one, two, three; `b` goes on from behind two, `c` from behind what `b` said next.
fn family() -> Store {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![user("a", "one"), chunk("r", "x"), proposing("m1", &[]), end()]);
    append(&store, "a", vec![user("a", "two"), user("a", "three"), chunk("r", "y"), end()]);
    assert_eq!(seqs(&fork(&store, "b", "a", 9).unwrap()), [10]);
    append(&store, "b", vec![user("b", "three of b"), chunk("r", "z"), proposing("m2", &[])]);
    assert_eq!(seqs(&fork(&store, "c", "b", 11).unwrap()), [12]);
    append(&store, "c", vec![user("c", "four of c")]);
    store
}

#[test]
fn a_forks_log_is_its_origins_up_to_where_it_begins_and_then_its_own() {
    let store = family();
    let events = store.events(&id("c"), 0, 100).unwrap();
    assert_eq!(seqs(&events), (1..=13).collect::<Vec<u64>>());
    assert!(events.iter().all(|event| event.conversation == id("c")));
    assert_eq!(said(&events), ["hello", "one", "two", "three of b", "four of c"]);
    assert_eq!(seqs(&store.events(&id("c"), 8, 4).unwrap()), [9, 10, 11, 12]);
    assert_eq!(seqs(&store.fold_events(&id("c")).unwrap()), [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13]);
    assert_eq!(said(&store.events(&id("a"), 0, 100).unwrap()), ["hello", "one", "two", "three"]);
    let row = store.row(&id("c")).unwrap().unwrap();
    assert_eq!((row.fork, row.seq), (Some(ForkOrigin { conversation: id("b"), seq: 11, imported: false }), 13));
    check_whole(&store);
}

#[test]
fn its_pages_meet_across_the_place_where_it_begins() {
    let store = family();
    for size in 1..=6 {
        let mut page = store.newest(&id("c"), size).unwrap();
        let mut found = Vec::new();
        loop {
            let first = page.events[0].seq;
            found.splice(0..0, page.events);
            if !page.earlier {
                break;
            }
            page = store.before(&id("c"), first, size).unwrap();
        }
        assert_eq!(found, store.fold_events(&id("c")).unwrap(), "{size} messages a page");
    }
}

#[test]
fn a_fork_goes_on_from_an_event_of_its_origins_own() {
    let store = family();
    let wrong = |name: &str| Err(StoreError::NotABeginning(id(name)));
    assert_eq!(fork(&store, "d", "a", 99), wrong("d"));
    assert_eq!(fork(&store, "d", "nobody", 1), wrong("d"));
    assert!(matches!(fork(&store, "d", "b", 3), Err(StoreError::Damaged { .. })), "that one stands in the log of a");
    assert_eq!(fork(&store, "a", "b", 10), wrong("a"));
    let sql = "INSERT INTO events VALUES ('e', 5, 1, 'conversation/created', '{\"fork\":{\"conversation\":\"a\",\"seq\":3}}')";
    let insert =
        store.write::<_, StoreError, _>(crate::Durability::Light, move |writing| Ok(writing.execute(sql, [])?));
    assert!(matches!(insert.wait(), Err(StoreError::Sqlite { .. })), "it takes the next number");
    check_whole(&store);
}

#[test]
fn what_a_fork_goes_on_from_is_hidden_until_the_last_fork_is_gone() {
    let store = family();
    store.delete(&id("a"), 1).wait().unwrap();
    assert!(!store.has_to_purge(10).unwrap());
    assert_eq!(store.purge(10).wait().unwrap(), Vec::new());
    store.delete(&id("b"), 2).wait().unwrap();
    assert_eq!(store.purge(10).wait().unwrap(), Vec::new());
    assert_eq!(store.rows().unwrap().into_iter().map(|row| row.id).collect::<Vec<_>>(), [id("c")]);
    assert_eq!(said(&store.events(&id("c"), 0, 100).unwrap()), ["hello", "one", "two", "three of b", "four of c"]);
    store.delete(&id("c"), 3).wait().unwrap();
    assert_eq!(store.purge(10).wait().unwrap(), [id("c"), id("b"), id("a")]);
    assert_eq!(store.events(&id("c"), 0, 100).unwrap(), Vec::new());
    check_whole(&store);
}

#[test]
fn an_origin_that_is_missing_is_found() {
    let store = family();
    let sql = "DROP TRIGGER events_stay; DELETE FROM events WHERE conversation = 'a'; DELETE FROM search_index;
        DELETE FROM search_documents; DELETE FROM conversations WHERE id = 'a'";
    let delete =
        store.write::<_, StoreError, _>(crate::Durability::Light, move |writing| Ok(writing.execute_batch(sql)?));
    delete.wait().unwrap();
    let found = store.verify().unwrap();
    let missing = |difference: &assent_protocol::snapshot::Difference| {
        difference.message == "event 9 of a, which it goes on from, is missing"
            && difference.conversation == Some(id("b"))
    };
    assert!(found.iter().any(missing), "{found:?}");
}
