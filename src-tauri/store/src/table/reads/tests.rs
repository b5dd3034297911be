//! Tests of read marks: they only move forward.
//! What counts as worth a look is tested with the conversations.

use crate::tests::{append, begin, end, id};
use crate::{Store, StoreError};

#[test]
fn a_mark_never_goes_back() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![end()]);
    let unread = || store.row(&id("a")).unwrap().unwrap().unread;
    store.mark_read(&id("a"), 4).wait().unwrap();
    assert!(unread(), "the end came after that");
    store.mark_read(&id("a"), 5).wait().unwrap();
    store.mark_read(&id("a"), 2).wait().unwrap();
    assert!(!unread());
    assert_eq!(store.mark_read(&id("nobody"), 1).wait(), Err(StoreError::NoConversation(id("nobody"))));
}
