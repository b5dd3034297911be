//! Judging calls: strict arguments, the tool's assessment, policy's verdict, the card.
//! Nothing runs here.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use assent_policy::{Cleared, Considered, Subject, decide};
use assent_protocol::assessment::Assessment;
use assent_protocol::canonical::{ArgumentError, digest, parse_arguments};
use assent_protocol::event::{Again, Payload, ToolCall};
use assent_protocol::ids::{CallId, Sha};
use assent_protocol::permission::{Decider, Verdict};
use assent_protocol::preview::Preview;
use assent_protocol::tool::Cause;
use assent_session::{Call, did_not_run};
use assent_store::{Durability, StoreError};
use assent_tools::workspace::Workspace;
use assent_tools::{Effective, Looking, Refusal, Tool};
use serde_json::{Map, Value};

use super::{Conversation, Step};
use crate::host::Note;

/// What a sub-agent is told where its conversation's model would wait for the user.
const FOR_AGENTS: &str = "It did not run: this needs the user's word, and a sub-agent never asks for it. Go on without \
                          it, and say in your answer that it is needed.";

/// A call with everything that a judgement or a run needs.
#[derive(Clone)]
pub(super) struct Drawn {
    /// The call.
    pub call: CallId,
    /// Its tool.
    pub tool: Arc<dyn Tool>,
    /// Parsed arguments.
    pub arguments: Map<String, Value>,
    /// What the tool says of it.
    pub assessment: Assessment,
    /// The opened workspace.
    pub workspace: Arc<Workspace>,
}

/// Why a call can't be judged.
pub(super) struct Unfit {
    /// Why.
    pub cause: Cause,
    /// For the model.
    pub words: String,
}

impl Drawn {
    /// What policy makes tokens of.
    pub fn subject<'a>(&'a self, conversation: &'a assent_protocol::ids::ConversationId) -> Subject<'a> {
        Subject {
            conversation,
            call: &self.call,
            tool: self.tool.spec().name,
            version: self.tool.spec().version,
            workspace: self.workspace.identity(),
            arguments: &self.arguments,
            assessment: &self.assessment,
        }
    }
}

impl Conversation {
    /// The conversation's workspace, opened.
    pub(super) fn workspace(&self) -> Result<Arc<Workspace>, Unfit> {
        let missing = |words: String| Unfit { cause: Cause::Refused, words };
        let root =
            self.folder().ok_or_else(|| missing("It did not run: this conversation has no folder.".to_owned()))?;
        self.shared
            .workspaces
            .get(&root)
            .map_err(|error| missing(format!("It did not run: the folder can't be opened: {error}")))
    }

