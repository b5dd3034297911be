//! What is kept of outputs around the limit, whatever the pieces they come in, and what of it is spooled.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::{Kept, WORTH_SPOOLING, Whole};

/// A spool that takes `room` bytes.
#[derive(Clone)]
struct Taken {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Taken {
    fn new(room: usize) -> Self {
        Self { bytes: Arc::default(), room }
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }
}

impl Write for Taken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = self.bytes.lock().unwrap();
        if taken.len() + bytes.len() > self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        taken.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn kept(text: &str, piece: usize) -> String {
    let mut kept = Kept::with_half(4, &|| panic!("nothing is long here"));
    text.as_bytes().chunks(piece).for_each(|piece| kept.push(piece));
    let Whole { bytes, spooled } = kept.into_whole();
    assert!(!spooled);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_beginning_and_the_end_are_kept_however_they_come() {
    for piece in 1..=20 {
        assert_eq!(kept("", piece), "");
        assert_eq!(kept("abc", piece), "abc");
        assert_eq!(kept("abcdefgh", piece), "abcdefgh");
        assert_eq!(kept("abcdefghi", piece), "abcd\n[1 bytes are left out here]\nfghi");
        assert_eq!(kept("abcdefghijklmnop", piece), "abcd\n[8 bytes are left out here]\nmnop");
    }
}

#[test]
fn a_long_output_is_spooled_as_it_is_kept() {
    let text: Vec<u8> = (0..WORTH_SPOOLING * 2).map(|number| (number % 251) as u8).collect();
    for (half, piece) in [(text.len(), 4096), (text.len(), 300_000), (WORTH_SPOOLING, 1000), (200_000, 65_536)] {
        let taken = Taken::new(usize::MAX);
        let open = || Some(Box::new(taken.clone()) as Box<dyn Write + Send>);
        let mut kept = Kept::with_half(half, &open);
        text.chunks(piece).for_each(|piece| kept.push(piece));
        let Whole { bytes, spooled } = kept.into_whole();
        assert!(spooled, "{half} {piece}");
        assert_eq!(taken.bytes(), bytes, "{half} {piece}");
    }
}

#[test]
fn what_the_spool_does_not_take_is_kept_all_the_same() {
    let text = vec![b'x'; WORTH_SPOOLING * 2];
    for room in [0, WORTH_SPOOLING, text.len() - 1] {
        let taken = Taken::new(room);
        let open = || Some(Box::new(taken.clone()) as Box<dyn Write + Send>);
        let without = || None;
        for open in [&open as super::OpenSpool<'_>, &without] {
            let mut kept = Kept::with_half(text.len(), open);
            text.chunks(1000).for_each(|piece| kept.push(piece));
            let Whole { bytes, spooled } = kept.into_whole();
            assert!(!spooled && bytes == text, "{room}");
        }
    }
}
