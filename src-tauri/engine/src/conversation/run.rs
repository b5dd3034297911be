//! Running calls: reads on a clearance, changes on a claim, and nothing else.
//! What runs is what was judged: a call is drawn again right before, and whatever differs runs nothing.

use std::collections::HashSet;
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use assent_policy::{Claimed, Cleared, Considered, NotCleared, decide};
use assent_protocol::event::{Again, Payload};
use assent_protocol::ids::CallId;
use assent_protocol::permission::{Answer, Decider, Verdict};
use assent_protocol::signal::Phase;
use assent_protocol::tool::{Brief, Cause, Outcome};
use assent_session::CallState;
use assent_store::{ClaimError, ClaimRecord, Durability, Store, StoreError};
use assent_tools::{Prepared, Running as ToolRunning, ToolOutput};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::agents::Agent;
use super::assess::{Drawn, OwnedLooking, blocking};
use super::doing::{Doing, Ended, Printed, Running};
use super::{Conversation, Step};
use crate::prompt::{FolderRules, rules_along};
use crate::steering::Trust;

impl Conversation {
    /// Runs several reads side by side, or one change.
    pub(super) async fn run_calls(&mut self, calls: &[CallId]) -> Result<Step, StoreError> {
        let is_change = calls.iter().any(|id| self.session.call(id).is_some_and(|call| !call.reads));
        match calls {
            [change] if is_change => self.run_change(change).await,
            reads => self.run_reads(reads).await,
        }
    }

    async fn run_reads(&mut self, calls: &[CallId]) -> Result<Step, StoreError> {
        let mut cleared = Vec::new();
        for id in calls {
            let drawn = match self.draw(id).await {
                Ok(drawn) => drawn,
                Err(unfit) => {
                    let result = self.result_of_closing(id.clone(), unfit.cause, unfit.words, Brief::Done);
                    self.append(vec![Payload::ToolResult(result)], Durability::Light).await?;
                    continue;
                }
            };
            match self.clear(id, &drawn) {
                Ok(clearance) => cleared.push((clearance, drawn)),
                Err(_) => self.redraw(id, Some(Again::Changed)).await?,
            }
        }
        let (questions, cleared): (Vec<_>, Vec<_>) = cleared.into_iter().partition(|(_, drawn)| drawn.is_question());
        self.ask_person(questions).await?;
        let (for_agents, cleared): (Vec<_>, Vec<_>) = cleared.into_iter().partition(|(_, drawn)| drawn.is_for_agent());
        let mut started: Vec<Payload> = cleared.iter().map(|(_, drawn)| self.read_started(&drawn.call)).collect();
        let agents = self.make_agents(for_agents, &mut started).await?;
        if started.is_empty() {
            return Ok(Step::Again);
        }
        self.append(started, Durability::Light).await?;
        self.read(cleared, agents);
        Ok(Step::Rest)
    }

    /// Lets calls begin, of which the log says that they do: reads on other threads, sub-agents beside them.
    pub(super) fn read(&mut self, cleared: Vec<(Cleared, Drawn)>, agents: Vec<Agent>) {
        let (mut running, output) = new_running();
        for (clearance, drawn) in cleared {
            let work = Work::new(self, &drawn, &running, output.clone(), clearance.call_digest);
            let read = move || work.run(|tool, running| tool.read(&clearance, running));
            let task = running.tasks.spawn_blocking(read).id();
            running.calls.push((task, drawn.call));
        }
        for agent in agents {
            let call = agent.call.clone();
            let task = running.tasks.spawn(agent.work(running.cancel.clone())).id();
            running.calls.push((task, call));
        }
        self.begin(running);
    }

    /// That a read begins.
    pub(super) fn read_started(&self, call: &CallId) -> Payload {
        let boot = self.shared.boot.clone();
        Payload::ToolStarted { call: call.clone(), attempt: 1, boot, intent: None, before: Vec::new() }
    }

