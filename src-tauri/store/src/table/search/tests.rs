//! Tests of the index: it is what the log says whatever came in which order, it catches up with older histories, and a
//! purge leaves no term behind.

use assent_protocol::permission::Decider;
use proptest::prelude::*;

use super::*;
use crate::tests::{append, begin, check_whole, id, proposing, user};
use crate::{Among, Durability, Search, Store};

fn title(text: &str) -> Payload {
    Payload::TitleSet { title: text.to_owned(), by: Decider::User }
}

/// A history whose index is worked on only when a test says so.
fn quiet() -> Store {
    Store::memory_with(|_| Ok(false)).unwrap()
}

fn count(store: &Store, query: &str) -> usize {
    let search = Search { query: query.to_owned(), any: false, among: Among::All, limit: 200, now: 1 };
    store.search(search).unwrap().hits.len()
}

fn execute(store: &Store, sql: &'static str) {
    store.write::<_, StoreError, _>(Durability::Light, move |writing| Ok(writing.execute_batch(sql)?)).wait().unwrap();
}

/// Makes the history one that is older than the index.
fn forget_index(store: &Store) {
    execute(
        store,
        "DELETE FROM search_index; DELETE FROM search_documents; DELETE FROM search_waiting; DELETE FROM search_sweep;
         INSERT OR REPLACE INTO search_backlog (conversation, done, upto) SELECT id, 0, seq FROM conversations;",
    );
}

fn work_off(store: &Store) -> u32 {
    let mut pieces = 1;
    while store.index_more().wait().unwrap() {
        pieces += 1;
        assert!(pieces < 10_000, "it comes to no end");
    }
    pieces
}

#[test]
fn an_older_history_is_indexed_piece_by_piece_and_a_search_knows() {
    let store = quiet();
    for name in ["a", "b"] {
        begin(&store, name);
        append(&store, name, vec![title(&format!("title of {name}"))]);
        append(&store, name, (0..300).map(|number| user(name, &format!("needle {number}"))).collect());
    }
    append(&store, "a", vec![user("a", &"long ".repeat(40_000)), user("a", "needle at the end")]);
    forget_index(&store);
    assert_eq!(count(&store, "needle"), 0);
    let everything = Search { query: "x".to_owned(), any: false, among: Among::All, limit: 1, now: 1 };
    assert!(!store.search(everything.clone()).unwrap().complete);
    check_whole(&store);
    store.index_more().wait().unwrap();
    // Meanwhile the conversations go on.
    append(&store, "a", vec![title("another title of a"), user("a", "fresh needle")]);
    append(&store, "b", vec![title("another title of b")]);
    check_whole(&store);
    assert_eq!(count(&store, "fresh"), 1);
    assert!(work_off(&store) > 8);
    assert!(store.search(everything).unwrap().complete);
    assert_eq!(count(&store, "another"), 2);
    assert_eq!(count(&store, "\"title of\""), 2, "the old titles are gone");
    assert_eq!(count(&store, "end"), 1);
    check_whole(&store);
}

#[test]
fn an_append_leaves_the_index_alone_and_whoever_searches_finds_what_was_said_just_now() {
    let store = quiet();
    begin(&store, "a");
    work_off(&store);
    let documents = |store: &Store| -> u64 {
        store
            .read(|connection| Ok(connection.query_row("SELECT count(*) FROM search_documents", [], |row| row.get(0))?))
            .unwrap()
    };
    let before = documents(&store);
    append(&store, "a", vec![title("harbour"), user("a", "lighthouse"), user("a", "")]);
    append(&store, "a", (0..200).map(|number| user("a", &format!("buoy {number}"))).collect());
    assert_eq!(documents(&store), before);
    check_whole(&store);
    assert_eq!(count(&store, "lighthouse"), 1);
    assert_eq!(documents(&store), before + 202, "all that waited, and nothing for a message without words");
    check_whole(&store);
    append(&store, "a", vec![title("pier")]);
    check_whole(&store);
    assert_eq!((count(&store, "harbour"), count(&store, "pier")), (0, 1));
    assert!(!store.index_more().wait().unwrap(), "nothing is left");
    check_whole(&store);
}

#[test]
fn what_waits_goes_with_its_conversation() {
    let store = quiet();
    begin(&store, "a");
    append(&store, "a", vec![user("a", "gone before it was indexed")]);
    store.delete(&id("a"), 1).wait().unwrap();
    store.purge(2).wait().unwrap();
    assert!(!store.index_more().wait().unwrap());
    check_whole(&store);
}

