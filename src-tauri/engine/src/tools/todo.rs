//! `todo`: the steps of the work, kept where people see them; a call replaces the whole list.
//! The list itself follows from the log; nothing is stored here.

use std::sync::Arc;

use assent_policy::Cleared;
use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::todo::TODO;
use assent_protocol::tool::Brief;
use assent_tools::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec, arguments};
use serde_json::{Map, Value};

/// Steps at most.
const MOST: usize = 50;
/// Characters of a step at most.
const LONGEST: usize = 200;

/// Arguments of `todo`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// All steps in order; the list replaces the one before.
    items: Vec<Item>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// A few words.
    text: String,
    /// At most one is active.
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum State {
    Pending,
    Active,
    Done,
}

impl Arguments {
    fn read(given: &Map<String, Value>) -> Result<Self, Refusal> {
        let read: Self = arguments::read(given)?;
        match read.trouble() {
            Some(words) => Err(Refusal::bad_arguments(format!("The list stays as it was: {words}."))),
            None => Ok(read),
        }
    }

    fn trouble(&self) -> Option<String> {
        let Self { items } = self;
        if items.len() > MOST {
            return Some(format!("there are {MOST} steps at most"));
        }
        if items.iter().any(|item| item.text.trim().is_empty() || item.text.chars().count() > LONGEST) {
            return Some(format!("a step has one to {LONGEST} characters"));
        }
        let active = items.iter().filter(|item| item.state == State::Active).count();
        (active > 1).then(|| "at most one step is active".to_owned())
    }

    fn done(&self) -> usize {
        self.items.iter().filter(|item| item.state == State::Done).count()
    }

    /// How far the work is, in a few words.
    fn words(&self) -> String {
        let active = self.items.iter().find(|item| item.state == State::Active);
        let now = active.map(|item| format!(", now: {}", item.text.trim())).unwrap_or_default();
        format!("{} of {} done{now}", self.done(), self.items.len())
    }
}

struct Todo {
    spec: ToolSpec,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    Arc::new(Todo {
        spec: ToolSpec {
            name: TODO,
            version: 1,
            description: "Keeps the list of steps that the user sees. For work of three steps and more: set it before \
                          you begin and at each step that begins or ends.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

impl Tool for Todo {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, _looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let target = Arguments::read(given)?.words();
        Ok(Assessment {
            tier: Tier::Low,
            read_only: true,
            touches: Vec::new(),
            preview: Preview::Read { path: target.clone(), bytes: 0 },
            reason: Reason::Look { target },
            reach: Reach { inside: true, ..Reach::default() },
            argv: None,
        })
    }

    fn read(&self, cleared: &Cleared, _running: &Running<'_>) -> ToolOutput {
        match Arguments::read(&cleared.arguments) {
            Ok(list) => ToolOutput::ok(format!("The list is kept: {}.", list.words()), Brief::Done),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(items: Value) -> Result<String, String> {
        let given = json!({ "items": items });
        Arguments::read(given.as_object().unwrap()).map(|list| list.words()).map_err(|refusal| refusal.words)
    }

    #[test]
    fn the_list_says_how_far_it_is_and_has_its_limits() {
        let step = |text: &str, state: &str| json!({ "text": text, "state": state });
        assert_eq!(words(json!([])).unwrap(), "0 of 0 done");
        assert_eq!(
            words(json!([step("Read", "done"), step("Write the tests", "active"), step("Run", "pending")])).unwrap(),
            "1 of 3 done, now: Write the tests"
        );
        let refused = |items| words(items).unwrap_err();
        assert_eq!(
            refused(json!([step("a", "active"), step("b", "active")])),
            "The list stays as it was: at most one step is active."
        );
        assert_eq!(
            refused(json!([step(&"字".repeat(201), "pending")])),
            "The list stays as it was: a step has one to 200 characters."
        );
        assert_eq!(
            refused(Value::Array(vec![step("a", "done"); 51])),
            "The list stays as it was: there are 50 steps at most."
        );
        assert!(refused(json!([step("a", "begun")])).contains("`items[0].state` must be one of"));
    }
}
