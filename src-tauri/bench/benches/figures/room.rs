//! An engine in this process, with nobody around it, and one conversation driven to the end of its turn.
//! It measures nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_engine::{Beginning, Clock, Engine, Host, HostError, ModelSource, Note, Parts, Subscription};
use assent_protocol::event::{Delivery, Payload};
use assent_protocol::ids::ConversationId;
use assent_protocol::permission::Mode;
use assent_protocol::request::Request;
use assent_protocol::settings::{KeyPlace, Limits, ModelChoice};
use assent_protocol::signal::Signal;
use assent_protocol::view::Protocol;
use assent_store::Store;
use assent_testkit::fake_server::FakeServer;
use assent_tools::Registry;

/// Surroundings with nobody in them.
pub struct Nobody;

impl Host for Nobody {
    fn label(&self) -> &'static str {
        "bench"
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn secret(&self, _name: &str) -> Result<Option<String>, HostError> {
        Ok(None)
    }

    fn keep_secret(&self, _name: &str, _secret: Option<&str>) -> Result<KeyPlace, HostError> {
        Ok(KeyPlace::Nowhere)
    }

    fn secret_place(&self, _name: &str) -> KeyPlace {
        KeyPlace::Nowhere
    }

    fn notify(&self, _note: Note) {}
}

/// An engine with a conversation in it.
pub struct Room {
    /// The engine.
    pub engine: Engine,
    /// The conversation.
    pub conversation: ConversationId,
    signals: Subscription,
}

impl Room {
    /// Opens an engine on `home` with these tools, and begins a conversation in `workspace`.
    pub async fn open(home: &Path, workspace: PathBuf, registry: Registry, server: &FakeServer) -> Self {
        let (store, _) = Store::open(home).unwrap();
        let parts = Parts {
            store,
            home: Some(home.to_owned()),
            host: Arc::new(Nobody),
            models: ModelSource::providers(),
            registry,
            clock: Clock::system(),
        };
        let engine = Engine::with(parts).await.unwrap();
        let signals = engine.subscribe();
        let choice = choice(&server.base_url());
        let workspace = Some(workspace.to_string_lossy().into_owned());
        let fallbacks = Vec::new();
        let limits = Limits::default();
        let beginning = Beginning { project: None, workspace, choice, fallbacks, mode: Mode::Ask, limits };
        let conversation = engine.begin(beginning).await.unwrap();
        Self { engine, conversation, signals }
    }

    /// Sends a message.
    pub async fn send(&self, text: &str) {
        let (conversation, text) = (self.conversation.clone(), text.to_owned());
        let send =
            Request::Send { conversation, text, delivery: Delivery::NextTurn, reject: false, attachments: Vec::new() };
        self.engine.handle(send).await.unwrap();
    }

    /// Returns once an event like this was recorded.
    pub async fn until(&mut self, is_it: impl Fn(&Payload) -> bool) {
        loop {
            let batch = self.signals.next().await;
            let found = |signal: &Signal| matches!(signal, Signal::Recorded { event } if is_it(&event.payload));
            if batch.iter().any(found) {
                return;
            }
        }
    }

    /// Returns once the turn ended.
    pub async fn until_end(&mut self) {
        self.until(|payload| matches!(payload, Payload::TurnEnd { .. })).await;
    }
}

/// A model at this address, with a window that nothing fills.
pub fn choice(base_url: &str) -> ModelChoice {
    ModelChoice {
        provider: None,
        label: "bench".to_owned(),
        base_url: base_url.to_owned(),
        protocol: Protocol::ChatCompletions,
        model: "m".to_owned(),
        window: 100_000_000,
        coefficient: 0.35,
        tools: true,
        echo_reasoning: false,
        empty_text: false,
        without_encrypted: false,
        found: false,
        output_limit: None,
        images: false,
        documents: false,
        price: None,
    }
}

/// Runs on one thread, as both programs do.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
