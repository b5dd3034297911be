//! Tests of what is attached: known in its conversation alone, kept until that is purged.
//! What may be attached is the engine's part.

use assent_protocol::attachment::Attachment;
use assent_protocol::event::{Delivery, Payload, QueueEdit};
use assent_protocol::ids::ItemId;

use super::*;
use crate::tests::{append, begin, check_whole, id};

fn attach(store: &Store, conversation: &str, bytes: &[u8]) -> Attachment {
    let content = Content::of(bytes.to_vec());
    let stored = content.stored();
    store.attach(&id(conversation), MediaType::Png, content).wait().unwrap();
    Attachment { name: "a.png".to_owned(), media_type: MediaType::Png, content: stored }
}

#[test]
fn an_attachment_is_known_in_its_conversation_and_stored_once() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    let one = attach(&store, "a", b"picture");
    assert_eq!(attach(&store, "a", b"picture"), one);
    assert_eq!(store.attached(&id("a"), one.content.hash).unwrap(), Some(MediaType::Png));
    assert_eq!(store.attached(&id("b"), one.content.hash).unwrap(), None);
    assert_eq!(store.content(one.content.hash).unwrap(), Some(b"picture".to_vec()));
    let nobody = store.attach(&id("nobody"), MediaType::Png, Content::of(b"x".to_vec())).wait();
    assert_eq!(nobody, Err(StoreError::NoConversation(id("nobody"))));
    check_whole(&store);
}

#[test]
fn it_goes_with_its_conversation_unless_another_one_has_it_too() {
    let store = Store::memory().unwrap();
    for name in ["a", "b", "c"] {
        begin(&store, name);
    }
    let unsent = attach(&store, "a", b"unsent");
    let shared = attach(&store, "a", b"shared");
    attach(&store, "b", b"shared");
    let kept = attach(&store, "b", b"unsent in b");
    let edit =
        QueueEdit::Added { text: String::new(), delivery: Delivery::NextTurn, attachments: vec![shared.clone()] };
    append(&store, "a", vec![Payload::QueueEdited { item: ItemId::new("i"), edit }]);
    store.delete(&id("c"), 1).wait().unwrap();
    store.purge(2).wait().unwrap();
    assert!(store.content(unsent.content.hash).unwrap().is_some(), "what isn't sent yet outlives another's purge");
    store.delete(&id("a"), 3).wait().unwrap();
    store.purge(4).wait().unwrap();
    assert_eq!(store.content(unsent.content.hash).unwrap(), None);
    assert_eq!(store.attached(&id("a"), unsent.content.hash).unwrap(), None);
    for left in [shared, kept] {
        assert!(store.content(left.content.hash).unwrap().is_some());
    }
    check_whole(&store);
}
