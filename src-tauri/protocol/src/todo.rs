//! The list of steps that the model keeps: its items, and reading it from the arguments of a call.
//! What the present list is follows from the log.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Name of the tool that keeps the list.
pub const TODO: &str = "todo";

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TodoItem {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Being worked on.
    Active,
    /// Done.
    Done,
}

/// The list in the argument text of a call; none: it is no such text.
pub fn read_todo(arguments: &str) -> Option<Vec<TodoItem>> {
    #[derive(Deserialize)]
    struct List {
        items: Vec<TodoItem>,
    }
    serde_json::from_str::<List>(arguments).ok().map(|list| list.items)
}
