//! A fake model server: real HTTP/1.1 with keep-alive and server-sent events on loopback, which plays scripts and checks
//! every request it gets. Nothing in it is timed: a script waits at gates, and whoever tests opens them.
//! It is no model and no proxy: it never leaves this machine.
//!
//! # Protocols
//!
//! The path of a request says in which protocol it is answered; a script is the same in all of them.
//!
//! | path | events | what a request has to be, beside sorted tools, a call's limits and a key in no body |
//! |---|---|---|
//! | `POST …/chat/completions` | chunks, usage, `[DONE]` | system first, results behind their calls and in order, no empty message, key as Bearer |
//! | `POST …/responses` | numbered events, items, the whole response | `store` false, an output for every call, reasoning as this server encrypted it and with the item it led to, no empty part, key as Bearer |
//! | `POST …/messages` | blocks with indices, signatures, cumulative output | a user begins, roles alternate, results first and one for each call, no empty text, thinking as this server signed it, at most 4 `cache_control`, `max_tokens`, `anthropic-version`, key in `x-api-key` |
//!
//! Signatures and encrypted reasoning are seals over what was thought, of this very server: what another one wrote, or what
//! was changed, is a violation.
//!
//! # Script
//!
//! A script is made in Rust ([`Script`], [`Reply`]) or read from JSON ([`Script::parse`]):
//!
//! ```json
//! { "replies": [ REPLY, … ],
//!   "rules": [ { "when": "words in the last user message", "reply": REPLY }, … ],
//!   "summary": REPLY,
//!   "models": ["tiny"],
//!   "documents": { "/props": { "default_generation_settings": { "n_ctx": 8192 } } },
//!   "max_body": 8388608 }
//! ```
//!
//! All fields may be missing. A request for an answer takes the next of `replies`; when none
//! is left, the first rule whose words stand in the last user message; else the server does what the message says (see
//! *Talk*). `summary` answers requests for one. `models` is what `GET …/models` lists; `documents` are answers to other GETs, by path.
//!
//! A REPLY is an object:
//!
//! | field | meaning |
//! |---|---|
//! | `say`, `think` | text and reasoning, streamed word by word |
//! | `tokens` | as many tokens `t0 t1 …`, for load; `per_write` of them in one write (1) |
//! | `calls` | `[{"name": …, "arguments": {…} or "text", "id": …}]`, streamed in pieces |
//! | `finish`, `usage` | finish reason in the words of `chat/completions` (worked out), usage object in the protocol's own form, null for none (counted) |
//! | `pace_us` | pause after each write, in microseconds (0) |
//! | `gate` | name of a gate to wait at before the status line |
//! | `status`, `headers`, `body` | a plain answer instead of a stream, for errors and web pages |
//! | `steps` | the stream by hand, instead of all of the above; the same bytes in every protocol |
//!
//! A step is `{"event": JSON}` (one `data:` event), `{"raw": "text"}`, `{"hex": "00ff"}`, `{"gate": "name"}`,
//! `{"pause_ms": 5}`, `"cut"` (the connection breaks in the middle of the message), `"hang"` (nothing more until the client
//! leaves) or `"end"`; without one the stream ends in good order after the last step.
//!
//! # Talk
//!
//! Without reply or rule the last user message is obeyed, so that a window can drive the server:
//! `say TEXT` · `say 500 tokens` · `say 500 tokens every 20 ms` · `think 50 tokens` ·
//! `call read_file with {"path":"a"}`, more of them joined by ` and ` · `fail 429 slow down` · `cut after 3 tokens` ·
//! `hang after 3 tokens` · `wait at GATE`. Several joined by ` then ` are done in one request each. When all is done, it
//! says what the tools returned; what it doesn't understand it repeats.
//!
//! # Control
//!
//! `GET /__requests` (path, authorization, body), `GET /__violations`, `GET /__state` (connections, clients that left early,
//! who waits at which gate), `POST /__release/NAME` (lets one pass), `POST /__script` (a new script, everything else begins anew).

