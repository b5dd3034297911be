//! The loop's body: one question to the fold, one thing done, and back.
//! What each thing takes stands in the neighbouring files.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use assent_protocol::event::{CompactionFailure, Delivery, EndReason, MoneyUsedUp, Payload, TurnCause};
use assent_protocol::ids::{ItemId, MessageId};
use assent_protocol::permission::Decider;
use assent_protocol::settings::ModelChoice;
use assent_protocol::signal::Phase;
use assent_protocol::tool::{Brief, Stored};
use assent_protocol::view::FailureKind;
use assent_session::Next;
use assent_store::{Content, Durability, StoreError};
use tokio::time::Instant;

use super::doing::{Doing, Progress, Queued};
use super::{Conversation, Step, limits};
use crate::host::Note;
use crate::slots::{Permit, Slots};
use crate::visible::visible;

/// Characters of a first message that become the title of a conversation without one.
const TITLE: usize = 60;
/// The tool definitions of a request without tools.
const NO_TOOLS: &[u8] = b"[]";

impl Conversation {
    /// Asks what is next, and does it.
    pub(super) async fn step(&mut self) -> Result<Step, StoreError> {
        let next = if self.starting.is_some() { self.session.next_of_start() } else { self.session.next() };
        if limits::is_limited(&next) && self.follow_settings().await? {
            return Ok(Step::Again);
        }
        match next {
            Next::Idle => {
                self.tell_of_end(Ok(()));
                self.rest(Phase::Idle)
            }
            Next::Take(_) if self.held => self.rest(Phase::Idle),
            Next::Wait => {
                let pending = self.session.waiting_for_person();
                self.rest(Phase::You { pending: u32::try_from(pending).unwrap_or(u32::MAX) })
            }
            Next::Take(items) => self.take(&items).await,
            Next::Assess(calls) => self.assess(&calls).await,
            Next::Ask(calls) => self.draw_cards(&calls).await,
            Next::Run(calls) => self.run_calls(&calls).await,
            Next::Close { call, cause, words } => self.close(call, cause, words).await,
            Next::EndIteration => {
                let (in_turn, _) = self.session.iteration();
                self.append(vec![Payload::IterationEnd { in_turn }], Durability::Light).await?;
                Ok(Step::Again)
            }
            Next::MoveWindow(moved) => {
                let payload = Payload::WindowMoved {
                    keep_from: moved.keep_from,
                    pruned: moved.pruned,
                    cut: moved.cut,
                    tokens_before: moved.tokens_before,
                    tokens_after: moved.tokens_after,
                };
                self.append(vec![payload], Durability::Light).await?;
                Ok(Step::Again)
            }
            Next::Compact(plan) => {
                self.begin_compaction(plan, None).await?;
                Ok(Step::Again)
            }
            // A restart is no human act.
            Next::Summarise if self.held => {
                let message = "the program was restarted while the summary was being made".to_owned();
                self.fail_compaction(CompactionFailure::Interrupted, message).await
            }
            Next::Summarise => self.summarise().await,
            Next::EndCompaction => self.end_compaction().await,
            Next::FailCompaction { cause, message } => self.fail_compaction(cause, message).await,
            Next::CallModel(tool_choice) => self.call_model(tool_choice).await,
            Next::Retry { after_ms } => {
                let attempt = self.session.compacting().map_or(self.session.attempts(), |of| of.attempts) + 1;
                let until = self.shared.clock.now() + i64::try_from(after_ms).unwrap_or(i64::MAX);
                let of = self.session.limits().retries + 1;
                self.enter(Phase::BackingOff { until, attempt, of });
                self.doing = Doing::BackingOff(Instant::now() + Duration::from_millis(after_ms));
                Ok(Step::Rest)
            }
            Next::Switch { failure, choice } => self.switch(failure, *choice).await,
            Next::End { reason, message, money } => self.end(reason, message, money).await,
        }
    }

    /// The present model failed, and another takes over for the rest of the turn.
    async fn switch(&mut self, failure: FailureKind, mut choice: ModelChoice) -> Result<Step, StoreError> {
        self.shared.learned(&mut choice);
        let attempt = self.session.attempts();
        let from = self.session.choice().map(|choice| choice.label.clone()).unwrap_or_default();
        self.model = None;
        self.append(vec![Payload::ProviderSwitched { failure, attempt, from, choice }], Durability::Light).await?;
        self.fit_tools().await?;
        Ok(Step::Again)
    }

