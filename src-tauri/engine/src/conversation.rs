//! One conversation as a running task: an inbox of commands, the fold, and the loop over `next()`.
//! It has no memory of its own that matters: everything it decides by is in the fold.

mod agents;
mod answer;
mod asking;
mod assess;
mod commands;
mod compaction;
mod doing;
mod inbox;
mod limits;
mod live;
mod prompting;
mod question;
mod results;
mod revert;
mod run;
mod spending;
mod start;
mod steps;
mod title;
mod writing;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assent_llm::{Body, Model};
use assent_protocol::attachment::Contents;
use assent_protocol::event::{Event, Payload, ToolResult};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ConversationId, RequestId, Sha};
use assent_protocol::signal::{Delta, Phase, Signal};
use assent_session::Session;
use assent_store::{Content, Durability, StoreError};
use tokio::sync::{mpsc, oneshot};

use crate::shared::Shared;
use doing::Doing;
use live::Live;

pub(crate) use commands::{Ask, Command};

/// A running turn says what it is doing at least this often (spec 2.5).
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The task of one conversation.
pub(crate) struct Conversation {
    id: ConversationId,
    shared: Arc<Shared>,
    session: Session,
    commands: mpsc::UnboundedReceiver<Command>,
    /// The way back for what is done on the side.
    mailbox: mpsc::WeakUnboundedSender<Command>,
    doing: Doing,
    /// The request for a title that is on its way.
    titling: Option<RequestId>,
    live: Live,
    phase: Phase,
    since: i64,
    /// The model that was used last, with the choice it was made for.
    model: Option<(String, Arc<dyn Model>)>,
    /// The last request body, whose serialised prefix the next one reuses.
    body: Option<Body>,
    /// Texts of prompt and tools, by hash.
    texts: Vec<(Sha, Arc<str>)>,
    /// Bytes of the attachments that the last request carried.
    contents: Contents,
    /// Whoever waits for the end of this sub-agent's turn.
    awaited: Option<oneshot::Sender<Result<(), Failure>>>,
    /// Whether what a crash left is still being settled.
    starting: Option<oneshot::Sender<()>>,
    /// Nothing is taken from the inbox, and no model asked on the side, before a person acted in this run of the program; in a
    /// sub-agent, before it got its task.
    held: bool,
    /// The log couldn't be written: nothing goes on before a person acts.
    broken: bool,
    /// What a crash left wasn't settled yet.
    unsettled: bool,
    /// Where the workspace was when it was last looked up, and how many relocations there had been before.
    folder: Mutex<Option<(u64, String)>>,
    /// Folders that were looked into for rules.
    looked_into: Arc<Mutex<HashSet<String>>>,
    /// Results of calls that ended while the log couldn't be written, without their whole output.
    unwritten: Vec<ToolResult>,
}

/// Folders whose rules the model was told of.
fn looked_into(session: &Session) -> HashSet<String> {
    let folder = |file: &String| file.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    session.told_rules().filter_map(folder).collect()
}

/// Whether the loop goes on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Ask again what is next.
    Again,
    /// Something is under way, or a person is awaited.
    Rest,
}

impl Conversation {
    /// Folds the log and starts the task. `settle` is set at the program's start: then the receiver resolves when
    /// what a crash left is settled.
    pub fn spawn(
        id: ConversationId,
        shared: Arc<Shared>,
        settle: bool,
    ) -> Result<(mpsc::UnboundedSender<Command>, oneshot::Receiver<()>), StoreError> {
        let events = shared.store.fold_events(&id)?;
        let session = Session::fold(&events);
        let (sender, commands) = mpsc::unbounded_channel();
        let (settled, receiver) = oneshot::channel();
        let starting = if settle { Some(settled) } else { None };
        let since = shared.clock.now();
        let looked_into = Arc::new(Mutex::new(looked_into(&session)));
        let conversation = Self {
            id,
            shared,
            session,
            commands,
            mailbox: sender.downgrade(),
            doing: Doing::Nothing,
            titling: None,
            live: Live::default(),
            phase: Phase::Idle,
            since,
            model: None,
            body: None,
            texts: Vec::new(),
            contents: Contents::default(),
            awaited: None,
            starting,
            held: true,
            broken: false,
            unsettled: settle,
            folder: Mutex::default(),
            looked_into,
            unwritten: Vec::new(),
        };
        tokio::spawn(conversation.run());
        Ok((sender, receiver))
    }

