//! An engine: opens the data folder, settles what a crash left, keeps one task per conversation.
//! Both the window and the terminal stand in front of exactly this.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};

use assent_protocol::event::{ForkOrigin, Payload};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{BootId, ConversationId, ProjectId};
use assent_protocol::permission::Mode;
use assent_protocol::settings::{Limits, ModelChoice, Settings};
use assent_store::{Damaged, Store, StoreError};
use assent_tools::Registry;
use tokio::sync::oneshot;

use crate::bus::{Bus, Subscription};
use crate::conversation::{Ask, Command, Conversation};
use crate::host::Host;
use crate::memory;
use crate::models::{self, ModelSource};
use crate::shared::{Clock, Shared};
use crate::skills;
use crate::slots::Slots;
use crate::targets::Targets;
use crate::tasks::Tasks;
use crate::tools;
use crate::workspaces::{Begun, Workspaces};

/// Name of the setting that holds [`Settings`].
pub(crate) const SETTINGS: &str = "settings";
/// A deleted conversation can be restored for this long: 30 days, in milliseconds.
const RESTORABLE_MS: i64 = 30 * 86_400_000;

/// The engine. Clones share it.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
    tasks: Tasks,
    /// Said once by whoever opened it; the store keeps it as a notice.
    set_aside: Option<Arc<Damaged>>,
}

/// What an engine is put together from; tests pass their own.
pub struct Parts {
    /// The log.
    pub store: Store,
    /// The app's own data folder; none in memory.
    pub home: Option<PathBuf>,
    /// The surroundings.
    pub host: Arc<dyn Host>,
    /// Where models come from.
    pub models: ModelSource,
    /// The tools.
    pub registry: Registry,
    /// Time and ids.
    pub clock: Clock,
}

/// What a new conversation begins with.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// Its project.
    pub project: Option<ProjectId>,
    /// Canonical root of its workspace.
    pub workspace: Option<String>,
    /// Its model.
    pub choice: ModelChoice,
    /// Models that take over when that one fails, in order.
    pub fallbacks: Vec<ModelChoice>,
    /// Its mode.
    pub mode: Mode,
    /// Its limits.
    pub limits: Limits,
}

/// A message that follows at once.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// The folder that it is about, where that is known yet; its path as it was given.
    pub folder: Option<&'a Path>,
}

/// Why an engine can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another program works with the data folder.
    #[error("Assent is already open with this data folder ({0}). Close it, or set ASSENT_HOME to another folder")]
    InUse(String),
    /// The database.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::InUse { holder } => Self::InUse(holder),
            other => Self::Store(other),
        }
    }
}

/// Commands see none of the variables that were named for keys.
pub(crate) fn keep_key_variables(settings: &Settings) {
    let named = settings.providers.iter().filter_map(|provider| provider.key_variable.as_deref());
    assent_tools::command::keep_from_commands(named);
}

impl Engine {
    /// Opens a data folder with the real parts, and settles what a crash left. Must be called within a tokio runtime;
    /// all work is done there.
    pub async fn open(home: &Path, host: Arc<dyn Host>) -> Result<Self, OpenError> {
        Self::open_expecting(home, host, None).await
    }

    /// The same where a message follows at once: what it needs is got ready meanwhile.
    pub async fn open_expecting(
        home: &Path,
        host: Arc<dyn Host>,
        message: Option<Expected<'_>>,
    ) -> Result<Self, OpenError> {
        let forbidden = [home.to_owned()];
        let folder = message.as_ref().and_then(|message| message.folder);
        // A folder that isn't there, or can't be used, is said when the message comes.
        let root = folder.and_then(|folder| dunce::canonicalize(folder).ok()?.into_os_string().into_string().ok());
        let begun = root.map(|root| (Begun::begin(Path::new(&root), &forbidden), root));
        let (store, opening) = if message.is_some() { Store::open_expecting_message(home) } else { Store::open(home) }?;
        let registry = tools::standard(Registry::standard(), &store, Some(home));
        // The first request needs them; they are made while the rest is got ready.
        let offered = registry.clone();
        drop(tokio::task::spawn_blocking(move || {
            offered.definitions();
        }));
        let parts = Parts {
            store,
            home: Some(home.to_owned()),
            host,
            models: ModelSource::providers(),
            registry,
            clock: Clock::system(),
        };
        let engine = Self::with(parts).await?;
        if let Some((begun, root)) = begun {
            engine.shared.workspaces.keep_glance(root, begun);
        }
        Ok(Self { set_aside: opening.set_aside.map(Arc::new), ..engine })
    }

    /// Puts an engine together from given parts.
    pub async fn with(parts: Parts) -> Result<Self, OpenError> {
        let Parts { store, home, host, models, registry, clock } = parts;
        let settings: Settings = store.setting(SETTINGS)?.unwrap_or_default();
        keep_key_variables(&settings);
        let slots = Arc::new(Slots::new(settings.global_slots.max(1), settings.conversation_slots.max(1)));
        let boot = BootId::new(clock.id());
        let user = host.variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let skill_folders = skills::own_folders(home.as_deref(), user.as_deref());
        let tasks = Tasks::default();
        let shared = Arc::new(Shared {
            tasks: tasks.downgrade(),
            agent_registry: tools::for_agents(&registry),
            home: memory::own_folder(home.as_deref()),
            store,
            bus: Bus::default(),
            slots,
            targets: Targets::default(),
            workspaces: Workspaces::new(home.iter().cloned().collect()),
            relocations: AtomicU64::default(),
            registry,
            models,
            host,
            clock,
            boot,
            skill_folders,
            settings: RwLock::new(settings),
        });
        let engine = Self { shared, tasks, set_aside: None };
        engine.settle().await?;
        Ok(engine)
    }