#[test]
fn a_purge_takes_the_terms_along() {
    let store = quiet();
    begin(&store, "kept");
    begin(&store, "gone");
    for number in 0..40 {
        append(&store, "kept", vec![user("kept", &format!("ordinary words {number}"))]);
        append(&store, "gone", vec![user("gone", &format!("hidden passphrase{number}"))]);
    }
    append(&store, "gone", vec![title("passphrases")]);
    work_off(&store);
    let lying_about = |store: &Store| -> i64 {
        store
            .read(|connection| {
                // Terms share their beginnings in the file; this is an end.
                let sql = "SELECT count(*) FROM search_index_data WHERE instr(block, CAST('assphrase' AS BLOB)) > 0";
                Ok(connection.query_row(sql, [], |row| row.get(0))?)
            })
            .unwrap()
    };
    assert!(lying_about(&store) > 0);
    store.delete(&id("gone"), 1).wait().unwrap();
    store.purge(2).wait().unwrap();
    assert_eq!(count(&store, "hidden"), 0);
    check_whole(&store);
    work_off(&store);
    assert_eq!(lying_about(&store), 0);
    assert_eq!(count(&store, "ordinary"), 40);
    check_whole(&store);
}

#[test]
fn a_manipulated_index_is_found() {
    for (sql, expected) in [
        ("DELETE FROM search_index WHERE rowid = 2", "search: message 5 is indexed by other words than it has"),
        ("DELETE FROM search_documents WHERE id = 2", "search: message 5 isn't indexed"),
        ("UPDATE search_documents SET who = 'assistant' WHERE id = 2", "by other words"),
        ("INSERT INTO search_documents VALUES (99, 'a', 2, 'user', 1)", "search: message 2 is indexed and isn't there"),
        (
            "DELETE FROM search_index WHERE rowid = 2; INSERT INTO search_index (rowid, terms) VALUES (2, 'two one')",
            "search: message 5 is indexed by other words than it has",
        ),
        ("UPDATE search_documents SET seq = 0 WHERE id = 2", "search: the title is indexed and isn't there"),
    ] {
        let store = quiet();
        begin(&store, "a");
        append(&store, "a", vec![user("a", "one two")]);
        work_off(&store);
        check_whole(&store);
        execute(&store, sql);
        let found = store.verify().unwrap();
        assert!(found.iter().any(|difference| difference.message.contains(expected)), "{sql}: {found:?}");
    }
}

/// Something that happens to the history.
#[derive(Debug, Clone)]
enum Happening {
    Says(usize, String),
    Answers(usize, String),
    Names(usize, String),
    Purges(usize),
    Forgets,
    Indexes,
}

fn happening() -> impl Strategy<Value = Happening> {
    let text =
        || prop::sample::select(vec!["重试循环", "the retry loop", "用Rust写", "…", "", "a b a", "Über 数据库!"]);
    let one = || 0..3_usize;
    prop_oneof![
        6 => (one(), text()).prop_map(|(at, text)| Happening::Says(at, text.to_owned())),
        4 => (one(), text()).prop_map(|(at, text)| Happening::Answers(at, text.to_owned())),
        3 => (one(), text()).prop_map(|(at, text)| Happening::Names(at, text.to_owned())),
        1 => one().prop_map(Happening::Purges),
        1 => Just(Happening::Forgets),
        2 => Just(Happening::Indexes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_index_is_what_the_log_says(happenings in prop::collection::vec(happening(), 1..40)) {
        let store = quiet();
        let names = ["a", "b", "c"];
        for name in names {
            begin(&store, name);
        }
        for (number, happening) in happenings.into_iter().enumerate() {
            match happening {
                Happening::Says(at, text) => drop(append(&store, names[at], vec![user(names[at], &text)])),
                Happening::Answers(at, text) => {
                    let Payload::AssistantMessage(mut message) = proposing(&format!("m{number}"), &[]) else { unreachable!() };
                    message.text = text.as_str().into();
                    append(&store, names[at], vec![Payload::AssistantMessage(message)]);
                }
                Happening::Names(at, text) => drop(append(&store, names[at], vec![title(&text)])),
                Happening::Purges(at) => {
                    store.delete(&id(names[at]), 1).wait().unwrap();
                    store.purge(2).wait().unwrap();
                    begin(&store, names[at]);
                }
                Happening::Forgets => forget_index(&store),
                Happening::Indexes => drop(store.index_more().wait().unwrap()),
            }
        }
        check_whole(&store);
        work_off(&store);
        check_whole(&store);
    }
}
