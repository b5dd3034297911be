//! How long a search may go on: a deadline and the person's stop, asked cheaply from inner loops.
//! It ends nothing by itself; whoever works under it asks.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Why work ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// Its time is up.
    Time,
    /// A person stopped it.
    Stopped,
}

/// A deadline and a stop.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    until: Instant,
    cancel: Option<&'a CancellationToken>,
}

impl<'a> Budget<'a> {
    /// Ends after `time`, or when `cancel` is set.
    pub(crate) fn new(time: Duration, cancel: &'a CancellationToken) -> Self {
        Self { until: Instant::now() + time, cancel: Some(cancel) }
    }

    /// Ends after `time` alone: for short looks that no one can stop.
    pub(crate) fn short(time: Duration) -> Budget<'static> {
        Budget { until: Instant::now() + time, cancel: None }
    }

    /// Whether the work has to end, and why.
    pub(crate) fn over(&self) -> Option<Over> {
        if self.cancel.is_some_and(CancellationToken::is_cancelled) {
            return Some(Over::Stopped);
        }
        (Instant::now() >= self.until).then_some(Over::Time)
    }
}
