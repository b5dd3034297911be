//! What the tests of every wire format share: reading a stream cut in every way, views, and random histories.
//! No network.

use std::sync::Arc;

use assent_protocol::ids::{CallId, Sha};
use assent_protocol::view::{ModelView, ToolChoice, Usage, ViewCall, ViewMessage};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::answer::{Answer, Machine};
use crate::failure::Quote;
use crate::item::{Finish, ModelFailure, ModelItem};
use crate::model::Body;
use crate::wire_format::WireFormat;

/// What came out of a stream, however it was cut.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Outcome {
    pub text: String,
    pub reasoning: String,
    /// What the parts of calls add up to, by position: name and arguments.
    pub shown: Vec<(String, String)>,
    pub finish: Option<Finish>,
    pub failure: Option<ModelFailure>,
    /// The last counts that were told before the end.
    pub usage: Option<Usage>,
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
                ModelItem::Usage(usage) => self.usage = Some(usage),
                ModelItem::Alive | ModelItem::Opened => {}
            }
        }
    }

    /// Name and arguments of the finished calls.
    pub(crate) fn calls(&self) -> Vec<(&str, &str)> {
        let finish = self.finish.as_ref().expect("finished");
        finish.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect()
    }
}

/// Reads a stream that arrives in these portions.
pub(crate) fn read_portions<'a>(machine: Box<dyn Machine>, portions: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut answer = Answer::new(machine, Quote::default());
    let mut outcome = Outcome::default();
    for portion in portions {
        outcome.add(answer.push(portion));
    }
    outcome.add(answer.end());
    assert!(outcome.finish.is_some() != outcome.failure.is_some(), "exactly one final item");
    outcome
}

/// Reads a stream whole, cut in two at every byte, and byte by byte; all must agree.
pub(crate) fn read_with(machine: impl Fn() -> Box<dyn Machine>, stream: impl AsRef<[u8]>) -> Outcome {
    let bytes = stream.as_ref();
    let whole = read_portions(machine(), [bytes]);
    for cut in 0..=bytes.len() {
        assert_eq!(read_portions(machine(), [&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}");
    }
    assert_eq!(read_portions(machine(), bytes.chunks(1)), whole, "byte by byte");
    if let Some(finish) = &whole.finish {
        let finished: Vec<_> = finish.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect();
        assert_eq!(whole.shown, finished, "what was shown adds up to what is proposed");
    }
    whole
}

/// A person's message.
pub(crate) fn user(text: &str) -> Arc<ViewMessage> {
    Arc::new(ViewMessage::user(text))
}

/// The model's message, with calls as (id, name, arguments).
pub(crate) fn assistant(text: &str, calls: &[(&str, &str, &str)]) -> Arc<ViewMessage> {
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

/// The result of a call.
pub(crate) fn result(id: &str, text: &str) -> Arc<ViewMessage> {
    Arc::new(ViewMessage::ToolResult { call: CallId::new(id), name: "read_file".to_owned(), text: text.to_owned() })
}

/// One tool, as a view has it.
pub(crate) const TOOLS: &str = r#"[{"name":"read_file","description":"Reads \"a\" file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}]"#;

/// A view of these messages.
pub(crate) fn view(messages: Vec<Arc<ViewMessage>>) -> ModelView {
    ModelView {
        model: "tiny".into(),
        epoch: 1,
        system: "Be brief.".into(),
        tools: TOOLS.into(),
        messages,
        tool_choice: ToolChoice::Auto,
        contents: Default::default(),
    }
}

fn any_message() -> impl Strategy<Value = ViewMessage> {
    let id = "[a-f0-9-]{1,8}";
    prop_oneof![
        any::<String>().prop_map(ViewMessage::user),
        (any::<String>(), any::<String>(), prop::collection::vec((id, any::<String>()), 0..3)).prop_map(
            |(text, reasoning, calls)| ViewMessage::Assistant {
                text,
                reasoning,
                calls: calls
                    .into_iter()
                    .map(|(id, path)| ViewCall {
                        call: CallId::new(id),
                        name: "read_file".to_owned(),
                        arguments: json!({ "path": path }).to_string(),
                    })
                    .collect(),
                items: Vec::new(),
            }
        ),
        (id, any::<String>()).prop_map(|(id, text)| ViewMessage::ToolResult {
            call: CallId::new(id),
            name: "read_file".to_owned(),
            text
        }),
    ]
}

/// One of them.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Append(Vec<ViewMessage>),
    JoinToLast(String),
    Cut,
    Choice(bool),
}

/// A change to a history.
pub(crate) fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => prop::collection::vec(any_message(), 1..4).prop_map(Step::Append),
        1 => any::<String>().prop_map(Step::JoinToLast),
        1 => Just(Step::Cut),
        1 => any::<bool>().prop_map(Step::Choice),
    ]
}

/// Makes the bodies of a history that goes through these steps: each must be what it is without the one before it, and
/// begin with it where the history only grew.
pub(crate) fn check_reuse(form: &dyn WireFormat, steps: Vec<Step>, shares_bytes: bool) -> Result<(), TestCaseError> {
    let mut view = view(vec![user("begin")]);
    let mut previous: Option<Body> = None;
    for step in steps {
        let mut only_grew = matches!(view.messages.last().map(AsRef::as_ref), Some(ViewMessage::Assistant { .. }));
        match step {
            Step::Append(more) => view.messages.extend(more.into_iter().map(Arc::new)),
            Step::JoinToLast(more) => {
                only_grew = false;
                let joined = match view.messages.last().map(AsRef::as_ref) {
                    Some(ViewMessage::User { text, .. }) => format!("{text}{more}"),
                    _ => more,
                };
                view.messages.pop();
                view.messages.push(user(&joined));
            }
            Step::Cut => {
                only_grew = false;
                view.messages.drain(..view.messages.len() / 2);
                view.epoch += 1;
            }
            Step::Choice(none) => {
                view.tool_choice = if none { ToolChoice::None } else { ToolChoice::Auto };
            }
        }
        let alone = form.body(&view, None);
        let stable = previous.as_ref().map(|body| body.stable);
        let kept = previous.as_ref().filter(|_| shares_bytes).cloned();
        let body = form.body(&view, previous.take());
        drop(kept);
        prop_assert_eq!(&body.bytes, &alone.bytes);
        prop_assert_eq!(body.digest, Sha::of(&body.bytes));
        prop_assert!(serde_json::from_slice::<Value>(&body.bytes).is_ok());
        prop_assert!(body.shared_prefix <= body.stable && body.stable <= body.bytes.len() as u64);
        if let Some(stable) = stable.filter(|_| only_grew) {
            prop_assert_eq!(body.shared_prefix, stable);
        }
        previous = Some(body);
    }
    Ok(())
}

/// Makes the bodies of a run of 40 iterations, two of them after a word in between: each begins the next one.
pub(crate) fn check_prefixes(form: &dyn WireFormat) {
    let mut messages = vec![user("begin")];
    let mut previous: Option<Body> = None;
    for round in 0..40 {
        let stable = previous.as_ref().map_or(0, |body| body.stable);
        let body = form.body(&view(messages.clone()), previous);
        assert_eq!(body.shared_prefix, stable, "iteration {round}");
        let (one, two) = (format!("id-{round}"), format!("id-{round}-b"));
        messages.push(assistant("", &[(&one, "read_file", "{}"), (&two, "read_file", "{}")]));
        messages.push(result(&one, "x".repeat(round).as_str()));
        messages.push(result(&two, "y"));
        if round % 20 == 10 {
            messages.push(user("and be quick"));
        }
        previous = Some(body);
    }
}
