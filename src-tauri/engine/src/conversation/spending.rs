//! What an answer used and cost, and what its count teaches of the model's tokens.
//! It adds nothing up: sums are made from the log.

use assent_protocol::event::{Payload, Purpose};
use assent_protocol::ids::RequestId;
use assent_protocol::settings::ModelChoice;
use assent_protocol::view::Usage;
use assent_session::{cost, learn};

use super::Conversation;
use super::doing::Answering;

/// A count above this is no count of one request's tokens: the largest windows hold some ten million.
const ABSURD: u64 = 1_000_000_000;

impl Conversation {
    /// What this conversation's own requests are for.
    pub(super) fn purpose(&self) -> Purpose {
        if self.session.parent().is_some() { Purpose::Agent } else { Purpose::Chat }
    }

    /// The event that tells what a request used. Its cost is that of the model that was asked, at the price it had then. A
    /// count far off the estimate is recorded, and the model's coefficient stays as it was; so it does with a weight of 0,
    /// for what isn't the conversation's own.
    pub(super) fn usage(
        &self,
        request: RequestId,
        purpose: Purpose,
        asked: &ModelChoice,
        usage: Usage,
        weight: f64,
    ) -> Payload {
        let usage = sound(usage);
        let cost_micros = asked.price.as_ref().and_then(|price| cost(&usage, price));
        let told = usage.input.map(|input| input + usage.cache_read.unwrap_or(0) + usage.cache_write.unwrap_or(0));
        let learned = told.map_or(asked.coefficient, |told| learn(asked.coefficient, weight, told));
        if (learned - asked.coefficient).abs() > f64::EPSILON {
            // Not awaited: a lost coefficient is learned again with the next answer.
            drop(self.shared.store.set_coefficient(&asked.model, learned));
        }
        let coefficient = match self.session.choice() {
            // Another model took its place meanwhile: this count says nothing of that one.
            Some(choice) if choice.model != asked.model => choice.coefficient,
            _ => learned,
        };
        Payload::UsageRecorded { request, purpose, usage, cost_micros, coefficient }
    }

    /// What was counted of an answer that broke off or was stopped. How much of it was written nobody said, so neither its
    /// output nor its cost is known.
    pub(super) fn unfinished_usage(&self, answering: &Answering) -> Option<Payload> {
        let usage = Usage { output: None, reasoning: None, ..answering.told? };
        Some(self.usage(answering.request.clone(), self.purpose(), &answering.choice, usage, answering.weight))
    }
}

/// The counts without those that can't be any.
fn sound(usage: Usage) -> Usage {
    let sound = |count: Option<u64>| count.filter(|count| *count <= ABSURD);
    Usage {
        input: sound(usage.input),
        output: sound(usage.output),
        cache_read: sound(usage.cache_read),
        cache_write: sound(usage.cache_write),
        reasoning: sound(usage.reasoning),
    }
}
