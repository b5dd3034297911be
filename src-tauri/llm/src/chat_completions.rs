//! The chat-completions wire format: a pure function from a view to a body, and a pure machine from bytes to items.
//! Touches no network, and mends no arguments: what was cut stays cut.

mod answer;
mod body;
mod calls;
mod wire;

pub(crate) use body::{BodyForm, is_own_field};

#[cfg(test)]
mod tests;
