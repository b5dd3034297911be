//! Ctrl-C as something to wait for: from the first moment on none is lost, whatever is being done when it comes.
//! What it means is decided by whoever waits.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC, ctrl_c};

/// The interrupts of this process since [`Interrupts::watch`].
pub struct Interrupts {
    #[cfg(unix)]
    signal: Signal,
    #[cfg(windows)]
    signal: CtrlC,
}

impl Interrupts {
    /// From now on Ctrl-C no longer ends the process.
    ///
    /// # Errors
    /// When the system lets nobody listen.
    pub fn watch() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            signal: signal(SignalKind::interrupt())?,
            #[cfg(windows)]
            signal: ctrl_c()?,
        })
    }

    /// Returns at the next one.
    pub async fn next(&mut self) {
        if self.signal.recv().await.is_none() {
            // Nobody sends any more: then none will come.
            std::future::pending::<()>().await;
        }
    }
}
