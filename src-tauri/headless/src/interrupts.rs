//! Ctrl-C, and whatever else asks the program to end, as something to wait for: from the first moment on none is lost,
//! whatever is being done when it comes. What it means is decided by whoever waits.

use std::io;
use std::task::Poll;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC, ctrl_c};

/// The interrupts of this process since [`Interrupts::watch`].
pub struct Interrupts {
    /// Ctrl-C, and the signal of `kill`, `timeout` and service managers. A closed terminal isn't watched: whoever wants to
    /// go on without one has told the system to ignore that.
    #[cfg(unix)]
    signals: [Signal; 2],
    #[cfg(windows)]
    signals: [CtrlC; 1],
}

impl Interrupts {
    /// From now on Ctrl-C no longer ends the process.
    ///
    /// # Errors
    /// When the system lets nobody listen.
    pub fn watch() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            signals: [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?],
            #[cfg(windows)]
            signals: [ctrl_c()?],
        })
    }

    /// Returns at the next one.
    pub async fn next(&mut self) {
        std::future::poll_fn(|context| {
            // A source that never sends again leaves it to the others.
            let is_there = self.signals.iter_mut().any(|signal| signal.poll_recv(context) == Poll::Ready(Some(())));
            if is_there { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
