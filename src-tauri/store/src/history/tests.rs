//! Tests of reading logs: after a number, for folding, by pages.
//! The order of columns and the like is tested with the table.

use assent_protocol::event::{Delivery, Payload, QueueEdit};
use assent_protocol::ids::ItemId;

use super::*;
use crate::tests::{append, begin, chunk, id, proposing, user};

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

#[test]
fn events_after_a_number_come_in_order_up_to_a_limit() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    append(&store, "a", vec![chunk("r", "x"), proposing("m", &[]), chunk("r", "y")]);
    assert_eq!(seqs(&store.events(&id("a"), 4, 100).unwrap()), [5, 6, 7]);
    assert_eq!(seqs(&store.events(&id("a"), 2, 2).unwrap()), [3, 4]);
    assert_eq!(seqs(&store.events(&id("a"), 7, 100).unwrap()), [0; 0]);
    assert_eq!(seqs(&store.events(&id("nobody"), 0, u64::MAX).unwrap()), [0; 0]);
}

#[test]
fn folding_skips_chunks_that_a_message_replaced_and_no_others() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![chunk("r1", "1"), chunk("r1", "2"), proposing("m1", &[])]);
    append(&store, "a", vec![chunk("r2", "3"), user("a", "steer"), chunk("r2", "4")]);
    assert_eq!(seqs(&store.fold_events(&id("a")).unwrap()), [1, 2, 3, 4, 7, 8, 9, 10]);
    append(&store, "a", vec![proposing("m2", &[])]);
    assert_eq!(seqs(&store.fold_events(&id("a")).unwrap()), [1, 2, 3, 4, 7, 9, 11]);
    assert_eq!(store.fold_events(&id("nobody")), Err(StoreError::NoConversation(id("nobody"))));
}

#[test]
fn pages_meet_without_gap_or_overlap() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    for number in 0..20 {
        let name = format!("m{number}");
        append(&store, "a", vec![user("a", &name), chunk("r", "x"), proposing(&name, &[])]);
    }
    let mut page = store.newest(&id("a"), 7).unwrap();
    let mut found = Vec::new();
    loop {
        let messages =
            page.events.iter().filter(|event| matches!(event.payload.kind(), "user/message" | "assistant/message"));
        assert!(messages.count() <= 7);
        let first = page.events[0].seq;
        found.splice(0..0, page.events);
        if !page.earlier {
            break;
        }
        page = store.before(&id("a"), first, 7).unwrap();
    }
    assert_eq!(found, store.fold_events(&id("a")).unwrap());
}

#[test]
fn the_newest_page_reaches_back_to_what_waits_in_the_inbox() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let edit = QueueEdit::Added { text: "later".to_owned(), delivery: Delivery::NextTurn, attachments: Vec::new() };
    append(&store, "a", vec![Payload::QueueEdited { item: ItemId::new("i"), edit }]);
    for number in 0..10 {
        append(&store, "a", vec![user("a", &number.to_string())]);
    }
    assert_eq!(store.newest(&id("a"), 2).unwrap().events[0].seq, 5);
    append(&store, "a", vec![Payload::QueueEdited { item: ItemId::new("i"), edit: QueueEdit::Withdrawn }]);
    assert_eq!(store.newest(&id("a"), 2).unwrap().events[0].seq, 14);
}

#[test]
fn an_event_of_tomorrow_is_kept_and_read_as_it_is() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let body = serde_json::json!({ "kind": "moon/phase", "phase": "新月", "of": [1, 2] }).to_string();
    let payload = Payload::decode("moon/phase", &body).unwrap();
    let event = append(&store, "a", vec![payload]).remove(0);
    assert_eq!(store.events(&id("a"), 4, 1).unwrap(), vec![event.clone()]);
    assert_eq!(store.fold_events(&id("a")).unwrap().last(), Some(&event));
}
