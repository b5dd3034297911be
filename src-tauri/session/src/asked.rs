//! Which model is asked: the one that a person picked, or a fallback for the rest of a turn.
//! Why one fails is decided elsewhere.

use assent_protocol::event::Payload;
use assent_protocol::settings::ModelChoice;

use crate::attached::Takes;
use crate::fold::Session;
use crate::history::Origin;
use crate::turn::Iteration;

impl Session {
    /// Folds an event that changes who is asked.
    pub(crate) fn model_changed(&mut self, payload: &Payload) {
        match payload {
            Payload::ModelSet { choice, learned } => self.set_model(choice, *learned),
            Payload::FallbacksSet { choices } => self.fallbacks.clone_from(choices),
            Payload::ProviderSwitched { choice, .. } => self.switched(choice),
            _ => {}
        }
    }

    /// The turn ends: the next one begins with the picked model.
    pub(crate) fn back_to_picked(&mut self) {
        let fell_back = self.turn.as_ref().is_some_and(|turn| turn.fallen > 0);
        if let Some(picked) = self.picked.clone().filter(|_| fell_back) {
            self.ask_of(&picked);
        }
    }

    /// What the last answer taught of the model that was asked.
    pub(crate) fn learned(&mut self, coefficient: f64) {
        let Some(choice) = &mut self.choice else { return };
        choice.coefficient = coefficient;
        // A fallback takes its place for a turn only; what was learned before has to be there afterwards.
        let is_picked = self.turn.as_ref().is_none_or(|turn| turn.fallen == 0);
        if let Some(picked) = self.picked.as_mut().filter(|_| is_picked) {
            picked.coefficient = coefficient;
        }
    }

    fn set_model(&mut self, choice: &ModelChoice, learned: bool) {
        let fallback = self.turn.as_ref().and_then(|turn| turn.fallen.checked_sub(1));
        match fallback.filter(|_| learned).and_then(|index| self.fallbacks.get_mut(index)) {
            Some(fallback) => fallback.clone_from(choice),
            None => self.picked = Some(choice.clone()),
        }
        if !learned {
            self.with_turn(|turn| turn.fallen = 0);
        }
        self.ask_of(choice);
    }

    /// The next fallback takes over.
    fn switched(&mut self, choice: &ModelChoice) {
        self.with_turn(|turn| {
            turn.fallen += 1;
            turn.failed = None;
            if let Some(iteration) = &mut turn.iteration {
                *iteration = Iteration::default();
            }
        });
        self.ask_of(choice);
    }

    /// From here on requests go to this model.
    fn ask_of(&mut self, choice: &ModelChoice) {
        self.choice = Some(choice.clone());
        self.history.touch();
        let ModelChoice { base_url, protocol, model, .. } = choice.clone();
        self.history.speak_to(Origin { base_url, protocol, model }, Takes::of(choice));
    }

    /// The model that takes over when the present one fails.
    pub(crate) fn next_fallback(&self) -> Option<&ModelChoice> {
        let fallen = self.turn.as_ref()?.fallen;
        self.fallbacks.get(fallen)
    }
}
