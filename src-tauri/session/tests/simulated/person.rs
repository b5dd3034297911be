//! The made-up person, and the kill of the program: decisions, stops, messages, flips.
//! What follows from them is left to the loop.

use assent_protocol::event::{
    CompactionCause, CompactionFailure, Delivery, EndReason, Mark, Payload, QueueEdit, TurnCause,
};
use assent_protocol::permission::{Answer, Decider, Mode, Scope};
use assent_protocol::tool::{Cause, Outcome};
use assent_session::{CUT_BY_CRASH, CallState, Next, Unsettled, settle};

use super::world::World;

impl World {
    /// A person does something nobody waited for; false: there was nothing to do.
    pub fn interfere(&mut self) -> bool {
        let is_generating = self.session.is_generating();
        match self.pick(10) {
            8 if !is_generating && self.session.compacting().is_none() => {
                let Some(plan) = self.session.plan_compaction(CompactionCause::Person) else { return false };
                self.begin_compaction(plan);
            }
            0 if is_generating && !self.session.is_stopping() => self.push(Payload::TurnStop {}),
            1 if is_generating => self.queue("then this", Delivery::NextTurn),
            2 if is_generating => self.queue("in French", Delivery::NextStep),
            3 => self.queue("it rains", Delivery::Inject),
            4 => {
                let mode = [Mode::Ask, Mode::Auto, Mode::Plan][usize::from(self.pick(3))];
                self.set_mode(mode);
            }
            5 => {
                let Some(item) = self.session.queue().front().map(|queued| queued.item.clone()) else { return false };
                let before = self.session.queue().back().map(|queued| queued.item.clone());
                let edit = match self.pick(5) {
                    0 => QueueEdit::Withdrawn,
                    1 => QueueEdit::Changed { text: "x".to_owned() },
                    2 => QueueEdit::Moved { before: before.filter(|before| *before != item) },
                    3 => QueueEdit::Moved { before: None },
                    _ => QueueEdit::Delivery { delivery: Delivery::NextStep },
                };
                self.push(Payload::QueueEdited { item, edit });
            }
            6 => self.crash(),
            7 => {
                let unknown = self.events.iter().find_map(|event| match &event.payload {
                    Payload::ToolResult(result) if self.session.is_unresolved(&result.call) => {
                        Some(result.call.clone())
                    }
                    _ => None,
                });
                let Some(call) = unknown else { return false };
                self.push(Payload::ToolResolved { call, mark: Mark::Done });
            }
            _ => return false,
        }
        true
    }

    /// Begins a turn, or goes on after an ended one.
    pub fn new_turn(&mut self) {
        let can_continue = self.session.ended().is_some_and(|ended| ended != EndReason::Completed);
        if can_continue && self.pick(2) == 0 {
            self.since_human = 0;
            return self.push(Payload::TurnStart { cause: TurnCause::Continue });
        }
        self.send("next");
    }

    /// Decides one of the cards that are shown.
    pub fn answer_a_card(&mut self) {
        let shown: Vec<_> = self
            .session
            .calls()
            .iter()
            .filter_map(|call| match call.state {
                CallState::Pending { card: Some(card) } => Some((call.call.clone(), card)),
                _ => None,
            })
            .collect();
        assert!(!shown.is_empty(), "the loop waits, and nothing is shown: {:?}", self.session.calls());
        let (call, card) = shown[usize::from(self.pick(u8::try_from(shown.len()).unwrap_or(1)))].clone();
        let answer = if self.pick(3) == 0 { Answer::Rejected } else { Answer::Approved };
        self.since_human = 0;
        self.push(Payload::ApprovalDecided { call, card, answer, by: Decider::User, scope: Scope::Once, note: None });
    }

    /// The program is killed and started again: what was under way is settled, and nothing is done beyond that.
    pub fn crash(&mut self) {
        for unsettled in settle(&self.session) {
            match unsettled {
                Unsettled::Stream { request, text } => {
                    let message = "the program ended".to_owned();
                    self.push(Payload::AssistantDiscarded { request, failure: CUT_BY_CRASH, message, text });
                }
                Unsettled::Compaction(compaction) => {
                    let (cause, message) = (CompactionFailure::Interrupted, "the program ended".to_owned());
                    self.push(Payload::CompactionFailed { compaction, cause, message });
                }
                Unsettled::Aside(request) => panic!("{request} was asked by nobody"),
                Unsettled::Read(call) => self.close(call, Cause::Interrupted, "interrupted"),
                Unsettled::Effect { call, .. } => {
                    self.result(call, Outcome::Unknown, Some(Cause::Interrupted), "who knows", Vec::new());
                }
                Unsettled::Approved(call) | Unsettled::Pending(call) => self.draw(&call),
            }
        }
        let (requests, begun) = (self.sent.len(), self.begun.len());
        loop {
            match self.session.next_of_start() {
                Next::Idle | Next::Wait => break,
                Next::Run(calls) => {
                    let reads = |call| self.session.call(call).is_some_and(|call| call.reads);
                    assert!(calls.iter().all(reads), "a start changes nothing by itself");
                    // Their results come as from any run.
                    for call in calls {
                        let boot = assent_protocol::ids::BootId::new("b");
                        let started = Payload::ToolStarted {
                            call: call.clone(),
                            attempt: 1,
                            boot,
                            intent: None,
                            before: Vec::new(),
                        };
                        self.push(started);
                        self.result(call, Outcome::Ok, None, "read at the start", Vec::new());
                    }
                }
                next @ (Next::CallModel(_)
                | Next::Retry { .. }
                | Next::Switch { .. }
                | Next::MoveWindow(_)
                | Next::Compact(_)
                | Next::Summarise
                | Next::EndCompaction
                | Next::Take(_)) => {
                    panic!("a start is no human act: {next:?}");
                }
                other => self.carry_out(other),
            }
        }
        assert_eq!((requests, begun), (self.sent.len(), self.begun.len()), "a start did something by itself");
    }
}
