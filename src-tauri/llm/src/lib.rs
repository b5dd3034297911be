//! Talks to language models: one neutral view in, one stream of model items out; a file per wire format.
//! Knows no tool, no approval and no database; it never retries by itself and keeps no history.

mod item;
mod model;

mod catalog;
mod practice;
mod presets;
mod provider;

mod answer;
mod anthropic_messages;
mod attached;
mod chat_completions;
mod endpoint;
mod failure;
mod history;
mod json_text;
mod names;
mod placed;
mod responses;
mod secret;
mod sse;
#[cfg(test)]
mod testing;
mod tools;
#[cfg(test)]
mod transcripts;
mod wire_format;

pub use catalog::{Cataloged, cataloged};
pub use endpoint::{EndpointError, is_local};
pub use history::SerialisedHistory;
pub use item::{CallPart, Finish, FinishedCall, ModelFailure, ModelItem};
pub use model::{Body, Model, ModelCall, ModelStream, Timeouts};
pub use practice::{NAME as PRACTICE, Practice};
pub use presets::{PRESETS, Preset, preset, preset_at, protocol_for};
pub use provider::{
    Asked, Attempt, LOCAL_SERVERS, LocalServer, ModelInfo, Provider, ProviderConfig, ProviderError, TestReport,
    discover_at, discover_local,
};
pub use secret::Secret;
