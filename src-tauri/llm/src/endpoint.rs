//! From what a person types as a base URL to the addresses that are asked.
//! Makes no connection and never shows a query, where some providers expect keys.

use assent_protocol::view::Protocol;
use reqwest::Url;

/// Where a provider is reached: one address, or two to try when the text leaves open whether `/v1` belongs to it.
#[derive(Clone)]
pub(crate) struct Endpoint {
    bases: Vec<Url>,
    /// The wire format that the text itself names.
    named: Option<Protocol>,
}

/// Why a text is no base URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It can't be read as a URL at all.
    #[error("this is not a web address: {0}")]
    NotAUrl(String),
    /// Neither http nor https.
    #[error("a base URL begins with http:// or https://")]
    Scheme,
    /// It holds a user name or password.
    #[error("a base URL holds no user name or password: the key has a field of its own")]
    Credentials,
}

/// What people paste together with the base URL, and the wire format that it belongs to.
const ENDPOINTS: [(&[&str], Option<Protocol>); 5] = [
    (&["chat", "completions"], Some(Protocol::ChatCompletions)),
    (&["completions"], Some(Protocol::ChatCompletions)),
    (&["responses"], Some(Protocol::Responses)),
    (&["messages"], Some(Protocol::AnthropicMessages)),
    (&["models"], None),
];

/// Part of a path under which several providers speak Anthropic's format beside their own.
const ANTHROPIC: &str = "anthropic";

impl Endpoint {
    /// Reads a base URL: with or without scheme, `/v1`, a slash or an endpoint at its end.
    pub(crate) fn parse(text: &str) -> Result<Self, EndpointError> {
        let mut url = parse_url(text.trim())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EndpointError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(EndpointError::Credentials);
        }
        url.set_fragment(None);

        let mut segments: Vec<String> =
            url.path().split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect();
        let pasted = ENDPOINTS.iter().find(|(endpoint, _)| segments.ends_with_words(endpoint));
        if let Some((endpoint, _)) = pasted {
            segments.truncate(segments.len() - endpoint.len());
        }
        let is_anthropic = segments.iter().any(|segment| segment == ANTHROPIC);
        let named = pasted.and_then(|(_, protocol)| *protocol).or(is_anthropic.then_some(Protocol::AnthropicMessages));
        let base = with_path(&url, &segments);
        if pasted.is_some() || segments.iter().any(|segment| is_version(segment)) {
            return Ok(Self { bases: vec![base], named });
        }
        segments.push("v1".to_owned());
        Ok(Self { bases: vec![with_path(&url, &segments), base], named })
    }

    /// The wire format that the text itself names, by an endpoint at its end or in its path.
    pub(crate) fn named_protocol(&self) -> Option<Protocol> {
        self.named
    }

    /// The addresses to try, the likelier one first.
    pub(crate) fn bases(&self) -> &[Url] {
        &self.bases
    }

    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> String {
        self.bases[0].origin().ascii_serialization()
    }

    /// Whether this is plain http to this very machine: no TLS, no proxy.
    pub(crate) fn is_plain_loopback(&self) -> bool {
        let url = &self.bases[0];
        url.scheme() == "http" && is_loopback(url)
    }

    /// Whether the server may be one of the local kinds that answer more than the common protocol.
    pub(crate) fn is_plain(&self) -> bool {
        self.bases[0].scheme() == "http"
    }

    /// The server's root with another path, for what stands outside of the protocol.
    pub(crate) fn root(&self, path: &[&str]) -> Url {
        let segments: Vec<String> = path.iter().map(|&segment| segment.to_owned()).collect();
        with_path(&self.bases[0], &segments)
    }
}

/// Whether a base URL leads to this very machine, without TLS.
pub fn is_local(base_url: &str) -> bool {
    Endpoint::parse(base_url).is_ok_and(|endpoint| endpoint.is_plain_loopback())
}

/// `base` with `path` behind it.
pub(crate) fn join(base: &Url, path: &[&str]) -> Url {
    let segments: Vec<String> = base
        .path()
        .split('/')
        .filter(|segment| !segment.is_empty())
        .chain(path.iter().copied())
        .map(str::to_owned)
        .collect();
    with_path(base, &segments)
}

/// A URL as people may see it: without its query.
pub(crate) fn label(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.to_string()
}

