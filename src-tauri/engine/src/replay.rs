//! What the model saw: a past request recomputed from the log alone, and checked against the recorded digest.
//! It sends nothing.

use std::sync::Arc;

use assent_llm::Model;
use assent_protocol::attachment::Contents;
use assent_protocol::event::{Event, Payload, Purpose, RequestSent};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ConversationId, RequestId, Sha};
use assent_protocol::tool::Stored;
use assent_protocol::view::Usage;
use assent_session::{ASIDES, Session, Texts};

use crate::attachments::contents;
use crate::engine::{Engine, storage};

/// A request, recomputed.
#[derive(Debug, Clone)]
pub struct Recomputed {
    /// The body, byte for byte as this version makes it.
    pub body: bytes::Bytes,
    /// What was recorded when it was sent.
    pub sent: RequestSent,
    /// Version of the code that made `body`.
    pub builder: String,
    /// How many bytes of the request before it should begin with; none: it is the first.
    pub stable_before: Option<u64>,
    /// What was counted of it; none: nothing was.
    pub usage: Option<Usage>,
}

impl Recomputed {
    /// Whether the bytes are those that were sent.
    pub fn is_equal(&self) -> bool {
        Sha::of(&self.body) == self.sent.digest
    }
}

impl Engine {
    /// Recomputes the request that `which` picks.
    pub fn recompute(
        &self,
        conversation: &ConversationId,
        which: impl Fn(usize, &RequestSent) -> bool,
    ) -> Result<Recomputed, Failure> {
        let events = self.shared.store.fold_events(conversation).map_err(|error| storage(&error))?;
        if events.is_empty() {
            return Err(Failure::new(Code::NotFound, format!("there is no conversation {conversation}")));
        }
        let (position, sent) =
            find(&events, which).ok_or_else(|| Failure::new(Code::NotFound, "there is no such request"))?;
        let session = Session::fold(&events[..position]);
        let own = sent.choice.as_deref().or(session.choice());
        let choice = own.ok_or_else(|| Failure::new(Code::Other, "the request has no model"))?;
        let model = self.shared.models.without_key(choice).map_err(|message| Failure::new(Code::Provider, message))?;
        let shown = session.history().shown();
        let contents = contents(&self.shared.store, shown, &Contents::default()).map_err(|error| storage(&error))?;
        let texts = Texts {
            system: self.text(session.prompt())?,
            tools: self.text(session.tools())?,
            memory: self.text(session.memory())?,
        };
        let unknown = || Failure::new(Code::Other, "what it asked for can't be told from the log");
        let view = session.view_of(sent, texts, contents).ok_or_else(unknown)?;
        let body = model.body(&view, None);
        let builder = builder(model.as_ref(), sent.purpose);
        let stable_before = sent.purpose.is_own().then(|| stable_before(&events[..position])).flatten();
        let usage = usage_of(&events[position..], &sent.request);
        Ok(Recomputed { body: body.bytes, sent: sent.clone(), builder, stable_before, usage })
    }

    /// The request with this id.
    pub(crate) fn recompute_by_id(
        &self,
        conversation: &ConversationId,
        request: &RequestId,
    ) -> Result<Recomputed, Failure> {
        self.recompute(conversation, |_, sent| sent.request == *request)
    }

    pub(crate) fn text(&self, stored: Option<Stored>) -> Result<Arc<str>, Failure> {
        let Some(stored) = stored else { return Ok("".into()) };
        let bytes = self.shared.store.content(stored.hash).map_err(|error| storage(&error))?;
        let missing = || Failure::new(Code::Storage, format!("content {} of the conversation is missing", stored.hash));
        Ok(String::from_utf8_lossy(&bytes.ok_or_else(missing)?).into())
    }
}

/// Version of the code that makes the body of a request: the model's, and that of the words where they are ours.
pub(crate) fn builder(model: &dyn Model, purpose: Purpose) -> String {
    match purpose.is_own() {
        true => model.builder().to_owned(),
        false => format!("{} {ASIDES}", model.builder()),
    }
}

/// What the last request of these events says that the next one should begin with.
fn stable_before(events: &[Event]) -> Option<u64> {
    events.iter().rev().find_map(|event| match &event.payload {
        Payload::RequestSent(sent) if sent.purpose.is_own() => Some(sent.stable),
        _ => None,
    })
}

fn usage_of(events: &[Event], of: &RequestId) -> Option<Usage> {
    events.iter().find_map(|event| match &event.payload {
        Payload::UsageRecorded { request, usage, .. } if request == of => Some(*usage),
        _ => None,
    })
}

/// Position and record of the request that `which` picks; `which` gets its number from 1.
fn find(events: &[Event], which: impl Fn(usize, &RequestSent) -> bool) -> Option<(usize, &RequestSent)> {
    let requests = events.iter().enumerate().filter_map(|(position, event)| match &event.payload {
        Payload::RequestSent(sent) => Some((position, sent)),
        _ => None,
    });
    requests.enumerate().find(|(number, (_, sent))| which(number + 1, sent)).map(|(_, found)| found)
}
