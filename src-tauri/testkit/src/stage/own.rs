//! What a script says of the engine's own tools: what sub-agents are answered, and what a person answers.
//! It is played like everything else of a script.

use super::answer::Answer;
use super::script::{Act, Script, What, act};

impl Script {
    /// What a sub-agent with this task is answered; only inside of the process. Its events begin with the name of the
    /// conversation that it works for and its number there.
    pub fn agent(mut self, task: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.agents.push((task.to_owned(), answers.into_iter().collect()));
        self
    }
}

/// Answers the question of a call.
pub fn answer(call: usize, text: &str) -> Act {
    act(What::Answer { call, text: text.to_owned() })
}
