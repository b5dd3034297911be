//! The wire format against transcripts and random histories; the helpers here are all that touches its interface.
//! No network.

mod bodies;
mod failures;

use std::sync::Arc;

use assent_protocol::view::{ToolChoice, ViewMessage};

use super::answer::ChatAnswer;
use crate::answer::Answer;
use crate::failure::Quote;
use crate::item::{ModelFailure, ModelItem};
use crate::testing::{self, Outcome, assistant, read_with, result, user, view};

/// Reads a stream whole, cut in two at every byte, and byte by byte; all must agree.
fn read(stream: &str) -> Outcome {
    read_with(|| Box::new(ChatAnswer::default()), stream)
}

fn read_portions<'a>(portions: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    testing::read_portions(Box::new(ChatAnswer::default()), portions)
}

/// A stream of these chunks, without an end.
fn events(chunks: &[&str]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

/// A chunk with this delta.
fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

/// A chunk that ends the answer.
fn finish(reason: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#)
}
