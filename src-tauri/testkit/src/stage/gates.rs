//! Gates at which a script's model and tools wait until the script opens them.
//! Nothing here is timed; a gate that nobody opens is opened when the stage is torn down.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// Whoever waits for something that never comes looks up at least this often, to complain.
const LOOK: Duration = Duration::from_secs(5);

/// The gates of one stage. Clones share them.
#[derive(Clone)]
pub(super) struct Gates(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    /// Wakes tools, which wait on threads of their own.
    opened: Condvar,
    /// Bumped at every change, for whoever waits asynchronously.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    gates: BTreeMap<String, Gate>,
    /// The program was killed: whoever waits goes away without doing anything more.
    killed: u64,
}

#[derive(Default)]
struct Gate {
    permits: usize,
    waiting: usize,
}

impl Gate {
    fn held(&self) -> usize {
        self.waiting.saturating_sub(self.permits)
    }
}

/// The program was killed while somebody waited.
#[derive(Debug)]
pub(super) struct Killed;

impl Gates {
    pub(super) fn new() -> Self {
        let changes = watch::Sender::new(0);
        Self(Arc::new(Inner { state: Mutex::default(), opened: Condvar::new(), changes }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.0.opened.notify_all();
        self.0.changes.send_modify(|count| *count += 1);
    }

    /// Lets one pass, now or later.
    pub(super) fn open(&self, gate: &str) {
        self.state().gates.entry(gate.to_owned()).or_default().permits += 1;
        self.changed();
    }

    /// Sends everyone away who waits, as a kill of the program does.
    pub(super) fn kill(&self) {
        self.state().killed += 1;
        self.changed();
    }

    /// How many wait now; those who were let through and have not gone yet don't count.
    pub(super) fn waiting(&self) -> usize {
        self.state().gates.values().map(Gate::held).sum()
    }

    /// Whether somebody waits at this gate.
    pub(super) fn is_waiting_at(&self, gate: &str) -> bool {
        self.state().gates.get(gate).is_some_and(|gate| gate.held() > 0)
    }

    /// Resolves at every change from now on.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// Waits on this thread until the gate is opened.
    pub(super) fn pass_blocking(&self, gate: &str) -> Result<(), Killed> {
        let mut state = self.state();
        let killed = state.killed;
        state.gates.entry(gate.to_owned()).or_default().waiting += 1;
        self.0.changes.send_modify(|count| *count += 1);
        loop {
            let entry = state.gates.entry(gate.to_owned()).or_default();
            let is_open = entry.permits > 0;
            if is_open || state.killed != killed {
                let entry = state.gates.entry(gate.to_owned()).or_default();
                entry.waiting -= 1;
                if is_open {
                    entry.permits -= 1;
                }
                drop(state);
                self.changed();
                return if is_open { Ok(()) } else { Err(Killed) };
            }
            let (next, waited) = self.0.opened.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner);
            state = next;
            if waited.timed_out() {
                // A script whose clock stands still hears of nothing else when it hangs.
                self.0.changes.send_modify(|count| *count += 1);
            }
        }
    }

    /// Waits until the gate is opened. Dropping the future takes the place back.
    pub(super) async fn pass(&self, gate: &str) {
        let mut changes = self.changes();
        let place = self.arrive(gate);
        loop {
            changes.mark_unchanged();
            {
                let mut state = self.state();
                let entry = state.gates.entry(gate.to_owned()).or_default();
                if entry.permits > 0 {
                    entry.permits -= 1;
                    break;
                }
            }
            if changes.changed().await.is_err() {
                break;
            }
        }
        drop(place);
    }

    fn arrive(&self, gate: &str) -> Place {
        self.state().gates.entry(gate.to_owned()).or_default().waiting += 1;
        self.changed();
        Place { gates: self.clone(), gate: gate.to_owned() }
    }
}

struct Place {
    gates: Gates,
    gate: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(gate) = self.gates.state().gates.get_mut(&self.gate) {
            gate.waiting -= 1;
        }
        self.gates.changed();
    }
}