    /// The damaged history that was set aside when this engine was opened. Everything here began anew then.
    pub fn set_aside(&self) -> Option<&Damaged> {
        self.set_aside.as_deref()
    }

    /// The settings.
    pub fn settings(&self) -> Settings {
        self.shared.settings()
    }

    /// Listens to everything from now on.
    pub fn subscribe(&self) -> Subscription {
        self.shared.bus.subscribe()
    }

    /// Begins a conversation with these settings.
    pub async fn begin(&self, beginning: Beginning) -> Result<ConversationId, Failure> {
        self.begin_from(beginning, None, None).await
    }

    /// The same as a fork, or with a title.
    pub(crate) async fn begin_from(
        &self,
        beginning: Beginning,
        fork: Option<ForkOrigin>,
        title: Option<Payload>,
    ) -> Result<ConversationId, Failure> {
        let id = ConversationId::new(self.shared.clock.id());
        let Beginning { project, workspace, choice, fallbacks, mode, limits } = beginning;
        models::check_address(&choice).map_err(|words| Failure::new(Code::Provider, words))?;
        let mut payloads = vec![
            Payload::ConversationCreated { project, workspace, fork, parent: None },
            Payload::ModelSet { choice, learned: false },
            Payload::ModeSet { mode },
            Payload::LimitsSet { limits, defaults: self.shared.settings().limits },
        ];
        if !fallbacks.is_empty() {
            payloads.push(Payload::FallbacksSet { choices: fallbacks });
        }
        payloads.extend(title);
        self.shared.create(&id, payloads).await.map_err(|error| storage(&error))?;
        Ok(id)
    }

    /// A message in this folder, the canonical root of a workspace, follows at once: what it has to know of the folder is found
    /// out meanwhile.
    pub fn look_ahead(&self, folder: &str) {
        self.shared.workspaces.begin_glance(folder);
    }

    /// Where this machine keeps Assent's data when nobody says otherwise: `ASSENT_HOME`, else the platform's folder for
    /// application data (XDG on Linux, Application Support on macOS, Local AppData on Windows).
    pub fn default_home(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
        if let Some(home) = variable("ASSENT_HOME") {
            return Some(PathBuf::from(home));
        }
        if cfg!(windows) {
            return variable("LOCALAPPDATA").map(|base| Path::new(&base).join("Assent"));
        }
        let home = variable("HOME").map(PathBuf::from);
        if cfg!(target_os = "macos") {
            return home.map(|home| home.join("Library/Application Support/Assent"));
        }
        let data = variable("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        data.or_else(|| home.map(|home| home.join(".local/share"))).map(|base| base.join("assent"))
    }

    /// Puts a question to a conversation's task and waits for its answer.
    pub(crate) async fn ask<T>(
        &self,
        conversation: &ConversationId,
        ask: impl FnOnce(oneshot::Sender<Result<T, Failure>>) -> Ask,
    ) -> Result<T, Failure> {
        let (reply, answer) = oneshot::channel();
        let ask = ask(reply);
        if !ask.is_for_agents() {
            self.check_no_agent(conversation)?;
        }
        let task = self.tasks.get(conversation, &self.shared)?;
        let gone = || Failure::new(Code::Other, "the conversation's task has ended");
        task.send(Command { ask }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// A sub-agent belongs to its call: nobody speaks to it or changes it.
    pub(crate) fn check_no_agent(&self, conversation: &ConversationId) -> Result<(), Failure> {
        match self.shared.store.row(conversation).map_err(|error| storage(&error))? {
            Some(row) if row.parent.is_some() => Err(Failure::new(
                Code::Invalid,
                "that is a sub-agent: it works for a call of its conversation, and only a stop reaches it",
            )),
            _ => Ok(()),
        }
    }

    /// Refuses what would begin something in a conversation that is deleted: a window may not have heard of that yet.
    pub(crate) fn check_not_deleted(&self, conversation: &ConversationId) -> Result<(), Failure> {
        match self.shared.store.place(conversation).map_err(|error| storage(&error))? {
            Some(place) if place.deleted => {
                Err(Failure::new(Code::NotFound, "the conversation is deleted: restore it first"))
            }
            _ => Ok(()),
        }
    }

    /// Settles every conversation whose turn a crash left open, and purges what was deleted long ago.
    async fn settle(&self) -> Result<(), StoreError> {
        let mut settling = Vec::new();
        for id in self.shared.store.open_turns()? {
            let (task, settled) = Conversation::spawn(id.clone(), Arc::clone(&self.shared), true)?;
            self.tasks.insert(id, task);
            settling.push(settled);
        }
        for settled in settling {
            // A task that ended without a word has said its storage error already; the others go on.
            let _ = settled.await;
        }
        let before = self.shared.clock.now() - RESTORABLE_MS;
        if self.shared.store.has_to_purge(before)? {
            self.shared.store.purge(before).await?;
        }
        Ok(())
    }
}

pub(crate) fn storage(error: &StoreError) -> Failure {
    Failure::new(Code::Storage, error.to_string())
}
