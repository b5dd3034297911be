//! Sub-agents as their conversation's log knows them: the pool of model calls, who works now, and what one has done.
//! A sub-agent's own conversation is folded like any other; nothing here runs one.

use std::collections::HashMap;

use assent_protocol::event::{EndReason, Event, Payload};
use assent_protocol::ids::{CallId, ConversationId};

use crate::fold::Session;

/// Model calls of all sub-agents together between two human acts (spec 2.2).
const POOL: u32 = 24;
/// Model calls of one sub-agent at most (spec 2.2).
const MOST: u32 = 8;

/// The pool, and what is set aside from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pool {
    /// Model calls of those that have ended since the last human act.
    used: u32,
    /// Those that work now, by the call that they work for.
    open: HashMap<CallId, Working>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Working {
    agent: ConversationId,
    reserved: u32,
}

/// What one more sub-agent may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Model calls: at least one.
    pub iterations: u32,
    /// Known cost, in millionths of a US dollar; none: as much as it takes.
    pub money_micros: Option<u64>,
}

/// What a sub-agent has done, from its own log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worked {
    /// Its last words.
    pub text: String,
    /// How its turn ended; none: it has not.
    pub ended: Option<EndReason>,
    /// Why, where the reason alone doesn't say it.
    pub message: Option<String>,
    /// Model calls that it made.
    pub iterations: u32,
}

impl Pool {
    /// A person acted: whoever works now keeps what was set aside for it, all else is there again.
    pub(crate) fn refill(&mut self) {
        self.used = 0;
    }

    /// A call has its result: nothing is set aside for it any longer. Where nobody said what its sub-agent used, it counts
    /// as all of it.
    pub(crate) fn give_up(&mut self, call: &CallId) {
        if let Some(working) = self.open.remove(call) {
            self.used = self.used.saturating_add(working.reserved);
        }
    }

    fn left(&self) -> u32 {
        let reserved: u32 = self.open.values().map(|working| working.reserved).sum();
        POOL.saturating_sub(self.used).saturating_sub(reserved)
    }
}

impl Session {
    /// Folds the beginning or the end of a sub-agent's work.
    pub(crate) fn agent_changed(&mut self, payload: &Payload) {
        match payload {
            Payload::AgentStarted { call, agent, iterations } => {
                let working = Working { agent: agent.clone(), reserved: *iterations };
                self.pool.open.insert(call.clone(), working);
            }
            Payload::AgentEnded { call, iterations, cost_micros, .. } => {
                self.pool.open.remove(call);
                self.pool.used = self.pool.used.saturating_add(*iterations);
                let cost = cost_micros.unwrap_or(0);
                self.with_turn(|turn| turn.spent_micros = turn.spent_micros.saturating_add(cost));
            }
            _ => {}
        }
    }

    /// The sub-agent that works for this call now.
    pub fn agent_of(&self, call: &CallId) -> Option<&ConversationId> {
        self.pool.open.get(call).map(|working| &working.agent)
    }

    /// What each of `count` more sub-agents that begin side by side may use, in order; shorter where the pool doesn't reach
    /// for all. What is left of the turn's money is divided among them, so that they can't spend more than that together.
    ///
    /// # Errors
    /// With words for the model, when none may begin because the money is used up.
    pub fn allowances(&self, count: u32) -> Result<Vec<Allowance>, String> {
        let money_micros = self.money_left().map(|left| left / u64::from(count.max(1)));
        if money_micros == Some(0) {
            return Err("It did not run: the money that this turn may cost is used up.".to_owned());
        }
        let mut left = self.pool.left();
        let mut allowances = Vec::new();
        for _ in 0..count {
            let iterations = left.min(MOST);
            if iterations == 0 {
                break;
            }
            left -= iterations;
            allowances.push(Allowance { iterations, money_micros });
        }
        Ok(allowances)
    }

    /// What of the open turn's money isn't spent, as far as costs are known; none: it has no limit.
    fn money_left(&self) -> Option<u64> {
        let spent = self.turn.as_ref().map_or(0, |turn| turn.spent_micros);
        self.limits().money_micros.map(|limit| limit.saturating_sub(spent))
    }
}

/// Reads a sub-agent's log.
pub fn worked(events: &[Event]) -> Worked {
    let mut worked = Worked { text: String::new(), ended: None, message: None, iterations: 0 };
    for event in events {
        match &event.payload {
            Payload::AssistantMessage(message) if !message.text.trim().is_empty() => {
                worked.text = message.text.trim().to_owned();
            }
            Payload::IterationStart { .. } => worked.iterations += 1,
            Payload::TurnEnd { reason, message, .. } => {
                worked.ended = Some(*reason);
                worked.message.clone_from(message);
            }
            _ => {}
        }
    }
    worked
}

