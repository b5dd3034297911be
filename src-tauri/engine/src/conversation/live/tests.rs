//! Output so far, with and without holes, as a snapshot and as deltas tell it.

use assent_protocol::ids::CallId;
use assent_protocol::signal::Delta;

use super::{Live, Printed, TAIL};

fn printed(offset: u64, bytes: &[u8]) -> Printed {
    Printed { call: CallId::new("c"), offset, bytes: bytes.to_vec() }
}

fn words(delta: Delta) -> (u64, String) {
    let Delta::Output { offset, text, .. } = delta else { panic!("{delta:?}") };
    (offset, text)
}

#[test]
fn a_character_that_comes_in_two_pieces_is_whole() {
    let mut live = Live::default();
    assert_eq!(live.take(&printed(0, b"a\xe4\xb8"), 1).map(words), Some((0, "a".to_owned())));
    assert_eq!(live.take(&printed(3, b"\xad\xff"), 2).map(words), Some((1, "中\u{fffd}".to_owned())));
    assert_eq!(live.output_at(&CallId::new("c")), Some(2));
    assert_eq!(live.deltas().into_iter().map(words).collect::<Vec<_>>(), [(0, "a中\u{fffd}".to_owned())]);
}

#[test]
fn after_a_hole_the_text_begins_with_a_whole_character_further_on() {
    let mut live = Live::default();
    live.take(&printed(0, b"one \xe4"), 1);
    // "中" was cut in two by the hole: its last two bytes are no text.
    assert_eq!(live.take(&printed(100, b"\xb8\xadtwo"), 2).map(words), Some((102, "two".to_owned())));
    assert_eq!(live.take(&printed(105, b" three"), 3).map(words), Some((105, " three".to_owned())));
    assert_eq!(live.deltas().into_iter().map(words).collect::<Vec<_>>(), [(102, "two three".to_owned())]);
}

#[test]
fn a_snapshot_carries_the_newest_only() {
    let mut live = Live::default();
    let mut offset = 0;
    for _ in 0..10 {
        let piece = vec![b'x'; TAIL / 2 + 1];
        live.take(&printed(offset, &piece), 1);
        offset += piece.len() as u64;
    }
    let (from, text) = words(live.deltas().remove(0));
    assert_eq!(from + text.len() as u64, offset);
    assert!((TAIL..=2 * TAIL).contains(&text.len()));
}
