//! The one question: what comes next? Answered from the fold alone.
//! It does nothing itself; the engine does what is answered, appends, and asks again.

use assent_protocol::event::{CompactionFailure, Delivery, EndReason, MoneyUsedUp};
use assent_protocol::ids::{CallId, ItemId};
use assent_protocol::permission::Verdict;
use assent_protocol::settings::ModelChoice;
use assent_protocol::tool::Cause;
use assent_protocol::view::{FailureKind, FinishReason, ToolChoice, ViewMessage};
use assent_protocol::words::dollars;

use crate::call::{Call, CallState};
use crate::compaction::Plan;
use crate::fold::Session;
use crate::result_words::did_not_run;
use crate::turn::{Answered, EMPTY_ANSWERS, PATIENCE, Turn};
use crate::window::{self, WindowMove};

/// What comes next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Nothing: no turn is open and the inbox is empty.
    Idle,
    /// A person's answer is awaited.
    Wait,
    /// Turn these inbox items into messages.
    Take(Vec<ItemId>),
    /// Judge these calls, in order.
    Assess(Vec<CallId>),
    /// Draw the cards of these calls.
    Ask(Vec<CallId>),
    /// Run these: several reads, or one change.
    Run(Vec<CallId>),
    /// Write this call's result without running it.
    Close {
        /// Which.
        call: CallId,
        /// Why.
        cause: Cause,
        /// For the model.
        words: String,
    },
    /// The iteration's calls are all closed.
    EndIteration,
    /// The view has to shrink first.
    MoveWindow(WindowMove),
    /// The span has become long: it is to be summarised.
    Compact(Plan),
    /// Ask a model for the next part of the summary.
    Summarise,
    /// The summary is there.
    EndCompaction,
    /// There will be no summary.
    FailCompaction {
        /// Why.
        cause: CompactionFailure,
        /// For people.
        message: String,
    },
    /// Ask the model.
    CallModel(ToolChoice),
    /// Wait, then ask again.
    Retry {
        /// How long, in milliseconds.
        after_ms: u64,
    },
    /// The present model failed: this one takes over.
    Switch {
        /// How the present one failed.
        failure: FailureKind,
        /// The next of the fallbacks.
        choice: Box<ModelChoice>,
    },
    /// The turn is over.
    End {
        /// Why.
        reason: EndReason,
        /// For people.
        message: Option<String>,
        /// Set where its money was used up.
        money: Option<MoneyUsedUp>,
    },
}

impl Session {
    /// Answers the question. While a request is on its way or a call runs, the engine doesn't ask.
    pub fn next(&self) -> Next {
        if let Some(compacting) = &self.compacting {
            return compacting.next();
        }
        let Some(turn) = &self.turn else {
            return self.take_for_turn();
        };
        if turn.stopping {
            return self.next_of_stop();
        }
        if let Some(next) = self.next_of_calls() {
            return next;
        }
        match &turn.iteration {
            Some(iteration) if iteration.answered => Next::EndIteration,
            Some(iteration) => match (iteration.retry_in_ms, &turn.failed) {
                (Some(after_ms), _) => Next::Retry { after_ms },
                (None, Some((reason, message))) => match (iteration.failed_over, self.next_fallback()) {
                    (Some(failure), Some(choice)) => Next::Switch { failure, choice: Box::new(choice.clone()) },
                    _ => end(*reason, Some(message.clone())),
                },
                (None, None) => self.call_model(turn),
            },
            None => self.next_of_turn(turn),
        }
    }

    fn next_of_stop(&self) -> Next {
        match self.calls.iter().find(|call| !call.is_done()) {
            Some(call) => close(call, Cause::Stop),
            None => end(EndReason::Stopped, None),
        }
    }

