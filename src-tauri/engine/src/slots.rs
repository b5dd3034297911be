//! The two limits on model calls: per conversation, then global, taken in that order.
//! Limits change while calls run: new permits come from the new semaphore, old ones run out on their own.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use assent_protocol::ids::ConversationId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Model calls at once.
pub(crate) struct Slots {
    state: Mutex<State>,
    /// Bumped whenever somebody's place in the line changes.
    moved: watch::Sender<u64>,
}

struct State {
    global: Arc<Semaphore>,
    global_size: u32,
    conversation_size: u32,
    conversations: HashMap<ConversationId, Arc<Semaphore>>,
    /// Tickets of those who wait, in order.
    waiting: BTreeSet<u64>,
    next_ticket: u64,
}

/// Leave to make one model call; given back when dropped.
pub(crate) struct Permit {
    _conversation: OwnedSemaphorePermit,
    _global: OwnedSemaphorePermit,
    moved: watch::Sender<u64>,
}

/// A place in the line.
pub(crate) struct Ticket {
    slots: Arc<Slots>,
    number: u64,
}

impl Slots {
    /// With these limits.
    pub fn new(global: u32, conversation: u32) -> Self {
        let state = State {
            global: Arc::new(Semaphore::new(global as usize)),
            global_size: global,
            conversation_size: conversation,
            conversations: HashMap::new(),
            waiting: BTreeSet::new(),
            next_ticket: 0,
        };
        Self { state: Mutex::new(state), moved: watch::Sender::new(0) }
    }

    /// Sets new limits; at least one each.
    pub fn resize(&self, global: u32, conversation: u32) {
        let mut state = self.state();
        if state.global_size != global.max(1) {
            state.global_size = global.max(1);
            let old = std::mem::replace(&mut state.global, Arc::new(Semaphore::new(global.max(1) as usize)));
            old.close();
        }
        if state.conversation_size != conversation.max(1) {
            state.conversation_size = conversation.max(1);
            state.conversations.drain().for_each(|(_, old)| old.close());
        }
    }

    /// Takes a place in the line.
    pub fn line_up(slots: &Arc<Self>) -> Ticket {
        let mut state = slots.state();
        state.next_ticket += 1;
        let number = state.next_ticket;
        state.waiting.insert(number);
        drop(state);
        Ticket { slots: Arc::clone(slots), number }
    }

    fn semaphores(&self, conversation: &ConversationId) -> (Arc<Semaphore>, Arc<Semaphore>) {
        let mut state = self.state();
        let size = state.conversation_size as usize;
        let own = state.conversations.entry(conversation.clone()).or_insert_with(|| Arc::new(Semaphore::new(size)));
        (Arc::clone(own), Arc::clone(&state.global))
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Waits for both permits, the conversation's first. A semaphore that was replaced meanwhile is asked anew.
    pub async fn permit(&self, conversation: &ConversationId) -> Permit {
        loop {
            let (own, global) = self.slots.semaphores(conversation);
            let Ok(own) = own.acquire_owned().await else { continue };
            let Ok(global) = global.acquire_owned().await else { continue };
            return Permit { _conversation: own, _global: global, moved: self.slots.moved.clone() };
        }
    }

    /// How many stand before this one.
    pub fn ahead(&self) -> u32 {
        let state = self.slots.state();
        u32::try_from(state.waiting.range(..self.number).count()).unwrap_or(u32::MAX)
    }

    /// Resolves whenever the line moves.
    pub fn moves(&self) -> watch::Receiver<u64> {
        self.slots.moved.subscribe()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.slots.state().waiting.remove(&self.number);
        self.slots.moved.send_modify(|count| *count += 1);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.moved.send_modify(|count| *count += 1);
    }
}
