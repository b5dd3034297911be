//! `find_tools` and `call_tool`: tools that most conversations never use, found and called without being offered by name.
//! A call through `call_tool` is the inner call in everything: it is unwrapped before it is judged, and never runs itself.

use std::fmt::Write as _;
use std::sync::Arc;

use assent_policy::Cleared;
use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::canonical::parse_arguments;
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::tool::Brief;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::arguments;
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};

/// Name of the tool that finds others.
const FIND: &str = "find_tools";
/// Name under which found tools are called.
pub(crate) const CALL: &str = "call_tool";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Find {
    /// Words to look for in names and descriptions; empty lists all.
    query: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Call {
    name: String,
    /// What the tool's schema asks for.
    arguments: Map<String, Value>,
}

/// A call as it is judged, shown and run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// Name of the tool.
    pub name: String,
    /// Its arguments, JSON text.
    pub arguments: String,
}

/// What a `call_tool` call is: the call in it, which is none of `call_tool` again.
pub(crate) fn inner(raw: &str) -> Result<Effective, Refusal> {
    let outer = parse_arguments(raw)
        .map_err(|error| Refusal::bad_arguments(format!("{CALL}: {error}. Nothing was called.")))?;
    let call: Call = arguments::read(&outer)
        .map_err(|refusal| Refusal { words: format!("{CALL}: {}. Nothing was called.", refusal.words), ..refusal })?;
    if call.name == CALL {
        return Err(Refusal::bad_arguments(format!("{CALL} does not call itself: name the tool that is meant")));
    }
    Ok(Effective { name: call.name, arguments: Value::Object(call.arguments).to_string() })
}

/// What a model is told of `call_tool`. The tier of a call is the inner one's; this one only keeps it from being taken for a
/// tool that reads.
pub(crate) fn call_spec() -> ToolSpec {
    ToolSpec {
        name: CALL,
        version: 1,
        description: "Calls a tool that find_tools told of, as if it stood in this list.",
        parameters: arguments::schema::<Call>(),
        tier: Tier::Medium,
        rare: false,
    }
}

/// `find_tools`, over those of `tools` that are rare; none where none is.
pub(crate) fn finder<'a>(tools: impl Iterator<Item = &'a Arc<dyn Tool>>) -> Option<Arc<dyn Tool>> {
    let rare: Vec<ToolSpec> = tools.map(|tool| tool.spec()).filter(|spec| spec.rare).cloned().collect();
    if rare.is_empty() {
        return None;
    }
    let spec = ToolSpec {
        name: FIND,
        version: 1,
        description: "Finds more tools by words in their names and descriptions, with the schemas of their arguments. \
                      Call them with call_tool.",
        parameters: arguments::schema::<Find>(),
        tier: Tier::Low,
        rare: false,
    };
    Some(Arc::new(FindTools { spec, rare }))
}

struct FindTools {
    spec: ToolSpec,
    rare: Vec<ToolSpec>,
}

impl Tool for FindTools {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, _looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let Find { query } = arguments::read(arguments)?;
        Ok(Assessment {
            tier: Tier::Low,
            read_only: true,
            touches: Vec::new(),
            preview: Preview::Read { path: query.clone(), bytes: 0 },
            reason: Reason::Look { target: query },
            reach: Reach { inside: true, ..Reach::default() },
            argv: None,
        })
    }

    fn read(&self, cleared: &Cleared, _running: &Running<'_>) -> ToolOutput {
        match arguments::read::<Find>(&cleared.arguments) {
            Ok(Find { query }) => self.found(&query),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

impl FindTools {
    /// Tools in which all words of the query stand; where there are none, those in which any does.
    fn found(&self, query: &str) -> ToolOutput {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let texts: Vec<String> =
            self.rare.iter().map(|spec| format!("{} {}", spec.name, spec.description).to_lowercase()).collect();
        let fitting = |fits: &dyn Fn(&str) -> bool| -> Vec<&ToolSpec> {
            self.rare.iter().zip(&texts).filter(|(_, text)| fits(text)).map(|(spec, _)| spec).collect()
        };
        let mut found = fitting(&|text| words.iter().all(|word| text.contains(word)));
        if found.is_empty() {
            found = fitting(&|text| words.iter().any(|word| text.contains(word)));
        }
        if found.is_empty() {
            let names: Vec<&str> = self.rare.iter().map(|spec| spec.name).collect();
            return ToolOutput::ok(format!("No tool fits {query:?}. There are: {}.", names.join(", ")), Brief::Done);
        }
        let mut told = String::new();
        for spec in found {
            let blank = if told.is_empty() { "" } else { "\n" };
            // Writing to a string can't fail.
            let _ = write!(told, "{blank}{}: {}\nArguments: {}\n", spec.name, spec.description, *spec.parameters);
        }
        ToolOutput::ok(told, Brief::Done)
    }
}

#[cfg(test)]
mod tests;
