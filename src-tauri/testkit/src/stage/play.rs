//! Plays a script: one engine after the other on one data folder, each act followed by everything that comes of it.
//! It waits on what the engine says and on gates, never on time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use assent_engine::{Beginning, Clock, Engine, ModelSource, Parts, Subscription};
use assent_llm::Model;
use assent_protocol::event::Payload;
use assent_protocol::ids::{ConversationId, Sha};
use assent_protocol::request::{Request, Response};
use assent_protocol::settings::{ModelChoice, Settings};
use assent_protocol::view::Protocol;
use assent_store::Store;
use tokio::runtime::Runtime;

use super::folder::Folders;
use super::gates::Gates;
use super::invariants;
use super::live::Live;
use super::nobody::Nobody;
use super::print::{self, Names};
use super::script::{ONLY, Script, What};
use super::scripted::{Answers, NOWHERE, Scripted};
use super::watch::Watch;
use crate::fake_server::FakeServer;

/// A script that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// The clock's first moment: 2026-11-30, in milliseconds since 1970.
const BEGINNING: i64 = 1_796_040_000_000;

/// How the model is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Behind the trait, in the process.
    Inside,
    /// Over HTTP on loopback.
    Http,
}

/// What is played on.
pub(super) struct Stage {
    pub(super) script: Script,
    pub(super) folders: Folders,
    pub(super) gates: Gates,
    pub(super) watch: Watch,
    answers: Answers,
    pub(super) server: Option<FakeServer>,
    /// Requests to it that were shown already.
    pub(super) asked: usize,
    clock: Clock,
    runtime: Option<Runtime>,
    pub(super) engine: Option<Engine>,
    signals: Option<Subscription>,
    pub(super) conversations: Vec<(String, ConversationId)>,
    pub(super) lives: BTreeMap<ConversationId, Live>,
    /// Sub-agents that were heard of, with the conversation that each works for.
    pub(super) agents: BTreeMap<ConversationId, ConversationId>,
    pub(super) names: Names,
    pub(super) text: String,
    /// After a start nothing is taken from an inbox before a person acts.
    pub(super) is_held: bool,
    /// Model calls that may run at once over all conversations.
    pub(super) slots: usize,
    /// What the folders held at the beginning, and what other programs wrote since.
    pub(super) files_before: BTreeMap<String, Sha>,
    pub(super) outside_before: BTreeMap<String, Sha>,
    pub(super) written_outside: Vec<String>,
}

impl Stage {
    /// Plays a script from beginning to end; returns its log as text.
    pub(super) fn play(script: Script, wire: Wire) -> String {
        let mut stage = Self::set(script, wire);
        stage.open();
        stage.begin();
        let acts = stage.script.acts.clone();
        let mut is_awaited = false;
        for (number, act) in acts.iter().enumerate() {
            let is_wait = matches!(act.what, What::At(_) | What::Until(_) | What::UntilOutput(_));
            if !is_wait && !is_awaited {
                stage.rest();
                stage.print_new();
            }
            stage.act(act);
            // How far two conversations have come meanwhile is a matter of time, until what is waited for is there.
            if !matches!(acts.get(number + 1).map(|next| &next.what), Some(What::Until(_))) {
                stage.print_new();
            }
            is_awaited = matches!(act.what, What::Until(_) | What::UntilOutput(_));
        }
        stage.rest();
        stage.print_new();
        invariants::hold(&stage);
        let left = stage.answers.left_over();
        assert!(left.is_empty(), "{left:?}\n{}", stage.text);
        if let Some(server) = &stage.server {
            assert_eq!(server.violations(), Vec::<String>::new(), "{}", stage.text);
        }
        stage.names.replace(&stage.text)
    }

