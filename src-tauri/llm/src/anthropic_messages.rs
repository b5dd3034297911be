//! Anthropic's wire format: a pure function from a view to a body, and a pure machine from events to items.
//! Touches no network; what is sent and read is described at <https://platform.claude.com/docs/en/api/messages>.

mod answer;
mod body;
mod wire;

pub(crate) use body::{AnthropicForm, is_own_field};

#[cfg(test)]
mod tests;
