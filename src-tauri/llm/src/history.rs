//! Serialised messages that are only appended to, with a running digest, so that a request costs no more than what is new in it.
//! Knows no wire format (a [`Layout`] brings that) and trusts nobody's word that a history only grew: it compares.

use std::fmt;
use std::sync::Arc;

use assent_protocol::ids::Sha;
use assent_protocol::view::{ModelView, ViewMessage};
use bytes::{BufMut as _, Bytes, BytesMut};
use sha2::{Digest as _, Sha256};

use crate::model::Body;

/// How a wire format writes a body: a head that ends in an open array, the messages in it, and a tail that closes it.
/// What may differ between two requests of one conversation belongs into the tail.
pub(crate) struct Layout<'a> {
    /// Version of the code behind the three functions.
    pub builder: &'static str,
    /// Every setting that changes bytes; a history made with others isn't continued.
    pub settings: &'a Arc<str>,
    /// Writes all up to the first message; ends with `[`, or with the system prompt as the first element.
    pub head: &'a dyn Fn(&ModelView, &mut BytesMut),
    /// Writes one message, without a comma.
    pub message: &'a dyn Fn(&ViewMessage, &mut BytesMut),
    /// Closes the array and the body.
    pub tail: &'a dyn Fn(&ModelView, &mut BytesMut),
}

/// The part of a body that can't change any more, and the state of the digest after it.
///
/// A user message at the end is never part of it, because the next one would be joined to it.
#[derive(Clone)]
pub struct SerialisedHistory {
    builder: &'static str,
    settings: Arc<str>,
    epoch: u64,
    model: Arc<str>,
    system: Arc<str>,
    tools: Arc<str>,
    /// The sealed messages. Mostly the very ones of the view, so comparing them is comparing pointers.
    messages: Vec<Arc<ViewMessage>>,
    /// How many bytes of the body are sealed.
    bytes: usize,
    /// Digest state after those bytes.
    state: Sha256,
}

impl fmt::Debug for SerialisedHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SerialisedHistory")
            .field("builder", &self.builder)
            .field("epoch", &self.epoch)
            .field("messages", &self.messages.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl SerialisedHistory {
    /// How many messages are sealed.
    pub fn sealed(&self) -> usize {
        self.messages.len()
    }

    fn empty(layout: &Layout<'_>, view: &ModelView) -> Self {
        Self {
            builder: layout.builder,
            settings: layout.settings.clone(),
            epoch: view.epoch,
            model: view.model.clone(),
            system: view.system.clone(),
            tools: view.tools.clone(),
            messages: Vec::new(),
            bytes: 0,
            state: Sha256::new(),
        }
    }

    /// Whether these very bytes begin the body of `view`.
    fn begins(&self, layout: &Layout<'_>, view: &ModelView) -> bool {
        let sealed = &view.messages[..sealable(view)];
        self.builder == layout.builder
            && same_text(&self.settings, layout.settings)
            && self.epoch == view.epoch
            && same_text(&self.model, &view.model)
            && same_text(&self.system, &view.system)
            && same_text(&self.tools, &view.tools)
            && self.messages.len() <= sealed.len()
            && self.messages.iter().zip(sealed).all(|(ours, theirs)| Arc::ptr_eq(ours, theirs) || ours == theirs)
    }

    /// Seals what is new in `view` and returns the finished body; `out` holds the sealed bytes so far.
    fn finish(mut self, layout: &Layout<'_>, view: &ModelView, mut out: BytesMut) -> Body {
        let from = out.len();
        if from == 0 {
            (layout.head)(view, &mut out);
        }
        let (sealed, open) = view.messages.split_at(sealable(view));
        for message in &sealed[self.messages.len()..] {
            write_element(layout, message, &mut out);
            self.messages.push(message.clone());
        }
        self.state.update(&out[from..]);
        self.bytes = out.len();

        for message in open {
            write_element(layout, message, &mut out);
        }
        (layout.tail)(view, &mut out);
        let mut state = self.state.clone();
        state.update(&out[self.bytes..]);
        Body {
            bytes: out.freeze(),
            digest: Sha::from_bytes(state.finalize().into()),
            shared_prefix: 0,
            history: Some(Arc::new(self)),
        }
    }
}

/// The body of `view`. What `previous` shares with it is taken over; the bytes are the same with and without it.
pub(crate) fn body(layout: &Layout<'_>, view: &ModelView, previous: Option<Body>) -> Body {
    let Some(previous) = previous else {
        return SerialisedHistory::empty(layout, view).finish(layout, view, BytesMut::new());
    };
    let history =
        previous.history.filter(|history| history.bytes <= previous.bytes.len() && history.begins(layout, view));
    match history {
        Some(history) => {
            let sealed = history.bytes;
            let (out, old_rest) = take_sealed(previous.bytes, sealed);
            let history = Arc::try_unwrap(history).unwrap_or_else(|shared| (*shared).clone());
            let mut body = history.finish(layout, view, out);
            body.shared_prefix = (sealed + common_prefix(&old_rest, &body.bytes[sealed..])) as u64;
            body
        }
        None => {
            let mut body = SerialisedHistory::empty(layout, view).finish(layout, view, BytesMut::new());
            body.shared_prefix = common_prefix(&previous.bytes, &body.bytes) as u64;
            body
        }
    }
}

/// How many messages can't change any more: all but a user message at the end.
fn sealable(view: &ModelView) -> usize {
    match view.messages.last().map(AsRef::as_ref) {
        Some(ViewMessage::User { .. }) => view.messages.len() - 1,
        _ => view.messages.len(),
    }
}

fn write_element(layout: &Layout<'_>, message: &ViewMessage, out: &mut BytesMut) {
    if out.last() != Some(&b'[') {
        out.put_u8(b',');
    }
    (layout.message)(message, out);
}

/// The sealed bytes as a buffer to append to (the old one itself where nobody else holds it), and what stood behind them.
fn take_sealed(bytes: Bytes, sealed: usize) -> (BytesMut, Vec<u8>) {
    let rest = bytes[sealed..].to_vec();
    match bytes.try_into_mut() {
        Ok(mut whole) => {
            whole.truncate(sealed);
            (whole, rest)
        }
        Err(shared) => {
            let mut copy = BytesMut::with_capacity(shared.len() + 4096);
            copy.put_slice(&shared[..sealed]);
            (copy, rest)
        }
    }
}

fn same_text(one: &Arc<str>, other: &Arc<str>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}
