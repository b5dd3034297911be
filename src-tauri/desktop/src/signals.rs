//! Carries the engine's signals to the page, one ordered channel per window.
//! It reads none of them: merging and order are the engine's, meaning is the page's.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use assent_protocol::signal::Signal;
use tauri::ipc::Channel;

use crate::backend::{Backend, Listening};

/// What each window listens to, by its label.
#[derive(Default)]
pub(crate) struct Listeners(Mutex<HashMap<String, Listening>>);

impl Listeners {
    /// Sends batches to `channel` until the window begins anew, is gone, or the engine ends.
    pub fn begin(&self, window: &str, backend: &Backend, channel: Channel<Vec<Signal>>) {
        let listening = backend.listen(|_, mut signals| async move {
            loop {
                // The page is gone when it can't be sent to.
                if channel.send(signals.next().await).is_err() {
                    return;
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
