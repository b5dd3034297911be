//! What a start makes of a turn that a crash or restart left open.
//! A restart is no human act: no model call and no side effect follows from it by itself.

use assent_protocol::event::{AssistantMessage, EndReason, Payload};
use assent_protocol::ids::{CallId, CompactionId, RequestId};
use assent_protocol::tool::{Cause, FileState, Intent};
use assent_protocol::view::FailureKind;

use crate::call::CallState;
use crate::fold::Session;
use crate::next::Next;
use crate::result_words::did_not_run;

/// What a crash left open, one thing at a time.
#[derive(Debug, Clone, PartialEq)]
pub enum Unsettled {
    /// A stream was open: keep what arrived as evidence.
    Stream {
        /// Its request.
        request: RequestId,
        /// The text that had arrived.
        text: String,
    },
    /// A summary was being made: there is none.
    Compaction(CompactionId),
    /// Something was asked on the side.
    Aside(RequestId),
    /// A read was running: close it as interrupted.
    Read(CallId),
    /// A side effect was running: look at the files for evidence.
    Effect {
        /// The call.
        call: CallId,
        /// What it was about to do.
        intent: Intent,
        /// The files before.
        before: Vec<FileState>,
    },
    /// It was approved and not claimed: back to the person.
    Approved(CallId),
    /// It lies before a person: draw the card anew.
    Pending(CallId),
}

/// Everything that a crash left open in this conversation.
pub fn settle(session: &Session) -> Vec<Unsettled> {
    let mut unsettled = Vec::new();
    if let Some(compacting) = session.compacting() {
        unsettled.push(Unsettled::Compaction(compacting.compaction.clone()));
    }
    unsettled.extend(session.asides().map(|request| Unsettled::Aside(request.clone())));
    if let Some(request) = session.in_flight() {
        unsettled.push(Unsettled::Stream { request: request.request.clone(), text: request.text.clone() });
    }
    for call in session.calls() {
        let id = call.call.clone();
        match &call.state {
            CallState::Executing { intent: None, .. } => unsettled.push(Unsettled::Read(id)),
            CallState::Executing { intent: Some(intent), before } => {
                unsettled.push(Unsettled::Effect { call: id, intent: intent.clone(), before: before.clone() });
            }
            CallState::Cleared { card: Some(_), .. } => unsettled.push(Unsettled::Approved(id)),
            CallState::Pending { .. } => unsettled.push(Unsettled::Pending(id)),
            CallState::Proposed
            | CallState::Deferred { .. }
            | CallState::Refused
            | CallState::Cleared { card: None, .. }
            // What was asked is still asked.
            | CallState::Asked
            | CallState::Done { .. } => {}
        }
    }
    unsettled
}

impl Session {
    /// What comes next while a start is being settled: as [`Session::next`], but where that would call the model or
    /// change something, the call is closed or the turn ends as interrupted. Reads run: they harm nothing, and what
    /// waits behind them can be asked for.
    pub fn next_of_start(&self) -> Next {
        if self.is_stopping() {
            return self.next();
        }
        match self.next() {
            Next::Run(calls) => {
                match self.calls().iter().find(|call| calls.contains(&call.call) && !call.is_harmless()) {
                    Some(call) => Next::Close {
                        call: call.call.clone(),
                        cause: Cause::Interrupted,
                        words: did_not_run(Cause::Interrupted, &call.name),
                    },
                    None => Next::Run(calls),
                }
            }
            Next::CallModel(_) | Next::Retry { .. } | Next::Switch { .. } | Next::MoveWindow(_) => interrupted(),
            Next::Compact(_) => interrupted(),
            Next::End { reason: EndReason::Error, .. } => interrupted(),
            Next::Take(_) => match self.is_generating() {
                true => interrupted(),
                false => Next::Idle,
            },
            other => other,
        }
    }
}

fn interrupted() -> Next {
    Next::End { reason: EndReason::Interrupted, message: None, money: None }
}

/// The text of a discarded answer as the model's own message, when a person keeps it.
pub fn kept(message: assent_protocol::ids::MessageId, request: RequestId, text: &str) -> Payload {
    Payload::AssistantMessage(AssistantMessage {
        message,
        request,
        text: text.into(),
        reasoning: "".into(),
        calls: Vec::new(),
        finish: None,
        partial: true,
        items: Vec::new(),
    })
}

/// The kind of failure that a stream has which a crash cut off.
pub const CUT_BY_CRASH: FailureKind = FailureKind::Disconnected;
