//! A provider's key: never printed, wiped when dropped, and good for one scheme, host and port alone.
//! Keeps nothing on disk and reads no keychain.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
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

    /// `text` without the key: servers like to quote what they were sent, as it was, in JSON, or in an address.
    pub(crate) fn scrub(&self, text: &str) -> String {
        if self.text.len() < 4 {
            return text.to_owned();
        }
        let quoted = Zeroizing::new(Value::from(self.text.as_str()).to_string());
        let [upper, lower] = [HEX_UPPER, HEX_LOWER].map(|digits| Zeroizing::new(percent_encoded(&self.text, digits)));
        let forms = [self.text.as_str(), &quoted[1..quoted.len() - 1], upper.as_str(), lower.as_str()];
        forms.into_iter().fold(text.to_owned(), |text, form| text.replace(form, "[key]"))
    }
}

/// Digits of percent-encoding, as the standard wants them.
const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";
/// Digits of percent-encoding, as some write them.
const HEX_LOWER: &[u8; 16] = b"0123456789abcdef";

/// A text as a part of an address: all but the letters, digits and marks that RFC 3986 reserves for nothing is encoded.
fn percent_encoded(text: &str, digits: &[u8; 16]) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            _ => {
                let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
                encoded.extend(['%', char::from(digits[high]), char::from(digits[low])]);
            }
        }
    }
    encoded
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret(for {})", self.origin)
    }
}