    /// Draws the call once more, clears it, prepares it, claims it, and only then lets it happen.
    async fn run_change(&mut self, id: &CallId) -> Result<Step, StoreError> {
        let drawn = match self.draw(id).await {
            Ok(drawn) => drawn,
            Err(unfit) => return self.refused(id, unfit.cause, unfit.words).await,
        };
        let cleared = match self.clear(id, &drawn) {
            Ok(cleared) => cleared,
            Err(_) => return self.ask_anew(id).await,
        };
        let prepared = match self.prepare(&cleared, &drawn).await {
            Ok(prepared) => prepared,
            Err(output) => return self.refused(id, output.cause.unwrap_or(Cause::Refused), words_of(&output)).await,
        };
        let paths: Vec<String> = prepared.before.iter().map(|file| file.path.clone()).collect();
        let Some(hold) = self.shared.targets.hold(drawn.workspace.identity(), &paths) else {
            return Ok(self.wait_for_targets(id, &drawn, paths));
        };
        let record = ClaimRecord {
            at: self.shared.clock.now(),
            boot: self.shared.boot.clone(),
            intent: prepared.intent.clone(),
            before: prepared.before.clone(),
            keep: prepared.keep.clone(),
        };
        let digest = cleared.call_digest;
        #[cfg(debug_assertions)]
        assent_tools::pause::at("before-claim");
        let claimed = match self.shared.store.claim(cleared, record).await {
            Ok((claimed, event)) => {
                self.recorded(vec![event]);
                claimed
            }
            Err(ClaimError::Store(error)) => return Err(error),
            Err(error) => return self.not_claimed(id, &error).await,
        };
        #[cfg(debug_assertions)]
        assent_tools::pause::at("after-claim");
        let (mut running, output) = new_running();
        let hold = Arc::new(hold);
        running.hold = Some(Arc::clone(&hold));
        let work = Work::new(self, &drawn, &running, output, digest);
        let task = running.tasks.spawn_blocking(move || {
            let ended = work.run(|tool, running| change(tool, &claimed, &prepared, running));
            #[cfg(debug_assertions)]
            assent_tools::pause::at("after-effect");
            drop(hold);
            ended
        });
        running.calls.push((task.id(), id.clone()));
        self.begin(running);
        Ok(Step::Rest)
    }

    /// Another call works on one of these files: when it has ended, this one is drawn anew.
    fn wait_for_targets(&mut self, id: &CallId, drawn: &Drawn, paths: Vec<String>) -> Step {
        self.enter(Phase::Tool { call: id.clone(), name: drawn.tool.spec().name.to_owned(), output_at: None });
        let free = self.shared.targets.free(drawn.workspace.identity(), paths);
        self.doing = Doing::Blocked(Mutex::new(Box::pin(free)));
        Step::Rest
    }

    /// Clears a call as it was settled: by its verdict, or by the decision on its card.
    fn clear(&self, id: &CallId, drawn: &Drawn) -> Result<Cleared, NotCleared> {
        let subject = drawn.subject(&self.id);
        match self.session.call(id).map(|call| &call.state) {
            Some(CallState::Cleared { by, card: Some(card) }) => {
                Cleared::by_decision(&subject, Answer::Approved, *by, *card)
            }
            Some(CallState::Cleared { card: None, .. }) => Cleared::by_verdict(&subject, &self.verdict_of(drawn)),
            _ => Err(NotCleared::Refused),
        }
    }

    async fn prepare(&self, cleared: &Cleared, drawn: &Drawn) -> Result<Prepared, ToolOutput> {
        let looking = self.looking(&drawn.call, cleared.call_digest);
        let (tool, workspace, cleared) = (Arc::clone(&drawn.tool), Arc::clone(&drawn.workspace), cleared.clone());
        let prepared = blocking(move || looking.with(&workspace, |looking| tool.prepare(&cleared, &looking))).await;
        match prepared {
            Some(Ok(prepared)) => Ok(prepared),
            Some(Err(refusal)) => Err(ToolOutput::refused(refusal)),
            None => Err(ToolOutput::error("It did not run: the tool failed before it began.")),
        }
    }

    /// The tool refuses now. Where a person had approved and something changed since, the person is asked anew if the tool
    /// would still do it, else the model is told. The same card is not shown twice: it would be refused again.
    async fn refused(&mut self, id: &CallId, cause: Cause, words: String) -> Result<Step, StoreError> {
        let decided = match self.session.call(id).map(|call| &call.state) {
            Some(CallState::Cleared { card: Some(card), by: Decider::User }) => Some(*card),
            _ => None,
        };
        if let Some(decided) = decided
            && let Ok(drawn) = self.draw(id).await
            && drawn.subject(&self.id).card().digest != decided
        {
            return self.ask_anew(id).await;
        }
        let result = self.result_of_closing(id.clone(), cause, words, Brief::Done);
        self.append(vec![Payload::ToolResult(result)], Durability::Full).await?;
        Ok(Step::Again)
    }

    async fn ask_anew(&mut self, id: &CallId) -> Result<Step, StoreError> {
        self.redraw(id, Some(Again::Changed)).await?;
        Ok(Step::Again)
    }

    /// Something differed at the last moment: nothing ran, and what is true now is found out by asking again.
    async fn not_claimed(&mut self, id: &CallId, error: &ClaimError) -> Result<Step, StoreError> {
        match error {
            ClaimError::AlreadyStarted { .. } => {
                let words = format!("It did not run again: {error}.");
                let result = self.result_of_closing(id.clone(), Cause::Refused, words, Brief::Done);
                self.append(vec![Payload::ToolResult(result)], Durability::Full).await?;
                Ok(Step::Again)
            }
            // Asking again would lead here again: the present mode refuses it, whoever approves.
            ClaimError::Mode { .. } => match self.refused_by_mode(id).await {
                Some(words) => self.close(id.clone(), Cause::Mode, words).await,
                None => self.ask_anew(id).await,
            },
            _ => self.ask_anew(id).await,
        }
    }

