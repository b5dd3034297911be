//! Tests of the log's table: its triggers, its numbers, its index.
//! What the store offers on top is tested in `append` and `history`.

use super::*;
use crate::tests::{append, begin, check_whole, chunk, id};
use crate::{Durability, Store};

fn attempt(store: &Store, sql: &'static str) -> Result<(), StoreError> {
    store.write(Durability::Light, move |writing| Ok(writing.execute_batch(sql)?)).wait()
}

#[track_caller]
fn check_refused(store: &Store, sql: &'static str, words: &str) {
    let before = store.events(&id("a"), 0, 100).unwrap();
    let error = attempt(store, sql).unwrap_err();
    assert!(matches!(&error, StoreError::Sqlite { message } if message.contains(words)), "{sql}: {error:?}");
    assert_eq!(store.events(&id("a"), 0, 100).unwrap(), before);
}

#[test]
fn an_event_never_changes() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    check_refused(&store, "UPDATE events SET body = '{}'", "an event never changes");
    check_refused(&store, "UPDATE events SET seq = 9 WHERE seq = 4", "an event never changes");
    // Not even while its conversation is being purged.
    let marked = "INSERT INTO purging VALUES ('a'); UPDATE events SET at = 0 WHERE conversation = 'a'";
    check_refused(&store, marked, "an event never changes");
}

#[test]
fn an_event_goes_only_under_the_mark_of_its_conversation() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    let words = "an event is never deleted alone";
    check_refused(&store, "DELETE FROM events WHERE seq = 4", words);
    check_refused(&store, "INSERT INTO purging VALUES ('b'); DELETE FROM events WHERE conversation = 'a'", words);
    check_refused(&store, "INSERT INTO purging VALUES ('b'); DELETE FROM events", words);
    let marked = "INSERT INTO purging VALUES ('b'); DELETE FROM events WHERE conversation = 'b'; DELETE FROM purging";
    assert_eq!(attempt(&store, marked), Ok(()));
    assert_eq!(store.events(&id("b"), 0, 100).unwrap(), Vec::new());
    assert_eq!(store.events(&id("a"), 0, 100).unwrap().len(), 4);
}

#[test]
fn a_number_is_neither_left_out_nor_given_twice() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let words = "an event takes the next number";
    check_refused(&store, "INSERT INTO events VALUES ('a', 6, 1, 'turn/stop', '{}')", words);
    check_refused(&store, "INSERT INTO events VALUES ('a', 4, 1, 'turn/stop', '{}')", words);
    check_refused(&store, "INSERT OR REPLACE INTO events VALUES ('a', 4, 1, 'turn/stop', '{}')", words);
    check_refused(&store, "INSERT INTO events VALUES ('b', 2, 1, 'turn/stop', '{}')", words);
}

#[test]
fn an_event_that_cannot_be_read_is_damage_and_says_where() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    attempt(&store, "INSERT INTO events VALUES ('a', 5, 1, 'turn/end', '{\"kind\":\"turn/end\",\"reason\":1}')")
        .unwrap();
    let Err(StoreError::Damaged { message }) = store.fold_events(&id("a")) else { panic!("read all the same") };
    assert!(message.starts_with("event 5 of conversation a:"), "{message}");
}

#[test]
fn messages_are_found_by_their_own_index() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![chunk("r", "x"); 50]);
    let plan: String = store
        .read(|connection| {
            let sql = "EXPLAIN QUERY PLAN SELECT seq FROM events INDEXED BY events_messages
                WHERE conversation = 'a' AND seq < 9 AND kind IN ('user/message', 'assistant/message') ORDER BY seq DESC";
            Ok(connection.query_row(sql, [], |row| row.get("detail"))?)
        })
        .unwrap();
    assert!(plan.contains("SEARCH events USING") && plan.contains("events_messages"), "{plan}");
    let newest = |messages| store.read(move |connection| start_of_newest(connection, &id("a"), u64::MAX, messages));
    assert_eq!((newest(1), newest(2)), (Ok(Some(3)), Ok(None)));
    check_whole(&store);
}
