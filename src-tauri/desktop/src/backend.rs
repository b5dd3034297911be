//! The engine behind the window, on a thread of its own with a runtime of its own: reading a model's stream on one thread
//! costs a tenth of what it costs on many.
//! It hands requests in and signals out; what they mean is the engine's business.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use assent_engine::{Engine, Host, OpenError, Subscription};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::request::{Request, Response};
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, watch};

/// At the end, work that can't be cancelled is waited for this long.
const LAST_WORK: Duration = Duration::from_secs(2);

/// The way to the engine. Dropping it leaves the engine running until [`Backend::end`].
pub(crate) struct Backend {
    runtime: Handle,
    state: watch::Receiver<State>,
    end: Arc<Notify>,
    /// Taken by whoever ends it.
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// How far the engine is. It is dropped from here at the end, so that the data folder is closed in good order.
#[derive(Clone)]
enum State {
    Opening,
    Open(Engine),
    Closed,
}

impl Backend {
    /// Begins to open the data folder `home`; requests wait until it is open. When it can't be opened, `failed` is told, on
    /// the engine's thread, and every request fails.
    ///
    /// # Errors
    /// When the system gives no thread, or no runtime.
    pub fn start(
        home: PathBuf,
        host: Arc<dyn Host>,
        failed: impl FnOnce(OpenError) + Send + 'static,
    ) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (state, watched) = watch::channel(State::Opening);
        let end = Arc::new(Notify::new());
        let ended = Arc::clone(&end);
        let thread = std::thread::Builder::new().name("engine".to_owned()).spawn(move || {
            runtime.block_on(async {
                match Engine::open(&home, host).await {
                    Ok(engine) => drop(state.send_replace(State::Open(engine))),
                    Err(error) => {
                        drop(state.send_replace(State::Closed));
                        failed(error);
                    }
                }
                ended.notified().await;
            });
            drop(state.send_replace(State::Closed));
            runtime.shutdown_timeout(LAST_WORK);
        })?;
        Ok(Self { runtime: handle, state: watched, end, thread: Mutex::new(Some(thread)) })
    }

    /// Asks the engine. The request is on its way when this returns, before those that come after it.
    pub fn ask(&self, request: Request) -> impl Future<Output = Result<Response, Failure>> + Send + use<> {
        let engine = opened(self.state.clone());
        let answer = self.runtime.spawn(async move {
            match engine.await {
                Some(engine) => engine.handle(request).await,
                None => Err(closed()),
            }
        });
        async move {
            match answer.await {
                Ok(answer) => answer,
                Err(fault) if fault.is_panic() => {
                    Err(Failure::new(Code::Other, "a fault in Assent ended this request; nothing else was touched"))
                }
                Err(_) => Err(closed()),
            }
        }
    }

    /// Listens to the engine on its thread, from the place in the order of requests where this is called. `listen` runs
    /// until it returns or what is given back is dropped.
    pub fn listen<F>(&self, listen: impl FnOnce(Engine, Subscription) -> F + Send + 'static) -> Listening
    where
        F: Future<Output = ()> + Send,
    {
        let engine = opened(self.state.clone());
        let task = self.runtime.spawn(async move {
            if let Some(engine) = engine.await {
                let subscription = engine.subscribe();
                listen(engine, subscription).await;
            }
        });
        Listening(task.abort_handle())
    }

    /// Ends the engine and waits for it: what runs is cut off, what is on disk is closed in good order. A second call does
    /// nothing.
    pub fn end(&self) {
        self.end.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            eprintln!("the engine ended in a fault");
        }
    }
}

/// Something that listens; dropping it ends it.
pub(crate) struct Listening(tokio::task::AbortHandle);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn opened(mut state: watch::Receiver<State>) -> Option<Engine> {
    match state.wait_for(|state| !matches!(state, State::Opening)).await.as_deref() {
        Ok(State::Open(engine)) => Some(engine.clone()),
        Ok(State::Opening | State::Closed) | Err(_) => None,
    }
}

fn closed() -> Failure {
    Failure::new(Code::Other, "Assent is closed: nothing more is done")
}

#[cfg(test)]
mod tests;
