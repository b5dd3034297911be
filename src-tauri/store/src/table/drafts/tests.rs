//! Tests of drafts: kept, replaced, forgotten.
//! When they are saved is the front-end's part.

use crate::tests::{begin, id};
use crate::{Store, StoreError};

#[test]
fn a_draft_survives_a_restart_until_it_is_emptied() {
    let folder = tempfile::tempdir().unwrap();
    {
        let (store, _) = Store::open(folder.path()).unwrap();
        begin(&store, "a");
        assert_eq!(store.draft(&id("a")).unwrap(), "");
        store.save_draft(&id("a"), "half a").wait().unwrap();
        store.save_draft(&id("a"), "半句话\nsecond line").wait().unwrap();
    }
    let (store, _) = Store::open(folder.path()).unwrap();
    assert_eq!(store.draft(&id("a")).unwrap(), "半句话\nsecond line");
    store.save_draft(&id("a"), "").wait().unwrap();
    assert_eq!(store.draft(&id("a")).unwrap(), "");
    assert_eq!(store.save_draft(&id("nobody"), "x").wait(), Err(StoreError::NoConversation(id("nobody"))));
}
