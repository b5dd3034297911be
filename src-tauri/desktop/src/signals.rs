//! Carries the engine's signals to the page, one ordered channel per window.
//! It reads nothing of them but their length: merging and order are the engine's, meaning is the page's.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assent_protocol::signal::{Delta, Signal};
use tauri::ipc::Channel;

use crate::backend::{Backend, Listening};

/// Bytes of streamed text in one message. More takes the page longer than a frame to take in; a flood is spread over frames.
const PORTION: usize = 128 * 1024;
/// Between two portions of one batch, so that the page can draw in between.
const FRAME: Duration = Duration::from_millis(16);

/// What each window listens to, by its label.
#[derive(Default)]
pub(crate) struct Listeners(Mutex<HashMap<String, Listening>>);

impl Listeners {
    /// Sends batches to `channel` until the window begins anew, is gone, or the engine ends.
    pub fn begin(&self, window: &str, backend: &Backend, channel: Channel<Vec<Signal>>) {
        let listening = backend.listen(|_, mut signals| async move {
            loop {
                let mut portions = portions(signals.next().await).into_iter().peekable();
                while let Some(portion) = portions.next() {
                    // The page is gone when it can't be sent to.
                    if channel.send(portion).is_err() {
                        return;
                    }
                    if portions.peek().is_some() {
                        tokio::time::sleep(FRAME).await;
                    }
                }
            }
        });
        self.all().insert(window.to_owned(), listening);
    }

    /// Ends what a window's page listened to: it is being left.
    pub fn end(&self, window: &str) {
        self.all().remove(window);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Listening>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A batch in portions of at most [`PORTION`] bytes of streamed text each, in the same order.
fn portions(batch: Vec<Signal>) -> Vec<Vec<Signal>> {
    let mut portions = Vec::new();
    let mut portion = Vec::new();
    let mut room = PORTION;
    for mut signal in batch {
        while let Some(rest) = cut(&mut signal, room) {
            portion.push(std::mem::replace(&mut signal, rest));
            portions.push(std::mem::take(&mut portion));
            room = PORTION;
        }
        room = room.saturating_sub(text_of(&mut signal).map_or(0, |(_, text)| text.len()));
        portion.push(signal);
    }
    portions.push(portion);
    portions
}

/// Shortens streamed text to at most `room` bytes and gives back what was cut off; `None` when it fits, or isn't such text.
fn cut(signal: &mut Signal, room: usize) -> Option<Signal> {
    let (_, text) = text_of(signal)?;
    if text.len() <= room {
        return None;
    }
    let at = text.floor_char_boundary(room);
    let rest = text.split_off(at);
    let mut cut_off = signal.clone();
    if let Some((offset, text)) = text_of(&mut cut_off) {
        *offset += at as u64;
        *text = rest;
    }
    Some(cut_off)
}

/// Streamed text with the place of its beginning.
fn text_of(signal: &mut Signal) -> Option<(&mut u64, &mut String)> {
    match signal {
        Signal::Delta { delta: Delta::Text { offset, text, .. } | Delta::Output { offset, text, .. }, .. } => {
            Some((offset, text))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