    /// Where the workspace is: its project's folder, which a person may have told to be elsewhere, else the one it began in.
    fn folder(&self) -> Option<String> {
        let relocations = self.shared.relocations.load(Ordering::Acquire);
        let mut known = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, folder)) = known.as_ref()
            && *at == relocations
        {
            return Some(folder.clone());
        }
        let Ok(Some(place)) = self.shared.store.place(&self.id) else {
            return self.session.workspace().map(str::to_owned);
        };
        let folder = place.workspace.or_else(|| self.session.workspace().map(str::to_owned))?;
        *known = Some((relocations, folder.clone()));
        Some(folder)
    }

    /// Judges calls one after the other and records each judgement; cards are drawn with them. A single read that may run
    /// begins with its judgement, as what was drawn for that.
    pub(super) async fn assess(&mut self, calls: &[CallId]) -> Result<Step, StoreError> {
        for id in calls {
            let (mut payloads, drawn) = self.judge(id).await;
            if let Some(begins) = drawn.and_then(|drawn| self.begins_at_once(drawn, &payloads)) {
                payloads.push(self.read_started(id));
                self.append(payloads, Durability::Light).await?;
                self.read(vec![begins], Vec::new());
                return Ok(Step::Rest);
            }
            self.append(payloads, Durability::Light).await?;
            self.notify_of_card(id);
        }
        Ok(Step::Again)
    }

    /// A call with its clearance, when it is a read that this judgement lets run and that nothing else has to end before.
    fn begins_at_once(&self, drawn: Drawn, judged: &[Payload]) -> Option<(Cleared, Drawn)> {
        let [Payload::ToolCall(judged)] = judged else { return None };
        let is_alone = self.session.calls().iter().all(|call| call.is_done() || call.call == drawn.call);
        let is_plain = !drawn.is_question() && !drawn.is_for_agent() && self.starting.is_none();
        if !(judged.read_only && is_alone && is_plain) {
            return None;
        }
        let cleared = Cleared::by_verdict(&drawn.subject(&self.id), &judged.verdict).ok()?;
        Some((cleared, drawn))
    }

    /// What is recorded of a judgement, and what was judged, if it could be drawn.
    async fn judge(&self, id: &CallId) -> (Vec<Payload>, Option<Drawn>) {
        let Some(known) = self.session.call(id) else { return (Vec::new(), None) };
        // A call that can't be unwrapped is recorded as it was proposed.
        let Effective { name, arguments } = self
            .effective(known)
            .unwrap_or_else(|_| Effective { name: known.name.clone(), arguments: known.arguments.clone() });
        let target = target_of(&arguments);
        let mut judged = ToolCall {
            call: id.clone(),
            name,
            arguments,
            tier: None,
            read_only: known.reads,
            verdict: Verdict::Ask,
            cause: None,
            digest: None,
            paths: Vec::new(),
            target,
            preview: None,
        };
        let drawn = match self.draw(id).await {
            Ok(drawn) => drawn,
            Err(unfit) => {
                let earlier = (unfit.cause == Cause::Refused).then(|| self.session.blocked_by(id, &[], true)).flatten();
                judged.verdict = match earlier {
                    Some(after) => Verdict::Defer { after },
                    None => {
                        judged.cause = Some(unfit.cause);
                        Verdict::Refuse { by: Decider::Tool, why: unfit.words }
                    }
                };
                return (vec![Payload::ToolCall(judged)], None);
            }
        };
        let subject = drawn.subject(&self.id);
        let call_digest = subject.call_digest();
        judged.tier = Some(drawn.assessment.tier);
        judged.read_only = drawn.assessment.read_only;
        judged.digest = Some(call_digest);
        judged.paths = drawn.assessment.touches.iter().map(|file| file.path.clone()).collect();
        let (verdict, cause) = self.verdict(id, &drawn, &judged, call_digest);
        judged.preview = unasked(&verdict, &drawn.assessment);
        judged.verdict = verdict;
        judged.cause = cause;
        let card = (judged.verdict == Verdict::Ask).then(|| Box::new(subject.card()));
        let mut payloads = vec![Payload::ToolCall(judged)];
        payloads.extend(card.map(|card| Payload::ApprovalRequested { call: id.clone(), card, again: None }));
        (payloads, Some(drawn))
    }

    /// Circles and order first, then policy.
    fn verdict(&self, id: &CallId, drawn: &Drawn, judged: &ToolCall, digest: Sha) -> (Verdict, Option<Cause>) {
        let refuse = |cause: Cause, why: String| (Verdict::Refuse { by: Decider::Tool, why }, Some(cause));
        if !drawn.assessment.read_only
            && let Some(after) = self.session.blocked_by(id, &judged.paths, false)
        {
            return (Verdict::Defer { after }, None);
        }
        if self.session.is_circling(&digest) {
            return refuse(Cause::Repeated, did_not_run(Cause::Repeated, &judged.name));
        }
        if self.session.was_rejected(&digest) {
            let why = "It did not run: the user already rejected exactly this call. Ask what is wanted instead.";
            return refuse(Cause::User, why.to_owned());
        }
        let verdict = decide(&Considered {
            tool: drawn.tool.spec().name,
            arguments: &drawn.arguments,
            assessment: &drawn.assessment,
            mode: self.session.mode(),
            rules: self.session.rules(),
        });
        match verdict {
            Verdict::Refuse { .. } if self.session.parent().is_some() => refuse(Cause::Mode, FOR_AGENTS.to_owned()),
            Verdict::Refuse { .. } => (verdict, Some(Cause::Mode)),
            other => (other, None),
        }
    }

    /// Parses and assesses a call against the present files.
    pub(super) async fn draw(&self, id: &CallId) -> Result<Drawn, Unfit> {
        let unknown =
            || Unfit { cause: Cause::UnknownTool, words: "It did not run: there is no such call.".to_owned() };
        let known = self.session.call(id).ok_or_else(unknown)?;
        let effective = self.effective(known)?;
        let tool = self.tool(&effective.name)?;
        let raw = &effective.arguments;
        let arguments = parse_arguments(raw).map_err(|error| bad_arguments(&error, raw))?;
        let workspace = self.workspace()?;
        let call_digest = digest(&serde_json::json!({
            "tool": tool.spec().name, "version": tool.spec().version, "workspace": workspace.identity(), "arguments": &arguments,
        }));
        let looking = self.looking(id, call_digest);
        let (tool2, arguments2, workspace2) = (Arc::clone(&tool), arguments.clone(), Arc::clone(&workspace));
        let assessed = blocking(move || looking.with(&workspace2, |looking| tool2.assess(&arguments2, &looking))).await;
        match assessed {
            Some(Ok(assessment)) => Ok(Drawn { call: id.clone(), tool, arguments, assessment, workspace }),
            Some(Err(Refusal { words, cause })) => Err(Unfit { cause, words }),
            None => Err(Unfit { cause: Cause::Refused, words: format!("It did not run: {} failed.", effective.name) }),
        }
    }

    /// What a proposed call is: the one in it, where it is a call of `call_tool`. Whatever judges, shows, claims or runs a call
    /// goes by this alone.
    fn effective(&self, known: &Call) -> Result<Effective, Unfit> {
        let effective = self.registry().effective(&known.name, &known.arguments);
        effective.map_err(|Refusal { words, cause }| Unfit { cause, words: format!("It did not run: {words}") })
    }

    fn tool(&self, name: &str) -> Result<Arc<dyn Tool>, Unfit> {
        let takes_tools = self.session.choice().is_none_or(|choice| choice.tools);
        let has_tools = self.session.workspace().is_some() && takes_tools;
        match self.registry().get(name).filter(|_| has_tools) {
            Some(tool) => Ok(Arc::clone(tool)),
            None => {
                let names: Vec<&str> = self.registry().offered().iter().map(|spec| spec.name).collect();
                let names = if has_tools { names.join(", ") } else { "none in this conversation".to_owned() };
                let words = format!("It did not run: there is no tool named {name:?}. Tools: {names}.");
                Err(Unfit { cause: Cause::UnknownTool, words })
            }
        }
    }

    /// What an assessment may look at, owned, so that it can go to another thread.
    pub(super) fn looking(&self, call: &CallId, digest: Sha) -> OwnedLooking {
        OwnedLooking {
            call: call.clone(),
            seen: self.session.all_seen(),
            secrets: self.session.allowed_secrets(),
            repositories: self.session.allowed_repositories(),
            last: self.session.last_run(&digest),
            command_timeout_s: self.session.limits().command_s,
        }
    }

    /// Draws cards that are missing, or anew.
    pub(super) async fn draw_cards(&mut self, calls: &[CallId]) -> Result<Step, StoreError> {
        for id in calls {
            self.redraw(id, None).await?;
            self.notify_of_card(id);
        }
        Ok(Step::Again)
    }

    /// Shows a call's card anew, when it differs from the one that is shown or when `again` says why it must be. A call
    /// that its tool now refuses gets that as its result.
    pub(super) async fn redraw(&mut self, id: &CallId, again: Option<Again>) -> Result<(), StoreError> {
        let shown = match self.session.call(id).map(|call| &call.state) {
            Some(assent_session::CallState::Pending { card }) => *card,
            _ => None,
        };
        let payloads = match self.draw(id).await {
            Ok(drawn) => {
                let card = Box::new(drawn.subject(&self.id).card());
                if shown == Some(card.digest) && again.is_none() {
                    return Ok(());
                }
                let again = again.or(shown.map(|_| Again::Changed));
                let mut payloads: Vec<Payload> = self.judged_anew(id, &drawn).into_iter().collect();
                payloads.push(Payload::ApprovalRequested { call: id.clone(), card, again });
                payloads
            }
            // A folder that is away for now is no reason to lose what is pending.
            Err(_) if self.workspace().is_err() => return Ok(()),
            Err(unfit) => {
                let brief = assent_protocol::tool::Brief::Done;
                vec![Payload::ToolResult(self.result_of_closing(id.clone(), unfit.cause, unfit.words, brief))]
            }
        };
        self.append(payloads, Durability::Full).await
    }

    /// The judgement of a call whose card is drawn anew, where it differs from the recorded one: a claim holds what runs
    /// against the judgement, and the folder or the tool may be another than then.
    fn judged_anew(&self, id: &CallId, drawn: &Drawn) -> Option<Payload> {
        let known = self.session.call(id)?.judged.as_ref()?;
        let judged = ToolCall {
            tier: Some(drawn.assessment.tier),
            read_only: drawn.assessment.read_only,
            verdict: Verdict::Ask,
            cause: None,
            digest: Some(drawn.subject(&self.id).call_digest()),
            paths: drawn.assessment.touches.iter().map(|file| file.path.clone()).collect(),
            preview: None,
            ..known.clone()
        };
        (judged != *known).then_some(Payload::ToolCall(judged))
    }

    fn notify_of_card(&self, id: &CallId) {
        if let Some(call) = self.session.call(id)
            && matches!(call.state, assent_session::CallState::Pending { card: Some(_) })
        {
            let line = format!("{} {}", call.name, target_of(&call.arguments));
            self.shared.host.notify(Note::Approval { conversation: self.id.clone(), call: id.clone(), line });
        }
    }
}

