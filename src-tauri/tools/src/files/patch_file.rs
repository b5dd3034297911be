//! `patch_file`: exact replacements in one file that was read before; all of them or none.
//! Matching is in `effects::edits`, writing in `effects::rewrite`.

use std::sync::Arc;

use assent_protocol::permission::Tier;
use serde_json::{Map, Value};

use crate::arguments;
use crate::effects::edits::{Edit, apply_edits};
use crate::effects::rewrite::{FileWrite, Rewrite, Way};
use crate::tool::{Looking, Refusal, Tool, ToolSpec};

/// Arguments of `patch_file`.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// File, relative to the workspace.
    path: String,
    /// Replacements, made in order.
    edits: Vec<Replacement>,
}

/// One replacement.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Replacement {
    /// Exact present text; must occur once.
    old: String,
    /// New text.
    new: String,
    /// Replace every occurrence.
    #[serde(default)]
    all: bool,
}

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(FileWrite {
        spec: ToolSpec {
            name: "patch_file",
            version: 1,
            description: "Replace exact pieces of text in a file that was read before. If one doesn't match, nothing is changed.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Medium,
            rare: false,
        },
        plan,
    })
}

fn plan(given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Rewrite, Refusal> {
    let Arguments { path, edits } = arguments::read(given)?;
    if edits.is_empty() {
        return Err(Refusal::bad_arguments("`edits` is empty: give at least one {old, new}"));
    }
    let edits: Vec<Edit> = edits.into_iter().map(|Replacement { old, new, all }| Edit { old, new, all }).collect();
    Rewrite::plan(looking, &path, Way::Patch, |old| {
        let old = old.ok_or_else(|| Refusal::new(format!("{path} does not exist; create it with write_file")))?;
        let text = apply_edits(&old.text, &edits).map_err(|misfit| Refusal::new(misfit.words(&path, edits.len())))?;
        Ok((text, Vec::new()))
    })
}

#[cfg(test)]
mod tests;
