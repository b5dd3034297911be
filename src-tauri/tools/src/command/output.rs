//! Keeps what a command prints: whole up to a limit, then its beginning and its end; what is long is spooled as it comes.
//! It neither reads pipes nor decodes; bytes stay as they came.

use std::collections::VecDeque;
use std::io::Write;

use crate::tool::OpenSpool;

/// Bytes of the beginning, and again of the end, that are kept of a long output.
pub(super) const HALF: usize = 8 * 1024 * 1024;

/// From so many bytes on output is spooled; storing less takes no time that anyone would notice.
const WORTH_SPOOLING: usize = 256 * 1024;

/// Bytes that are spooled at once.
const AT_ONCE: usize = 128 * 1024;

/// Output as it is kept.
pub(super) struct Kept<'a> {
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    spool: Spool<'a>,
    /// How much of `head` was spooled.
    spooled: usize,
}

enum Spool<'a> {
    Unopened(OpenSpool<'a>),
    Open(Box<dyn Write + Send>),
    /// There is none, or it took no more. The output is stored afterwards then, which says what is wrong.
    Without,
}

/// All that is kept of an output.
#[derive(Debug)]
pub(super) struct Whole {
    /// The bytes; a line in the middle says how much was left out.
    pub bytes: Vec<u8>,
    /// Whether they all went to the spool.
    pub spooled: bool,
}

impl<'a> Kept<'a> {
    /// Nothing yet; keeps two halves of [`HALF`] bytes.
    pub fn new(spool: OpenSpool<'a>) -> Self {
        Self::with_half(HALF, spool)
    }

    fn with_half(half: usize, spool: OpenSpool<'a>) -> Self {
        let spool = Spool::Unopened(spool);
        Self { half, head: Vec::new(), tail: VecDeque::new(), total: 0, spool, spooled: 0 }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.half - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.spool(AT_ONCE);
        let rest = &rest[rest.len().saturating_sub(self.half)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// All that is kept.
    pub fn into_whole(mut self) -> Whole {
        let left_out = self.total - self.head.len() as u64 - self.tail.len() as u64;
        if left_out > 0 {
            self.head.extend_from_slice(format!("\n[{left_out} bytes are left out here]\n").as_bytes());
        }
        let (first, second) = self.tail.as_slices();
        self.head.extend_from_slice(first);
        self.head.extend_from_slice(second);
        self.spool(1);
        let spooled = matches!(self.spool, Spool::Open(_)) && self.spooled == self.head.len();
        Whole { bytes: self.head, spooled }
    }

    /// Spools what wasn't yet, if it is at least `least` bytes.
    fn spool(&mut self, least: usize) {
        if self.head.len() < WORTH_SPOOLING || self.head.len() - self.spooled < least {
            return;
        }
        if let Spool::Unopened(open) = self.spool {
            self.spool = open().map_or(Spool::Without, Spool::Open);
        }
        if let Spool::Open(spool) = &mut self.spool {
            match spool.write_all(&self.head[self.spooled..]) {
                Ok(()) => self.spooled = self.head.len(),
                Err(_) => self.spool = Spool::Without,
            }
        }
    }
}

#[cfg(test)]
mod tests;
