//! The tasks of conversations: at most one each, started when somebody first needs it.
//! It knows nothing of what they do.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ConversationId;
use tokio::sync::mpsc;

use crate::conversation::{Command, Conversation};
use crate::engine::storage;
use crate::shared::Shared;

/// The way into a conversation's task.
type Way = mpsc::UnboundedSender<Command>;

/// The tasks of one engine. They end when the last clone is gone.
#[derive(Clone, Default)]
pub(crate) struct Tasks(Arc<Mutex<HashMap<ConversationId, Way>>>);

/// The same without keeping them alive: what tasks themselves hold.
#[derive(Clone, Default)]
pub(crate) struct WeakTasks(Weak<Mutex<HashMap<ConversationId, Way>>>);

impl Tasks {
    /// For whoever must not keep them alive.
    pub fn downgrade(&self) -> WeakTasks {
        WeakTasks(Arc::downgrade(&self.0))
    }

    /// The task of a conversation, started if it isn't there.
    pub fn get(&self, conversation: &ConversationId, shared: &Arc<Shared>) -> Result<Way, Failure> {
        let mut ways = self.ways();
        if let Some(way) = ways.get(conversation).filter(|way| !way.is_closed()) {
            return Ok(way.clone());
        }
        let row = shared.store.row(conversation).map_err(|error| storage(&error))?;
        if row.is_none() {
            return Err(Failure::new(Code::NotFound, format!("there is no conversation {conversation}")));
        }
        let (way, _) =
            Conversation::spawn(conversation.clone(), Arc::clone(shared), false).map_err(|error| storage(&error))?;
        ways.insert(conversation.clone(), way.clone());
        Ok(way)
    }

    /// Takes up a task that was started elsewhere.
    pub fn insert(&self, conversation: ConversationId, way: Way) {
        self.ways().insert(conversation, way);
    }

    fn ways(&self) -> MutexGuard<'_, HashMap<ConversationId, Way>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WeakTasks {
    /// The tasks, while the engine is there.
    pub fn upgrade(&self) -> Option<Tasks> {
        self.0.upgrade().map(Tasks)
    }
}
