//! Protocol values to and from text columns, in the words that they have on the wire.
//! It defines no words of its own.

use assent_protocol::ids::Sha;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

/// A unit variant as its bare word, such as `max-iterations`.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// Reads a bare word back.
pub(crate) fn from_word<T: DeserializeOwned>(word: &str) -> Result<T, StoreError> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).map_err(StoreError::damaged)
}

/// A value as JSON text.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::damaged)
}

/// Reads JSON text back.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(StoreError::damaged)
}

/// Reads a digest back.
pub(crate) fn sha(text: &str) -> Result<Sha, StoreError> {
    Sha::parse(text).ok_or_else(|| StoreError::damaged("a digest is not 64 hex digits"))
}
