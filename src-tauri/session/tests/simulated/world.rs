//! The made-up engine and model: does what `next()` says, with outcomes that the choices pick.
//! Writes events as the real engine does, and nothing else.

use std::sync::Arc;

use assent_protocol::assessment::{Card, Reach, Reason};
use assent_protocol::event::{
    AssistantMessage, Delivery, Event, Part, Payload, ProposedCall, Purpose, QueueEdit, RequestSent, ToolCall,
    ToolResult, TurnCause,
};
use assent_protocol::ids::{BootId, CallId, ConversationId, ItemId, MessageId, RequestId, Sha};
use assent_protocol::permission::{Decider, Mode, Tier, Verdict};
use assent_protocol::preview::Preview;
use assent_protocol::settings::{Limits, ModelChoice};
use assent_protocol::tool::{Brief, Cause, FileEffect, Intent, Outcome, Stored};
use assent_protocol::view::{FailureKind, FinishReason, Protocol, ToolChoice, ViewMessage};
use assent_session::{CallState, Next, Session, Texts};

/// Paths that calls touch.
const PATHS: [&str; 3] = ["a", "b", "c"];

/// What was sent with one model call.
pub struct Sent {
    pub epoch: u64,
    pub messages: Vec<Arc<ViewMessage>>,
    pub tool_choice: ToolChoice,
    /// Model calls since a person acted, this one included.
    pub since_human: u32,
    pub estimate: u64,
    /// What may never be left out: the last six messages and the user's last.
    pub kept: Vec<Arc<ViewMessage>>,
}

/// One conversation with everything around it.
pub struct World {
    pub session: Session,
    pub events: Vec<Event>,
    pub sent: Vec<Sent>,
    pub max_iterations: u32,
    /// Changes that began, by call.
    pub begun: Vec<CallId>,
    /// Model calls since a person acted.
    pub since_human: u32,
    choices: std::vec::IntoIter<u8>,
    names: u32,
}

impl World {
    pub fn new(choices: Vec<u8>, window: u64, max_iterations: u32) -> Self {
        let mut world = Self {
            session: Session::default(),
            events: Vec::new(),
            sent: Vec::new(),
            max_iterations,
            begun: Vec::new(),
            since_human: 0,
            choices: choices.into_iter(),
            names: 0,
        };
        let choice = ModelChoice {
            provider: None,
            label: "m".to_owned(),
            base_url: String::new(),
            protocol: Protocol::ChatCompletions,
            model: "m".to_owned(),
            window,
            coefficient: 0.35,
            tools: true,
            echo_reasoning: false,
            empty_text: false,
            without_encrypted: false,
            found: false,
            output_limit: None,
            images: false,
            documents: false,
            price: None,
        };
        let reading = vec!["read".to_owned()];
        let names = vec!["read".to_owned(), "write".to_owned()];
        world.push(Payload::ConversationCreated {
            project: None,
            workspace: Some("/w".to_owned()),
            fork: None,
            parent: None,
        });
        let fallback = ModelChoice { label: "second".to_owned(), model: "second".to_owned(), ..choice.clone() };
        world.push(Payload::ModelSet { choice, learned: false });
        world.push(Payload::FallbacksSet { choices: vec![fallback] });
        world.push(Payload::LimitsSet {
            limits: Limits { max_iterations, ..Limits::default() },
            defaults: Limits::default(),
        });
        world.push(Payload::PromptSet { content: Stored::of(b"prompt") });
        world.push(Payload::ToolsSet { content: Stored::of(b"[]"), names, reading });
        world
    }

    /// The next choice among `of`; when none are left, always the same.
    pub fn pick(&mut self, of: u8) -> u8 {
        self.choices.next().unwrap_or(0) % of
    }

    pub fn is_over(&self) -> bool {
        self.choices.len() == 0 && matches!(self.session.next(), Next::Idle)
    }

    pub fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    pub fn push(&mut self, payload: Payload) {
        let seq = self.events.len() as u64 + 1;
        let event = Event { conversation: ConversationId::new("x"), seq, at: 0, payload };
        self.session.apply(&event);
        self.events.push(event);
    }

    pub fn send(&mut self, text: &str) {
        let message = MessageId::new(self.name("m"));
        self.since_human = 0;
        self.push(Payload::UserMessage {
            message,
            text: text.into(),
            delivery: Delivery::NextTurn,
            context: None,
            attachments: Vec::new(),
            skills: Vec::new(),
        });
        self.push(Payload::TurnStart { cause: TurnCause::Message });
    }

