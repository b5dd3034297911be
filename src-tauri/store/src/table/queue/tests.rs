//! Tests of the inboxes: added, changed, withdrawn, and taken together with the message.
//! The text of items is read from the log, not from here.

use assent_protocol::event::{Delivery, Event, Payload, QueueEdit};
use assent_protocol::ids::{ItemId, MessageId};

use crate::tests::{append, begin, check_whole, id, result, user};
use crate::{Durability, Store, StoreError};

fn edit(item: &str, edit: QueueEdit) -> Payload {
    Payload::QueueEdited { item: ItemId::new(item), edit }
}

fn added(item: &str) -> Payload {
    edit(
        item,
        QueueEdit::Added { text: format!("text of {item}"), delivery: Delivery::NextTurn, attachments: Vec::new() },
    )
}

fn taken(item: &str) -> Payload {
    Payload::QueueTaken { item: ItemId::new(item), message: MessageId::new(item) }
}

fn queued(store: &Store) -> u32 {
    store.row(&id("a")).unwrap().unwrap().queued
}

#[test]
fn items_wait_until_they_are_withdrawn_or_taken() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![added("i"), added("j"), added("k")]);
    assert_eq!(queued(&store), 3);
    append(&store, "a", vec![edit("i", QueueEdit::Changed { text: "改".to_owned() })]);
    assert_eq!(queued(&store), 3);
    append(&store, "a", vec![edit("j", QueueEdit::Withdrawn)]);
    append(&store, "a", vec![taken("i"), user("a", "改")]);
    assert_eq!(queued(&store), 1);
    check_whole(&store);
}

fn moved(item: &str, before: Option<&str>) -> Payload {
    edit(item, QueueEdit::Moved { before: before.map(ItemId::new) })
}

/// Where the newest page of one message begins: at the message, or where what waits has to be read from.
fn begins(store: &Store) -> u64 {
    store.newest(&id("a"), 1).unwrap().events[0].seq
}

#[test]
fn the_newest_page_reaches_back_to_what_the_order_of_the_line_hangs_on() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(
        &store,
        "a",
        vec![added("x"), user("a", "1"), user("a", "2"), added("y"), added("z"), moved("z", Some("x"))],
    );
    append(&store, "a", vec![edit("x", QueueEdit::Withdrawn), user("a", "3"), user("a", "4")]);
    // x has gone, but only it says that z stands before y.
    assert_eq!(store.newest(&id("a"), 1).unwrap().events[0].payload, added("x"));
    let whole_begin = begins(&store);
    append(&store, "a", vec![moved("z", None)]);
    assert_eq!(begins(&store), whole_begin, "what it once hung on is read all the same");
    append(&store, "a", vec![taken("z"), user("a", "text of z")]);
    assert!(begins(&store) > whole_begin, "y alone hangs on nothing older");
    check_whole(&store);
}

#[test]
fn another_delivery_and_an_unknown_neighbour_leave_the_item_waiting() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![added("i"), edit("i", QueueEdit::Delivery { delivery: Delivery::NextStep })]);
    append(&store, "a", vec![moved("i", Some("nobody"))]);
    assert_eq!(queued(&store), 1);
    check_whole(&store);
}

#[test]
fn an_item_is_taken_with_its_message_or_not_at_all() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![added("i")]);
    let failing = vec![taken("i"), user("a", "text of i"), result("nobody", assent_protocol::tool::Outcome::Ok, None)];
    let failed: Result<Vec<Event>, StoreError> =
        store.append(&id("a"), 1, failing, Durability::Full, Vec::new()).wait();
    assert!(failed.is_err());
    assert_eq!(queued(&store), 1, "neither lost");
    append(&store, "a", vec![taken("i"), user("a", "text of i")]);
    assert_eq!(queued(&store), 0, "nor there twice");
    check_whole(&store);
}
