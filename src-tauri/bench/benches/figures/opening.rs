//! Opening a conversation of 10,000 messages in an engine that has just started.
//! The log is made through the store, as the engine would have made it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assent_engine::Engine;
use assent_protocol::event::{AssistantMessage, Delivery, EndReason, Payload, TurnCause};
use assent_protocol::ids::{ConversationId, MessageId, RequestId};
use assent_protocol::request::{Request, Response};
use assent_protocol::view::FinishReason;
use assent_store::{Durability, Store};

use crate::room::{Nobody, block_on};
use crate::table::{Aim, Row, median};

/// Openings, each in a fresh engine.
const ROUNDS: usize = 9;
/// Half of the messages are a person's.
const TURNS: usize = 5_000;
/// Turns that are appended together.
const BATCH: usize = 100;

/// Takes the figure.
pub fn measure() -> Vec<Row> {
    let home = tempfile::tempdir().unwrap();
    let conversation = ConversationId::new("0190b5a0-0000-7000-8000-000000000001");
    fill(home.path(), &conversation);
    let times: Vec<Duration> = (0..ROUNDS).map(|_| open(home.path(), &conversation)).collect();
    let name = format!("opening a conversation of {} messages", TURNS * 2);
    vec![Row::times(name, median(times), None, Aim::Below(100.0))]
}

fn open(home: &std::path::Path, conversation: &ConversationId) -> Duration {
    block_on(async {
        let engine = Engine::open(home, Arc::new(Nobody)).await.unwrap();
        let began = Instant::now();
        let opened = engine.handle(Request::Open { conversation: conversation.clone() }).await.unwrap();
        let took = began.elapsed();
        assert!(matches!(opened, Response::Open(_)));
        took
    })
}

fn fill(home: &std::path::Path, conversation: &ConversationId) {
    let (store, _) = Store::open(home).unwrap();
    let created = vec![Payload::ConversationCreated { project: None, workspace: None, fork: None, parent: None }];
    store.create_conversation(conversation, 1, created, Vec::new()).wait().unwrap();
    let mut turn = 0;
    while turn < TURNS {
        let payloads = (turn..turn + BATCH).flat_map(events).collect();
        store.append(conversation, 1, payloads, Durability::Light, Vec::new()).wait().unwrap();
        turn += BATCH;
    }
}

/// One turn: a question and an answer of some paragraphs.
fn events(turn: usize) -> Vec<Payload> {
    let answer = AssistantMessage {
        message: MessageId::new(format!("answer-{turn}")),
        request: RequestId::new(format!("request-{turn}")),
        text: "An answer of the usual length, in a few lines of plain words.\n".repeat(10).into(),
        reasoning: "".into(),
        calls: Vec::new(),
        finish: Some(FinishReason::Stop),
        partial: false,
        items: Vec::new(),
    };
    vec![
        Payload::UserMessage {
            message: MessageId::new(format!("question-{turn}")),
            text: "What does this part do, and why is it there? ".repeat(3).into(),
            delivery: Delivery::NextTurn,
            context: None,
            attachments: Vec::new(),
            skills: Vec::new(),
        },
        Payload::TurnStart { cause: TurnCause::Message },
        Payload::IterationStart { since_human: 1, in_turn: 1 },
        Payload::AssistantMessage(answer),
        Payload::IterationEnd { in_turn: 1 },
        Payload::TurnEnd { reason: EndReason::Completed, message: None, money: None },
    ]
}
