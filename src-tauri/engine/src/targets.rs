//! Keeps two changes of one file apart, over all conversations of this process.
//! The claim checks the same in the database; this only makes the second one wait instead of fail.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// Files that are being changed.
#[derive(Default)]
pub(crate) struct Targets(Arc<Inner>);

#[derive(Default)]
struct Inner {
    held: Mutex<HashSet<(String, String)>>,
    freed: Notify,
}

/// Leave to change some files; given back when dropped.
pub(crate) struct Hold {
    inner: Arc<Inner>,
    keys: Vec<(String, String)>,
}

impl Targets {
    /// Waits until none of `paths` in `workspace` is being changed, and holds them.
    pub async fn hold(&self, workspace: &str, paths: &[String]) -> Hold {
        let keys: Vec<_> = paths.iter().map(|path| (workspace.to_owned(), path.clone())).collect();
        loop {
            let freed = self.0.freed.notified();
            {
                let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
                if keys.iter().all(|key| !held.contains(key)) {
                    held.extend(keys.iter().cloned());
                    return Hold { inner: Arc::clone(&self.0), keys };
                }
            }
            freed.await;
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.inner.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.keys.iter().for_each(|key| {
            held.remove(key);
        });
        drop(held);
        self.inner.freed.notify_waiters();
    }
}
