//! The open turn: its counters and what happened to its last request.
//! It ends with the turn; nothing here outlives it.

use std::collections::{HashMap, HashSet};

use assent_protocol::event::EndReason;
use assent_protocol::ids::{RequestId, Sha};
use assent_protocol::view::{FailureKind, FinishReason, ToolChoice};

/// How often a refused repetition, or a rejection in a row, is borne (spec 2.2: three).
pub const PATIENCE: u32 = 3;

/// How often an empty answer is asked for again before the turn ends.
pub const EMPTY_ANSWERS: u32 = 2;

/// The open turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn {
    /// A person asked for its end.
    pub stopping: bool,
    /// Iterations begun in this turn.
    pub iterations: u32,
    /// The iteration that is open.
    pub iteration: Option<Iteration>,
    /// How the last closed iteration's message ended; none: no answer yet.
    pub last: Option<Answered>,
    /// Rejections in a row.
    pub rejections: u32,
    /// Calls that were refused as repetitions.
    pub repetitions: u32,
    /// Empty answers in a row.
    pub empty: u32,
    /// "Context too long" answers in a row.
    pub too_long: u32,
    /// Known cost of its requests, in millionths of a US dollar.
    pub spent_micros: u64,
    /// Changes so far: a repetition only counts between two of them.
    pub changes: u32,
    /// For each call digest, the results it had since the last change.
    pub results: HashMap<Sha, (u32, Vec<Sha>)>,
    /// Calls that a person rejected in this turn.
    pub rejected: HashSet<Sha>,
    /// An error that ends the turn.
    pub failed: Option<(EndReason, String)>,
    /// Whether the conversation was summarised since the last answer.
    pub compacted: bool,
    /// How many of the fallbacks have taken over in this turn.
    pub fallen: usize,
}

/// The open iteration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Iteration {
    /// The request that is on its way.
    pub request: Option<InFlight>,
    /// Attempts so far.
    pub attempts: u32,
    /// A failed attempt's wait, in milliseconds.
    pub retry_in_ms: Option<u64>,
    /// Whether the answer has come.
    pub answered: bool,
    /// The present model failed in this way, and another may have its chance.
    pub failed_over: Option<FailureKind>,
}

/// A request without its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct InFlight {
    /// Its id.
    pub request: RequestId,
    /// Whether tools could be called.
    pub tool_choice: ToolChoice,
    /// Text that arrived so far, from the chunks.
    pub text: String,
}

/// What an answer was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answered {
    /// Why it ended; none: cut off by a person.
    pub finish: Option<FinishReason>,
    /// Whether tools could be called.
    pub tool_choice: ToolChoice,
    /// Whether it had calls.
    pub calls: bool,
    /// Whether it had any text.
    pub text: bool,
}

impl Answered {
    /// Whether the provider's filter or a refusal ended it: then what it asks for may be cut anywhere.
    pub fn was_broken_off(&self) -> bool {
        matches!(self.finish, Some(FinishReason::ContentFilter | FinishReason::Refusal))
    }
}

impl Turn {
    /// Whether a call was run twice with one result and nothing changed in between.
    pub fn is_circling(&self, digest: &Sha) -> bool {
        self.results.get(digest).is_some_and(|(changes, results)| {
            *changes == self.changes && results.len() >= 2 && results.iter().all(|result| *result == results[0])
        })
    }

    /// Something may have changed: whatever any call had as its result before counts no longer.
    pub fn note_change(&mut self) {
        self.changes += 1;
    }

    /// A call ran whose effects nobody can list, such as a command. What others had as their results counts no longer;
    /// its own results stay, or it could run in circles for ever.
    pub fn note_change_by(&mut self, digest: Option<Sha>) {
        let before = self.changes;
        self.note_change();
        if let Some(own) = digest.and_then(|digest| self.results.get_mut(&digest))
            && own.0 == before
        {
            own.0 = self.changes;
        }
    }

    /// Notes a result for [`Turn::is_circling`].
    pub fn note_result(&mut self, digest: Sha, result: Sha) {
        let entry = self.results.entry(digest).or_default();
        if entry.0 != self.changes {
            *entry = (self.changes, Vec::new());
        }
        if entry.1.last().is_some_and(|last| *last != result) {
            entry.1.clear();
        }
        entry.1.push(result);
    }

    /// How often the budget is halved after this many "too long" answers: a summary took the place of the first time.
    pub fn halvings(&self, too_long: u32) -> u32 {
        if self.compacted && too_long > 1 { too_long - 1 } else { too_long }
    }

    /// The failure kind after which the window is made smaller instead of giving up.
    pub fn note_failure(&mut self, failure: FailureKind) {
        if failure == FailureKind::ContextTooLong {
            self.too_long += 1;
        }
    }
}
