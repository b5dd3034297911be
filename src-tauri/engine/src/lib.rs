//! Conversations, turns, the loop: the only place where things happen.
//! It does what `session` says is next; it decides nothing about permissions and knows neither SQL nor HTTP nor a window.

mod attachments;
mod beginning;
mod bus;
mod choices;
mod completion;
mod conversation;
mod engine;
mod export;
mod fork;
mod handle;
mod host;
mod import;
pub mod memory;
mod models;
mod portable;
mod prompt;
mod replay;
mod search;
mod secrets;
mod shared;
mod skills;
mod slots;
mod steering;
mod targets;
mod tasks;
pub mod tools;
mod usage;
mod verify;
mod visible;
mod workspaces;

pub use bus::Subscription;
pub use engine::{Beginning, Engine, Expected, OpenError, Parts};
pub use host::{Host, HostError, Note};
pub use models::ModelSource;
pub use replay::Recomputed;
pub use secrets::SecretFile;
pub use shared::Clock;

pub use assent_store::Damaged;
pub use assent_tools::command::supervise_if_asked;
pub use assent_tools::effects::is_invisible;
