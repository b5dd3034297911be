//! Hands output on while it comes: in pieces of a size that a card can take, and not more often than a screen is drawn. Of
//! more than that only the newest is handed on. It keeps the whole as well, and reads nothing itself.

use std::time::{Duration, Instant};

use super::super::output::{Kept, Whole};
use crate::tool::{Live, OpenSpool};

/// Largest piece that is read or handed on at once, in bytes.
pub(super) const PIECE: usize = 64 * 1024;

/// Longest time that output waits for more, one picture at 60 Hz.
const INTERVAL: Duration = Duration::from_millis(16);

/// Output on its way.
pub(super) struct Stream<'a> {
    live: Live<'a>,
    kept: Kept<'a>,
    /// The newest of what wasn't handed on.
    waiting: Vec<u8>,
    /// Bytes that came in all.
    total: u64,
    /// When the first byte came that wasn't handed on.
    since: Option<Instant>,
}

impl<'a> Stream<'a> {
    /// Nothing yet.
    pub fn new(live: Live<'a>, spool: OpenSpool<'a>) -> Self {
        Self { live, kept: Kept::new(spool), waiting: Vec::with_capacity(2 * PIECE), total: 0, since: None }
    }

    /// Takes the next bytes, at most [`PIECE`].
    pub fn push(&mut self, bytes: &[u8]) {
        self.kept.push(bytes);
        self.total += bytes.len() as u64;
        if self.waiting.len() + bytes.len() > 2 * PIECE {
            self.waiting.drain(..self.waiting.len() - PIECE);
        }
        self.waiting.extend_from_slice(bytes);
        self.since.get_or_insert_with(Instant::now);
    }

    /// How long until something has to be handed on; `None`: nothing waits.
    pub fn due_in(&self) -> Option<Duration> {
        self.since.map(|since| INTERVAL.saturating_sub(since.elapsed()))
    }

    /// Hands on what has waited long enough.
    pub fn flush_due(&mut self) {
        if self.due_in() == Some(Duration::ZERO) {
            self.flush();
        }
    }

    /// Hands on the rest and gives back the whole.
    pub fn finish(mut self) -> Whole {
        self.flush();
        self.kept.into_whole()
    }

    fn flush(&mut self) {
        if !self.waiting.is_empty() {
            let newest = &self.waiting[self.waiting.len().saturating_sub(PIECE)..];
            (self.live)(self.total - newest.len() as u64, newest);
            self.waiting.clear();
        }
        self.since = None;
    }
}

#[cfg(test)]
mod tests;
