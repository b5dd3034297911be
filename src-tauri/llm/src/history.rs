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
/// What may differ between two requests of one conversation belongs into the tail, or is a cache marker.
pub(crate) struct Layout<'a> {
    /// Version of the code behind the three functions.
    pub builder: &'static str,
    /// Every setting that changes bytes; a history made with others isn't continued.
    pub settings: &'a Arc<str>,
    /// Writes all up to the first message; ends with `[`, or with the system prompt as the first element.
    pub head: &'a dyn Fn(&ModelView, &mut BytesMut),
    /// Writes one message, and what separates it from the one before it. It may leave open what a next one may go on with.
    pub message: &'a dyn Fn(Place<'_>, &ViewMessage, &mut BytesMut),
    /// How many of the messages can't change any more.
    pub sealable: fn(&[Arc<ViewMessage>]) -> usize,
    /// Whether the message at this index carries a cache marker; none of those that are sealed.
    pub is_marked: fn(&[Arc<ViewMessage>], usize) -> bool,
    /// Closes what is open, the array and the body.
    pub tail: &'a dyn Fn(&ModelView, &mut BytesMut),
}

/// Where a message stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The message before it.
    pub before: Option<&'a ViewMessage>,
    /// Whether it carries a cache marker.
    pub is_marked: bool,
}

/// All but a user message at the end, because the next one would be joined to it.
pub(crate) fn all_but_open_user(messages: &[Arc<ViewMessage>]) -> usize {
    match messages.last().map(AsRef::as_ref) {
        Some(ViewMessage::User { .. }) => messages.len() - 1,
        _ => messages.len(),
    }
}

/// For formats without cache markers.
pub(crate) fn unmarked(_: &[Arc<ViewMessage>], _: usize) -> bool {
    false
}

/// A comma, unless nothing stands before it in its array.
pub(crate) fn separate(out: &mut BytesMut) {
    if out.last() != Some(&b'[') {
        out.put_u8(b',');
    }
}

/// The part of a body that can't change any more, the state of the digest after it, and what followed it.
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
    /// The messages behind them, without cache markers and without the tail: what the next body is compared with.
    open: Vec<u8>,
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
            open: Vec::new(),
        }
    }

    /// Whether these very bytes begin the body of `view`.
    fn begins(&self, layout: &Layout<'_>, view: &ModelView) -> bool {
        let sealed = &view.messages[..(layout.sealable)(&view.messages)];
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
        let messages = &view.messages;
        let sealed = (layout.sealable)(messages);
        for index in self.messages.len()..sealed {
            write(layout, messages, index, false, &mut out);
            self.messages.push(messages[index].clone());
        }
        self.state.update(&out[from..]);
        self.bytes = out.len();

        let open = sealed..messages.len();
        let has_marks = open.clone().any(|index| (layout.is_marked)(messages, index));
        for index in open.clone() {
            write(layout, messages, index, false, &mut out);
        }
        self.open.clear();
        self.open.extend_from_slice(&out[self.bytes..]);
        if has_marks {
            out.truncate(self.bytes);
            for index in open {
                write(layout, messages, index, (layout.is_marked)(messages, index), &mut out);
            }
        }
        (layout.tail)(view, &mut out);
        let mut state = self.state.clone();
        state.update(&out[self.bytes..]);
        Body {
            bytes: out.freeze(),
            digest: Sha::from_bytes(state.finalize().into()),
            shared_prefix: 0,
            stable: (self.bytes + self.open.len()) as u64,
            history: Some(Arc::new(self)),
        }
    }
}

/// The body of `view`. What `previous` shares with it is taken over; the bytes are the same with and without it.
pub(crate) fn body(layout: &Layout<'_>, view: &ModelView, previous: Option<Body>) -> Body {
    let before = previous.and_then(|previous| Some((previous.bytes, previous.history?)));
    let Some((bytes, history)) = before.filter(|(bytes, history)| history.bytes <= bytes.len()) else {
        return SerialisedHistory::empty(layout, view).finish(layout, view, BytesMut::new());
    };
    let sealed = history.bytes;
    if !history.begins(layout, view) {
        let mut body = SerialisedHistory::empty(layout, view).finish(layout, view, BytesMut::new());
        body.shared_prefix = shared_with(&[&bytes[..sealed], &history.open], 0, &body);
        return body;
    }
    let out = take_sealed(bytes, sealed);
    let mut history = Arc::try_unwrap(history).unwrap_or_else(|shared| (*shared).clone());
    let old_open = std::mem::take(&mut history.open);
    let mut body = history.finish(layout, view, out);
    body.shared_prefix = sealed as u64 + shared_with(&[&old_open], sealed, &body);
    body
}

/// How many leading bytes of `old` are those of `body` from `from` on, cache markers and tail left out of both.
fn shared_with(old: &[&[u8]], from: usize, body: &Body) -> u64 {
    let Some(history) = &body.history else { return 0 };
    let new = body.bytes[from..history.bytes].iter().chain(&history.open);
    old.iter().copied().flatten().zip(new).take_while(|(one, other)| one == other).count() as u64
}

fn write(layout: &Layout<'_>, messages: &[Arc<ViewMessage>], index: usize, is_marked: bool, out: &mut BytesMut) {
    let before = index.checked_sub(1).map(|before| messages[before].as_ref());
    (layout.message)(Place { before, is_marked }, &messages[index], out);
}

/// The sealed bytes as a buffer to append to: the old one itself where nobody else holds it.
fn take_sealed(bytes: Bytes, sealed: usize) -> BytesMut {
    match bytes.try_into_mut() {
        Ok(mut whole) => {
            whole.truncate(sealed);
            whole
        }
        Err(shared) => {
            let mut copy = BytesMut::with_capacity(shared.len() + 4096);
            copy.put_slice(&shared[..sealed]);
            copy
        }
    }
}

fn same_text(one: &Arc<str>, other: &Arc<str>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}
