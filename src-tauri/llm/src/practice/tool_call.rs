//! From a request to calls of the tools that the view offers; argument names are taken from the tools' own schemas.
//! Knows no tool beyond its name, and proposes none that isn't offered.

use serde_json::{Map, Value};

use crate::item::FinishedCall;

/// The tools of a view.
pub(super) struct Offered {
    tools: Vec<Value>,
}

/// A call to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedCall {
    /// Tool name.
    pub tool: &'static str,
    /// Arguments by their usual names.
    pub arguments: Vec<(&'static str, String)>,
}

impl PlannedCall {
    /// A call with these arguments.
    pub(super) fn new(tool: &'static str, arguments: &[(&'static str, &str)]) -> Self {
        let arguments = arguments.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self { tool, arguments }
    }
}

/// What a tool may call an argument instead.
const OTHER_NAMES: [(&str, &[&str]); 6] = [
    ("path", &["file", "file_path", "directory"]),
    ("content", &["text", "contents"]),
    ("pattern", &["query", "regex"]),
    ("from", &["path", "old_path", "source"]),
    ("to", &["new_path", "destination", "target"]),
    ("command", &["cmd"]),
];

impl Offered {
    /// Reads the tools of a view.
    pub(super) fn new(tools: &str) -> Self {
        Self { tools: serde_json::from_str(tools).unwrap_or_default() }
    }

    /// Whether a tool is offered.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    /// The call in the form the tool's schema asks for.
    pub(super) fn call(&self, planned: &PlannedCall, number: usize) -> FinishedCall {
        let properties =
            self.tool(planned.tool).and_then(|tool| tool.get("parameters")?.get("properties")?.as_object());
        let mut arguments = Map::new();
        for (name, value) in &planned.arguments {
            let name = argument_name(properties, name);
            arguments.insert(name.to_owned(), Value::from(value.as_str()));
        }
        FinishedCall {
            provider_id: Some(format!("practice_{number}")),
            name: planned.tool.to_owned(),
            arguments: Value::Object(arguments).to_string(),
        }
    }

    fn tool(&self, name: &str) -> Option<&Value> {
        self.tools.iter().find(|tool| tool.get("name").and_then(Value::as_str) == Some(name))
    }
}

fn argument_name<'a>(properties: Option<&Map<String, Value>>, name: &'a str) -> &'a str {
    let Some(properties) = properties else {
        return name;
    };
    if properties.contains_key(name) {
        return name;
    }
    let others = OTHER_NAMES.iter().find(|(usual, _)| *usual == name).map_or(&[][..], |(_, others)| others);
    others.iter().copied().find(|other| properties.contains_key(*other)).unwrap_or(name)
}
