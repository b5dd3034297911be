//! Carries signals to everyone who listens, in order, with deltas merged per frame.
//! A slow listener costs memory only for what differs: adjoining deltas become one.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use assent_protocol::event::Payload;
use assent_protocol::ids::ConversationId;
use assent_protocol::signal::{Delta, Signal};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Deltas are held back this long, so that a window gets one batch a frame.
const FRAME: Duration = Duration::from_millis(16);

/// Where signals are published.
#[derive(Default)]
pub(crate) struct Bus {
    listeners: Mutex<Vec<Weak<Listener>>>,
}

/// One listener's end. Dropping it ends the subscription.
pub struct Subscription {
    listener: Arc<Listener>,
    last: Option<Instant>,
}

#[derive(Default)]
struct Listener {
    waiting: Mutex<Vec<Signal>>,
    changed: Notify,
    /// A turn ended: nothing follows that it could be held back for.
    ended: Notify,
}

impl Bus {
    /// Begins to listen: everything published from now on.
    pub fn subscribe(&self) -> Subscription {
        let listener = Arc::new(Listener::default());
        self.listeners().push(Arc::downgrade(&listener));
        Subscription { listener, last: None }
    }

    /// Publishes signals to all listeners, in this order.
    pub fn publish(&self, signals: &[Signal]) {
        if signals.is_empty() {
            return;
        }
        let ends = signals.iter().any(is_end);
        self.listeners().retain(|listener| {
            let Some(listener) = listener.upgrade() else { return false };
            let mut waiting = listener.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            for signal in signals {
                add(&mut waiting, signal);
            }
            drop(waiting);
            listener.changed.notify_one();
            if ends {
                listener.ended.notify_one();
            }
            true
        });
    }

    /// Publishes one delta.
    pub fn delta(&self, conversation: &ConversationId, delta: Delta) {
        self.publish(&[Signal::Delta { conversation: conversation.clone(), delta }]);
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Listener>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    /// The next batch; waits until there is one. Batches come at least a frame apart, except when a turn ends.
    pub async fn next(&mut self) -> Vec<Signal> {
        loop {
            self.listener.changed.notified().await;
            if let Some(last) = self.last {
                tokio::select! {
                    () = tokio::time::sleep_until(last + FRAME) => {}
                    () = self.listener.ended.notified() => {}
                }
            }
            let batch = self.take();
            if !batch.is_empty() {
                self.last = Some(Instant::now());
                return batch;
            }
        }
    }

    /// What has come so far, without waiting.
    pub fn take(&mut self) -> Vec<Signal> {
        std::mem::take(&mut *self.listener.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn is_end(signal: &Signal) -> bool {
    matches!(signal, Signal::Recorded { event } if matches!(event.payload, Payload::TurnEnd { .. }))
}

/// Adds a signal, merged with the one before it when both continue the same text.
fn add(waiting: &mut Vec<Signal>, signal: &Signal) {
    if let (Some(Signal::Delta { conversation: before, delta: last }), Signal::Delta { conversation, delta }) =
        (waiting.last_mut(), signal)
        && before == conversation
        && merge(last, delta)
    {
        return;
    }
    waiting.push(signal.clone());
}

/// Whether `next` was taken into `last`.
fn merge(last: &mut Delta, next: &Delta) -> bool {
    match (last, next) {
        (
            Delta::Text { request, part, offset, text },
            Delta::Text { request: next_request, part: next_part, offset: next_offset, text: more },
        ) if request == next_request && part == next_part && *offset + text.len() as u64 == *next_offset => {
            text.push_str(more);
            true
        }
        (Delta::Output { call, offset, text }, Delta::Output { call: next_call, offset: next_offset, text: more })
            if call == next_call && *offset + text.len() as u64 == *next_offset =>
        {
            text.push_str(more);
            true
        }
        (
            Delta::Writing { request, index, name, target, lines },
            Delta::Writing { request: r, index: i, name: n, target: t, lines: l },
        ) if request == r && index == i => {
            name.clone_from(n);
            target.clone_from(t);
            *lines = *l;
            true
        }
        (Delta::Phase { phase, since }, Delta::Phase { phase: next, since: next_since }) => {
            phase.clone_from(next);
            *since = *next_since;
            true
        }
        _ => false,
    }
}
