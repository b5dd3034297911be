//! What the assistant can do: each tool assesses a call, and executes it once it is cleared (reads) or claimed (changes).
//! Knows neither the model nor the database; nothing here decides whether a call may run.

mod rare;
mod tool;

pub mod arguments;
pub mod command;
pub mod content;
pub mod effects;
pub mod files;
pub mod git;
pub mod registry;
pub mod search;
pub mod steering;
pub mod symbols;
pub mod workspace;

#[cfg(debug_assertions)]
pub mod pause;

pub use rare::Effective;
pub use registry::Registry;
pub use tool::{Live, Looking, OpenSpool, Prepared, Refusal, Running, Tool, ToolOutput, ToolSpec};

#[cfg(test)]
mod fixture;
