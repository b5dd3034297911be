//! What a model's tokens cost.
//! Holds figures only; sums over a log are made elsewhere.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Prices in US dollars per million tokens; what isn't known is absent, never zero.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Price {
    /// Input that no cache holds.
    pub input: Option<f64>,
    /// Output, reasoning included.
    pub output: Option<f64>,
    /// Input read from a cache.
    pub cache_read: Option<f64>,
    /// Input written to a cache.
    pub cache_write: Option<f64>,
}

impl Price {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}