    /// One thing that happens.
    pub fn step(&mut self) {
        if self.pick(8) == 1 && self.interfere() {
            return;
        }
        match self.session.next() {
            Next::Idle => self.new_turn(),
            Next::Wait => self.answer_a_card(),
            other => self.carry_out(other),
        }
    }

    /// Does what comes next, where that needs no person.
    pub fn carry_out(&mut self, next: Next) {
        match next {
            Next::Idle | Next::Wait => panic!("that needs a person"),
            Next::Take(items) => self.take(&items),
            Next::Assess(calls) => calls.iter().for_each(|call| self.judge(call)),
            Next::Ask(calls) => calls.iter().for_each(|call| self.draw(call)),
            Next::Run(calls) => self.run(calls),
            Next::Close { call, cause, words } => self.close(call, cause, &words),
            Next::EndIteration => self.push(Payload::IterationEnd { in_turn: self.session.iteration().0 }),
            Next::MoveWindow(moved) => self.push(Payload::WindowMoved {
                keep_from: moved.keep_from,
                pruned: moved.pruned,
                cut: moved.cut,
                tokens_before: moved.tokens_before,
                tokens_after: moved.tokens_after,
            }),
            Next::Compact(plan) => self.begin_compaction(plan),
            Next::Summarise => self.summarise(),
            Next::EndCompaction => {
                let compacting = self.session.compacting().expect("a summary is being made");
                let (compaction, tokens_before) = (compacting.compaction.clone(), compacting.tokens_before);
                let summary = compacting.summary().expect("it is there").clone();
                let kept = self.session.kept_facts().map(Into::into);
                self.push(Payload::CompactionEnd { compaction, summary, kept, tokens_before, tokens_after: 0 });
            }
            Next::FailCompaction { cause, message } => {
                let compaction = self.session.compacting().expect("a summary is being made").compaction.clone();
                self.push(Payload::CompactionFailed { compaction, cause, message });
            }
            Next::CallModel(tool_choice) => self.call_model(tool_choice),
            Next::Retry { .. } if self.session.compacting().is_some() => self.summarise(),
            Next::Retry { .. } => {
                let is_last = self.session.iteration().1 >= self.max_iterations;
                self.call_model(if is_last { ToolChoice::None } else { ToolChoice::Auto });
            }
            Next::Switch { failure, choice } => {
                let (attempt, from) = (self.session.attempts(), "first".to_owned());
                self.push(Payload::ProviderSwitched { failure, attempt, from, choice: *choice });
            }
            Next::End { reason, message, money } => {
                if self.session.has_open_iteration() {
                    self.push(Payload::IterationEnd { in_turn: self.session.iteration().0 });
                }
                self.push(Payload::TurnEnd { reason, message, money });
            }
        }
    }

    fn take(&mut self, items: &[ItemId]) {
        let queued: Vec<_> =
            self.session.queue().iter().filter(|queued| items.contains(&queued.item)).cloned().collect();
        assert_eq!(queued.len(), items.len(), "what is taken is there");
        for queued in queued {
            let message = MessageId::new(self.name("m"));
            if queued.delivery != Delivery::Inject {
                self.since_human = 0;
            }
            let (text, delivery) = (queued.text.as_str().into(), queued.delivery);
            self.push(Payload::QueueTaken { item: queued.item, message: message.clone() });
            self.push(Payload::UserMessage {
                message,
                text,
                delivery,
                context: None,
                attachments: Vec::new(),
                skills: Vec::new(),
            });
        }
        if !self.session.is_generating() {
            self.push(Payload::TurnStart { cause: TurnCause::Message });
        }
    }