    /// What the calls of the present message need, or nothing when all are closed.
    fn next_of_calls(&self) -> Option<Next> {
        let open: Vec<&Call> = self.calls.iter().filter(|call| !call.is_done()).collect();
        if open.is_empty() {
            return None;
        }
        if let Some(next) = self.close_unfit(&open) {
            return Some(next);
        }
        let assess = self.to_assess();
        if !assess.is_empty() {
            return Some(Next::Assess(assess));
        }
        let ask: Vec<CallId> = open
            .iter()
            .filter(|call| matches!(call.state, CallState::Pending { card: None }))
            .map(|call| call.call.clone())
            .collect();
        if !ask.is_empty() {
            return Some(Next::Ask(ask));
        }
        let run = self.to_run();
        if run.is_empty() { Some(Next::Wait) } else { Some(Next::Run(run)) }
    }

    /// Calls that can't run whatever they are: refused ones, those of an answer that was cut off, and those that came
    /// although tools were off.
    fn close_unfit(&self, open: &[&Call]) -> Option<Next> {
        let last = self.turn.as_ref().and_then(|turn| turn.last);
        for call in open {
            if let CallState::Refused = call.state {
                return Some(self.close_refused(call));
            }
            if call.state != CallState::Proposed {
                continue;
            }
            match last {
                Some(Answered { tool_choice: ToolChoice::None, .. }) => return Some(close(call, Cause::Budget)),
                Some(Answered { finish: Some(FinishReason::Length), .. }) => {
                    return Some(close(call, Cause::BadArguments));
                }
                Some(answered) if answered.was_broken_off() => {
                    let words = "It did not run: the provider ended the answer before it was complete.".to_owned();
                    return Some(Next::Close { call: call.call.clone(), cause: Cause::BadArguments, words });
                }
                _ => {}
            }
        }
        None
    }

    fn close_refused(&self, call: &Call) -> Next {
        match call.judged.as_ref().map(|judged| (&judged.verdict, judged.cause)) {
            Some((Verdict::Refuse { why, .. }, cause)) => {
                Next::Close { call: call.call.clone(), cause: cause.unwrap_or(Cause::Refused), words: why.clone() }
            }
            _ => close(call, Cause::User),
        }
    }

    /// Calls to be judged now: never a change before the reads ahead of it have ended, unless those reads themselves
    /// wait for an earlier change.
    fn to_assess(&self) -> Vec<CallId> {
        let mut assess = Vec::new();
        let mut read_ahead = false;
        let mut change_ahead = false;
        for call in &self.calls {
            let is_free = call.reads || !read_ahead;
            if call.state == CallState::Proposed && is_free {
                assess.push(call.call.clone());
            }
            if call.is_done() {
                continue;
            }
            if !call.reads {
                change_ahead = true;
            } else if !change_ahead && !call.is_pending() {
                read_ahead = true;
            }
        }
        assess
    }

    /// Neighbouring reads together, or one change, when everything ahead allows it.
    fn to_run(&self) -> Vec<CallId> {
        let mut batch = Vec::new();
        for call in &self.calls {
            match (&call.state, call.reads) {
                (CallState::Done { .. }, _) => {}
                (CallState::Cleared { .. }, true) => batch.push(call.call.clone()),
                (_, true) => {}
                (CallState::Cleared { .. }, false) if batch.is_empty() && self.is_first_open(call) => {
                    return vec![call.call.clone()];
                }
                (_, false) => break,
            }
        }
        batch
    }

    fn is_first_open(&self, call: &Call) -> bool {
        self.calls.iter().find(|known| !known.is_done()).is_some_and(|first| first.call == call.call)
    }

    /// Between two iterations.
    fn next_of_turn(&self, turn: &Turn) -> Next {
        if turn.rejections >= PATIENCE {
            return end(EndReason::Blocked, Some("three rejections in a row".to_owned()));
        }
        if turn.repetitions >= PATIENCE {
            return end(EndReason::Blocked, Some("the same call was refused three times as a repetition".to_owned()));
        }
        if let Some(next) = self.take(|delivery| delivery == Delivery::NextStep) {
            return next;
        }
        match turn.last {
            None => self.call_model(turn),
            Some(_) if self.since_human == 0 => self.call_model(turn),
            Some(last) if last.finish.is_none() => end(EndReason::Stopped, None),
            Some(last) if last.tool_choice == ToolChoice::None => end(EndReason::MaxIterations, None),
            Some(last) if last.calls && !last.was_broken_off() => {
                // Context that came meanwhile goes with a call that is made anyway; by itself it wakes nothing.
                let context = self.take(|delivery| delivery == Delivery::Inject);
                context.unwrap_or_else(|| self.call_model(turn))
            }
            Some(last) => self.end_of_answer(turn, last),
        }
    }

