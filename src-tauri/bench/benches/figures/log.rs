//! The log of a long conversation, made as the engine would have made it.
//! Nobody asked a model for it.

use std::path::Path;

use assent_protocol::event::{AssistantMessage, Delivery, EndReason, Payload, TurnCause};
use assent_protocol::ids::{ConversationId, MessageId, RequestId};
use assent_protocol::view::FinishReason;
use assent_store::{Durability, Store};

use crate::room::choice;

/// Turns that are appended together.
const BATCH: usize = 100;

/// Writes a log of so many turns, each a question and an answer.
pub fn fill(home: &Path, conversation: &ConversationId, turns: usize) {
    let (store, _) = Store::open(home).unwrap();
    let created = vec![
        Payload::ConversationCreated { project: None, workspace: None, fork: None, parent: None },
        Payload::ModelSet { choice: choice("http://127.0.0.1:9/v1"), learned: false },
    ];
    store.create_conversation(conversation, 1, created, Vec::new()).wait().unwrap();
    let numbers: Vec<usize> = (0..turns).collect();
    for batch in numbers.chunks(BATCH) {
        let payloads = batch.iter().flat_map(|turn| asked(*turn).into_iter().chain(answered(*turn))).collect();
        store.append(conversation, 1, payloads, Durability::Light, Vec::new()).wait().unwrap();
    }
}

/// A turn up to its request.
pub fn asked(turn: usize) -> Vec<Payload> {
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
    ]
}

/// The same turn from its answer on: some paragraphs.
pub fn answered(turn: usize) -> Vec<Payload> {
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
        Payload::AssistantMessage(answer),
        Payload::IterationEnd { in_turn: 1 },
        Payload::TurnEnd { reason: EndReason::Completed, message: None, money: None },
    ]
}