mod checks;
mod dialect;
mod http;
mod play;
mod script;
mod serve;
mod state;
mod talk;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::oneshot;

pub use dialect::Dialect;
pub use script::{Call, Reply, Script, ScriptError, Step};
pub use state::{Recorded, Times};

/// What is wrong with a request's body, by the same checks that every request to a server meets. Empty is good.
/// Whose reasoning it holds isn't looked at: only a server knows its own.
pub fn violations_of(dialect: Dialect, body: &str) -> Vec<String> {
    let request = Recorded {
        path: String::new(),
        dialect,
        authorization: None,
        api_key: None,
        version: Some(String::new()),
        headers: Vec::new(),
        body: body.to_owned(),
    };
    checks::violations(&request, None, 8 << 20)
}

/// A running server; dropping it ends it with all its connections.
#[derive(Debug)]
pub struct FakeServer {
    address: SocketAddr,
    state: Arc<state::State>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl FakeServer {
    /// Starts on a free port of loopback, on a thread of its own.
    ///
    /// # Errors
    /// When no port can be had, or no thread.
    pub fn start(script: Script) -> std::io::Result<Self> {
        Self::start_at(script, 0)
    }

    /// Starts on this port; 0 is a free one.
    ///
    /// # Errors
    /// When the port is taken, or no thread can be had.
    pub fn start_at(script: Script, port: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let state = Arc::new(state::State::new(script, u64::from(address.port())));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let shared = state.clone();
        let thread = std::thread::Builder::new().name("fake-server".to_owned()).spawn(move || {
            runtime.block_on(serve::serve(listener, shared, stopped));
            // A connection that hangs must not keep the thread.
            runtime.shutdown_background();
        })?;
        Ok(Self { address, state, stop: Some(stop), thread: Some(thread) })
    }

    /// The base URL for a provider, with `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The server's root, without a path.
    pub fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Adds a reply behind those that wait.
    pub fn push(&self, reply: Reply) {
        self.state.push(reply);
    }

    /// Requests for answers so far, in order of arrival.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.requests()
    }

    /// When each of those requests came, and when its reply was played to the end.
    pub fn times(&self) -> Vec<Times> {
        self.state.times()
    }

    /// The bodies of those requests.
    pub fn bodies(&self) -> Vec<Value> {
        let requests = self.state.requests();
        requests.iter().map(|request| serde_json::from_str(&request.body).unwrap_or(Value::Null)).collect()
    }

    /// What was wrong with requests; empty is good.
    pub fn violations(&self) -> Vec<String> {
        self.state.violations()
    }

    /// Connections that were ever accepted.
    pub fn connections(&self) -> usize {
        self.state.connections()
    }

    /// Lets one pass at a gate, now or later.
    pub fn release(&self, gate: &str) {
        self.state.release(gate);
    }

    /// Returns once somebody waits at a gate.
    pub async fn until_waiting(&self, gate: &str) {
        self.state.until(|inside| inside.is_waiting_at(gate)).await;
    }

    /// Whether somebody waits at this gate.
    pub fn is_waiting_at(&self, gate: &str) -> bool {
        self.state.is_waiting_at(gate)
    }

    /// How many wait at gates now.
    pub fn waiting(&self) -> usize {
        self.state.waiting()
    }

    /// Returns once more than `count` wait at gates.
    pub async fn until_more_wait(&self, count: usize) {
        self.state.until(|inside| inside.waiting() > count).await;
    }

    /// Returns once `count` clients left in the middle of an answer.
    pub async fn until_left(&self, count: usize) {
        self.state.until(|inside| inside.left_early() >= count).await;
    }

    /// Waits until the server ends, which without a stop is never.
    pub fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            // Its panic was reported where it happened.
            let _ = thread.join();
        }
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // Nobody listens any more when the thread ended already.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