    fn judge(&mut self, call: &CallId) {
        let known = self.session.call(call).expect("a call to be judged is there").clone();
        let path = PATHS[usize::from(self.pick(3))].to_owned();
        let digest = Sha::of(known.arguments.as_bytes());
        let refuse = |cause: Cause, by| (Verdict::Refuse { by, why: "It did not run: no.".to_owned() }, Some(cause));
        let dice = self.pick(8);
        let is_refused = dice == 0;
        let blocked = match (known.reads, is_refused) {
            // Its file may come to be with the change ahead.
            (true, true) => self.session.blocked_by(call, &[], true),
            (true, false) => None,
            (false, _) => self.session.blocked_by(call, std::slice::from_ref(&path), is_refused),
        };
        let (verdict, cause) = match (blocked, dice) {
            (Some(after), _) => (Verdict::Defer { after }, None),
            _ if self.session.is_circling(&digest) => refuse(Cause::Repeated, Decider::Tool),
            _ if self.session.was_rejected(&digest) => refuse(Cause::User, Decider::Tool),
            (None, 0) => refuse(Cause::Refused, Decider::Tool),
            (None, 1) => refuse(Cause::Mode, Decider::Mode),
            (None, 2) => (Verdict::Run { by: Decider::Mode, rule: None }, None),
            // A read asks too, when it is of a secret.
            (None, 3) => (Verdict::Ask, None),
            _ if known.reads => (Verdict::Run { by: Decider::Tool, rule: None }, None),
            _ => (Verdict::Ask, None),
        };
        self.push(Payload::ToolCall(ToolCall {
            call: call.clone(),
            name: known.name,
            arguments: known.arguments,
            tier: Some(if known.reads { Tier::Low } else { Tier::Medium }),
            read_only: known.reads,
            verdict,
            cause,
            digest: Some(digest),
            paths: vec![path],
            target: String::new(),
            preview: None,
        }));
    }

    pub fn draw(&mut self, call: &CallId) {
        let card = Card {
            digest: Sha::of(self.name("card").as_bytes()),
            tier: Tier::Medium,
            reason: Reason::Look { target: String::new() },
            preview: Preview::Diff { files: Vec::new() },
            touches: Vec::new(),
            reach: Reach::default(),
            breadths: Vec::new(),
        };
        self.push(Payload::ApprovalRequested { call: call.clone(), card: Box::new(card), again: None });
    }

    fn run(&mut self, mut calls: Vec<CallId>) {
        for call in &calls {
            let known = self.session.call(call).expect("what runs is there").clone();
            assert!(matches!(known.state, CallState::Cleared { .. }), "only what is cleared runs");
            let intent = (!known.reads).then_some(Intent::Command);
            if !known.reads {
                assert!(!self.begun.contains(call), "a change runs once");
                self.begun.push(call.clone());
            }
            let (call, boot) = (call.clone(), BootId::new("b"));
            self.push(Payload::ToolStarted { call, attempt: 1, boot, intent, before: Vec::new() });
        }
        // Results come in whatever order the calls end.
        while !calls.is_empty() {
            if self.pick(16) == 7 {
                return self.crash();
            }
            let place = usize::from(self.pick(u8::try_from(calls.len()).unwrap_or(1)));
            let call = calls.swap_remove(place);
            self.end(call);
        }
    }

    fn end(&mut self, call: CallId) {
        let reads = self.session.call(&call).is_some_and(|call| call.reads);
        let outcome = match self.pick(8) {
            0 => Outcome::Error,
            1 if !reads => Outcome::Unknown,
            _ => Outcome::Ok,
        };
        let effect = FileEffect {
            path: "a".to_owned(),
            before: None,
            after: Some(Sha::of(b"x")),
            moved_to: None,
            added: 1,
            removed: 0,
        };
        let effects = if reads || outcome != Outcome::Ok { Vec::new() } else { vec![effect] };
        let text = if self.pick(4) == 0 { "words of a long result ".repeat(80) } else { "short".to_owned() };
        self.result(call, outcome, None, &text, effects);
    }

    pub fn close(&mut self, call: CallId, cause: Cause, words: &str) {
        let outcome = match cause {
            Cause::Stop => Outcome::Stopped,
            Cause::UnknownTool | Cause::BadArguments | Cause::Interrupted | Cause::Timeout => Outcome::Error,
            _ => Outcome::Rejected,
        };
        self.result(call, outcome, Some(cause), words, Vec::new());
    }

    pub fn result(
        &mut self,
        call: CallId,
        outcome: Outcome,
        cause: Option<Cause>,
        text: &str,
        effects: Vec<FileEffect>,
    ) {
        self.push(Payload::ToolResult(ToolResult {
            call,
            outcome,
            cause,
            shown: text.into(),
            output: None,
            brief: Brief::Done,
            duration_ms: 0,
            effects,
            seen: Vec::new(),
            note: None,
            rules: Vec::new(),
            recovered: false,
        }));
    }