    fn set(script: Script, wire: Wire) -> Self {
        let folders = Folders::new(&script.files, script.has_git, script.is_worktree).expect("the folders can be made");
        let gates = Gates::new();
        let watch = Watch::new(gates.clone());
        script.holds.iter().for_each(|moment| watch.hold(moment));
        if let Some(program) = &script.supervisor {
            assent_tools::command::Supervisor { program: program.into() }.appoint();
        }
        script.dying.iter().for_each(|tool| watch.let_die(tool));
        script.rare.iter().for_each(|tool| watch.make_rare(tool));
        script.refusing.iter().for_each(|tool| watch.let_refuse(tool));
        let answers = Answers::default();
        if let Some(seed) = script.seed {
            answers.make_up(seed);
        }
        let mut server = None;
        match wire {
            Wire::Inside => {
                script.models().for_each(|(name, each)| answers.add(name, each.clone()));
                script.agents.iter().for_each(|(task, each)| answers.add(task, each.clone()));
            }
            Wire::Http => {
                let replies = script.models().flat_map(|(_, each)| each.iter().map(|one| one.reply()));
                let script = crate::fake_server::Script::of(replies.chain(script.served.iter().cloned()));
                server = Some(FakeServer::start(script).expect("a free port"));
            }
        }
        let ticks = Arc::new(AtomicU64::new(0));
        let count = Arc::new(AtomicU64::new(0));
        let clock = Clock::new(
            move || BEGINNING + i64::try_from(ticks.fetch_add(1, Ordering::Relaxed)).unwrap_or(i64::MAX),
            move || format!("00000000-0000-7000-8000-{:012x}", count.fetch_add(1, Ordering::Relaxed)),
        );
        let names = Names::new(&folders.root.to_string_lossy(), &folders.base().to_string_lossy());
        let (files_before, outside_before) = (folders.files().expect("readable"), folders.outside().expect("readable"));
        Self {
            files_before,
            outside_before,
            written_outside: Vec::new(),
            script,
            folders,
            gates,
            watch,
            answers,
            server,
            asked: 0,
            clock,
            runtime: None,
            engine: None,
            signals: None,
            conversations: Vec::new(),
            lives: BTreeMap::new(),
            agents: BTreeMap::new(),
            names,
            text: String::new(),
            is_held: false,
            slots: 3,
        }
    }

