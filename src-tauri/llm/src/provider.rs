//! A configured provider: where it is, how it is spoken to, and the one HTTP client that is kept for it.
//! Never retries, follows no redirect, stores no key, and shows no address with its query.

mod connection;
mod exchange;
mod listing;
mod probe;
mod silence;

use std::fmt;
use std::sync::Arc;

use assent_protocol::view::{ModelView, Protocol};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::anthropic_messages::{self, AnthropicForm};
use crate::chat_completions::{self, BodyForm};
use crate::endpoint::{Endpoint, EndpointError};
use crate::model::{Body, Model, ModelCall, ModelStream};
use crate::practice::Practice;
use crate::responses::{self, ResponsesForm};
use crate::secret::Secret;
use crate::wire_format::WireFormat;

pub use probe::{Asked, Attempt, LOCAL_SERVERS, LocalServer, ModelInfo, TestReport, discover_at, discover_local};

/// What a provider is made from.
#[derive(Clone)]
pub struct ProviderConfig {
    /// As typed by a person: with or without `/v1`, or with an endpoint at its end. Not read for the practice model.
    pub base_url: String,
    /// Which wire format.
    pub protocol: Protocol,
    /// The key, bound to this base URL's origin.
    pub key: Option<Secret>,
    /// Further fields of every request body, e.g. `temperature`; none of those that are written here.
    pub extra: Map<String, Value>,
    /// Send reasoning back as `reasoning_content`: some models refuse to go on without, others refuse it.
    pub echo_reasoning: bool,
    /// Send an empty text instead of `null` in a message that holds nothing but calls.
    pub empty_text: bool,
    /// Send back what the provider attached to its calls (signatures).
    pub echo_call_extras: bool,
    /// Ask for usage at the end of a stream; a few servers refuse the question.
    pub include_usage: bool,
    /// `responses`: ask for reasoning in the encrypted form that can be sent back; models without reasoning refuse it.
    pub encrypted_reasoning: bool,
    /// `anthropic-messages`: tokens of an answer at most; none: a figure that every model takes.
    pub max_output: Option<u64>,
}

impl ProviderConfig {
    /// The usual settings for a base URL: no key, no extras, usage asked for.
    pub fn new(protocol: Protocol, base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            protocol,
            key: None,
            extra: Map::new(),
            echo_reasoning: false,
            empty_text: false,
            echo_call_extras: false,
            include_usage: true,
            encrypted_reasoning: true,
            max_output: None,
        }
    }
}

impl fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url = self.base_url.split(['?', '#']).next().unwrap_or_default();
        f.debug_struct("ProviderConfig")
            .field("base_url", &base_url)
            .field("protocol", &self.protocol)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// Why a provider can't be used as configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The base URL.
    #[error(transparent)]
    BaseUrl(#[from] EndpointError),
    /// The key was entered for another scheme, host or port.
    #[error("the key was entered for {bound}, not for {asked}: enter it again")]
    KeyForOtherHost {
        /// Where the key may go.
        bound: String,
        /// Where it would have gone.
        asked: String,
    },
    /// The key holds characters that no header can carry.
    #[error("the key holds characters that can't be sent")]
    BadKey,
    /// A field in `extra` that is not the user's to set.
    #[error("the field {0} can't be set as an extra")]
    OwnField(String),
}

/// A provider ready to be asked.
///
/// Streams run in the task that polls them; on a current-thread runtime a token costs a tenth of what it costs on a
/// multi-thread one (design, measured facts).
pub struct Provider {
    speaks: Speaks,
}

enum Speaks {
    Http { format: Box<dyn WireFormat>, link: Arc<connection::Link> },
    Practice(Practice),
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speaks = match &self.speaks {
            Speaks::Http { link, .. } => link.endpoint.origin(),
            Speaks::Practice(_) => "practice".to_owned(),
        };
        f.debug_tuple("Provider").field(&speaks).finish()
    }
}

impl Provider {
    /// Checks a configuration. Opens nothing: the HTTP client is made with the first request.
    ///
    /// # Errors
    /// A base URL that is none, a key bound to another origin, an extra field that is ours to write.
    pub fn new(config: ProviderConfig) -> Result<Self, ProviderError> {
        if config.protocol == Protocol::Practice {
            return Ok(Self { speaks: Speaks::Practice(Practice::new()) });
        }
        let endpoint = Endpoint::parse(&config.base_url)?;
        let headers = headers(&config, &endpoint)?;
        let format = format(&config)?;
        let link = Arc::new(connection::Link::new(endpoint, headers, format.path(), config.key));
        Ok(Self { speaks: Speaks::Http { format, link } })
    }
}

fn format(config: &ProviderConfig) -> Result<Box<dyn WireFormat>, ProviderError> {
    let is_own_field = match config.protocol {
        Protocol::Responses => responses::is_own_field,
        Protocol::AnthropicMessages => anthropic_messages::is_own_field,
        Protocol::ChatCompletions | Protocol::Practice => chat_completions::is_own_field,
    };
    if let Some(name) = config.extra.keys().find(|name| is_own_field(name)) {
        return Err(ProviderError::OwnField(name.clone()));
    }
    Ok(match config.protocol {
        Protocol::Responses => Box::new(ResponsesForm::new(config.encrypted_reasoning, &config.extra)),
        Protocol::AnthropicMessages => Box::new(AnthropicForm::new(config.max_output, &config.extra)),
        Protocol::ChatCompletions | Protocol::Practice => Box::new(
            BodyForm::new(config.echo_reasoning, config.echo_call_extras, config.include_usage, &config.extra)
                .with_empty_text(config.empty_text),
        ),
    })
}

impl Model for Provider {
    fn builder(&self) -> &'static str {
        match &self.speaks {
            Speaks::Http { format, .. } => format.builder(),
            Speaks::Practice(practice) => practice.builder(),
        }
    }

    fn body(&self, view: &ModelView, previous: Option<Body>) -> Body {
        match &self.speaks {
            Speaks::Http { format, .. } => format.body(view, previous),
            Speaks::Practice(practice) => practice.body(view, previous),
        }
    }

    fn stream(&self, call: ModelCall) -> ModelStream {
        match &self.speaks {
            Speaks::Http { format, link } => exchange::stream(link.clone(), format.machine(), call),
            Speaks::Practice(practice) => practice.stream(call),
        }
    }
}

/// The version of the Anthropic API that is spoken here (their page "Versions").
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The headers that every request carries. The one with the key is made only when the key belongs to the endpoint.
fn headers(config: &ProviderConfig, endpoint: &Endpoint) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    let is_anthropic = config.protocol == Protocol::AnthropicMessages;
    if is_anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(ANTHROPIC_VERSION));
    }
    if let Some(key) = &config.key {
        if key.origin() != endpoint.origin() {
            return Err(ProviderError::KeyForOtherHost { bound: key.origin().to_owned(), asked: endpoint.origin() });
        }
        let text = match is_anthropic {
            true => zeroize::Zeroizing::new(key.expose().to_owned()),
            false => zeroize::Zeroizing::new(format!("Bearer {}", key.expose())),
        };
        let mut header = HeaderValue::from_str(&text).map_err(|_| ProviderError::BadKey)?;
        header.set_sensitive(true);
        headers.insert(if is_anthropic { HeaderName::from_static("x-api-key") } else { AUTHORIZATION }, header);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests;
