//! The trait behind which every model stands: providers, the practice model, and the scripted one of tests.
//! A request body is made before the stream is opened, so that its digest can be recorded first.

use std::pin::Pin;
use std::time::Duration;

use assent_protocol::ids::Sha;
use assent_protocol::view::ModelView;
use futures_core::Stream;
use tokio_util::sync::CancellationToken;

use crate::item::ModelItem;

/// Items in batches, one batch per read from the network.
pub type ModelStream = Pin<Box<dyn Stream<Item = Vec<ModelItem>> + Send>>;

/// Something that answers a request.
pub trait Model: Send + Sync {
    /// Version of the code that makes bodies: recorded with each request, so that a replay knows which made it.
    fn builder(&self) -> &'static str;

    /// The exact body of the request for this view. Pure: the same view gives the same bytes. `previous` is the
    /// body made before in the same conversation, if any; an implementation may reuse its serialised prefix when
    /// the view's epoch is the same, but must return what it would have returned without it.
    fn body(&self, view: &ModelView, previous: Option<Body>) -> Body;

    /// Opens the stream. Never fails by itself: failures are the stream's last item. Dropping the stream or
    /// cancelling closes the connection at once.
    fn stream(&self, call: ModelCall) -> ModelStream;
}

/// A request body, with what makes the next one cheap.
#[derive(Debug, Clone)]
pub struct Body {
    /// The exact bytes.
    pub bytes: bytes::Bytes,
    /// SHA-256 over the bytes.
    pub digest: Sha,
    /// How many leading bytes equal the previous body's, cache markers and closing brackets left out of both.
    pub shared_prefix: u64,
    /// Length in bytes without cache markers and closing brackets: what the next body should begin with.
    pub stable: u64,
    /// Serialised messages so far, reusable for the next body.
    pub history: Option<std::sync::Arc<crate::history::SerialisedHistory>>,
}

/// What a stream is opened with.
#[derive(Debug, Clone)]
pub struct ModelCall {
    /// The body.
    pub body: Body,
    /// The view it was made from; the practice model reads it.
    pub view: std::sync::Arc<ModelView>,
    /// Ends the stream.
    pub cancel: CancellationToken,
    /// Time limits.
    pub timeouts: Timeouts,
}

/// Time limits of one request (spec part 3: 30 s, 300 s, 120 s).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the first meaningful byte of the answer.
    pub first_byte: Duration,
    /// Between meaningful bytes after that.
    pub idle: Duration,
}