    /// Records other tools where the present model takes tools and the one before didn't, or the other way round.
    pub(super) async fn fit_tools(&mut self) -> Result<(), StoreError> {
        let mut contents = Vec::new();
        match self.other_tools(&mut contents) {
            Some(set) => self.append_with(vec![set], Durability::Light, contents).await,
            None => Ok(()),
        }
    }

    /// The tools, when some are recorded for a model that takes none, or none for one that does.
    fn other_tools(&self, contents: &mut Vec<Content>) -> Option<Payload> {
        let takes = self.session.choice().is_none_or(|choice| choice.tools) && self.session.workspace().is_some();
        let has = self.session.tools().is_some_and(|tools| tools != Stored::of(NO_TOOLS));
        if takes == has { None } else { self.tools_set(contents) }
    }

    fn rest(&mut self, phase: Phase) -> Result<Step, StoreError> {
        self.enter(phase);
        self.started();
        Ok(Step::Rest)
    }

    /// Turns inbox items into messages, in one transaction, and opens a turn where none is open.
    async fn take(&mut self, items: &[ItemId]) -> Result<Step, StoreError> {
        let queued: Vec<_> =
            self.session.queue().iter().filter(|queued| items.contains(&queued.item)).cloned().collect();
        let mut payloads = Vec::new();
        for queued in queued {
            let message = MessageId::new(self.shared.clock.id());
            payloads.push(Payload::QueueTaken { item: queued.item, message: message.clone() });
            payloads.push(Payload::UserMessage {
                message,
                text: queued.text.into(),
                delivery: queued.delivery,
                context: None,
                attachments: queued.attachments,
                skills: Vec::new(),
            });
        }
        #[cfg(debug_assertions)]
        assent_tools::pause::at("before-take");
        self.begin_turn(payloads).await?;
        #[cfg(debug_assertions)]
        assent_tools::pause::at("after-take");
        Ok(Step::Again)
    }

    /// Appends messages, ahead of them what the first request of a conversation needs, and behind them the turn's start
    /// where none is open.
    pub(super) async fn begin_turn(&mut self, mut payloads: Vec<Payload>) -> Result<(), StoreError> {
        let mut contents = Vec::new();
        self.invoke_skills(&mut payloads).await?;
        if !self.session.is_generating() {
            let is_told = self.is_told();
            let mut fixed = self.fixed_part(&mut contents).await?;
            if fixed.is_empty() {
                fixed.extend(self.other_tools(&mut contents));
            }
            let title = self.first_title(&payloads);
            let (memory, noted) = if is_told { self.memory_noted(&mut contents).await } else { None }.unzip();
            payloads.splice(0..0, fixed.into_iter().chain(memory).chain(title));
            if let Some(noted) = noted {
                set_context(&mut payloads, noted.into());
            }
            if let Some(context) = self.snapshot_of_work().await {
                set_context(&mut payloads, context);
            }
            payloads.push(Payload::TurnStart { cause: TurnCause::Message });
        }
        self.append_with(payloads, Durability::Full, contents).await
    }

    /// Prompt, memory and tools, when the model is to be told them now and they differ from what is recorded.
    pub(super) async fn fixed_part(&self, contents: &mut Vec<Content>) -> Result<Vec<Payload>, StoreError> {
        if self.is_told() { Ok(Vec::new()) } else { self.fresh_fixed_part(contents).await }
    }

    /// Whether the model was told how it stands here: the conversation has begun, and in this place.
    fn is_told(&self) -> bool {
        self.session.prompt().is_some() && !self.session.history().entries().is_empty()
    }

    /// Prompt and tools as they would be now, where they differ from what is recorded.
    pub(super) async fn fresh_fixed_part(&self, contents: &mut Vec<Content>) -> Result<Vec<Payload>, StoreError> {
        let prompt = self.prompt_set(contents).await?;
        let memory = self.memory_set(contents).await;
        Ok(prompt.into_iter().chain(memory).chain(self.tools_set(contents)).collect())
    }

