//! The steps that the model keeps: the list of its last call that went well.
//! It is replaced as a whole, never mended.

use assent_protocol::event::ToolResult;
use assent_protocol::todo::{TODO, TodoItem, read_todo};
use assent_protocol::tool::Outcome;

use crate::fold::Session;

/// The list, and which call of the present message it is from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Todo {
    items: Vec<TodoItem>,
    /// Results may come in another order than calls: an earlier call's doesn't replace a later one's.
    from: usize,
}

impl Session {
    /// The steps, in order.
    pub fn todo(&self) -> &[TodoItem] {
        &self.todo.items
    }

    /// A new message: its first call may replace the list.
    pub(crate) fn todo_message(&mut self) {
        self.todo.from = 0;
    }

    /// Takes the list of the call at `position`, if it is one that went well.
    pub(crate) fn todo_result(&mut self, position: usize, result: &ToolResult) {
        let Some(call) = self.calls.get(position) else { return };
        if call.name != TODO || result.outcome != Outcome::Ok || position < self.todo.from {
            return;
        }
        if let Some(items) = read_todo(&call.arguments) {
            self.todo = Todo { items, from: position };
        }
    }
}
