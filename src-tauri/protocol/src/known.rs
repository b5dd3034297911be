//! What is known of a model: each figure by itself, and whose word it is.
//! Decides nothing about which word counts.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::price::Price;

/// Figures about a model from one source: a person, a server or the data file. What the source doesn't say is absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ModelFacts {
    /// Context window in tokens.
    pub window: Option<u64>,
    /// Tokens that one answer may have at most.
    pub output_limit: Option<u64>,
    /// Whether it takes images.
    pub images: Option<bool>,
    /// Whether it takes PDF documents.
    pub documents: Option<bool>,
    /// Whether it takes tools.
    pub tools: Option<bool>,
    /// What becomes of its reasoning.
    pub reasoning: Option<Reasoning>,
    /// What its tokens cost.
    pub price: Option<Price>,
}

/// What becomes of a model's reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Reasoning {
    /// It has none, or shows none.
    None,
    /// It is shown and needn't be sent back as text.
    Returned,
    /// It has to be sent back with tool calls, as `reasoning_content`.
    Echoed,
}

/// Whose word a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The server's.
    Server,
    /// The data file's.
    Data,
    /// Nobody's: what is usual.
    Usual,
}

/// A figure and whose word it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Known<T> {
    /// The figure.
    pub value: T,
    /// Whose word it is.
    pub origin: Origin,
}

/// What is known of a model without a person's word, which stands above all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct KnownModel {
    /// Its name in requests.
    pub id: String,
    /// Context window in tokens.
    pub window: Known<u64>,
    /// Tokens that one answer may have at most.
    pub output_limit: Option<Known<u64>>,
    /// Whether it takes images.
    pub images: Option<Known<bool>>,
    /// Whether it takes PDF documents.
    pub documents: Option<Known<bool>>,
    /// Whether it takes tools.
    pub tools: Option<Known<bool>>,
    /// What becomes of its reasoning.
    pub reasoning: Option<Known<Reasoning>>,
    /// What its tokens cost.
    pub price: Option<Known<Price>>,
    /// Where the data file has its figures from; none: it has none.
    pub data: Option<DataSource>,
}

/// Where figures of the data file come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DataSource {
    /// The vendor's page.
    pub page: String,
    /// The day on which the page said so, as in 2026-11-30.
    pub date: String,
}
