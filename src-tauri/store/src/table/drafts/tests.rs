//! Tests of drafts: kept, replaced, forgotten.
//! When they are saved is the front-end's part.

use assent_protocol::attachment::{Attachment, MediaType};
use assent_protocol::tool::Stored;

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

#[test]
fn what_is_attached_to_a_draft_survives_a_restart_until_it_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let attachment = |name: &str| Attachment {
        name: name.to_owned(),
        media_type: MediaType::Png,
        content: Stored::of(name.as_bytes()),
    };
    let two = [attachment("图一.png"), attachment("two.png")];
    {
        let (store, _) = Store::open(folder.path()).unwrap();
        begin(&store, "a");
        assert_eq!(store.draft_attachments(&id("a")).unwrap(), []);
        store.save_draft_attachments(&id("a"), &two[..1]).wait().unwrap();
        store.save_draft_attachments(&id("a"), &two).wait().unwrap();
        // The words are kept by themselves.
        store.save_draft(&id("a"), "").wait().unwrap();
    }
    let (store, _) = Store::open(folder.path()).unwrap();
    assert_eq!(store.draft_attachments(&id("a")).unwrap(), two);
    store.save_draft_attachments(&id("a"), &[]).wait().unwrap();
    assert_eq!(store.draft_attachments(&id("a")).unwrap(), []);
    let nobody = store.save_draft_attachments(&id("nobody"), &two).wait();
    assert_eq!(nobody, Err(StoreError::NoConversation(id("nobody"))));
}
