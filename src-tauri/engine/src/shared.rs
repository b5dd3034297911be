//! What all conversations of one engine share.
//! It holds no state of a conversation: that is in its log.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, PoisonError, RwLock};

use assent_protocol::event::Payload;
use assent_protocol::ids::{BootId, ConversationId};
use assent_protocol::settings::{ModelChoice, Settings};
use assent_protocol::signal::Signal;
use assent_store::{Store, StoreError};
use assent_tools::Registry;
use assent_tools::workspace::Workspace;

use crate::bus::Bus;
use crate::host::Host;
use crate::models::ModelSource;
use crate::slots::Slots;
use crate::targets::Targets;
use crate::tasks::WeakTasks;
use crate::workspaces::Workspaces;

/// Time and ids, passed in so that tests can repeat them.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> i64 + Send + Sync>,
    id: Arc<dyn Fn() -> String + Send + Sync>,
}

impl Clock {
    /// The system's clock, and UUIDv7.
    pub fn system() -> Self {
        Self { now: Arc::new(system_now), id: Arc::new(|| uuid::Uuid::now_v7().to_string()) }
    }

    /// A clock and a source of ids of one's own.
    pub fn new(now: impl Fn() -> i64 + Send + Sync + 'static, id: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), id: Arc::new(id) }
    }

    /// Milliseconds since 1970.
    pub fn now(&self) -> i64 {
        (self.now)()
    }

    /// A new id.
    pub fn id(&self) -> String {
        (self.id)()
    }
}

/// Milliseconds since 1970.
pub(crate) fn system_now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// What all conversations share.
pub(crate) struct Shared {
    /// The log.
    pub store: Store,
    /// Everyone who listens.
    pub bus: Bus,
    /// Model calls at once.
    pub slots: Arc<Slots>,
    /// Files that are being changed.
    pub targets: Targets,
    /// Opened folders.
    pub workspaces: Workspaces,
    /// How often a project's folder became another one, in this run of the program.
    pub relocations: AtomicU64,
    /// The tools.
    pub registry: Registry,
    /// Those of sub-agents.
    pub agent_registry: Registry,
    /// The app's own folder; none in memory.
    pub home: Option<Arc<Workspace>>,
    /// The tasks of conversations.
    pub tasks: WeakTasks,
    /// Where models come from.
    pub models: ModelSource,
    /// The surroundings.
    pub host: Arc<dyn Host>,
    /// Time and ids.
    pub clock: Clock,
    /// This start of the program.
    pub boot: BootId,
    /// Where a person keeps skills of their own.
    pub skill_folders: Vec<PathBuf>,
    /// What a person set.
    pub settings: RwLock<Settings>,
}

impl Shared {
    /// Begins a conversation's log and says so.
    pub async fn create(&self, id: &ConversationId, payloads: Vec<Payload>) -> Result<(), StoreError> {
        let at = self.clock.now();
        let events = self.store.create_conversation(id, at, payloads, Vec::new()).await?;
        let mut signals: Vec<Signal> = events.into_iter().map(|event| Signal::Recorded { event }).collect();
        if let Ok(Some(row)) = self.store.row(id) {
            signals.push(Signal::Row { row });
        }
        self.bus.publish(&signals);
        Ok(())
    }

    /// Puts what was learned of a model into a choice.
    pub fn learned(&self, choice: &mut ModelChoice) {
        if let Ok(learned) = self.store.coefficients()
            && let Some(coefficient) = learned.get(&choice.model)
        {
            choice.coefficient = *coefficient;
        }
    }

    /// The present settings.
    pub fn settings(&self) -> Settings {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