    /// Starts the program.
    pub(super) fn open(&mut self) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().start_paused(self.script.is_paused);
        let runtime = builder.build().expect("a runtime");
        if self.script.is_paused {
            // As long as a thread works, the paused clock does not run ahead by itself.
            let gates = self.gates.clone();
            runtime.block_on(async move {
                tokio::task::spawn_blocking(move || gates.pass_blocking("the end"));
            });
        }
        let (store, _) = Store::open(&self.folders.home).expect("the store opens");
        self.watch.look_into(Some(store.clone()));
        let models = match &self.server {
            Some(_) => ModelSource::providers(),
            None => {
                let model = Scripted::new(self.answers.clone(), self.gates.clone()).expect("an address");
                let model: Arc<dyn Model> = Arc::new(model);
                ModelSource::of(move |_| Ok(Arc::clone(&model)))
            }
        };
        let tools = match self.script.has_all_tools {
            true => {
                assent_engine::tools::standard(assent_tools::Registry::standard(), &store, Some(&self.folders.home))
            }
            false => assent_tools::Registry::standard(),
        };
        let parts = Parts {
            store,
            home: Some(self.folders.home.clone()),
            host: Arc::new(Nobody { is_named: self.script.is_named }),
            models,
            registry: self.watch.registry(&tools),
            clock: self.clock.clone(),
        };
        let engine = runtime.block_on(Engine::with(parts)).expect("the engine opens");
        self.signals = Some(engine.subscribe());
        self.engine = Some(engine);
        self.runtime = Some(runtime);
        self.is_held = true;
        for (_, id) in self.conversations.clone() {
            self.catch_up(&id);
        }
    }

    /// Kills the program where it stands: every task ends at once, and what they held is let go.
    pub(super) fn close(&mut self) {
        self.signals = None;
        self.watch.look_into(None);
        self.engine = None;
        self.gates.kill();
        self.runtime = None;
        for live in self.lives.values_mut() {
            live.phase = None;
            live.failed = None;
        }
    }

    /// Begins the script's conversations.
    fn begin(&mut self) {
        if let Some((global_slots, conversation_slots)) = self.script.slots {
            self.slots = global_slots as usize;
            let settings = Settings { global_slots, conversation_slots, ..Settings::default() };
            self.ask(Request::SaveSettings { settings }).expect("the settings are kept");
        }
        let workspace = self.script.has_folder.then(|| self.folders.root.to_string_lossy().into_owned());
        for (name, _) in self.script.conversations.clone() {
            let beginning = Beginning {
                project: None,
                workspace: workspace.clone(),
                choice: self.choice(&name),
                fallbacks: self.script.fallbacks.iter().map(|(name, _)| self.choice(name)).collect(),
                mode: self.script.mode,
                limits: self.script.limits,
            };
            let engine = self.engine();
            let id = self.runtime().block_on(engine.begin(beginning)).expect("a conversation begins");
            self.lives.insert(id.clone(), Live::default());
            self.conversations.push((name, id.clone()));
            self.catch_up(&id);
        }
    }

    pub(super) fn choice(&self, name: &str) -> ModelChoice {
        let protocol = self.script.protocols.iter().find(|(model, _)| model == name);
        ModelChoice {
            provider: None,
            label: name.to_owned(),
            base_url: self.server.as_ref().map_or_else(|| NOWHERE.to_owned(), FakeServer::base_url),
            protocol: protocol.map_or(Protocol::ChatCompletions, |(_, protocol)| *protocol),
            model: name.to_owned(),
            window: self.script.window,
            coefficient: 0.35,
            tools: self.script.tools,
            echo_reasoning: false,
            empty_text: false,
            without_encrypted: false,
            found: false,
            output_limit: None,
            images: self.script.seeing.iter().any(|seeing| seeing == name),
            documents: self.script.seeing.iter().any(|seeing| seeing == name),
            price: self.script.price,
        }
    }

    pub(super) fn engine(&self) -> Engine {
        self.engine.clone().expect("an engine runs")
    }

    pub(super) fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("an engine runs")
    }

    pub(super) fn ask(&self, request: Request) -> Result<Response, assent_protocol::failure::Failure> {
        let engine = self.engine();
        self.runtime().block_on(engine.handle(request))
    }

    pub(super) fn conversation(&self, name: &str) -> ConversationId {
        let found = self.conversations.iter().find(|(known, _)| known == name);
        found.map(|(_, id)| id.clone()).unwrap_or_else(|| panic!("the script has no conversation {name:?}"))
    }

    /// Hears everything that was said so far, and goes on hearing.
    fn drain(&mut self, engine: &Engine) {
        // The new subscription and the last look at the old one happen without a word in between.
        let before = self.signals.replace(engine.subscribe());
        if let Some(mut before) = before {
            self.hear(before.take());
        }
    }

    /// Waits until nothing more happens by itself: everything is idle, waits for a person, or stands at a gate.
    pub(super) fn rest(&mut self) {
        self.wait_until("rest", Self::is_resting);
    }

    pub(super) fn wait_until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let (Some(runtime), engine) = (self.runtime.take(), self.engine()) else { return };
        let waited = runtime.block_on(async {
            let began = std::time::Instant::now();
            loop {
                let mut changes = self.gates.changes();
                changes.mark_unchanged();
                self.drain(&engine);
                if holds(self) {
                    return true;
                }
                if began.elapsed() > PATIENCE {
                    return false;
                }
                let waiting = self.server.as_ref().map_or(0, FakeServer::waiting);
                let server = self.server.as_ref();
                let arrival = async {
                    match server {
                        Some(server) => server.until_more_wait(waiting).await,
                        None => std::future::pending().await,
                    }
                };
                let Some(signals) = self.signals.as_mut() else { return false };
                let heard = tokio::select! {
                    batch = signals.next() => batch,
                    _ = changes.changed() => Vec::new(),
                    () = arrival => Vec::new(),
                    () = tokio::time::sleep(PATIENCE), if !self.script.is_paused => Vec::new(),
                };
                self.hear(heard);
            }
        });
        self.runtime = Some(runtime);
        if !waited {
            self.print_new();
            let next: Vec<_> = self.lives.values().map(|live| (live.session.next(), &live.phase)).collect();
            panic!("no {what} after {PATIENCE:?}; next: {next:?}\n{}", self.names.replace(&self.text));
        }
    }

    fn waiting(&self) -> usize {
        // In a paused script one waits all the time, so that the clock stands still.
        let own = self.gates.waiting() - usize::from(self.script.is_paused && self.gates.is_waiting_at("the end"));
        own + self.server.as_ref().map_or(0, FakeServer::waiting)
    }

    fn is_resting(&self) -> bool {
        let in_flight: usize = self.lives.values().map(Live::in_flight).sum();
        let is_full = in_flight >= self.slots;
        let any_runs = self.lives.values().any(|live| live.executing() > 0);
        let busy: usize = self.lives.values().map(|live| live.busy(self.is_held, is_full, any_runs)).sum();
        // A call whose sub-agent is done gets its result by itself; until then what there is to do is the sub-agent's.
        let is_done = |agent: &&ConversationId| self.lives.get(*agent).is_none_or(|live| !live.session.is_generating());
        let busy = busy + self.lives.values().flat_map(Live::agents).filter(is_done).count();
        // While the clock stands still, what was streamed stays unwritten.
        let is_written = |live: &Live| live.streamed == live.written || live.in_flight() == 0 || self.script.is_paused;
        !self.is_stop_on_its_way() && (busy == 0 || busy <= self.waiting() && self.lives.values().all(is_written))
    }

    /// Whether a stop has not reached everything yet that it ends.
    fn is_stop_on_its_way(&self) -> bool {
        let is_deaf = |agent: &ConversationId| {
            self.lives.get(agent).is_some_and(|live| live.session.is_generating() && !live.session.is_stopping())
        };
        let stopping = |live: &&Live| live.session.is_stopping();
        self.lives.values().filter(stopping).any(|live| live.in_flight() > 0 || live.agents().any(is_deaf))
    }

    pub(super) fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Prints what was recorded since the last time, conversation by conversation.
    fn print_new(&mut self) {
        for (name, id) in self.conversations.clone() {
            let Some(live) = self.lives.get_mut(&id) else { continue };
            let fresh: Vec<Payload> = live.events[live.printed..].iter().map(|event| event.payload.clone()).collect();
            let first = live.printed;
            live.printed = live.events.len();
            let began = live.events.iter().position(|event| matches!(event.payload, Payload::TurnStart { .. }));
            for (index, payload) in in_order_of_calls(joined(fresh)) {
                let is_beginning = began.is_none_or(|began| first + index < began) && is_fixed(&payload);
                let line = print::line(&payload, &mut self.names);
                if self.script.is_whole || !is_beginning {
                    let lead = if name == ONLY { String::new() } else { format!("{name} ") };
                    self.say(&format!("{lead}{line}"));
                }
            }
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Tools that wait at gates would keep the runtime from ending.
        self.close();
    }
}

