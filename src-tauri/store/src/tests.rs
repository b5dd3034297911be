//! The stage on which the store's tests play: a conversation, a turn, calls and cards, as production makes them.
//! It checks nothing itself.

use std::sync::Arc;

use assent_policy::{Cleared, Subject};
use assent_protocol::assessment::{Assessment, Card, Reach, Reason};
use assent_protocol::event::{
    AssistantMessage, Delivery, EndReason, Event, Part, Payload, ProposedCall, ToolCall, ToolResult, TurnCause,
};
use assent_protocol::ids::{BootId, CallId, ConversationId, MessageId, RequestId};
use assent_protocol::permission::{Answer, Decider, Mode, Scope, Tier, Verdict};
use assent_protocol::preview::Preview;
use assent_protocol::tool::{Brief, Cause, FileState, Intent, Outcome, Stored};
use serde_json::{Map, Value};

use crate::{ClaimRecord, Decision, Durability, Store};

pub(crate) const WORKSPACE: &str = "/srv/项目 一";

pub(crate) fn id(text: &str) -> ConversationId {
    ConversationId::new(text)
}

pub(crate) fn call(text: &str) -> CallId {
    CallId::new(text)
}

/// A write of one path, as a tool would assess it; `content` is what changes the card.
pub(crate) struct Write<'a> {
    pub(crate) conversation: &'a str,
    pub(crate) call: &'a str,
    pub(crate) path: &'a str,
    pub(crate) content: &'a str,
    pub(crate) tier: Tier,
    pub(crate) by: Decider,
}

impl<'a> Write<'a> {
    pub(crate) fn new(conversation: &'a str, call: &'a str, path: &'a str) -> Self {
        Self { conversation, call, path, content: "hello", tier: Tier::Medium, by: Decider::Mode }
    }

    fn arguments(&self) -> Map<String, Value> {
        let pairs = [("path", self.path), ("content", self.content)];
        pairs.into_iter().map(|(key, value)| (key.to_owned(), Value::String(value.to_owned()))).collect()
    }

