//! What waits for a person: cards and questions, listed and reported.
//! Deciding and answering are commands of their own.

use assent_engine::Engine;
use assent_protocol::failure::Failure;
use assent_protocol::ids::ConversationId;
use assent_protocol::tool::ASK_USER;
use serde_json::json;

use crate::{chat, print};

/// `assent approvals`: all that waits, over all conversations.
pub fn list(engine: &Engine, json: bool) -> Result<u8, Failure> {
    let pending = engine.inbox()?;
    let questions = engine.questions()?;
    if json {
        let asked = questions.iter().map(|row| {
            json!({
                "call": row.call,
                "conversation": row.conversation,
                "tool": ASK_USER,
                "question": row.question,
                "options": row.options,
            })
        });
        let rows: Vec<_> = pending
            .iter()
            .map(|row| {
                json!({
                    "call": row.call,
                    "conversation": row.conversation,
                    "tool": row.tool,
                    "tier": row.card.tier,
                    "reason": row.card.reason.line(),
                    "digest": row.card.digest,
                    "preview": row.card.preview.text(),
                })
            })
            .chain(asked)
            .collect();
        print::value(&json!(rows));
        return Ok(0);
    }
    if pending.is_empty() && questions.is_empty() {
        print::out("Nothing waits for approval or an answer.\n");
    }
    for row in &pending {
        chat::show_card(row);
    }
    for row in &questions {
        chat::show_question(row);
    }
    Ok(0)
}

/// Says what waits in a conversation, and how to decide or answer it.
pub fn report(engine: &Engine, conversation: &ConversationId) {
    let (questions, pending) = match (engine.questions(), engine.inbox()) {
        (Ok(questions), Ok(pending)) => (questions, pending),
        (Err(failure), _) | (_, Err(failure)) => return print::complain(&failure.message),
    };
    for row in questions.iter().filter(|row| row.conversation == *conversation) {
        let question = &row.question;
        let options: String = row.options.iter().map(|option| format!("\n  - {option}")).collect();
        print::complain(&format!("waiting for an answer: {question}{options}\n  assent answer {} \"…\"", row.call));
    }
    for row in pending.iter().filter(|row| row.conversation == *conversation) {
        let line = row.card.reason.line();
        print::complain(&format!(
            "waiting for approval: {line}\n  assent approve {} --digest {}\n  assent reject {} --note \"…\"",
            row.call, row.card.digest, row.call
        ));
    }
}