impl Worked {
    /// What its conversation's model gets: its last words alone, and where it didn't come to its end, why.
    pub fn words(&self) -> String {
        let why = match (self.ended, &self.message) {
            (Some(EndReason::Completed), _) => None,
            (Some(EndReason::MaxIterations), _) => {
                Some(format!("The agent used all of the {} model calls that it had.", self.iterations))
            }
            (Some(EndReason::MaxTokens), _) => Some("The agent reached its model's output limit.".to_owned()),
            (Some(EndReason::Stopped), _) => Some("The agent was stopped before it was done.".to_owned()),
            (Some(EndReason::Blocked | EndReason::Error), Some(message)) => {
                Some(format!("The agent failed: {message}."))
            }
            (Some(EndReason::Blocked | EndReason::Error), None) => Some("The agent failed.".to_owned()),
            (Some(EndReason::Interrupted) | None, _) => {
                Some("The agent was interrupted before it was done.".to_owned())
            }
        };
        match (self.text.is_empty(), why) {
            (false, None) => self.text.clone(),
            (false, Some(why)) => format!("{}\n\n[{why}]", self.text),
            (true, Some(why)) => format!("{why} It said nothing."),
            (true, None) => "The agent ended without a word.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(payloads: Vec<Payload>) -> Session {
        let events: Vec<Event> = (1..)
            .zip(payloads)
            .map(|(seq, payload)| Event { conversation: ConversationId::new("c"), seq, at: 0, payload })
            .collect();
        Session::fold(&events)
    }

    fn started(call: &str, iterations: u32) -> Payload {
        Payload::AgentStarted { call: CallId::new(call), agent: ConversationId::new(format!("of {call}")), iterations }
    }

    fn ended(call: &str, iterations: u32) -> Payload {
        let (call, agent) = (CallId::new(call), ConversationId::new(format!("of {call}")));
        Payload::AgentEnded { call, agent, iterations, cost_micros: None }
    }

    fn iterations(session: &Session, count: u32) -> Vec<u32> {
        session.allowances(count).unwrap().iter().map(|allowance| allowance.iterations).collect()
    }

    #[test]
    fn three_have_eight_each_and_a_fourth_has_none() {
        assert_eq!(iterations(&session(vec![]), 4), [8, 8, 8]);
        let all = vec![started("1", 8), started("2", 8), started("3", 8)];
        assert_eq!(iterations(&session(all.clone()), 1), [0; 0]);
        let one_ended: Vec<Payload> = all.into_iter().chain([ended("1", 2)]).collect();
        assert_eq!(iterations(&session(one_ended), 2), [6]);
    }

    #[test]
    fn a_human_act_fills_the_pool_and_leaves_what_is_set_aside() {
        let turn = |cause| Payload::TurnStart { cause };
        let go_on = turn(assent_protocol::event::TurnCause::Continue);
        let log = vec![started("1", 8), ended("1", 8), started("2", 8), started("3", 8), go_on];
        let session = session(log);
        assert_eq!(iterations(&session, 2), [8]);
        assert_eq!(session.agent_of(&CallId::new("3")).map(ConversationId::as_str), Some("of 3"));
        assert_eq!(session.agent_of(&CallId::new("1")), None);
    }

    #[test]
    fn a_fork_has_the_whole_pool_whoever_works_for_its_origin() {
        let mut session = session(vec![started("1", 8), ended("1", 8), started("2", 8), started("3", 8)]);
        session.forked(5);
        assert_eq!(iterations(&session, 4), [8, 8, 8]);
        assert_eq!(session.agent_of(&CallId::new("2")), None);
    }

    #[test]
    fn the_words_say_why_there_are_none() {
        let worked = |text: &str, ended, message: Option<&str>| Worked {
            text: text.to_owned(),
            ended,
            message: message.map(str::to_owned),
            iterations: 3,
        };
        let words = |text, ended, message| worked(text, ended, message).words();
        assert_eq!(words("All is well.", Some(EndReason::Completed), None), "All is well.");
        assert_eq!(
            words("", Some(EndReason::Error), Some("no server")),
            "The agent failed: no server. It said nothing."
        );
        assert_eq!(
            words("Half of it.", Some(EndReason::MaxIterations), None),
            "Half of it.\n\n[The agent used all of the 3 model calls that it had.]"
        );
        assert_eq!(words("", None, None), "The agent was interrupted before it was done. It said nothing.");
    }
}
