//! One prompt with the files that go along: read, stored, sent, and its turn followed.
//! What may be attached is the engine's word.

use assent_engine::Engine;
use assent_protocol::event::Delivery;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ConversationId;
use assent_protocol::request::Request;

use crate::arguments::Options;
use crate::cli::{Unfinished, act, conversation};

/// Says `prompt` with these files attached; the exit code of its turn.
pub async fn exec(
    engine: &Engine,
    prompt: String,
    attach: &[String],
    options: Options,
    json: bool,
) -> Result<u8, Unfinished> {
    // Before the conversation begins or changes: those events belong to the run as well.
    let signals = engine.subscribe();
    let known = options.conversation.as_ref().map(ConversationId::new).filter(|id| engine.row(id).is_ok());
    let unfinished = |failure| Unfinished { failure, conversation: known.clone() };
    let files = files(attach).map_err(unfinished)?;
    let conversation = conversation(engine, &options).await.map_err(unfinished)?;
    let mut attachments = Vec::with_capacity(files.len());
    for (name, bytes) in files {
        let attached = engine.attach(&conversation, &name, bytes).await;
        attachments.push(attached.map_err(Unfinished::about(&conversation))?);
    }
    let (delivery, reject) = (Delivery::NextTurn, false);
    let send = Request::Send { conversation: conversation.clone(), text: prompt, delivery, reject, attachments };
    act(engine, signals, &conversation, send, json).await
}

/// The files to send along, read before anything is recorded.
fn files(paths: &[String]) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let read = |path: &String| match std::fs::read(path) {
        Ok(bytes) => Ok((path.clone(), bytes)),
        Err(error) => Err(Failure::new(Code::Invalid, format!("{path} can't be read: {error}"))),
    };
    paths.iter().map(read).collect()
}
