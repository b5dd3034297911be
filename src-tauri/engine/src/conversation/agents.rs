//! Sub-agents: conversations of their own that work for a call of this one, begun, waited for and stopped here.
//! What one may do follows from its own log, as in any conversation; it never asks anybody.

use std::sync::Arc;
use std::time::Instant;

use assent_policy::Cleared;
use assent_protocol::event::{EndReason, ParentCall, Payload};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{CallId, ConversationId, MessageId};
use assent_protocol::permission::{Decider, Mode};
use assent_protocol::settings::Limits;
use assent_protocol::tool::{Brief, Cause, DISPATCH_AGENT};
use assent_session::{Allowance, worked};
use assent_store::{Durability, StoreError};
use assent_tools::{Registry, ToolOutput};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::assess::Drawn;
use super::commands::{Ask, Command, Reply};
use super::doing::Ended;
use super::{Conversation, steps};
use crate::shared::Shared;

/// What a call is told for whose sub-agent no model call is left.
const NOTHING_LEFT: &str = "It did not run: the model calls that sub-agents have together are used up or set aside for \
                            those that work now. Go on without it, or call it again when the others have ended.";

/// A sub-agent that is about to work.
pub(super) struct Agent {
    /// The call that it works for.
    pub call: CallId,
    id: ConversationId,
    task: String,
    shared: Arc<Shared>,
}

impl Drawn {
    /// Whether a sub-agent runs it.
    pub fn is_for_agent(&self) -> bool {
        self.tool.spec().name == DISPATCH_AGENT
    }
}

impl Conversation {
    /// The tools that this conversation may have.
    pub(super) fn registry(&self) -> &Registry {
        if self.session.parent().is_some() { &self.shared.agent_registry } else { &self.shared.registry }
    }

    /// Makes the sub-agents of these calls, each with its part of what is left, and closes the calls for which nothing is.
    /// What says that they begin is pushed to `started`.
    pub(super) async fn make_agents(
        &mut self,
        calls: Vec<(Cleared, Drawn)>,
        started: &mut Vec<Payload>,
    ) -> Result<Vec<Agent>, StoreError> {
        let count = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let (allowances, words) = match self.session.allowances(count) {
            Ok(allowances) => (allowances, NOTHING_LEFT.to_owned()),
            Err(words) => (Vec::new(), words),
        };
        let mut allowances = allowances.into_iter();
        let mut agents = Vec::new();
        for (cleared, drawn) in calls {
            let Some(allowance) = allowances.next() else {
                let result = self.result_of_closing(drawn.call, Cause::Budget, words.clone(), Brief::Done);
                self.append(vec![Payload::ToolResult(result)], Durability::Light).await?;
                continue;
            };
            let task = cleared.arguments.get("task").and_then(Value::as_str).unwrap_or_default();
            let agent = self.make_agent(drawn.call, task, allowance).await?;
            started.push(self.read_started(&agent.call));
            started.push(Payload::AgentStarted {
                call: agent.call.clone(),
                agent: agent.id.clone(),
                iterations: allowance.iterations,
            });
            agents.push(agent);
        }
        Ok(agents)
    }

    /// Begins the conversation of a sub-agent: with this one's folder and models, and nothing that anybody has to be asked.
    async fn make_agent(&self, call: CallId, task: &str, allowance: Allowance) -> Result<Agent, StoreError> {
        let id = ConversationId::new(self.shared.clock.id());
        let row = self.shared.store.row(&self.id)?;
        let (project, workspace) = row.map(|row| (row.project, row.workspace)).unwrap_or_default();
        let Allowance { iterations, money_micros } = allowance;
        let limits = Limits { max_iterations: iterations, money_micros, ..self.session.limits() };
        let parent = Some(ParentCall { conversation: self.id.clone(), call: call.clone() });
        let title = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let mut payloads = vec![Payload::ConversationCreated { project, workspace, fork: None, parent }];
        if let Some(mut choice) = self.session.picked().cloned() {
            self.shared.learned(&mut choice);
            payloads.push(Payload::ModelSet { choice, learned: false });
        }
        if !self.session.fallbacks().is_empty() {
            payloads.push(Payload::FallbacksSet { choices: self.session.fallbacks().to_vec() });
        }
        payloads.push(Payload::ModeSet { mode: Mode::Plan });
        payloads.push(Payload::LimitsSet { limits, defaults: limits });
        payloads.push(Payload::TitleSet { title: steps::title_of(title), by: Decider::Tool });
        self.shared.create(&id, payloads).await?;
        Ok(Agent { call, id, task: task.to_owned(), shared: Arc::clone(&self.shared) })
    }

