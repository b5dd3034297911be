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
    /// Input tokens of one request, cached ones included, up to which these prices hold: a longer request costs more.
    pub up_to: Option<u64>,
    /// Whether the provider takes less at some hours or for some time: then these are its highest prices.
    pub ceiling: bool,
}

impl Price {
    /// Whether none of the prices is known.
    pub fn is_unknown(&self) -> bool {
        [self.input, self.output, self.cache_read, self.cache_write].iter().all(Option::is_none)
    }
}
