//! One conversation as a front-end knows it that saw every signal, and whether anything is still to come.
//! It asks the engine nothing.

use std::time::Duration;

use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::request::{Request, Response};
use assent_protocol::signal::{Delta, Phase, Signal};
use assent_session::{Call, CallState, Next, Session};
use tokio::time::Instant;

use super::play::Stage;
use super::print::Names;

/// One conversation as a front-end that saw every signal knows it.
#[derive(Default)]
pub(super) struct Live {
    pub(super) session: Session,
    pub(super) events: Vec<Event>,
    pub(super) printed: usize,
    pub(super) phase: Option<Phase>,
    /// Bytes of the open request that were streamed and that were written as chunks.
    pub(super) streamed: u64,
    pub(super) written: u64,
    /// How often the phase was said again since time passed last.
    pub(super) beats: usize,
    /// What running calls put out.
    pub(super) output: String,
    /// When the last failed attempt was heard of, and how long to wait.
    pub(super) failed: Option<(Instant, Duration)>,
    /// It was deleted: nothing is taken from its inbox.
    pub(super) is_left: bool,
}

impl Live {
    pub(super) fn in_flight(&self) -> usize {
        usize::from(self.session.in_flight().is_some())
    }

    /// Calls that run.
    pub(super) fn executing(&self) -> usize {
        let runs = |call: &&Call| matches!(call.state, CallState::Executing { .. }) && !self.has_agent(call);
        self.session.calls().iter().filter(runs).count()
    }

    /// Whether a sub-agent works for this call.
    fn has_agent(&self, call: &Call) -> bool {
        self.session.agent_of(&call.call).is_some()
    }

    /// The sub-agents that work here.
    pub(super) fn agents(&self) -> impl Iterator<Item = &ConversationId> {
        self.session.calls().iter().filter_map(|call| self.session.agent_of(&call.call))
    }

    /// Whether the phase says that one of these calls is what it is about.
    fn is_about(&self, calls: &[CallId]) -> bool {
        matches!(&self.phase, Some(Phase::Tool { call, .. }) if calls.contains(call))
    }

    /// How many things are under way or due here. With `any_runs` a call runs somewhere.
    pub(super) fn busy(&self, is_held: bool, is_full: bool, any_runs: bool) -> usize {
        let is_held = is_held || self.is_left;
        // What was asked on the side before a restart is settled once somebody opens the conversation.
        let asides = if is_held { 0 } else { self.session.asides().count() };
        asides + self.busy_itself(is_held, is_full, any_runs)
    }

    fn busy_itself(&self, is_held: bool, is_full: bool, any_runs: bool) -> usize {
        let running = self.in_flight() + self.executing();
        if running > 0 {
            // Idle in the middle of something: the log can't be written, and nothing goes on before a person acts.
            return if self.phase == Some(Phase::Idle) { 0 } else { running };
        }
        if self.agents().next().is_some() {
            return 0;
        }
        match self.session.next() {
            Next::Idle | Next::Wait => 0,
            Next::Take(_) | Next::Summarise if is_held => 0,
            Next::CallModel(_) if is_full && matches!(self.phase, Some(Phase::Queued { .. })) => 0,
            // It waits for the files of another one.
            Next::Run(calls) if any_runs && self.is_about(&calls) => 0,
            Next::Retry { .. } => usize::from(self.failed.is_none_or(|(since, wait)| since.elapsed() >= wait)),
            _ => 1,
        }
    }

    /// Numbers of the calls whose cards are shown.
    pub(super) fn pending(&self, names: &Names) -> Vec<usize> {
        let shown =
            self.session.calls().iter().filter(|call| matches!(call.state, CallState::Pending { card: Some(_) }));
        shown.filter_map(|call| names.known(call.call.as_str())?.strip_prefix('c')?.parse().ok()).collect()
    }

    /// Numbers of the items that wait in the inbox, in its order.
    pub(super) fn queued(&self, names: &Names) -> Vec<usize> {
        let items = self.session.queue().iter();
        items.filter_map(|queued| names.known(queued.item.as_str())?.strip_prefix('i')?.parse().ok()).collect()
    }

    pub(super) fn approve(
        &self,
        call: CallId,
        card: Option<usize>,
        breadth: Option<usize>,
        note: Option<String>,
    ) -> Request {
        let shown: Vec<_> = self
            .events
            .iter()
            .filter_map(|event| match &event.payload {
                Payload::ApprovalRequested { call: of, card, .. } if *of == call => Some(card),
                _ => None,
            })
            .collect();
        let card = card.map_or(shown.last(), |number| shown.get(number - 1)).expect("a card was shown");
        let scope = match breadth {
            Some(number) => {
                let rule = card.breadths.get(number - 1).expect("the card offers that").rule.clone();
                assent_protocol::permission::Scope::Conversation { rule }
            }
            None => assent_protocol::permission::Scope::Once,
        };
        Request::Approve { call, digest: card.digest, scope, note }
    }
}

impl Stage {
    /// Takes what was recorded and not heard of.
    pub(super) fn catch_up(&mut self, id: &ConversationId) {
        let after = self.lives.get(id).map_or(0, |live| live.session.seq());
        match self.ask(Request::After { conversation: id.clone(), seq: after }) {
            Ok(Response::After(page)) => page.events.into_iter().for_each(|event| self.heard(event)),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn hear(&mut self, signals: Vec<Signal>) {
        for signal in signals {
            match signal {
                Signal::Recorded { event } => self.heard(event),
                Signal::Delta { conversation, delta } => {
                    let Some(live) = self.lives.get_mut(&conversation) else { continue };
                    match delta {
                        Delta::Text { text, .. } => live.streamed += text.len() as u64,
                        Delta::Phase { phase, .. } => {
                            live.beats += usize::from(live.phase.as_ref() == Some(&phase));
                            live.phase = Some(phase);
                        }
                        Delta::Output { text, .. } => live.output.push_str(&text),
                        Delta::Writing { .. } => {}
                    }
                }
                Signal::Row { .. } | Signal::Gone { .. } | Signal::Projects { .. } | Signal::Settings { .. } => {}
            }
        }
    }

    fn heard(&mut self, event: Event) {
        if let Payload::ConversationCreated { parent: Some(parent), .. } = &event.payload
            && !self.lives.contains_key(&event.conversation)
        {
            let of = self.conversations.iter().find(|(_, id)| *id == parent.conversation).map(|(name, _)| name.clone());
            let number = 1 + self.agents.values().filter(|known| **known == parent.conversation).count();
            self.agents.insert(event.conversation.clone(), parent.conversation.clone());
            let name = format!("{}.{number}", of.unwrap_or_default());
            self.conversations.push((name, event.conversation.clone()));
            self.lives.insert(event.conversation.clone(), Live::default());
        }
        let Some(live) = self.lives.get_mut(&event.conversation) else { return };
        if event.seq <= live.session.seq() {
            return;
        }
        assert_eq!(event.seq, live.session.seq() + 1, "a signal was missed");
        match &event.payload {
            Payload::RequestSent(_) => (live.streamed, live.written) = (0, 0),
            Payload::AssistantChunk { text, .. } => live.written += text.len() as u64,
            Payload::RequestFailed { retry_in_ms: Some(wait), .. } => {
                live.failed = Some((Instant::now(), Duration::from_millis(*wait)));
            }
            _ => {}
        }
        live.session.apply(&event);
        live.events.push(event);
    }
}