    /// That the sub-agent of this call is done, with what it used; none: none works for it.
    pub(super) fn agent_ended(&self, call: &CallId) -> Result<Option<Payload>, StoreError> {
        let Some(agent) = self.session.agent_of(call).cloned() else { return Ok(None) };
        let iterations = worked(&self.shared.store.fold_events(&agent)?).iterations;
        let cost_micros = self.shared.store.usage_of(&agent)?.cost_micros;
        Ok(Some(Payload::AgentEnded { call: call.clone(), agent, iterations, cost_micros }))
    }

    /// Begins the turn of a sub-agent; whoever waits for its end is told.
    pub(super) async fn begin_work(&mut self, task: String, over: Reply<()>) {
        let message = MessageId::new(self.shared.clock.id());
        let delivery = assent_protocol::event::Delivery::NextTurn;
        let said = Payload::UserMessage {
            message,
            text: task.into(),
            delivery,
            context: None,
            attachments: Vec::new(),
            skills: Vec::new(),
        };
        match self.begin_turn(vec![said]).await {
            Ok(()) => self.awaited = Some(over),
            Err(error) => drop(over.send(Err(Self::storage(&error)))),
        }
    }

    /// Whoever waits for the end of this sub-agent's turn needs to wait no longer.
    pub(super) fn tell_of_end(&mut self, ended: Result<(), Failure>) {
        if let Some(awaited) = self.awaited.take() {
            // The call may have ended with its own conversation's task: then nobody needs to know.
            let _ = awaited.send(ended);
        }
    }
}

impl Agent {
    /// Works until its turn is over; a stop is passed on, and its turn's end waited for.
    pub async fn work(self, cancel: CancellationToken) -> Ended {
        let began = Instant::now();
        let output = match self.run(&cancel).await {
            Ok(output) => output,
            Err(failure) => ToolOutput::error(format!("The agent failed: {}.", failure.message)),
        };
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ended { call: self.call, output, spool: None, duration_ms, rules: Vec::new() }
    }

    async fn run(&self, cancel: &CancellationToken) -> Result<ToolOutput, Failure> {
        let gone = || Failure::new(Code::Other, "its task has ended");
        let tasks = self.shared.tasks.upgrade().ok_or_else(gone)?;
        let way = tasks.get(&self.id, &self.shared)?;
        // What holds the tasks must not be held by one of them.
        drop(tasks);
        let (reply, mut over) = oneshot::channel();
        way.send(Command { ask: Ask::Work { task: self.task.clone(), reply } }).map_err(|_| gone())?;
        let ended = tokio::select! {
            ended = &mut over => ended,
            () = cancel.cancelled() => {
                let (reply, _) = oneshot::channel();
                way.send(Command { ask: Ask::Stop(reply) }).map_err(|_| gone())?;
                over.await
            }
        };
        ended.map_err(|_| gone())??;
        let events = self.shared.store.fold_events(&self.id).map_err(|error| crate::engine::storage(&error))?;
        let worked = worked(&events);
        let words = worked.words();
        let is_done =
            matches!(worked.ended, Some(EndReason::Completed | EndReason::MaxIterations | EndReason::MaxTokens));
        Ok(match worked.ended {
            Some(EndReason::Stopped) if cancel.is_cancelled() => ToolOutput::stopped(words),
            _ if is_done && !worked.text.is_empty() => ToolOutput::ok(words, Brief::Done),
            _ => ToolOutput::error(words),
        })
    }
}
