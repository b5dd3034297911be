//! The answer of a write that is on its way: a future, or a blocking wait where there is no runtime.
//! Dropping it doesn't take the write back.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use tokio::sync::oneshot;

use crate::error::StoreError;

/// A write's answer. It resolves when the write is committed, or has failed and left nothing behind.
/// The write happens whether or not anyone waits for it.
#[derive(Debug)]
#[must_use = "a write that nobody waits for may fail unseen"]
pub struct Reply<T, E = StoreError>(oneshot::Receiver<Result<T, E>>);

impl<T, E> Reply<T, E> {
    pub(crate) fn channel() -> (oneshot::Sender<Result<T, E>>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Self(receiver))
    }
}

impl<T, E: From<StoreError>> Reply<T, E> {
    /// Blocks the thread until the answer is there. For threads outside of a runtime, and for tests.
    pub fn wait(self) -> Result<T, E> {
        block_on(self)
    }
}

impl<T, E: From<StoreError>> Future for Reply<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|answer| answer.unwrap_or_else(|_| Err(E::from(StoreError::Closed))))
    }
}

/// Drives a future on this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
