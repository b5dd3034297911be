//! Tests of purging: what goes, what stays, and that the triggers are on again afterwards.
//! Hiding and restoring is tested with the table of deletions.

use assent_protocol::event::Payload;
use assent_protocol::tool::Stored;

use super::*;
use crate::Content;
use crate::tests::{Write, append, approve, ask, begin, call, check_whole, chunk, id, user};

fn prompt(store: &Store, conversation: &str, content: &[u8]) {
    let payload = Payload::PromptSet { content: Stored::of(content) };
    store
        .append(&id(conversation), 1, vec![payload], Durability::Light, vec![Content::of(content.to_vec())])
        .wait()
        .unwrap();
}

#[test]
fn a_purge_takes_what_was_deleted_before_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    for name in ["old", "new", "kept"] {
        begin(&store, name);
        let write = Write::new(name, name, name);
        approve(&store, &write);
        let waiting = format!("{name} waits");
        ask(&store, &Write::new(name, &waiting, name));
        store.save_draft(&id(name), "unsent").wait().unwrap();
        store.mark_read(&id(name), 3).wait().unwrap();
        prompt(&store, name, name.as_bytes());
        prompt(&store, name, b"shared");
    }
    store.delete(&id("old"), 100).wait().unwrap();
    store.delete(&id("new"), 200).wait().unwrap();
    assert_eq!(store.purge(200).wait().unwrap(), vec![id("old")]);
    assert_eq!(store.row(&id("old")).unwrap(), None);
    assert_eq!(store.events(&id("old"), 0, 10).unwrap(), Vec::new());
    assert_eq!(store.call(&call("old")).unwrap(), None);
    assert_eq!(store.draft(&id("old")).unwrap(), "");
    assert_eq!(store.content(Stored::of(b"old").hash).unwrap(), None);
    for kept in ["new", "kept", "shared"] {
        assert_eq!(store.content(Stored::of(kept.as_bytes()).hash).unwrap(), Some(kept.as_bytes().to_vec()));
    }
    assert_eq!(store.rows().unwrap().into_iter().map(|row| row.id).collect::<Vec<_>>(), vec![id("kept")]);
    store.restore(&id("new")).wait().unwrap();
    assert_eq!(store.rows().unwrap().len(), 2);
    assert_eq!(store.restore(&id("old")).wait(), Err(StoreError::NoConversation(id("old"))));
    assert_eq!(store.purge(1000).wait().unwrap(), Vec::new());
    check_whole(&store);
}

#[test]
fn no_event_goes_by_itself_after_a_purge_either() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    store.delete(&id("a"), 1).wait().unwrap();
    store.purge(2).wait().unwrap();
    for sql in ["DELETE FROM events", "UPDATE events SET body = ''"] {
        let error = store.write::<_, StoreError, _>(Durability::Light, move |writing| Ok(writing.execute(sql, [])?));
        assert!(matches!(error.wait(), Err(StoreError::Sqlite { .. })), "{sql}");
    }
    check_whole(&store);
}

#[test]
fn a_purge_gives_the_room_back() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "kept");
    let before = store.size().unwrap();
    begin(&store, "a");
    for number in 0..200 {
        append(&store, "a", vec![user("a", &"x".repeat(5000)), chunk("r", &number.to_string())]);
    }
    prompt(&store, "a", &vec![b'x'; 300_000]);
    let full = store.size().unwrap();
    assert!(full > before + 1_000_000, "{before} {full}");
    store.delete(&id("a"), 1).wait().unwrap();
    store.purge(2).wait().unwrap();
    let after = store.size().unwrap();
    assert!(after < before + 100_000, "{before} {full} {after}");
}
