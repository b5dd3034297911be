//! Forks: where a conversation can be gone on from, what the fork takes along, and what it leaves behind.
//! A fork's log begins behind its origin's; what was under way there is none of its business.

use std::sync::Arc;

use assent_protocol::event::{Delivery, EndReason, Event, Payload};
use assent_protocol::ids::MessageId;

use crate::agents::Pool;
use crate::call::CallState;
use crate::fold::Session;

/// What the model reads as the result of a call that was open where its conversation was forked.
const LEFT_BEHIND: &str = "The conversation was forked here before this call ended, so its result is not known in this one. \
                           Look at the present state before you repeat it.";

/// Number of the last event that a fork has which goes on from the message at `seq`: from behind an answer with what came of
/// its calls, or from before a person's message. None: no such message stands there, or nothing stands before it.
pub fn fork_point(events: &[Event], seq: u64) -> Option<u64> {
    let at = events.iter().position(|event| event.seq == seq)?;
    match &events[at].payload {
        Payload::UserMessage { delivery, .. } if *delivery != Delivery::Inject => {
            events.get(at.checked_sub(1)?).map(|before| before.seq)
        }
        Payload::AssistantMessage(_) => Some(end_of_answer(&events[at..], seq)),
        _ => None,
    }
}

/// The message of this id, with its number.
pub fn user_message<'e>(events: &'e [Event], id: &MessageId) -> Option<(u64, &'e Event)> {
    let is_it = |event: &&Event| matches!(&event.payload, Payload::UserMessage { message, .. } if message == id);
    events.iter().find(is_it).map(|event| (event.seq, event))
}

/// What a fork of a log with these events begins with: everything that `next()` and the list need and that is set once.
pub fn inherited(events: &[Event]) -> Vec<Payload> {
    let session = Session::fold(events);
    let title = events.iter().rev().find_map(|event| match &event.payload {
        Payload::TitleSet { .. } => Some(event.payload.clone()),
        _ => None,
    });
    let model = session.picked.clone().map(|choice| Payload::ModelSet { choice, learned: false });
    let fallbacks = Some(Payload::FallbacksSet { choices: session.fallbacks.clone() });
    let mode = Payload::ModeSet { mode: session.mode };
    let limits = Payload::LimitsSet { limits: session.limits, defaults: session.default_limits };
    let fallbacks = fallbacks.filter(|_| !session.fallbacks.is_empty());
    title.into_iter().chain(model).chain(fallbacks).chain([mode, limits]).collect()
}

/// The last event that belongs to the answer at the beginning of these: what comes up to the turn's end, or to what the
/// conversation goes on with.
fn end_of_answer(events: &[Event], seq: u64) -> u64 {
    let mut end = seq;
    for event in &events[1..] {
        match &event.payload {
            Payload::TurnEnd { .. } => return event.seq,
            payload if goes_on(payload) => break,
            _ => end = event.seq,
        }
    }
    end
}

/// Whether the conversation goes on with this behind an answer and what came of its calls. Whatever else happens meanwhile,
/// as when a person sets another mode while a card waits, stands between a call and its result.
fn goes_on(payload: &Payload) -> bool {
    match payload {
        Payload::RequestSent(sent) => sent.purpose.is_own(),
        Payload::UserMessage { .. }
        | Payload::QueueTaken { .. }
        | Payload::TurnStart { .. }
        | Payload::IterationStart { .. }
        | Payload::AssistantChunk { .. }
        | Payload::AssistantMessage(_)
        | Payload::AssistantDiscarded { .. }
        | Payload::WindowMoved { .. }
        | Payload::CompactionStart { .. }
        | Payload::CompactionPart { .. }
        | Payload::CompactionEnd { .. }
        | Payload::CompactionFailed { .. }
        | Payload::PromptSet { .. }
        | Payload::ToolsSet { .. }
        | Payload::MemorySet { .. }
        | Payload::ProviderSwitched { .. }
        | Payload::ConversationCreated { .. }
        | Payload::Unknown(_) => true,
        Payload::TitleSet { .. }
        | Payload::ModelSet { .. }
        | Payload::FallbacksSet { .. }
        | Payload::ModeSet { .. }
        | Payload::LimitsSet { .. }
        | Payload::RequestFailed { .. }
        | Payload::UsageRecorded { .. }
        | Payload::ToolCall(_)
        | Payload::ApprovalRequested { .. }
        | Payload::ApprovalDecided { .. }
        | Payload::ToolStarted { .. }
        | Payload::ToolResult(_)
        | Payload::ToolResolved { .. }
        | Payload::AgentStarted { .. }
        | Payload::AgentEnded { .. }
        | Payload::QuestionAsked { .. }
        | Payload::QuestionAnswered { .. }
        | Payload::IterationEnd { .. }
        | Payload::EffectReverted { .. }
        | Payload::RuleRevoked { .. }
        | Payload::QueueEdited { .. }
        | Payload::ConversationArchived { .. }
        | Payload::TurnStop {}
        | Payload::TurnEnd { .. } => false,
    }
}

impl Session {
    /// Another conversation begins here. What the model was told stays told; what was open is closed, what waits or was
    /// allowed stays where it was.
    pub(crate) fn forked(&mut self, seq: u64) {
        for call in &mut self.calls {
            if !call.is_done() {
                call.state = CallState::Done { shown: Arc::from(LEFT_BEHIND) };
            }
        }
        self.place_results(seq);
        if self.turn.is_some() {
            self.turn_end(seq, EndReason::Stopped);
        }
        self.since_human = 0;
        self.compacting = None;
        self.aside.clear();
        self.queue.clear();
        self.rules.clear();
        self.secrets = Arc::default();
        self.unresolved.clear();
        self.pool = Pool::default();
    }

    /// It goes on in another place: what was told of the old one is told anew, and no file of it was seen. Model, mode and limits
    /// are set anew by what comes next; fallbacks only where there are some.
    pub(crate) fn moved(&mut self) {
        (self.prompt, self.tools, self.memory, self.memory_told) = (None, None, None, None);
        self.reading.clear();
        self.fallbacks.clear();
        self.seen = Arc::default();
        self.told_rules.clear();
        self.changed.clear();
        self.last_runs.clear();
        self.history.touch();
    }
}
