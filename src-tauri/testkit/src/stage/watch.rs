//! Stands between the engine and every tool: notes what really runs, holds it at gates, and looks whether the claim is on
//! disk before the effect begins.
//! The work itself is the real tool's.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use assent_policy::{Claimed, Cleared};
use assent_protocol::assessment::Assessment;
use assent_protocol::ids::{CallId, Sha};
use assent_protocol::permission::{Decider, Tier};
use assent_store::{CallState, Store};
use assent_tools::{Looking, Prepared, Refusal, Registry, Running, Tool, ToolOutput, ToolSpec};
use serde_json::{Map, Value};

use super::gates::Gates;

/// A change that really ran.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub call: CallId,
    pub tool: String,
    pub version: u32,
    pub workspace: String,
    pub arguments: Map<String, Value>,
    pub call_digest: Sha,
    pub card_digest: Option<Sha>,
    pub tier: Tier,
    pub by: Decider,
    /// What the store said of the call right before the effect.
    pub on_disk: Option<CallState>,
}

/// What is noted of the tools of one stage. Clones share it.
#[derive(Clone)]
pub(super) struct Watch(Arc<Inner>);

struct Inner {
    gates: Gates,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    runs: Vec<Run>,
    /// Moments at which a tool waits, once each, e.g. `before write_file a.txt`.
    holds: BTreeSet<String>,
    /// Tools that die in the middle of their work.
    dying: BTreeSet<String>,
    /// Tools that refuse at the last moment what they assessed.
    refusing: BTreeSet<String>,
    /// Tools that are not offered by name.
    rare: BTreeSet<String>,
    /// How many versions the tools are ahead of the real ones.
    ahead: u32,
    /// The store of the present engine.
    store: Option<Store>,
}

impl Watch {
    pub(super) fn new(gates: Gates) -> Self {
        Self(Arc::new(Inner { gates, noted: Mutex::default() }))
    }

    /// Holds a tool at this moment, once: `assessing`, `prepared`, `before` or `after`, then `TOOL TARGET`.
    pub(super) fn hold(&self, moment: &str) {
        self.with(|noted| noted.holds.insert(moment.to_owned()));
    }

    /// Lets this tool die in the middle of its work.
    pub(super) fn let_die(&self, tool: &str) {
        self.with(|noted| noted.dying.insert(tool.to_owned()));
    }

    /// Lets this tool refuse at the last moment.
    pub(super) fn let_refuse(&self, tool: &str) {
        self.with(|noted| noted.refusing.insert(tool.to_owned()));
    }

    /// Hides this tool behind `find_tools` and `call_tool`, in registries that are made from now on.
    pub(super) fn make_rare(&self, tool: &str) {
        self.with(|noted| noted.rare.insert(tool.to_owned()));
    }

    /// Tools that are made from now on are other ones.
    pub(super) fn upgrade(&self) {
        self.with(|noted| noted.ahead += 1);
    }

    /// The store of the engine that runs now; none: no engine does.
    pub(super) fn look_into(&self, store: Option<Store>) {
        drop(self.with(|noted| std::mem::replace(&mut noted.store, store)));
    }

    /// The store of the engine that runs now.
    pub(super) fn store(&self) -> Option<Store> {
        self.with(|noted| noted.store.clone())
    }

    pub(super) fn runs(&self) -> Vec<Run> {
        self.with(|noted| noted.runs.clone())
    }

    /// These tools, watched.
    pub(super) fn registry(&self, tools: &Registry) -> Registry {
        Registry::of(tools.tools().map(|tool| {
            let spec = tool.spec();
            let (ahead, rare) = self.with(|noted| (noted.ahead, noted.rare.contains(spec.name)));
            let spec = ToolSpec { version: spec.version + ahead, rare, ..spec.clone() };
            let watched: Arc<dyn Tool> = Arc::new(Watched { tool: Arc::clone(tool), spec, watch: self.clone() });
            watched
        }))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Noted) -> T) -> T {
        work(&mut self.0.noted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits where the script says so; false: the program was killed meanwhile.
    fn moment(&self, when: &str, tool: &str, arguments: &Map<String, Value>) -> bool {
        let targets = ["path", "command", "from", "pattern"];
        let target = targets.iter().find_map(|name| arguments.get(*name).and_then(Value::as_str)).unwrap_or_default();
        let moment = format!("{when} {tool} {target}");
        !self.with(|noted| noted.holds.remove(&moment)) || self.0.gates.pass_blocking(&moment).is_ok()
    }
}

struct Watched {
    tool: Arc<dyn Tool>,
    spec: ToolSpec,
    watch: Watch,
}

impl Tool for Watched {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        self.watch.moment("assessing", self.spec().name, arguments);
        self.tool.assess(arguments, looking)
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        if !self.watch.moment("before", &cleared.tool, &cleared.arguments) {
            return ToolOutput::error("killed");
        }
        self.die(&cleared.tool);
        self.tool.read(cleared, running)
    }

    fn prepare(&self, cleared: &Cleared, looking: &Looking<'_>) -> Result<Prepared, Refusal> {
        if self.watch.with(|noted| noted.refusing.contains(&cleared.tool)) {
            return Err(Refusal::new("It did not run: the script lets it be refused."));
        }
        let prepared = self.tool.prepare(cleared, looking);
        self.watch.moment("prepared", &cleared.tool, &cleared.arguments);
        prepared
    }

    fn change(&self, claimed: &Claimed, prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        let run = Run {
            call: claimed.call.clone(),
            tool: claimed.tool.clone(),
            version: self.spec.version,
            workspace: running.looking.workspace.identity().to_owned(),
            arguments: claimed.arguments.clone(),
            call_digest: claimed.call_digest,
            card_digest: claimed.card_digest,
            tier: claimed.tier,
            by: claimed.by,
            on_disk: self.on_disk(&claimed.call),
        };
        self.watch.with(|noted| noted.runs.push(run));
        if !self.watch.moment("before", &claimed.tool, &claimed.arguments) {
            return ToolOutput::error("killed");
        }
        self.die(&claimed.tool);
        let output = self.tool.change(claimed, prepared, running);
        self.watch.moment("after", &claimed.tool, &claimed.arguments);
        output
    }
}

impl Watched {
    /// Dies where the script says so.
    fn die(&self, tool: &str) {
        assert!(!self.watch.with(|noted| noted.dying.contains(tool)), "the script lets {tool} die");
    }

    fn on_disk(&self, call: &CallId) -> Option<CallState> {
        let store = self.watch.store()?;
        store.call(call).ok().flatten().map(|execution| execution.state)
    }
}
