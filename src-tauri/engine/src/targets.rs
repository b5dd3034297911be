//! Keeps two changes of one file apart, over all conversations of this process.
//! The claim checks the same in the database; this only makes the second one wait instead of fail.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// Holds `paths` in `workspace`; none: one of them, or something above or below it, is being changed.
    pub fn hold(&self, workspace: &str, paths: &[String]) -> Option<Hold> {
        let mut held = self.0.held();
        if paths.iter().any(|path| is_held(&held, workspace, path)) {
            return None;
        }
        let keys: Vec<_> = paths.iter().map(|path| (workspace.to_owned(), path.clone())).collect();
        held.extend(keys.iter().cloned());
        Some(Hold { inner: Arc::clone(&self.0), keys })
    }

    /// Resolves when none of `paths` is being changed. Holds nothing: who wanted them asks again.
    pub fn free(&self, workspace: &str, paths: Vec<String>) -> impl Future<Output = ()> + Send + use<> {
        let (inner, workspace) = (Arc::clone(&self.0), workspace.to_owned());
        async move {
            loop {
                // Made before the look, so that what is freed after it isn't missed.
                let freed = inner.freed.notified();
                if !paths.iter().any(|path| is_held(&inner.held(), &workspace, path)) {
                    return;
                }
                freed.await;
            }
        }
    }
}

impl Inner {
    fn held(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_held(held: &HashSet<(String, String)>, workspace: &str, path: &str) -> bool {
    let mine = Path::new(workspace).join(path);
    held.iter().any(|(elsewhere, other)| {
        let other = Path::new(elsewhere).join(other);
        mine.starts_with(&other) || other.starts_with(&mine)
    })
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.inner.held();
        self.keys.iter().for_each(|key| {
            held.remove(key);
        });
        drop(held);
        self.inner.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn what_lies_above_or_below_is_held_too() {
        let targets = Targets::default();
        let hold = targets.hold("/w", &paths(&["d/a", "x"]));
        assert!(hold.is_some());
        for taken in ["d/a", "d", "d/a/b", ""] {
            assert!(targets.hold("/w", &paths(&["free", taken])).is_none(), "{taken}");
        }
        for free in ["d/ab", "d/b", "y"] {
            assert!(targets.hold("/w", &paths(&[free])).is_some(), "{free}");
        }
        assert!(targets.hold("/w2", &paths(&["d/a"])).is_some(), "another folder");
        assert!(targets.hold("/w/d", &paths(&["a"])).is_none(), "the same file by another root");
        drop(hold);
        assert!(targets.hold("/w", &paths(&["d"])).is_some());
    }

    #[tokio::test]
    async fn who_waits_hears_of_it() {
        let targets = Targets::default();
        let hold = targets.hold("/w", &paths(&["a"]));
        let mut free = tokio::spawn(targets.free("/w", paths(&["a"])));
        tokio::task::yield_now().await;
        assert!(futures_util::FutureExt::now_or_never(&mut free).is_none());
        drop(hold);
        free.await.unwrap();
    }
}