    /// The tool definitions, when they differ from what is recorded: none without a folder, or when the model takes none.
    pub(super) fn tools_set(&self, contents: &mut Vec<Content>) -> Option<Payload> {
        let has_tools = self.session.workspace().is_some() && self.session.choice().is_none_or(|choice| choice.tools);
        let definitions = if has_tools {
            self.registry().definitions().to_owned()
        } else {
            String::from_utf8_lossy(NO_TOOLS).into_owned()
        };
        let content = Content::of(definitions.into_bytes());
        let stored = content.stored();
        if self.session.tools() == Some(stored) {
            return None;
        }
        let tools = if has_tools { self.registry().offered() } else { Vec::new() };
        let names = tools.iter().map(|spec| spec.name.to_owned()).collect();
        // Tools of the lowest tier are exactly those that change nothing (spec part 5).
        let low = tools.iter().filter(|spec| spec.tier == assent_protocol::permission::Tier::Low);
        let reading = low.map(|spec| spec.name.to_owned()).collect();
        contents.push(content);
        Some(Payload::ToolsSet { content: stored, names, reading })
    }

    /// Branch and number of changed files, when they differ from what the model was told last. Of a repository elsewhere
    /// only once a person let it be read.
    async fn snapshot_of_work(&mut self) -> Option<Arc<str>> {
        let workspace = self.workspace().ok()?;
        let allowed = self.session.allowed_repositories();
        let begun = self.shared.workspaces.take_glance(workspace.identity()).filter(|_| allowed.is_empty());
        let look = move || assent_tools::git::snapshot(&workspace, &|folder| allowed.contains(folder));
        let snapshot = begun.unwrap_or_else(|| tokio::task::spawn_blocking(look)).await.ok()??;
        let more = if snapshot.is_partial { " or more" } else { "" };
        let words =
            format!("[Workspace: branch {}, {}{more} changed files]", visible(&snapshot.branch), snapshot.dirty);
        let is_known = self.session.history().entries().iter().rev().find_map(|entry| match entry.message.as_ref() {
            assent_protocol::view::ViewMessage::User { text, .. } if text.starts_with("[Workspace: ") => {
                Some(text.starts_with(&words))
            }
            _ => None,
        });
        if is_known == Some(true) { None } else { Some(words.into()) }
    }

    fn first_title(&self, payloads: &[Payload]) -> Option<Payload> {
        if self.session.is_titled() {
            return None;
        }
        let text = payloads.iter().find_map(|payload| match payload {
            Payload::UserMessage { text, attachments, .. } => {
                let line = text.lines().map(str::trim).find(|line| !line.is_empty());
                line.or_else(|| attachments.first().map(|attachment| attachment.name.as_str()))
            }
            _ => None,
        })?;
        Some(Payload::TitleSet { title: title_of(text), by: Decider::Tool })
    }

    async fn end(
        &mut self,
        reason: EndReason,
        message: Option<String>,
        money: Option<MoneyUsedUp>,
    ) -> Result<Step, StoreError> {
        self.enter(Phase::Saving);
        let mut payloads = self.open_iteration_end();
        payloads.push(Payload::TurnEnd { reason, message, money });
        let (asked, naming) = (reason == EndReason::Completed && self.session.parent().is_none())
            .then(|| self.wants_name())
            .flatten()
            .unzip();
        payloads.extend(asked);
        let durability = if reason == EndReason::Stopped { Durability::Full } else { Durability::Light };
        self.append(payloads, durability).await?;
        self.live.clear();
        if let Some(naming) = naming {
            self.ask_for_name(naming);
        }
        if self.session.parent().is_none()
            && let Ok(Some(row)) = self.shared.store.row(&self.id)
        {
            let took_ms = self.shared.clock.now() - self.since;
            self.shared.host.notify(Note::TurnEnded { conversation: self.id.clone(), title: row.title, took_ms });
        }
        Ok(Step::Again)
    }

    /// Ends the open turn with an error. False: it can't end, because calls are open.
    pub(super) async fn end_with_error(&mut self, message: &str) -> Result<bool, StoreError> {
        if !self.session.is_generating() {
            return Ok(true);
        }
        if self.session.calls().iter().any(|call| !call.is_done()) {
            return Ok(false);
        }
        let mut payloads = self.open_iteration_end();
        let message = Some(message.to_owned());
        payloads.push(Payload::TurnEnd { reason: EndReason::Error, message, money: None });
        self.append(payloads, Durability::Light).await.map(|()| true)
    }

