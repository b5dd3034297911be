//! A provider's key: never printed, wiped when dropped, and good for one scheme, host and port alone.
//! Keeps nothing on disk and reads no keychain.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::endpoint::{Endpoint, EndpointError};

/// A key together with the origin it may be sent to.
#[derive(Clone)]
pub struct Secret {
    text: Arc<Zeroizing<String>>,
    origin: Arc<str>,
}

impl Secret {
    /// Binds a key to the scheme, host and port of `base_url`. Whoever stores the key stores [`Secret::origin`] beside it.
    ///
    /// # Errors
    /// When `base_url` isn't a usable base URL.
    pub fn bound(key: String, base_url: &str) -> Result<Self, EndpointError> {
        let text = Zeroizing::new(key);
        Ok(Self {
            text: Arc::new(Zeroizing::new(text.trim().to_owned())),
            origin: Endpoint::parse(base_url)?.origin().into(),
        })
    }

    /// The origin the key may be sent to, e.g. `https://api.example.com`.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The key itself, for the one place that makes the header.
    pub(crate) fn expose(&self) -> &str {
        &self.text
    }

    /// `text` without the key: servers like to quote what they were sent.
    pub(crate) fn scrub(&self, text: &str) -> String {
        if self.text.len() < 4 {
            return text.to_owned();
        }
        text.replace(self.text.as_str(), "[key]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret(for {})", self.origin)
    }
}
