//! Tests of stored contents: once by hash, whole and in parts.
//! When they go is tested with the purge.

use assent_protocol::event::Payload;
use assent_protocol::ids::Sha;
use assent_protocol::tool::Stored;

use crate::Content;
use crate::tests::{append, begin, check_whole, id, result};
use crate::{Durability, Store};

#[test]
fn a_content_is_stored_once_and_read_whole_or_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    begin(&store, "b");
    let content: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    let hash = Sha::of(&content);
    let payload = Payload::PromptSet { content: Stored::of(&content) };
    for conversation in ["a", "b", "a"] {
        let contents = vec![content.clone(), content.clone()];
        store
            .append(
                &id(conversation),
                1,
                vec![payload.clone()],
                Durability::Light,
                contents.into_iter().map(Content::of).collect(),
            )
            .wait()
            .unwrap();
    }
    let rows =
        store.read(|connection| Ok(connection.query_row("SELECT count(*) FROM contents", [], |row| row.get(0))?));
    assert_eq!(rows, Ok(1_u64));
    assert_eq!(store.content(hash).unwrap(), Some(content.clone()));
    assert_eq!(store.content_len(hash).unwrap(), Some(400_000));
    let part = |offset, length| store.content_part(hash, offset, length).unwrap();
    assert_eq!(part(4001, 7), Some(content[4001..4008].to_vec()));
    assert_eq!(part(399_999, 100), Some(content[399_999..].to_vec()));
    assert_eq!(part(400_000, 100), Some(Vec::new()));
    assert_eq!(part(u64::MAX, u64::MAX), Some(Vec::new()));
    check_whole(&store);
}

#[test]
fn what_is_not_stored_is_not_there_and_an_empty_content_is() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let hash = Sha::of(b"");
    assert_eq!((store.content(hash).unwrap(), store.content_len(hash).unwrap()), (None, None));
    let payload = Payload::PromptSet { content: Stored::of(b"") };
    store.append(&id("a"), 1, vec![payload], Durability::Light, vec![Content::of(Vec::new())]).wait().unwrap();
    assert_eq!((store.content(hash).unwrap(), store.content_len(hash).unwrap()), (Some(Vec::new()), Some(0)));
}

#[test]
fn a_content_stands_or_falls_with_its_events() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    let failing = vec![result("nobody", assent_protocol::tool::Outcome::Ok, None)];
    store.append(&id("a"), 1, failing, Durability::Full, vec![Content::of(b"output".to_vec())]).wait().unwrap_err();
    assert_eq!(store.content(Sha::of(b"output")).unwrap(), None);
    append(&store, "a", Vec::new());
    check_whole(&store);
}
