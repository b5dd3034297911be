//! Results: how an ended call is written down, and what the model gets of it.
//! Every proposed call gets exactly one.

use assent_protocol::event::{Payload, ToolResult};
use assent_protocol::ids::CallId;
use assent_protocol::tool::{Brief, Cause, Outcome};
use assent_session::{budget_note, shorten};
use assent_store::{Content, Durability, StoreError};
use assent_tools::ToolOutput;

use super::Conversation;
use super::doing::{Doing, Ended};

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
        let note = self.note_for(&call);
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
            recovered: false,
        }
    }

    /// The budget note, when this is the last call of its message.
    pub(super) fn note_for(&self, call: &CallId) -> Option<String> {
        if self.session.calls().last().is_none_or(|last| last.call != *call) {
            return None;
        }
        let (_, since_human) = self.session.iteration();
        budget_note(since_human, self.session.limits().max_iterations)
    }

    /// The result of a call that ran, with the content to be stored.
    pub(super) fn result_of(&self, call: CallId, output: ToolOutput, duration_ms: u64) -> (ToolResult, Vec<Content>) {
        let shown = match &output.shown {
            Some(text) => shorten(text),
            None => shorten(&String::from_utf8_lossy(&output.full)),
        };
        let content = (shown.as_bytes() != output.full.as_slice()).then(|| Content::of(output.full));
        let note = self.note_for(&call);
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
            note,
            recovered: false,
        };
        (result, content.into_iter().collect())
    }

    /// A call ended: its result is written at once, in whatever order the calls end.
    pub(super) async fn call_ended(&mut self, ended: Ended) -> Result<(), StoreError> {
        self.live.ended(&ended.call);
        if let Doing::Running(running) = &mut self.doing {
            running.calls.retain(|call| *call != ended.call);
        }
        let (result, contents) = self.result_of(ended.call, ended.output, ended.duration_ms);
        let durability = if result.effects.is_empty() { Durability::Light } else { Durability::Full };
        self.append_with(vec![Payload::ToolResult(result)], durability, contents).await?;
        #[cfg(debug_assertions)]
        assent_tools::pause::at("after-result");
        Ok(())
    }

    /// A call's task died without a word: its outcome is unknown if it was a change, failed if it was a read.
    pub(super) async fn call_died(&mut self) -> Result<(), StoreError> {
        let Doing::Running(running) = std::mem::replace(&mut self.doing, Doing::Nothing) else { return Ok(()) };
        let mut payloads = Vec::new();
        for call in running.calls {
            let reads = self.session.call(&call).is_none_or(|call| call.reads);
            let words = "The tool failed in the middle of its work.";
            let mut result = self.result_of_closing(call, Cause::Interrupted, words.to_owned(), Brief::Done);
            if !reads {
                result.outcome = Outcome::Unknown;
                result.shown =
                    format!("{words} Whether it had its effect is unknown: look before you repeat it.").into();
            }
            payloads.push(Payload::ToolResult(result));
        }
        self.append(payloads, Durability::Full).await
    }
}