    fn call_model(&mut self, tool_choice: ToolChoice) {
        if !self.session.has_open_iteration() {
            let (in_turn, since_human) = self.session.iteration();
            self.push(Payload::IterationStart { since_human: since_human + 1, in_turn: in_turn + 1 });
            self.since_human += 1;
        }
        let view = self.session.view(Texts::default(), tool_choice, Default::default());
        let request = RequestId::new(self.name("r"));
        let estimate = self.session.estimate();
        self.sent.push(Sent {
            epoch: view.epoch,
            messages: view.messages,
            tool_choice,
            since_human: self.since_human,
            estimate,
            kept: self.kept(),
        });
        let sent = self.request(&request, tool_choice, estimate);
        self.push(Payload::RequestSent(sent));
        self.model_answers(request);
    }

    pub fn request(&self, request: &RequestId, tool_choice: ToolChoice, estimate: u64) -> RequestSent {
        RequestSent {
            request: request.clone(),
            attempt: self.session.attempts() + 1,
            purpose: Purpose::Chat,
            provider: "m".to_owned(),
            model: "m".to_owned(),
            protocol: Protocol::ChatCompletions,
            builder: "x".to_owned(),
            tool_choice,
            digest: Sha::of(b""),
            bytes: 0,
            prefix: 0,
            stable: 0,
            characters: self.session.history().characters(),
            estimate,
            choice: None,
            shorter: false,
        }
    }

    fn kept(&self) -> Vec<Arc<ViewMessage>> {
        let entries = self.session.history().entries();
        let all = || entries.iter().rev().map(|entry| &entry.message);
        let is_message = |message: &&Arc<ViewMessage>| !matches!(message.as_ref(), ViewMessage::ToolResult { .. });
        let is_users = |message: &&Arc<ViewMessage>| matches!(message.as_ref(), ViewMessage::User { .. });
        all().filter(is_message).take(6).chain(all().find(is_users)).cloned().collect()
    }

    fn model_answers(&mut self, request: RequestId) {
        match self.pick(12) {
            0 => self.fail(request, FailureKind::Server),
            1 => self.fail(request, FailureKind::ContextTooLong),
            2 => {
                let (part, text) = (Part::Text, "half of an ".to_owned());
                self.push(Payload::AssistantChunk { request: request.clone(), part, offset: 0, text: text.clone() });
                let (failure, message) = (FailureKind::Disconnected, "it broke off".to_owned());
                self.push(Payload::AssistantDiscarded { request, failure, message, text });
            }
            3 => {
                let (part, text) = (Part::Text, "half of an ".to_owned());
                self.push(Payload::AssistantChunk { request, part, offset: 0, text });
                self.crash();
            }
            4 => self.message(request, "", 0, FinishReason::Stop),
            5 | 6 => self.message(request, "all done", 0, FinishReason::Stop),
            7 => {
                let calls = self.pick(3);
                self.message(request, "so l", calls, FinishReason::Length);
            }
            _ => {
                let calls = 1 + self.pick(4);
                self.message(request, "", calls, FinishReason::ToolCalls);
            }
        }
    }

    fn fail(&mut self, request: RequestId, failure: FailureKind) {
        let attempt = self.session.attempts();
        let retry_in_ms = (failure.is_retryable() && attempt <= 3).then_some(1_000);
        self.push(Payload::RequestFailed { request, failure, message: "no".to_owned(), attempt, retry_in_ms });
    }

    fn message(&mut self, request: RequestId, text: &str, calls: u8, finish: FinishReason) {
        let calls = (0..calls).map(|_| {
            let name = if self.pick(2) == 0 { "read" } else { "write" };
            let number = self.pick(5);
            let arguments = if number == 4 { "{\"cut".to_owned() } else { format!("{{\"n\":{number}}}") };
            let call = CallId::new(self.name("c"));
            ProposedCall { call, provider_id: Some("same".to_owned()), name: name.to_owned(), arguments }
        });
        let calls = calls.collect();
        let message = MessageId::new(self.name("m"));
        self.push(Payload::AssistantMessage(AssistantMessage {
            message,
            request,
            text: text.into(),
            reasoning: "".into(),
            calls,
            finish: Some(finish),
            partial: false,
            items: Vec::new(),
        }));
    }

    pub fn set_mode(&mut self, mode: Mode) {
        self.push(Payload::ModeSet { mode });
    }

    pub fn queue(&mut self, text: &str, delivery: Delivery) {
        let item = ItemId::new(self.name("i"));
        self.push(Payload::QueueEdited {
            item,
            edit: QueueEdit::Added { text: text.to_owned(), delivery, attachments: Vec::new() },
        });
    }
}
