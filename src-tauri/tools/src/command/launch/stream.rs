//! Hands output on while it comes: in pieces of a size that a card can take, and not more often than a screen is drawn.
//! It keeps the whole as well, and reads nothing itself.

use std::time::{Duration, Instant};

use super::super::output::Kept;

/// Largest piece that is read or handed on at once, in bytes.
pub(super) const PIECE: usize = 64 * 1024;

/// Longest time that output waits for more, one picture at 60 Hz.
const INTERVAL: Duration = Duration::from_millis(16);

/// Output on its way.
pub(super) struct Stream<'a> {
    live: &'a (dyn Fn(&[u8]) + Sync),
    kept: Kept,
    waiting: Vec<u8>,
    /// When the first byte of `waiting` came.
    since: Option<Instant>,
}

impl<'a> Stream<'a> {
    /// Nothing yet.
    pub fn new(live: &'a (dyn Fn(&[u8]) + Sync)) -> Self {
        Self { live, kept: Kept::new(), waiting: Vec::with_capacity(PIECE), since: None }
    }

    /// Takes the next bytes, at most [`PIECE`].
    pub fn push(&mut self, bytes: &[u8]) {
        self.kept.push(bytes);
        if self.waiting.len() + bytes.len() > PIECE {
            self.flush();
        }
        self.waiting.extend_from_slice(bytes);
        self.since.get_or_insert_with(Instant::now);
        if self.waiting.len() >= PIECE {
            self.flush();
        }
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
    pub fn finish(mut self) -> Kept {
        self.flush();
        self.kept
    }

    fn flush(&mut self) {
        if !self.waiting.is_empty() {
            (self.live)(&self.waiting);
            self.waiting.clear();
        }
        self.since = None;
    }
}

#[cfg(test)]
mod tests;