    fn end_of_answer(&self, turn: &Turn, last: Answered) -> Next {
        match last.finish {
            Some(FinishReason::Length) => end(EndReason::MaxTokens, None),
            Some(FinishReason::ContentFilter) => {
                end(EndReason::Error, Some("the provider's content filter ended the answer".to_owned()))
            }
            Some(FinishReason::Refusal) => end(EndReason::Error, Some(self.words_of_refusal())),
            _ if !last.text && turn.empty < EMPTY_ANSWERS => self.call_model(turn),
            _ if !last.text => end(EndReason::Error, Some("the model gave an empty answer twice".to_owned())),
            _ => end(EndReason::Completed, None),
        }
    }

    /// A refusal in the model's own words, where it gave any.
    fn words_of_refusal(&self) -> String {
        let last = self.history().entries().last().map(|entry| entry.message.as_ref());
        match last {
            Some(ViewMessage::Assistant { text, .. }) if !text.trim().is_empty() => {
                format!("the model refused to answer: {}", text.trim())
            }
            _ => "the model refused to answer".to_owned(),
        }
    }

    fn call_model(&self, turn: &Turn) -> Next {
        if let Some(next) = self.money_used_up(turn) {
            return next;
        }
        let is_shrunk = self.last_request().is_none_or(|sent| self.estimate() < sent.estimate);
        let too_long = if is_shrunk { 0 } else { turn.too_long };
        if let Some(next) = self.needs_room(turn, too_long) {
            return next;
        }
        if let Some(move_) = window::needed(self, turn.halvings(too_long)) {
            return Next::MoveWindow(move_);
        }
        if too_long > 0 {
            let message = "the conversation is too long for the model, and nothing more of it can be left out";
            return end(EndReason::Error, Some(message.to_owned()));
        }
        let begun = turn.iteration.is_some();
        let number = if begun { self.since_human } else { self.since_human + 1 };
        Next::CallModel(if number >= self.limits().max_iterations { ToolChoice::None } else { ToolChoice::Auto })
    }

    /// The end of a turn whose known cost has reached its limit. It counts from the turn's start, whatever a person decides
    /// or says meanwhile; Continue is a new turn, with the same amount again.
    fn money_used_up(&self, turn: &Turn) -> Option<Next> {
        let limit_micros = self.limits().money_micros?;
        let spent_micros = turn.spent_micros;
        if spent_micros == 0 || spent_micros < limit_micros {
            return None;
        }
        let message =
            format!("spent {} of the {} that this turn may cost", dollars(spent_micros), dollars(limit_micros));
        let money = Some(MoneyUsedUp { spent_micros, limit_micros });
        Some(Next::End { reason: EndReason::Blocked, message: Some(message), money })
    }

    /// Between two turns: the first message that wakes, with the context that was injected before it. One message, one
    /// turn.
    fn take_for_turn(&self) -> Next {
        let wakes = |queued: &crate::fold::Queued| queued.delivery != Delivery::Inject;
        match self.queue().iter().position(wakes) {
            Some(first) => Next::Take(self.queue().iter().take(first + 1).map(|queued| queued.item.clone()).collect()),
            None => Next::Idle,
        }
    }

    fn take(&self, fits: impl Fn(Delivery) -> bool) -> Option<Next> {
        if !self.queue().iter().any(|queued| fits(queued.delivery)) {
            return None;
        }
        let steers = |delivery| fits(delivery) || delivery == Delivery::Inject;
        let fitting = self.queue().iter().filter(|queued| steers(queued.delivery));
        Some(Next::Take(fitting.map(|queued| queued.item.clone()).collect()))
    }
}

fn close(call: &Call, cause: Cause) -> Next {
    Next::Close { call: call.call.clone(), cause, words: did_not_run(cause, &call.name) }
}

fn end(reason: EndReason, message: Option<String>) -> Next {
    Next::End { reason, message, money: None }
}
