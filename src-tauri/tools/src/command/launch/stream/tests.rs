//! Pieces on their way to the card.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::{PIECE, Stream};

#[test]
fn pieces_are_joined_until_they_are_due_and_only_the_newest_are_handed_on() {
    let seen = Mutex::new(Vec::new());
    let live = |offset: u64, bytes: &[u8]| seen.lock().unwrap().push((offset, bytes.to_vec()));
    let mut stream = Stream::new(&live, &|| None);
    assert_eq!(stream.due_in(), None);
    let until = |stream: &mut Stream<'_>, count: usize| {
        let last = Instant::now() + Duration::from_secs(5);
        while seen.lock().unwrap().len() < count {
            assert!(Instant::now() < last);
            stream.flush_due();
        }
    };
    stream.push(b"a");
    stream.push(b"b");
    assert!(stream.due_in().is_some());
    assert!(seen.lock().unwrap().is_empty());
    until(&mut stream, 1);
    assert_eq!(stream.due_in(), None);
    let mut whole = b"ab".to_vec();
    for number in 0..50_000_u32 {
        let piece = number.to_le_bytes();
        stream.push(&piece);
        whole.extend(piece);
    }
    until(&mut stream, 2);
    stream.push(b"c");
    whole.push(b'c');
    assert_eq!(stream.finish().bytes, whole);
    let seen = seen.into_inner().unwrap();
    for (offset, bytes) in &seen {
        assert_eq!(*bytes, whole[*offset as usize..][..bytes.len()]);
    }
    let places: Vec<_> = seen.iter().map(|(offset, bytes)| (*offset as usize, bytes.len())).collect();
    assert_eq!((places[0], places.last()), ((0, 2), Some(&(whole.len() - 1, 1))));
    assert!(places.iter().all(|(_, length)| *length <= PIECE));
    assert!(places.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{places:?}");
}