    /// What policy says to the model when the present mode refuses a call.
    async fn refused_by_mode(&self, id: &CallId) -> Option<String> {
        let drawn = self.draw(id).await.ok()?;
        match self.verdict_of(&drawn) {
            Verdict::Refuse { why, .. } => Some(why),
            Verdict::Run { .. } | Verdict::Ask | Verdict::Defer { .. } => None,
        }
    }

    /// What policy says of a call now.
    fn verdict_of(&self, drawn: &Drawn) -> Verdict {
        decide(&Considered {
            tool: drawn.tool.spec().name,
            arguments: &drawn.arguments,
            assessment: &drawn.assessment,
            mode: self.session.mode(),
            rules: self.session.rules(),
        })
    }

    fn begin(&mut self, running: Running) {
        if let Some((_, call)) = running.calls.first().cloned() {
            let name = self.session.call(&call).map_or_else(String::new, |call| call.name.clone());
            self.enter(Phase::Tool { call, name, output_at: None });
        }
        self.doing = Doing::Running(running);
    }

    /// Output of a running call, as it comes.
    pub(super) fn output(&mut self, printed: &Printed) {
        let call = &printed.call;
        let now = self.shared.clock.now();
        if let Some(delta) = self.live.take(printed, now) {
            self.shared.bus.delta(&self.id, delta);
        }
        if let Phase::Tool { call: shown, output_at, .. } = &mut self.phase
            && shown == call
        {
            *output_at = self.live.output_at(call);
        }
    }
}

/// Nothing runs yet; whatever will sends its output here.
fn new_running() -> (Running, mpsc::UnboundedSender<Printed>) {
    let (sender, output) = mpsc::unbounded_channel();
    let cancel = CancellationToken::new();
    (Running { tasks: JoinSet::new(), calls: Vec::new(), cancel, output, hold: None }, sender)
}

fn change(
    tool: &dyn assent_tools::Tool,
    claimed: &Claimed,
    prepared: &Prepared,
    running: &ToolRunning<'_>,
) -> ToolOutput {
    tool.change(claimed, prepared, running)
}

fn words_of(output: &ToolOutput) -> String {
    String::from_utf8_lossy(&output.full).into_owned()
}

/// One call on its way to another thread.
struct Work {
    drawn: Drawn,
    looking: OwnedLooking,
    cancel: CancellationToken,
    output: mpsc::UnboundedSender<Printed>,
    store: Store,
    looked_into: Arc<Mutex<HashSet<String>>>,
}

impl Work {
    fn new(
        conversation: &Conversation,
        drawn: &Drawn,
        running: &Running,
        output: mpsc::UnboundedSender<Printed>,
        digest: assent_protocol::ids::Sha,
    ) -> Self {
        let looking = conversation.looking(&drawn.call, digest);
        let looked_into = Arc::clone(&conversation.looked_into);
        let store = conversation.shared.store.clone();
        Self { drawn: drawn.clone(), looking, cancel: running.cancel.clone(), output, store, looked_into }
    }

    fn run(self, work: impl FnOnce(&dyn assent_tools::Tool, &ToolRunning<'_>) -> ToolOutput) -> Ended {
        let began = Instant::now();
        let call = self.drawn.call.clone();
        let live = |offset: u64, bytes: &[u8]| {
            // Nobody listens any more when the engine is going down.
            let _ = self.output.send(Printed { call: call.clone(), offset, bytes: bytes.to_vec() });
        };
        let opened = OnceLock::new();
        let spool = || {
            // Where there is none, the output is stored when it is whole, and that says what is wrong.
            let spool = opened.get_or_init(|| self.store.spool().ok().flatten());
            spool.clone().map(|spool| Box::new(spool) as Box<dyn Write + Send>)
        };
        let output = self.looking.with(&self.drawn.workspace, |looking| {
            work(self.drawn.tool.as_ref(), &ToolRunning { looking, cancel: &self.cancel, live: &live, spool: &spool })
        });
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let rules = if output.outcome == Outcome::Ok { self.rules() } else { Vec::new() };
        Ended { call: self.drawn.call, output, spool: opened.into_inner().flatten(), duration_ms, rules }
    }

    /// Rules of the folders that the call touched and none before it.
    fn rules(&self) -> Vec<FolderRules> {
        let touched = self.drawn.assessment.touches.iter().map(|file| file.path.clone());
        let named = ["path", "folder", "to"].iter().filter_map(|name| self.drawn.arguments.get(*name)?.as_str());
        let paths: Vec<String> = touched.chain(named.map(str::to_owned)).collect();
        let workspace = &self.drawn.workspace;
        // What can't be told to count doesn't.
        let trust = Trust::of(&self.store, workspace.identity()).unwrap_or_default();
        let mut looked_into = self.looked_into.lock().unwrap_or_else(PoisonError::into_inner);
        rules_along(workspace, &paths, &trust, &mut looked_into)
    }
}
