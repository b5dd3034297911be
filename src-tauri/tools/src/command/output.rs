//! Keeps what a command prints: whole up to a limit, then its beginning and its end.
//! It neither reads pipes nor decodes; bytes stay as they came.

use std::collections::VecDeque;

/// Bytes of the beginning, and again of the end, that are kept of a long output.
pub(super) const HALF: usize = 8 * 1024 * 1024;

/// Output as it is kept.
#[derive(Debug)]
pub(super) struct Kept {
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Kept {
    /// Nothing yet; keeps two halves of [`HALF`] bytes.
    pub fn new() -> Self {
        Self::with_half(HALF)
    }

    fn with_half(half: usize) -> Self {
        Self { half, head: Vec::new(), tail: VecDeque::new(), total: 0 }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.half - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.half)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// Whether nothing came.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// All that is kept; a line in the middle says how much was left out.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        let left_out = self.total - bytes.len() as u64 - self.tail.len() as u64;
        if left_out > 0 {
            bytes.extend_from_slice(format!("\n[{left_out} bytes are left out here]\n").as_bytes());
        }
        let (first, second) = self.tail.as_slices();
        bytes.extend_from_slice(first);
        bytes.extend_from_slice(second);
        bytes
    }
}

#[cfg(test)]
mod tests;
