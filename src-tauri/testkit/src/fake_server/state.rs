//! What the fake server remembers: script, requests, violations, gates, connections.
//! Speaks no HTTP.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};

use super::checks;
use super::dialect::{Asked, Dialect};
use super::script::{Reply, Script};
use super::talk;

/// Number of the first request for a title or a summary.
const ASIDES: usize = 1_000_000;

/// A request for an answer as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Path with query.
    pub path: String,
    /// The protocol that the path names.
    pub dialect: Dialect,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The `x-api-key` header.
    pub api_key: Option<String>,
    /// The `anthropic-version` header.
    pub version: Option<String>,
    /// All headers in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The exact body, if it was text.
    pub body: String,
}

/// When a request for an answer came, and when its reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Its last byte was here.
    pub arrived: Instant,
    /// The last byte of the reply was handed to the system; none: it hasn't ended in good order.
    pub ended: Option<Instant>,
}

/// The server's memory, shared by its connections and by whoever started it.
#[derive(Debug)]
pub(super) struct State {
    inside: Mutex<Inside>,
    /// What this server's seals are made with; no two servers of a test have the same.
    salt: u64,
    /// Rings at every change.
    changed: Notify,
}

/// The memory itself.
#[derive(Debug, Default)]
pub(super) struct Inside {
    script: Script,
    requests: Vec<Recorded>,
    /// Requests for titles and summaries: no script counts on them.
    asides: Vec<Recorded>,
    times: Vec<Times>,
    violations: Vec<String>,
    gates: BTreeMap<String, Gate>,
    connections: usize,
    left_early: usize,
}

#[derive(Debug)]
struct Gate {
    permits: Arc<Semaphore>,
    waiting: usize,
    /// Opened for somebody who hasn't gone through yet.
    opened: usize,
}

impl Default for Gate {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(0)), waiting: 0, opened: 0 }
    }
}

impl Inside {
    /// Whether somebody waits there.
    pub(super) fn is_waiting_at(&self, gate: &str) -> bool {
        self.gates.get(gate).is_some_and(|gate| gate.waiting > 0)
    }

    /// How many wait at gates; those who were let through and have not gone yet don't count.
    pub(super) fn waiting(&self) -> usize {
        self.gates.values().map(|gate| gate.waiting.saturating_sub(gate.opened)).sum()
    }

    /// How many clients left in the middle of an answer.
    pub(super) fn left_early(&self) -> usize {
        self.left_early
    }
}

impl State {
    pub(super) fn new(script: Script, salt: u64) -> Self {
        Self { salt, inside: Mutex::new(Inside { script, ..Inside::default() }), changed: Notify::new() }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins anew with another script.
    pub(super) fn restart(&self, script: Script) {
        let mut inside = self.inside();
        let connections = inside.connections;
        *inside = Inside { script, connections, ..Inside::default() };
    }

    pub(super) fn push(&self, reply: Reply) {
        self.inside().script.replies.push_back(reply);
    }

    pub(super) fn requests(&self) -> Vec<Recorded> {
        self.inside().requests.clone()
    }

    pub(super) fn asides(&self) -> Vec<Recorded> {
        self.inside().asides.clone()
    }

    pub(super) fn times(&self) -> Vec<Times> {
        self.inside().times.clone()
    }

    /// The reply to request `number`, from 0, was played to the end.
    pub(super) fn ended(&self, number: usize) {
        let now = Instant::now();
        if let Some(times) = self.inside().times.get_mut(number) {
            times.ended = Some(now);
        }
    }

    pub(super) fn violations(&self) -> Vec<String> {
        self.inside().violations.clone()
    }

    pub(super) fn waiting(&self) -> usize {
        self.inside().waiting()
    }

    pub(super) fn is_waiting_at(&self, gate: &str) -> bool {
        self.inside().is_waiting_at(gate)
    }

    pub(super) fn connections(&self) -> usize {
        self.inside().connections
    }

    /// A client came.
    pub(super) fn connected(&self) {
        self.inside().connections += 1;
    }

    /// A client left in the middle of an answer.
    pub(super) fn left(&self) {
        self.inside().left_early += 1;
        self.changed.notify_waiters();
    }

    /// Checks and records a request; says what to answer, and to what.
    pub(super) fn take(&self, request: Recorded) -> (Asked, Reply) {
        let arrived = Instant::now();
        let mut inside = self.inside();
        let body: Value = serde_json::from_str(&request.body).unwrap_or(Value::Null);
        let dialect = request.dialect;
        let model = body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        let aside = talk::aside(dialect, &request.body, &body, inside.script.summary.as_ref());
        let at = if aside.is_some() { ASIDES + inside.asides.len() } else { inside.requests.len() };
        let number = at + 1;
        let limit = inside.script.max_body.unwrap_or(8 << 20);
        let found = checks::violations(&request, Some(self.salt), limit);
        inside.violations.extend(found.into_iter().map(|violation| format!("request {number}: {violation}")));
        let asked = Asked { model, number: at, salt: self.salt };
        if let Some(reply) = aside {
            inside.asides.push(request);
            return (asked, reply);
        }
        inside.times.push(Times { arrived, ended: None });
        inside.requests.push(request);
        self.changed.notify_waiters();
        if let Some(reply) = inside.script.replies.pop_front() {
            return (asked, reply);
        }
        let text = talk::last_user_text(dialect, &body);
        let rule = inside.script.rules.iter().find(|(words, _)| text.contains(words.as_str()));
        (asked, rule.map_or_else(|| talk::reply(dialect, &body), |(_, reply)| reply.clone()))
    }

    /// The answer to a GET of this path.
    pub(super) fn document(&self, path: &str) -> Option<Value> {
        let inside = self.inside();
        let listed = inside.script.models.clone().filter(|_| path.ends_with("/models"));
        inside.script.documents.get(path).cloned().or(listed)
    }

    /// The permits of a gate; whoever waits for one is counted from here on.
    pub(super) fn arrive(&self, gate: &str) -> Arc<Semaphore> {
        let mut inside = self.inside();
        let gate = inside.gates.entry(gate.to_owned()).or_default();
        gate.waiting += 1;
        self.changed.notify_waiters();
        gate.permits.clone()
    }

    /// Somebody went through a gate, or away.
    pub(super) fn depart(&self, gate: &str, is_through: bool) {
        if let Some(gate) = self.inside().gates.get_mut(gate) {
            gate.waiting = gate.waiting.saturating_sub(1);
            gate.opened = gate.opened.saturating_sub(usize::from(is_through));
        }
        self.changed.notify_waiters();
    }

    pub(super) fn release(&self, gate: &str) {
        let mut inside = self.inside();
        let gate = inside.gates.entry(gate.to_owned()).or_default();
        gate.opened += 1;
        gate.permits.add_permits(1);
    }

    /// Returns once `holds` is true.
    pub(super) async fn until(&self, holds: impl Fn(&Inside) -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Registered before looking, so that a change in between isn't missed.
            changed.as_mut().enable();
            if holds(&self.inside()) {
                return;
            }
            changed.await;
        }
    }

    /// Counts for whoever drives the server from outside.
    pub(super) fn summary(&self) -> Value {
        let inside = self.inside();
        let waiting: Vec<&String> =
            inside.gates.iter().filter(|(_, gate)| gate.waiting > 0).map(|(name, _)| name).collect();
        json!({
            "connections": inside.connections,
            "requests": inside.requests.len(),
            "left_early": inside.left_early,
            "waiting": waiting,
        })
    }
}
