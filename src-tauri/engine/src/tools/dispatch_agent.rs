//! `dispatch_agent`: a sub-agent looks at something and answers, so that what it reads doesn't fill this conversation.
//! Here is what a call means; it is run by the conversation that makes it, as a conversation of its own.

use std::sync::Arc;

use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::tool::DISPATCH_AGENT;
use assent_tools::{Looking, Refusal, Tool, ToolSpec, arguments};
use serde_json::{Map, Value};

/// Characters of a task at most.
const LONGEST: usize = 8_000;

/// Arguments of `dispatch_agent`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to find out and what to answer with. The agent knows nothing of this conversation.
    task: String,
}

struct DispatchAgent {
    spec: ToolSpec,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    Arc::new(DispatchAgent {
        spec: ToolSpec {
            name: DISPATCH_AGENT,
            version: 1,
            description: "Lets a sub-agent look into something with the tools that only read, and returns its answer \
                          alone. For questions that take reading much; several in one message work side by side.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

impl Tool for DispatchAgent {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, _looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let Arguments { task } = arguments::read(arguments)?;
        if task.trim().is_empty() {
            return Err(Refusal::bad_arguments("It did not run: the task is empty."));
        }
        let length = task.chars().count();
        if length > LONGEST {
            let words = format!("It did not run: the task has {length} characters; {LONGEST} are the most.");
            return Err(Refusal::bad_arguments(words));
        }
        Ok(Assessment {
            tier: Tier::Low,
            read_only: true,
            touches: Vec::new(),
            preview: Preview::Read { path: task.clone(), bytes: 0 },
            reason: Reason::Look { target: task },
            reach: Reach { inside: true, ..Reach::default() },
            argv: None,
        })
    }
}
