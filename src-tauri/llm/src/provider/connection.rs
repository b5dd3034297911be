//! The HTTP client of one provider: made with the first request and kept, so that connections are kept alive.
//! Reads no answer beyond its beginning, and knows no wire format.

use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use assent_protocol::view::FailureKind;
use bytes::Bytes;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};

use crate::endpoint::{Endpoint, join, label};
use crate::failure::{Quote, from_status, retry_after};
use crate::item::ModelFailure;
use crate::secret::Secret;

/// How much of an error's body is read, in bytes.
const MAX_ERROR_BODY: usize = 64 << 10;

/// How long an error's body may take; its status is known already.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);

/// How long an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(90);

/// How to reach one provider.
pub(super) struct Link {
    pub(super) endpoint: Endpoint,
    /// Sent with every request, the key among them.
    headers: HeaderMap,
    /// Where requests go, behind the base URL.
    path: &'static [&'static str],
    pub(super) quote: Quote,
    /// Which of the endpoint's addresses answered.
    chosen: AtomicUsize,
    /// The client, and the connect limit it was made with: that limit belongs to a client, not to a request.
    client: Mutex<Option<(Duration, Client)>>,
}

impl Link {
    pub(super) fn new(
        endpoint: Endpoint,
        headers: HeaderMap,
        path: &'static [&'static str],
        key: Option<Secret>,
    ) -> Self {
        Self {
            endpoint,
            headers,
            path,
            quote: Quote::without(key),
            chosen: AtomicUsize::new(0),
            client: Mutex::new(None),
        }
    }

    /// Sends a body; the answer is a success, whose body is still to come, or a failure that was read to its words.
    ///
    /// Where the base URL leaves open whether `/v1` belongs to it, a 404 is asked again at the other address, and
    /// the one that answers is remembered.
    pub(super) async fn post(&self, body: Bytes, connect: Duration) -> Result<Response, ModelFailure> {
        let bases = self.endpoint.bases();
        let first = self.chosen.load(Ordering::Relaxed).min(bases.len() - 1);
        let mut outcome = self.post_to(&bases[first], body.clone(), connect).await;
        if let Err(failure) = &outcome
            && failure.status == Some(404)
            && let Some((other, base)) = bases.iter().enumerate().find(|(index, _)| *index != first)
        {
            let again = self.post_to(base, body, connect).await;
            if !matches!(&again, Err(failure) if failure.status == Some(404)) {
                self.chosen.store(other, Ordering::Relaxed);
                outcome = again;
            }
        }
        outcome
    }

    async fn post_to(&self, base: &Url, body: Bytes, connect: Duration) -> Result<Response, ModelFailure> {
        let request = self
            .client(connect)?
            .post(join(base, self.path))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            // A compressed stream arrives in lumps.
            .header(ACCEPT_ENCODING, "identity")
            .body(body);
        self.send(request).await
    }

    /// Where a request goes first, without the query.
    pub(super) fn target(&self) -> String {
        label(&join(&self.endpoint.bases()[0], self.path))
    }

    /// Asks for a document.
    pub(super) async fn get(&self, url: Url, connect: Duration) -> Result<Response, ModelFailure> {
        let request = self.client(connect)?.get(url).header(ACCEPT, "application/json");
        self.send(request).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, ModelFailure> {
        let response = request.headers(self.headers.clone()).send().await.map_err(|error| self.not_connected(error))?;
        match response.status().is_success() {
            true => Ok(response),
            false => Err(self.refused(response).await),
        }
    }

    fn client(&self, connect: Duration) -> Result<Client, ModelFailure> {
        let mut kept = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((limit, client)) = kept.as_ref()
            && *limit == connect
        {
            return Ok(client.clone());
        }
        let client = make_client(&self.endpoint, connect).map_err(|error| self.not_connected(error))?;
        *kept = Some((connect, client.clone()));
        Ok(client)
    }

    async fn refused(&self, mut response: Response) -> ModelFailure {
        let status = response.status();
        let wait = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| retry_after(value, SystemTime::now()));
        if status.is_redirection() {
            return self.redirected(&response, status);
        }
        let mut body = Vec::new();
        let read = async {
            while let Ok(Some(bytes)) = response.chunk().await {
                let room = MAX_ERROR_BODY - body.len();
                body.extend_from_slice(&bytes[..bytes.len().min(room)]);
                if body.len() == MAX_ERROR_BODY {
                    break;
                }
            }
        };
        // The status is what counts: words that come late or break off are told as far as they came.
        let _ = tokio::time::timeout(ERROR_BODY_TIME, read).await;
        from_status(status.as_u16(), wait, &String::from_utf8_lossy(&body), &self.quote)
    }

    fn redirected(&self, response: &Response, status: StatusCode) -> ModelFailure {
        let target = response
            .headers()
            .get(reqwest::header::LOCATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| response.url().join(value).ok())
            .map(|url| url.origin().ascii_serialization())
            .unwrap_or_default();
        from_status(status.as_u16(), None, &format!("it points to {target}"), &self.quote)
    }

    fn not_connected(&self, error: reqwest::Error) -> ModelFailure {
        let is_timeout = error.is_timeout();
        let reason = reason(error);
        let message = match is_timeout {
            true => "no connection within the time limit".to_owned(),
            false => format!("no connection: {}", self.quote.words(&reason)),
        };
        ModelFailure { failure: FailureKind::Connect, message, status: None, retry_after_ms: None, opened: false }
    }
}

/// The innermost reason of an error, which is what people can act on; never the URL.
pub(super) fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut innermost = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        innermost = inner.to_string();
        source = inner.source();
    }
    innermost
}

fn make_client(endpoint: &Endpoint, connect: Duration) -> reqwest::Result<Client> {
    let builder = Client::builder()
        .user_agent(concat!("Assent/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(connect)
        .pool_idle_timeout(KEEP_ALIVE)
        .tcp_nodelay(true);
    match endpoint.is_plain_loopback() {
        // Reading the system's certificates costs more than the whole rest of a first request.
        true => builder.no_proxy().tls_certs_only([]).build(),
        false => builder.build(),
    }
}
