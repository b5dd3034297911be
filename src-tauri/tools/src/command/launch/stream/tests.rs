//! Pieces on their way to the card.

use std::sync::Mutex;

use super::{PIECE, Stream};

#[test]
fn pieces_are_joined_until_they_are_large_or_due() {
    let seen = Mutex::new(Vec::new());
    let live = |bytes: &[u8]| seen.lock().unwrap().push(bytes.len());
    let mut stream = Stream::new(&live);
    assert_eq!(stream.due_in(), None);
    stream.push(b"a");
    stream.push(b"b");
    assert!(stream.due_in().is_some());
    assert!(seen.lock().unwrap().is_empty());
    stream.push(&vec![0; PIECE]);
    assert_eq!(*seen.lock().unwrap(), [2, PIECE]);
    assert_eq!(stream.due_in(), None);
    stream.push(b"c");
    let last = std::time::Instant::now() + std::time::Duration::from_secs(5);
    while seen.lock().unwrap().len() < 3 {
        assert!(std::time::Instant::now() < last);
        stream.flush_due();
    }
    stream.push(b"d");
    assert_eq!(stream.finish().into_bytes().len(), PIECE + 4);
    assert_eq!(*seen.lock().unwrap(), [2, PIECE, 1, 1]);
}