    pub(super) fn open_iteration_end(&self) -> Vec<Payload> {
        let (in_turn, _) = self.session.iteration();
        if self.session.has_open_iteration() { vec![Payload::IterationEnd { in_turn }] } else { Vec::new() }
    }

    /// Takes a place in the line for a model call. Whoever has to wait there sees the iteration begun.
    async fn call_model(&mut self, tool_choice: assent_protocol::view::ToolChoice) -> Result<Step, StoreError> {
        let ticket = Arc::new(Slots::line_up(&self.shared.slots));
        let moves = ticket.moves();
        let waiting = Arc::clone(&ticket);
        // Sub-agents stand in the line of the conversation that they work for.
        let id = self.session.parent().map_or(&self.id, |parent| &parent.conversation).clone();
        let mut permit: std::pin::Pin<Box<dyn Future<Output = Permit> + Send>> =
            Box::pin(async move { waiting.permit(&id).await });
        // Mostly a slot is free: then nobody needs to see a queue.
        if let Some(permit) = futures_util::FutureExt::now_or_never(&mut permit) {
            return self.open_stream(permit, tool_choice).await;
        }
        let started = self.iteration_start();
        if !started.is_empty() {
            self.append(started, Durability::Light).await?;
        }
        self.enter(Phase::Queued { ahead: ticket.ahead() });
        self.doing = Doing::Queued(Queued { permit: Mutex::new(permit), ticket, moves, tool_choice });
        Ok(Step::Rest)
    }

    /// News of what is under way.
    pub(super) async fn progress(&mut self, progress: Progress) -> Result<(), StoreError> {
        match progress {
            Progress::Permit(permit, tool_choice) => {
                self.doing = Doing::Nothing;
                self.open_stream(permit, tool_choice).await.map(|_| ())
            }
            Progress::Ahead(ahead) => {
                self.enter(Phase::Queued { ahead });
                Ok(())
            }
            Progress::Items(items) => self.items(items).await,
            Progress::Write => self.write_chunk().await,
            Progress::Told(told) => self.told(told).await,
            Progress::Waited => {
                self.doing = Doing::Nothing;
                let again =
                    if self.session.compacting().is_some() { self.summarise().await } else { self.retry().await };
                again.map(|_| ())
            }
            Progress::Freed => {
                self.doing = Doing::Nothing;
                Ok(())
            }
            Progress::Output(printed) => {
                self.output(&printed);
                Ok(())
            }
            Progress::Ended(ended) => self.call_ended(ended).await,
            Progress::AllEnded => {
                self.doing = Doing::Nothing;
                Ok(())
            }
            Progress::Died(task) => self.call_died(task).await,
        }
    }

    /// The next attempt of the open iteration.
    async fn retry(&mut self) -> Result<Step, StoreError> {
        self.follow_settings().await?;
        let (_, since_human) = self.session.iteration();
        let is_last = since_human >= self.session.limits().max_iterations;
        let choice =
            if is_last { assent_protocol::view::ToolChoice::None } else { assent_protocol::view::ToolChoice::Auto };
        self.call_model(choice).await
    }

    /// A result without a run.
    pub(super) async fn close(
        &mut self,
        call: assent_protocol::ids::CallId,
        cause: assent_protocol::tool::Cause,
        words: String,
    ) -> Result<Step, StoreError> {
        let result = self.result_of_closing(call, cause, words, Brief::Done);
        self.append(vec![Payload::ToolResult(result)], Durability::Full).await?;
        Ok(Step::Again)
    }
}

/// A line as a title.
pub(super) fn title_of(line: &str) -> String {
    shortened(line, TITLE)
}

/// At most so many characters of a line, and a sign where there are more.
pub(super) fn shortened(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn set_context(payloads: &mut [Payload], words: Arc<str>) {
    let last = payloads.iter_mut().rev().find_map(|payload| match payload {
        Payload::UserMessage { context, delivery, .. } if *delivery != Delivery::Inject => Some(context),
        _ => None,
    });
    if let Some(context) = last {
        // The snapshot comes first: by that it is found again.
        *context = Some(context.as_ref().map_or(Arc::clone(&words), |behind| format!("{words}\n\n{behind}").into()));
    }
}
