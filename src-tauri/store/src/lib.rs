//! SQLite: the event log, the views computed from it, and what a person set; one file per table.
//! It decides nothing about permissions and knows no network; `claim` alone turns a `Cleared` into a `Claimed`.

mod error;
mod files;
mod lock;
mod migrate;
mod open;
mod readers;
mod reply;
mod snippet;
mod spool;
mod store;
mod table;
mod terms;
mod words;
mod writer;

mod append;
mod claim;
mod decide;
mod history;
mod import;
mod lineage;
mod project;
mod purge;
mod search;
mod usage;
mod verify;

pub use claim::{ClaimError, ClaimRecord};
pub use decide::{DecideError, Decision};
pub use error::StoreError;
pub use import::Logs;
pub use open::{Damaged, Opening};
pub use reply::Reply;
pub use search::{Among, Search};
pub use spool::Spool;
pub use store::{Durability, Store};
pub use table::contents::Content;
pub use table::conversations::Place;
pub use table::executions::{CallState, Execution};
pub use table::projects::Project;
pub use table::requests::SentRequest;
pub use table::trusted::{ToTrust, TrustedPath};

#[cfg(test)]
mod tests;
