//! Limits that follow the settings, and the times that one request is given.
//! What a limit means is said by the fold and by the provider.

use std::time::Duration;

use assent_llm::Timeouts;
use assent_protocol::event::{EndReason, Payload};
use assent_protocol::settings::{Limits, ModelChoice, Provider};
use assent_session::Next;
use assent_store::{Durability, StoreError};

use super::Conversation;
use crate::models;

impl Conversation {
    /// Records the limits anew where they follow settings that changed. True: they are others now.
    pub(super) async fn follow_settings(&mut self) -> Result<bool, StoreError> {
        let defaults = self.shared.settings().limits;
        let limits = self.session.limits_by(defaults);
        if limits == self.session.limits() {
            return Ok(false);
        }
        self.append(vec![Payload::LimitsSet { limits, defaults }], Durability::Light).await?;
        Ok(true)
    }

    /// The times for a request to the present model: its provider's own, else the conversation's.
    pub(super) fn timeouts(&self) -> Timeouts {
        match self.session.choice() {
            Some(choice) => self.timeouts_of(choice),
            None => timeouts(self.session.limits(), None),
        }
    }

    /// The times for a request to this model.
    pub(super) fn timeouts_of(&self, choice: &ModelChoice) -> Timeouts {
        timeouts(self.session.limits(), models::configured(choice, &self.shared.settings()))
    }
}

/// Whether limits have a say in what is next, so that they have to be the present ones.
pub(super) fn is_limited(next: &Next) -> bool {
    match next {
        Next::CallModel(_) | Next::Compact(_) => true,
        Next::End { reason, money, .. } => *reason == EndReason::MaxIterations || money.is_some(),
        _ => false,
    }
}

fn timeouts(limits: Limits, provider: Option<&Provider>) -> Timeouts {
    let seconds = |own: Option<u32>, general: u32| Duration::from_secs(own.unwrap_or(general).into());
    Timeouts {
        connect: seconds(None, limits.connect_s),
        first_byte: seconds(provider.and_then(|provider| provider.first_byte_s), limits.first_byte_s),
        idle: seconds(provider.and_then(|provider| provider.idle_s), limits.idle_s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::tests::configured;

    #[test]
    fn a_providers_own_times_win() {
        let limits = Limits { connect_s: 1, first_byte_s: 2, idle_s: 3, ..Limits::default() };
        let seconds =
            |timeouts: Timeouts| [timeouts.connect, timeouts.first_byte, timeouts.idle].map(|time| time.as_secs());
        let provider = configured("https://a.example/v1", None);
        assert_eq!(seconds(timeouts(limits, None)), [1, 2, 3]);
        assert_eq!(seconds(timeouts(limits, Some(&provider))), [1, 2, 3]);
        let patient = Provider { idle_s: Some(900), ..provider.clone() };
        assert_eq!(seconds(timeouts(limits, Some(&patient))), [1, 2, 900]);
        let slow = Provider { first_byte_s: Some(1200), ..provider };
        assert_eq!(seconds(timeouts(limits, Some(&slow))), [1, 1200, 3]);
    }
}
