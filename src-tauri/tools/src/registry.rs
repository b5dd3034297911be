//! The list of all tools of this crate, and what a model is told of them.
//! Whether a call may run is none of its business.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use assent_protocol::tool::ToolDefinition;
use serde_json::value::RawValue;

use crate::rare::{self, Effective};
use crate::tool::{Refusal, Tool, ToolSpec};
use crate::{command, files, git, search, symbols};

/// Tools by name.
#[derive(Clone, Default)]
pub struct Registry {
    tools: BTreeMap<&'static str, Arc<dyn Tool>>,
    /// Finds the rare ones, where there are any.
    finder: Option<Arc<dyn Tool>>,
    /// What a model is told of them, once that was asked for. Clones share it.
    definitions: Arc<OnceLock<String>>,
}

impl Registry {
    /// All tools of this crate.
    pub fn standard() -> Self {
        Self::of(standard_tools())
    }

    /// Just these tools.
    pub fn of(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let mut registry = Self::default();
        tools.into_iter().for_each(|tool| registry.add(tool));
        registry
    }

    /// Adds a tool that lives elsewhere. A tool of the same name is replaced.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        self.tools.insert(tool.spec().name, tool);
        self.finder = rare::finder(self.tools.values());
        self.definitions = Arc::default();
    }

    /// The tool of that name, rare or not.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).or_else(|| self.finder.as_ref().filter(|finder| finder.spec().name == name))
    }

    /// All tools, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.values()
    }

    /// The tools that a model is told of, sorted by name: all but the rare ones, and where there are such, the two that lead
    /// to them.
    pub fn offered(&self) -> Vec<ToolSpec> {
        let mut offered: Vec<ToolSpec> =
            self.tools().map(|tool| tool.spec()).filter(|spec| !spec.rare).cloned().collect();
        if let Some(finder) = &self.finder {
            offered.extend([finder.spec().clone(), rare::call_spec()]);
            offered.sort_by_key(|spec| spec.name);
        }
        offered
    }

    /// The call that a proposed one is: what `call_tool` calls, and any other call itself.
    ///
    /// # Errors
    /// When `call_tool` names no call.
    pub fn effective(&self, name: &str, arguments: &str) -> Result<Effective, Refusal> {
        match self.finder {
            Some(_) if name == rare::CALL => rare::inner(arguments),
            _ => Ok(Effective { name: name.to_owned(), arguments: arguments.to_owned() }),
        }
    }

    /// What a model is told: a JSON array of [`ToolDefinition`]s, sorted by name. The same tools give the same bytes.
    pub fn definitions(&self) -> &str {
        self.definitions.get_or_init(|| {
            let definitions: Vec<ToolDefinition> = self.offered().iter().map(definition).collect();
            serde_json::to_string(&definitions).unwrap_or_else(|_| "[]".to_owned())
        })
    }
}

fn definition(spec: &ToolSpec) -> ToolDefinition {
    // Text of a `Value` is always valid JSON; `null` would say that there is no schema.
    let parameters = RawValue::from_string(spec.parameters.to_string()).unwrap_or_else(|_| RawValue::NULL.to_owned());
    ToolDefinition {
        name: Arc::from(spec.name),
        description: Arc::from(spec.description),
        parameters: Arc::from(parameters),
    }
}

fn standard_tools() -> Vec<Arc<dyn Tool>> {
    vec![
        command::tool(),
        files::append_file::tool(),
        files::delete_file::tool(),
        files::file_info::tool(),
        files::list_directory::tool(),
        files::patch_file::tool(),
        files::read_file::tool(),
        files::rename_file::tool(),
        files::write_file::tool(),
        git::git_diff::tool(),
        git::git_log::tool(),
        git::git_status::tool(),
        search::grep::tool(),
        search::search_files::tool(),
        symbols::read_symbol::tool(),
    ]
}

#[cfg(test)]
mod tests;