    /// The loop: fold, ask, do, append, again; commands in between.
    async fn run(mut self) {
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            while matches!(self.doing, Doing::Nothing) && !self.broken {
                let stepped = match self.settle().await {
                    Ok(()) => self.step().await,
                    Err(error) => Err(error),
                };
                match stepped {
                    Ok(Step::Again) => {}
                    Ok(Step::Rest) => break,
                    Err(error) => self.storage_failed(&error).await,
                }
                while let Ok(command) = self.commands.try_recv() {
                    self.command(command).await;
                }
            }
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(command) => self.command(command).await,
                    None => return,
                },
                progress = self.doing.progress() => {
                    if let Err(error) = self.progress(progress).await {
                        self.storage_failed(&error).await;
                    }
                }
                _ = heartbeat.tick() => self.heartbeat(),
            }
        }
    }

    /// Appends, folds, publishes: in this order.
    async fn append(&mut self, payloads: Vec<Payload>, durability: Durability) -> Result<(), StoreError> {
        self.append_with(payloads, durability, Vec::new()).await
    }

    /// The same, with contents that the events name by hash.
    async fn append_with(
        &mut self,
        payloads: Vec<Payload>,
        durability: Durability,
        contents: Vec<Content>,
    ) -> Result<(), StoreError> {
        let at = self.shared.clock.now();
        let events = self.shared.store.append(&self.id, at, payloads, durability, contents).await?;
        self.recorded(events);
        Ok(())
    }

    /// Folds and publishes what is on disk.
    fn recorded(&mut self, events: Vec<Event>) {
        let mut signals = Vec::with_capacity(events.len() + 1);
        let mut is_notable = false;
        for event in events {
            is_notable |= live::changes_row(&event.payload, &self.session);
            self.session.apply(&event);
            signals.push(Signal::Recorded { event });
        }
        if is_notable && let Ok(Some(row)) = self.shared.store.row(&self.id) {
            signals.push(Signal::Row { row });
        }
        self.shared.bus.publish(&signals);
    }

    /// Changes the phase and says so.
    fn enter(&mut self, phase: Phase) {
        if phase != self.phase {
            self.phase = phase;
            self.since = self.shared.clock.now();
            self.say_phase();
        }
    }

    fn say_phase(&self) {
        self.shared.bus.delta(&self.id, Delta::Phase { phase: self.phase.clone(), since: self.since });
    }

    fn heartbeat(&self) {
        let is_busy = self.session.is_generating() || self.session.compacting().is_some();
        if is_busy && !matches!(self.phase, Phase::You { .. } | Phase::Idle) {
            self.say_phase();
        }
    }

    /// The log couldn't be written. What runs is told to end and waited for, the fold is read anew from what is on disk,
    /// what that leaves open is settled as after a crash, and the turn ends with an error if that can be written; if not,
    /// or while calls wait, nothing goes on before a person acts.
    async fn storage_failed(&mut self, error: &StoreError) {
        for ended in self.doing.wind_up().await {
            let (result, _) = self.result_of(ended);
            self.unwritten.push(ToolResult { output: None, ..result });
        }
        self.live.clear();
        match self.shared.store.fold_events(&self.id) {
            Ok(events) => self.session = Session::fold(&events),
            Err(_) => self.broken = true,
        }
        let ended = match self.settle().await {
            Ok(()) => self.end_with_error(&error.to_string()).await,
            Err(error) => Err(error),
        };
        self.broken |= !matches!(ended, Ok(true));
        self.enter(Phase::Idle);
        self.started();
        if self.broken {
            self.tell_of_end(Err(Self::storage(error)));
        }
    }

    /// Whoever waits for the start needs to wait no longer.
    fn started(&mut self) {
        if let Some(started) = self.starting.take() {
            // The program may have stopped waiting: then nobody needs to know.
            let _ = started.send(());
        }
    }

    /// A failure for the front-end from the store's.
    fn storage(error: &StoreError) -> Failure {
        Failure::new(Code::Storage, error.to_string())
    }
}