    fn with<T>(&self, work: impl FnOnce(&Subject<'_>) -> T) -> T {
        let assessment = Assessment {
            tier: self.tier,
            read_only: false,
            touches: vec![FileState { path: self.path.to_owned(), hash: None }],
            preview: Preview::Read { path: self.path.to_owned(), bytes: self.content.len() as u64 },
            reason: Reason::Create { path: self.path.to_owned(), lines: 1 },
            reach: Reach::default(),
            argv: None,
        };
        work(&Subject {
            conversation: &id(self.conversation),
            call: &call(self.call),
            tool: "write_file",
            version: 1,
            workspace: WORKSPACE,
            arguments: &self.arguments(),
            assessment: &assessment,
        })
    }

    pub(crate) fn card(&self) -> Card {
        self.with(|subject| subject.card())
    }

    pub(crate) fn judged(&self, verdict: Verdict) -> Payload {
        Payload::ToolCall(ToolCall {
            call: call(self.call),
            name: "write_file".to_owned(),
            arguments: Value::Object(self.arguments()).to_string(),
            tier: Some(self.tier),
            read_only: false,
            verdict,
            cause: None,
            digest: Some(self.with(|subject| subject.call_digest())),
            paths: vec![self.path.to_owned()],
            target: self.path.to_owned(),
            preview: None,
        })
    }

    pub(crate) fn requested(&self) -> Payload {
        Payload::ApprovalRequested { call: call(self.call), card: Box::new(self.card()), again: None }
    }

    pub(crate) fn decision(&self, answer: Answer) -> Decision {
        Decision {
            call: call(self.call),
            card: self.card().digest,
            answer,
            by: Decider::User,
            scope: Scope::Once,
            note: None,
            at: 50,
        }
    }

    /// Cleared as a person's approval of this card clears it.
    pub(crate) fn cleared(&self) -> Cleared {
        let card = self.card().digest;
        self.with(|subject| Cleared::by_decision(subject, Answer::Approved, Decider::User, card)).unwrap()
    }

    /// Cleared by a verdict.
    pub(crate) fn cleared_by_verdict(&self) -> Cleared {
        self.with(|subject| Cleared::by_verdict(subject, &Verdict::Run { by: self.by, rule: None })).unwrap()
    }

    pub(crate) fn record(&self) -> ClaimRecord {
        ClaimRecord {
            at: 60,
            boot: BootId::new("boot-1"),
            intent: Intent::Write {
                path: self.path.to_owned(),
                before: None,
                after: Stored::of(self.content.as_bytes()).hash,
            },
            before: vec![FileState { path: self.path.to_owned(), hash: None }],
            keep: Vec::new(),
        }
    }
}

/// A conversation that begins in `WORKSPACE` and has a turn open, with one message.
pub(crate) fn begin(store: &Store, conversation: &str) -> Vec<Event> {
    store
        .create_conversation(
            &id(conversation),
            10,
            vec![
                Payload::ConversationCreated {
                    project: None,
                    workspace: Some(WORKSPACE.to_owned()),
                    fork: None,
                    parent: None,
                },
                Payload::ModeSet { mode: Mode::Ask },
                user(conversation, "hello"),
                Payload::TurnStart { cause: TurnCause::Message },
            ],
            Vec::new(),
        )
        .wait()
        .unwrap()
}

pub(crate) fn user(message: &str, text: &str) -> Payload {
    Payload::UserMessage {
        message: MessageId::new(format!("{message}-{text}")),
        text: Arc::from(text),
        delivery: Delivery::NextTurn,
        context: None,
        attachments: Vec::new(),
        skills: Vec::new(),
    }
}

pub(crate) fn proposing(message: &str, calls: &[&str]) -> Payload {
    Payload::AssistantMessage(AssistantMessage {
        message: MessageId::new(message),
        request: RequestId::new(format!("request of {message}")),
        text: Arc::from("so be it"),
        reasoning: Arc::from(""),
        calls: calls
            .iter()
            .map(|name| ProposedCall {
                call: call(name),
                provider_id: None,
                name: "write_file".to_owned(),
                arguments: "{}".to_owned(),
            })
            .collect(),
        finish: None,
        partial: false,
        items: Vec::new(),
    })
}

pub(crate) fn chunk(request: &str, text: &str) -> Payload {
    Payload::AssistantChunk { request: RequestId::new(request), part: Part::Text, offset: 0, text: text.to_owned() }
}

pub(crate) fn result(name: &str, outcome: Outcome, cause: Option<Cause>) -> Payload {
    Payload::ToolResult(ToolResult {
        call: call(name),
        outcome,
        cause,
        shown: Arc::from("done"),
        output: None,
        brief: Brief::Done,
        duration_ms: 7,
        effects: Vec::new(),
        seen: Vec::new(),
        note: None,
        rules: Vec::new(),
        recovered: false,
    })
}

pub(crate) fn end() -> Payload {
    Payload::TurnEnd { reason: EndReason::Completed, message: None, money: None }
}

pub(crate) fn append(store: &Store, conversation: &str, payloads: Vec<Payload>) -> Vec<Event> {
    store.append(&id(conversation), 20, payloads, Durability::Light, Vec::new()).wait().unwrap()
}

/// Proposes a write and shows its card.
pub(crate) fn ask(store: &Store, write: &Write<'_>) {
    append(
        store,
        write.conversation,
        vec![
            proposing(&format!("message of {}", write.call), &[write.call]),
            write.judged(Verdict::Ask),
            write.requested(),
        ],
    );
}

/// Proposes a write, shows its card and approves it.
pub(crate) fn approve(store: &Store, write: &Write<'_>) {
    ask(store, write);
    store.decide(write.decision(Answer::Approved)).wait().unwrap();
}

/// Drives a future on this thread.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// From now on a lock that another program holds is an error at once.
pub(crate) fn dont_wait_for_locks(store: &Store) {
    let set = |writing: &crate::writer::Writing<'_>| Ok(writing.busy_timeout(std::time::Duration::ZERO)?);
    store.write::<_, crate::StoreError, _>(Durability::Light, set).wait().unwrap();
}

/// No difference between the log and what is computed from it.
#[track_caller]
pub(crate) fn check_whole(store: &Store) {
    assert_eq!(store.verify().unwrap(), Vec::new());
}
