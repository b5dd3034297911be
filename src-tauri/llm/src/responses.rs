//! The wire format of OpenAI's Responses: a pure function from a view to a body, and a pure machine from events to items.
//! Touches no network, and leaves nothing on the server; what is sent and read is described at
//! <https://platform.openai.com/docs/api-reference/responses>.

mod answer;
mod body;
mod wire;

pub(crate) use body::{ResponsesForm, is_own_field};

#[cfg(test)]
mod tests;
