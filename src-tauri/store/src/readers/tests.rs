//! Tests of the reading pool: one snapshot a read, no waiting for the writer, no writes.
//! Queries are tested with their tables.

use crate::tests::{append, begin, chunk, id};
use crate::{Store, StoreError};

#[test]
fn a_read_sees_one_moment_whatever_is_written_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let inner = store.clone();
    let counts = store.read(move |connection| {
        let count = || connection.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, u64>(0));
        let before = count()?;
        append(&inner, "a", vec![chunk("r", "x")]);
        Ok((before, count()?))
    });
    assert_eq!(counts, Ok((4, 4)));
    assert_eq!(store.row(&id("a")).unwrap().unwrap().seq, 5);
}

#[test]
fn many_readers_at_once_are_served_and_few_connections_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let barrier = std::sync::Arc::new(std::sync::Barrier::new(12));
    std::thread::scope(|scope| {
        for _ in 0..12 {
            let (store, barrier) = (&store, std::sync::Arc::clone(&barrier));
            scope.spawn(move || {
                let all_inside = store.read(move |_| {
                    barrier.wait();
                    Ok(())
                });
                assert_eq!(all_inside, Ok(()));
            });
        }
    });
    let refused = store.read(|connection| Ok(connection.execute("DELETE FROM conversations", [])?));
    assert_eq!(refused, Err(StoreError::ReadOnly));
}
