//! Checking a history: what the store finds, and every card and request computed again and held against its digest.
//! It repairs nothing and sends nothing.

use std::collections::HashMap;
use std::sync::Arc;

use assent_llm::Body;
use assent_policy::card_digest;
use assent_protocol::attachment::Contents;
use assent_protocol::event::{Event, Payload, RequestSent};
use assent_protocol::failure::Failure;
use assent_protocol::ids::{ConversationId, Sha};
use assent_protocol::snapshot::Difference;
use assent_protocol::tool::Stored;
use assent_session::{Session, Texts};

use crate::attachments::contents;
use crate::engine::{Engine, storage};
use crate::replay::builder;

/// One log, folded event by event.
#[derive(Default)]
struct Replay {
    session: Session,
    /// The last request, whose beginning the next one takes over.
    body: Option<Body>,
    /// Prompts and tools, by hash.
    texts: HashMap<Sha, Arc<str>>,
    /// Bytes of the attachments that the last request carried.
    contents: Contents,
    requests: usize,
}

impl Engine {
    /// Compares projections and pairing with a replay of all logs, and every card and every request of conversations that
    /// aren't deleted (sub-agents included) with the digest that was recorded. Requests that another version made aren't judged.
    pub fn verify(&self) -> Result<Vec<Difference>, Failure> {
        let mut found = self.shared.store.verify().map_err(|error| storage(&error))?;
        for row in self.shared.store.rows().map_err(|error| storage(&error))? {
            let agents = self.shared.store.agents(&row.id).map_err(|error| storage(&error))?;
            for id in [row.id].into_iter().chain(agents) {
                let events = self.shared.store.fold_events(&id).map_err(|error| storage(&error))?;
                self.verify_digests(&id, &events, &mut found);
            }
        }
        Ok(found)
    }

    fn verify_digests(&self, conversation: &ConversationId, events: &[Event], found: &mut Vec<Difference>) {
        let mut replay = Replay::default();
        let mut complain =
            |message: String| found.push(Difference { conversation: Some(conversation.clone()), message });
        for event in events {
            match &event.payload {
                Payload::RequestSent(sent) => {
                    replay.requests += 1;
                    if let Err(why) = self.verify_request(&mut replay, sent) {
                        complain(format!("request {} {why}", replay.requests));
                    }
                }
                Payload::ApprovalRequested { call, card, .. } => {
                    let judged = replay.session.call(call).and_then(|call| call.judged.as_ref()?.digest);
                    let digest = judged.map(|digest| card_digest(digest, card.tier, &card.touches, &card.preview));
                    if digest != Some(card.digest) {
                        complain(format!("the card in event {} doesn't fit its digest", event.seq));
                    }
                }
                _ => {}
            }
            replay.session.apply(event);
        }
    }

    fn verify_request(&self, replay: &mut Replay, sent: &RequestSent) -> Result<(), String> {
        let choice = sent.choice.as_deref().or(replay.session.choice()).ok_or("has no model")?;
        let model = self.shared.models.without_key(choice).map_err(|why| format!("can't be computed again: {why}"))?;
        if builder(model.as_ref(), sent.purpose) != sent.builder {
            return Ok(());
        }
        let (prompt, tools, memory) = (replay.session.prompt(), replay.session.tools(), replay.session.memory());
        let texts = Texts {
            system: self.known_text(replay, prompt)?,
            tools: self.known_text(replay, tools)?,
            memory: self.known_text(replay, memory)?,
        };
        let shown = replay.session.history().shown();
        replay.contents = contents(&self.shared.store, shown, &replay.contents)
            .map_err(|why| format!("can't be computed again: {why}"))?;
        let view = replay.session.view_of(sent, texts, Arc::clone(&replay.contents));
        let view = view.ok_or("asked for something that can't be told from the log")?;
        let is_own = sent.purpose.is_own();
        let body = model.body(&view, if is_own { replay.body.take() } else { None });
        let is_equal = body.digest == sent.digest;
        if is_own {
            replay.body = Some(body);
        }
        if is_equal { Ok(()) } else { Err("is another one when it is computed again".to_owned()) }
    }

    fn known_text(&self, replay: &mut Replay, stored: Option<Stored>) -> Result<Arc<str>, String> {
        let Some(stored) = stored else { return Ok("".into()) };
        if let Some(text) = replay.texts.get(&stored.hash) {
            return Ok(Arc::clone(text));
        }
        let text = self.text(Some(stored)).map_err(|failure| format!("can't be computed again: {failure}"))?;
        replay.texts.insert(stored.hash, Arc::clone(&text));
        Ok(text)
    }
}

#[cfg(test)]
mod tests;