/// Adjoining chunks of one part as one: where they are cut is a matter of time.
fn joined(payloads: Vec<Payload>) -> Vec<(usize, Payload)> {
    let mut out: Vec<(usize, Payload)> = Vec::new();
    for (index, payload) in payloads.into_iter().enumerate() {
        if let (
            Some((_, Payload::AssistantChunk { request: before, part: of, text, .. })),
            Payload::AssistantChunk { request, part, text: more, .. },
        ) = (out.last_mut(), &payload)
            && before == request
            && of == part
        {
            text.push_str(more);
        } else {
            out.push((index, payload));
        }
    }
    out
}

/// Adjoining results in the order of their calls: which of the reads that run at once ends first is a matter of time.
fn in_order_of_calls(mut payloads: Vec<(usize, Payload)>) -> Vec<(usize, Payload)> {
    // Ids are counted, so a later call has the greater one.
    let call = |(_, payload): &(usize, Payload)| match payload {
        Payload::ToolResult(result) => Some(result.call.clone()),
        Payload::AgentEnded { call, .. } => Some(call.clone()),
        _ => None,
    };
    for stretch in payloads.chunk_by_mut(|one, next| call(one).is_some() && call(next).is_some()) {
        stretch.sort_by_key(call);
    }
    payloads
}

/// What every conversation begins with.
fn is_fixed(payload: &Payload) -> bool {
    matches!(
        payload,
        Payload::ConversationCreated { .. }
            | Payload::ModelSet { .. }
            | Payload::FallbacksSet { .. }
            | Payload::ModeSet { .. }
            | Payload::LimitsSet { .. }
            | Payload::PromptSet { .. }
            | Payload::ToolsSet { .. }
            | Payload::TitleSet { .. }
    )
}
