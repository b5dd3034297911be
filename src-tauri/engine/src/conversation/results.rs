//! Results: how an ended call is written down, and what the model gets of it.
//! Every proposed call gets exactly one.

use assent_protocol::event::{Payload, ToolResult};
use assent_protocol::ids::CallId;
use assent_protocol::tool::{Brief, Cause, FileEffect, Outcome};
use assent_session::{approved_with, budget_note, shorten};
use assent_store::{Content, Durability, StoreError};

use super::Conversation;
use super::doing::{Doing, Ended};
use crate::memory;
use crate::prompt::FolderRules;

impl Conversation {
    /// The result of a call that did not run.
    pub(super) fn result_of_closing(&self, call: CallId, cause: Cause, words: String, brief: Brief) -> ToolResult {
        let reads = self.session.call(&call).is_some_and(|call| call.reads);
        let outcome = match cause {
            Cause::Stop => Outcome::Stopped,
            // A read that can't be done (no such file) has failed; nobody refused it anything.
            Cause::Refused if reads => Outcome::Error,
            Cause::UnknownTool | Cause::BadArguments | Cause::Interrupted | Cause::Timeout => Outcome::Error,
            Cause::User | Cause::Rule | Cause::Mode | Cause::Refused | Cause::Repeated | Cause::Budget => {
                Outcome::Rejected
            }
        };
        let note = self.note_for(&call, &words);
        ToolResult {
            call,
            outcome,
            cause: Some(cause),
            shown: words.into(),
            output: None,
            brief,
            duration_ms: 0,
            effects: Vec::new(),
            seen: Vec::new(),
            note,
            rules: Vec::new(),
            recovered: false,
        }
    }

    /// What the last call of a message tells the model beside its result: how many model calls are left, and that space is
    /// short. `shown` is its result.
    pub(super) fn note_for(&self, call: &CallId, shown: &str) -> Option<String> {
        if self.session.calls().last().is_none_or(|last| last.call != *call) {
            return None;
        }
        let (_, since_human) = self.session.iteration();
        let budget = budget_note(since_human, self.session.limits().max_iterations);
        let notes: Vec<String> = budget.into_iter().chain(self.session.pressure_note(shown)).collect();
        Some(notes.join("\n")).filter(|notes| !notes.is_empty())
    }

    /// The result of a call that ran, with the content to be stored.
    pub(super) fn result_of(&self, ended: Ended) -> (ToolResult, Vec<Content>) {
        let Ended { call, mut output, spool, duration_ms, rules } = ended;
        let shown = output.shown(shorten);
        let content = (shown.as_bytes() != output.full.as_slice()).then(|| match spool {
            Some(spool) if output.spooled => spool.into_content(output.full),
            _ => Content::of(output.full),
        });
        let approved = self.session.call(&call).and_then(|call| approved_with(call.note.as_deref()));
        let rules_notes = rules.iter().map(FolderRules::note);
        let notes: Vec<String> = approved.into_iter().chain(rules_notes).chain(self.note_for(&call, &shown)).collect();
        let result = ToolResult {
            call,
            outcome: output.outcome,
            cause: output.cause,
            shown: shown.into(),
            output: content.as_ref().map(Content::stored),
            brief: output.brief,
            duration_ms,
            effects: output.effects,
            seen: output.seen,
            note: Some(notes.join("\n\n")).filter(|note| !note.is_empty()),
            rules: rules.into_iter().filter(|rules| rules.text.is_some()).map(|rules| rules.file).collect(),
            recovered: false,
        };
        (result, content.into_iter().collect())
    }

    /// A call ended: its result is written at once, in whatever order the calls end.
    pub(super) async fn call_ended(&mut self, ended: Ended) -> Result<(), StoreError> {
        self.live.ended(&ended.call);
        if let Doing::Running(running) = &mut self.doing {
            running.calls.retain(|(_, call)| *call != ended.call);
        }
        let (result, contents) = self.result_of(ended);
        let durability = if result.effects.is_empty() { Durability::Light } else { Durability::Full };
        let kept = ToolResult { output: None, ..result.clone() };
        let ends = self.session.ends_iteration(&result.call);
        if let Err(error) = self.write_result(result, contents, durability, ends).await {
            self.unwritten.push(kept);
            return Err(error);
        }
        #[cfg(debug_assertions)]
        assent_tools::pause::at("after-result");
        Ok(())
    }

    /// Writes down what came of a call. What it left in the project's memory counts from before that on: a kill in between
    /// finds the effect again, and with it this. With `ends` the iteration ends with it, in the same append.
    pub(super) async fn write_result(
        &mut self,
        result: ToolResult,
        contents: Vec<Content>,
        durability: Durability,
        ends: bool,
    ) -> Result<(), StoreError> {
        self.remember_change(&result.effects).await?;
        let agent = self.agent_ended(&result.call)?;
        let end = if ends { self.open_iteration_end() } else { Vec::new() };
        let payloads = agent.into_iter().chain([Payload::ToolResult(result)]).chain(end).collect();
        self.append_with(payloads, durability, contents).await
    }

    /// Has a call's change of the project's memory count.
    pub(super) async fn remember_change(&self, effects: &[FileEffect]) -> Result<(), StoreError> {
        match self.workspace() {
            Ok(workspace) => memory::trust_changed(&self.shared, &workspace, effects).await,
            Err(_) => Ok(()),
        }
    }

    /// A call's task died without a word: its outcome is unknown if it was a change, failed if it was a read.
    pub(super) async fn call_died(&mut self, task: tokio::task::Id) -> Result<(), StoreError> {
        let Doing::Running(running) = &mut self.doing else { return Ok(()) };
        let Some(place) = running.calls.iter().position(|(of, _)| *of == task) else { return Ok(()) };
        let (_, call) = running.calls.swap_remove(place);
        self.live.ended(&call);
        let reads = self.session.call(&call).is_none_or(|call| call.reads);
        let agent = self.agent_ended(&call)?;
        let words = "The tool failed in the middle of its work.";
        let mut result = self.result_of_closing(call, Cause::Interrupted, words.to_owned(), Brief::Done);
        if !reads {
            result.outcome = Outcome::Unknown;
            result.shown = format!("{words} Whether it had its effect is unknown: look before you repeat it.").into();
        }
        let payloads = agent.into_iter().chain([Payload::ToolResult(result)]).collect();
        self.append(payloads, Durability::Full).await
    }
}