fn parse_url(text: &str) -> Result<Url, EndpointError> {
    let parsed = if text.contains("://") {
        Url::parse(text)
    } else {
        let host = text.split(['/', ':']).next().unwrap_or_default();
        let is_near = host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok();
        Url::parse(&format!("{}://{text}", if is_near { "http" } else { "https" }))
    };
    parsed.map_err(|error| EndpointError::NotAUrl(error.to_string()))
}

fn with_path(url: &Url, segments: &[String]) -> Url {
    let mut url = url.clone();
    url.set_path(&segments.join("/"));
    url
}

fn is_version(segment: &str) -> bool {
    let mut letters = segment.chars();
    letters.next() == Some('v') && letters.next().is_some_and(|letter| letter.is_ascii_digit())
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

trait EndsWithWords {
    fn ends_with_words(&self, words: &[&str]) -> bool;
}

impl EndsWithWords for Vec<String> {
    fn ends_with_words(&self, words: &[&str]) -> bool {
        self.len() >= words.len() && self[self.len() - words.len()..].iter().zip(words).all(|(ours, word)| ours == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bases(text: &str) -> Vec<String> {
        Endpoint::parse(text).unwrap().bases().iter().map(Url::to_string).collect()
    }

    #[test]
    fn v1_may_be_there_or_not() {
        assert_eq!(bases("https://a.example"), ["https://a.example/v1", "https://a.example/"]);
        assert_eq!(bases("https://a.example/v1"), ["https://a.example/v1"]);
        assert_eq!(bases(" https://a.example/v1/ "), ["https://a.example/v1"]);
        assert_eq!(bases("https://a.example/api"), ["https://a.example/api/v1", "https://a.example/api"]);
        assert_eq!(bases("https://a.example/api/paas/v4"), ["https://a.example/api/paas/v4"]);
        assert_eq!(bases("https://a.example/v1beta/openai"), ["https://a.example/v1beta/openai"]);
    }

    #[test]
    fn a_pasted_endpoint_is_taken_off() {
        assert_eq!(bases("https://a.example/v1/chat/completions"), ["https://a.example/v1"]);
        assert_eq!(bases("https://a.example/chat/completions/"), ["https://a.example/"]);
        assert_eq!(bases("https://a.example/v1/models"), ["https://a.example/v1"]);
        assert_eq!(bases("https://a.example/v1/responses"), ["https://a.example/v1"]);
        assert_eq!(bases("https://a.example/v1/messages/"), ["https://a.example/v1"]);
        assert_eq!(
            bases("https://a.example/anthropic"),
            ["https://a.example/anthropic/v1", "https://a.example/anthropic"]
        );
    }

    #[test]
    fn a_missing_scheme_is_guessed() {
        assert_eq!(bases("localhost:11434/v1"), ["http://localhost:11434/v1"]);
        assert_eq!(bases("127.0.0.1:8080/v1"), ["http://127.0.0.1:8080/v1"]);
        assert_eq!(bases("api.example.com/v1"), ["https://api.example.com/v1"]);
    }

    #[test]
    fn a_query_is_kept_but_not_shown() {
        let endpoint = Endpoint::parse("https://a.example/v1?api-version=1").unwrap();
        let url = join(&endpoint.bases()[0], &["chat", "completions"]);
        assert_eq!(url.as_str(), "https://a.example/v1/chat/completions?api-version=1");
        assert_eq!(label(&url), "https://a.example/v1/chat/completions");
    }

    #[test]
    fn what_is_no_base_url_is_said() {
        assert_eq!(Endpoint::parse("ftp://a.example").err(), Some(EndpointError::Scheme));
        assert_eq!(Endpoint::parse("https://u:p@a.example").err(), Some(EndpointError::Credentials));
        assert!(matches!(Endpoint::parse("https://"), Err(EndpointError::NotAUrl(_))));
        assert!(matches!(Endpoint::parse(""), Err(EndpointError::NotAUrl(_))));
    }

    #[test]
    fn the_origin_is_scheme_host_and_port() {
        let origin = |text| Endpoint::parse(text).unwrap().origin();
        assert_eq!(origin("https://a.example/v1"), origin("https://a.example:443"));
        assert_ne!(origin("https://a.example"), origin("http://a.example"));
        assert_ne!(origin("http://a.example:1"), origin("http://a.example:2"));
    }
}
