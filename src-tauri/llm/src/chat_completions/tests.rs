//! The wire format against transcripts and random histories; the helpers here are all that touches its interface.
//! No network.

mod bodies;
mod failures;
mod streams;

use std::sync::Arc;

use assent_protocol::ids::CallId;
use assent_protocol::view::{ModelView, ToolChoice, ViewCall, ViewMessage};

use super::answer::ChatAnswer;
use crate::answer::Answer;
use crate::failure::Quote;
use crate::item::{Finish, ModelFailure, ModelItem};

/// What came out of a stream, however it was cut.
#[derive(Debug, Clone, Default, PartialEq)]
struct Outcome {
    text: String,
    reasoning: String,
    /// What the parts of calls add up to, by position: name and arguments.
    shown: Vec<(String, String)>,
    finish: Option<Finish>,
    failure: Option<ModelFailure>,
}

impl Outcome {
    fn add(&mut self, items: Vec<ModelItem>) {
        for item in items {
            assert!(self.finish.is_none() && self.failure.is_none(), "after the final item: {item:?}");
            match item {
                ModelItem::Text(text) => self.text.push_str(&text),
                ModelItem::Reasoning(text) => self.reasoning.push_str(&text),
                ModelItem::Call(part) => {
                    let index = part.index as usize;
                    self.shown.resize(self.shown.len().max(index + 1), Default::default());
                    self.shown[index].0 = part.name;
                    self.shown[index].1.push_str(&part.arguments);
                }
                ModelItem::Finished(finish) => self.finish = Some(finish),
                ModelItem::Failed(failure) => self.failure = Some(failure),
                ModelItem::Alive | ModelItem::Opened | ModelItem::Usage(_) => {}
            }
        }
    }

    /// Name and arguments of the finished calls.
    fn calls(&self) -> Vec<(&str, &str)> {
        let finish = self.finish.as_ref().expect("finished");
        finish.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect()
    }
}

fn read_portions<'a>(portions: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut answer = Answer::new(Box::new(ChatAnswer::default()), Quote::default());
    let mut outcome = Outcome::default();
    for portion in portions {
        outcome.add(answer.push(portion));
    }
    outcome.add(answer.end());
    assert!(outcome.finish.is_some() != outcome.failure.is_some(), "exactly one final item");
    outcome
}

/// Reads a stream whole, cut in two at every byte, and byte by byte; all must agree.
fn read(stream: &str) -> Outcome {
    let bytes = stream.as_bytes();
    let whole = read_portions([bytes]);
    for cut in 0..=bytes.len() {
        assert_eq!(read_portions([&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}");
    }
    assert_eq!(read_portions(bytes.chunks(1)), whole, "byte by byte");
    if let Some(finish) = &whole.finish {
        let finished: Vec<_> = finish.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect();
        assert_eq!(whole.shown, finished, "what was shown adds up to what is proposed");
    }
    whole
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

/// A stream of deltas with an orderly end.
fn stream(deltas: &[&str], reason: &str) -> String {
    let mut text: String = deltas.iter().map(|inner| events(&[&delta(inner)])).collect();
    text.push_str(&events(&[&finish(reason), "[DONE]"]));
    text
}

fn user(text: &str) -> Arc<ViewMessage> {
    Arc::new(ViewMessage::User { text: text.to_owned() })
}

fn assistant(text: &str, calls: &[(&str, &str, &str)]) -> Arc<ViewMessage> {
    let calls = calls.iter().map(|(id, name, arguments)| ViewCall {
        call: CallId::new(id),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    });
    Arc::new(ViewMessage::Assistant {
        text: text.to_owned(),
        reasoning: "because".to_owned(),
        calls: calls.collect(),
        items: Vec::new(),
    })
}

fn result(id: &str, text: &str) -> Arc<ViewMessage> {
    Arc::new(ViewMessage::ToolResult { call: CallId::new(id), name: "read_file".to_owned(), text: text.to_owned() })
}

const TOOLS: &str = r#"[{"name":"read_file","description":"Reads \"a\" file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}]"#;

fn view(messages: Vec<Arc<ViewMessage>>) -> ModelView {
    ModelView {
        model: "tiny".into(),
        epoch: 1,
        system: "Be brief.".into(),
        tools: TOOLS.into(),
        messages,
        tool_choice: ToolChoice::Auto,
    }
}