/// What a change that runs unasked does to files: it has no card that could show it.
fn unasked(verdict: &Verdict, assessment: &Assessment) -> Option<Box<Preview>> {
    let runs = matches!(verdict, Verdict::Run { .. }) && !assessment.read_only;
    match &assessment.preview {
        diff @ Preview::Diff { .. } if runs => Some(Box::new(diff.clone())),
        _ => None,
    }
}

/// [`Looking`] that owns what it shows.
pub(super) struct OwnedLooking {
    call: CallId,
    seen: Arc<std::collections::HashMap<String, Sha>>,
    secrets: Arc<std::collections::HashSet<String>>,
    repositories: std::collections::HashSet<String>,
    last: Option<assent_protocol::assessment::LastRun>,
    command_timeout_s: u32,
}

impl OwnedLooking {
    /// Lends a [`Looking`] to `work`.
    pub fn with<T>(&self, workspace: &Workspace, work: impl FnOnce(Looking<'_>) -> T) -> T {
        work(Looking {
            workspace,
            call: &self.call,
            seen: &|path| self.seen.get(path).copied(),
            secret_allowed: &|path| self.secrets.contains(path),
            repository_allowed: &|folder| self.repositories.contains(folder),
            last: self.last,
            command_timeout_s: self.command_timeout_s,
        })
    }
}

/// Runs `work` off the engine's thread; `None` when it panicked.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

fn bad_arguments(error: &ArgumentError, raw: &str) -> Unfit {
    let start: String = raw.chars().take(200).collect();
    let words = format!("It did not run: {error}. If they were cut off, send smaller arguments. They began: {start}");
    Unfit { cause: Cause::BadArguments, words }
}

/// What a call looks at or acts on, from its raw arguments: for people, never for a decision.
pub(super) fn target_of(arguments: &str) -> String {
    let Ok(arguments) = parse_arguments(arguments) else { return String::new() };
    let names = ["path", "command", "from", "pattern", "ref", "task", "question"];
    let found = names.iter().find_map(|name| arguments.get(*name).and_then(Value::as_str)).unwrap_or_default();
    found.lines().next().unwrap_or_default().chars().take(200).collect()
}
