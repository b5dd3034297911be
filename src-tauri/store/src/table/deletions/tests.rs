//! Tests of hiding and restoring conversations.
//! Purging is tested with the purge.

use crate::tests::{begin, check_whole, id};
use crate::{Store, StoreError};

#[test]
fn a_deleted_conversation_is_hidden_and_comes_back_whole() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let row = store.row(&id("a")).unwrap();
    let events = store.events(&id("a"), 0, 10).unwrap();
    store.delete(&id("a"), 5).wait().unwrap();
    store.delete(&id("a"), 9).wait().unwrap();
    assert_eq!(store.rows().unwrap(), Vec::new());
    assert!(store.place(&id("a")).unwrap().unwrap().deleted);
    assert_eq!(store.purge(5).wait().unwrap(), Vec::new(), "deleted at 5 is not before 5");
    store.restore(&id("a")).wait().unwrap();
    assert_eq!(store.row(&id("a")).unwrap(), row);
    assert_eq!(store.events(&id("a"), 0, 10).unwrap(), events);
    assert_eq!(store.purge(i64::MAX).wait().unwrap(), Vec::new());
    assert_eq!(store.delete(&id("nobody"), 1).wait(), Err(StoreError::NoConversation(id("nobody"))));
    check_whole(&store);
}
