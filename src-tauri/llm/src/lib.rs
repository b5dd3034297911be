//! Talks to language models: one neutral view in, one stream of model items out; a file per wire format.
//! Knows no tool, no approval and no database; it never retries by itself and keeps no history.

mod history;
mod item;
mod model;

pub use history::SerialisedHistory;
pub use item::{CallPart, Finish, FinishedCall, ModelFailure, ModelItem};
pub use model::{Body, Model, ModelCall, ModelStream, Timeouts};
