//! One call of `run_command` as the engine makes it: assessed, shown on a card, approved, claimed, run.
//! It takes no short cut past the approval.

use std::convert::Infallible;
use std::path::Path;

use assent_policy::{Claimed, Cleared, Subject};
use assent_protocol::assessment::Assessment;
use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::permission::{Answer, Decider};
use assent_tools::workspace::Workspace;
use assent_tools::{Live, Looking, Prepared, Refusal, Running, Tool, ToolOutput};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A call in a workspace.
pub struct Call {
    /// The tool; it remembers the folders of its calls.
    pub tool: Arc<dyn Tool>,
    /// Where it runs.
    pub workspace: Workspace,
    /// What the model wrote.
    pub arguments: Map<String, Value>,
    /// Its id.
    pub id: CallId,
}

impl Call {
    /// A call of the given command in `root`.
    pub fn of(root: &Path, command: &str) -> Self {
        Self::with(root, json!({ "command": command }))
    }

    /// A call with all its arguments.
    pub fn with(root: &Path, arguments: Value) -> Self {
        let Value::Object(arguments) = arguments else { unreachable!("arguments are an object") };
        let workspace = Workspace::open(root, &[]).expect("the folder opens");
        Self { tool: assent_tools::command::tool(), workspace, arguments, id: CallId::new("call") }
    }

    /// What assessments may look at.
    pub fn looking(&self) -> Looking<'_> {
        Looking {
            workspace: &self.workspace,
            call: &self.id,
            seen: &|_| None,
            secret_allowed: &|_| false,
            repository_allowed: &|_| false,
            last: None,
            command_timeout_s: 60,
        }
    }

    /// The card's content.
    pub fn assess(&self) -> Result<Assessment, Refusal> {
        self.tool.assess(&self.arguments, &self.looking())
    }

    /// Shows the card and approves it.
    pub fn approve(&self) -> Result<Cleared, Refusal> {
        let assessment = self.assess()?;
        let subject = Subject {
            conversation: &ConversationId::new("conversation"),
            call: &self.id,
            tool: self.tool.spec().name,
            version: self.tool.spec().version,
            workspace: self.workspace.identity(),
            arguments: &self.arguments,
            assessment: &assessment,
        };
        let card = subject.card().digest;
        Ok(Cleared::by_decision(&subject, Answer::Approved, Decider::User, card).expect("the card is the one shown"))
    }

    /// Prepares, claims and runs what was approved.
    pub fn run(&self, cleared: Cleared, cancel: &CancellationToken, live: Live<'_>) -> Result<ToolOutput, Refusal> {
        let prepared = self.tool.prepare(&cleared, &self.looking())?;
        Ok(self.change(cleared, &prepared, cancel, live))
    }

    /// Claims and runs what was prepared.
    pub fn change(
        &self,
        cleared: Cleared,
        prepared: &Prepared,
        cancel: &CancellationToken,
        live: Live<'_>,
    ) -> ToolOutput {
        let claimed = Claimed::commit(cleared, |_| Ok::<u32, Infallible>(1)).expect("nothing fails");
        let running = Running { looking: self.looking(), cancel, live, spool: &|| None };
        self.tool.change(&claimed, prepared, &running)
    }

    /// All of it, to the end.
    pub fn complete(&self) -> ToolOutput {
        let cleared = self.approve().unwrap_or_else(|refusal| panic!("{refusal}"));
        self.run(cleared, &CancellationToken::new(), &|_, _| {}).unwrap_or_else(|refusal| panic!("{refusal}"))
    }
}
