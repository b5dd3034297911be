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
