//! `append_file`: text at the end of one file, which is created when it is missing.
//! The file is replaced as a whole like by any other write, so a half-written line never stands there.

use std::sync::Arc;

use assent_protocol::file_note::FileNote;
use assent_protocol::permission::Tier;
use serde_json::{Map, Value};

use crate::arguments;
use crate::content::{LineEnds, Text};
use crate::effects::line_ends::last_line_end;
use crate::effects::rewrite::{FileWrite, Rewrite, Way};
use crate::tool::{Looking, Refusal, Tool, ToolSpec};

/// Arguments of `append_file`.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// File, relative to the workspace.
    path: String,
    /// Text to add at its end, as it is: no line end is put before it.
    content: String,
}

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(FileWrite {
        spec: ToolSpec {
            name: "append_file",
            version: 1,
            description: "Add text at the end of a file, which is created if missing and must otherwise have been read.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Medium,
            rare: false,
        },
        plan,
    })
}

fn plan(given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Rewrite, Refusal> {
    let Arguments { path, content } = arguments::read(given)?;
    if content.is_empty() {
        return Err(Refusal::bad_arguments("`content` is empty: give the text to add"));
    }
    Rewrite::plan(looking, &path, Way::Append, |old| Ok(appended(old, content)))
}

/// The old text, then the new with the line end that the last line before it has.
fn appended(old: Option<&Text>, content: String) -> (String, Vec<FileNote>) {
    let Some(old) = old else { return (content, Vec::new()) };
    let added = match (old.line_ends, LineEnds::of(&content)) {
        (LineEnds::Cr, LineEnds::Lf) => old.line_ends.apply(&content).into_owned(),
        (_, LineEnds::Lf) if last_line_end(&old.text) == "\r\n" => content.replace('\n', "\r\n"),
        _ => content,
    };
    let is_open = !old.text.is_empty() && !old.text.ends_with(['\n', '\r']);
    let notes = is_open.then_some(FileNote::GoesOnInLastLine);
    (format!("{}{added}", old.text), notes.into_iter().collect())
}

#[cfg(test)]
mod tests;
