//! `append_file`: text at the end of one file, which is created when it is missing.
//! The file is replaced as a whole like by any other write, so a half-written line never stands there.

use std::sync::Arc;

use assent_protocol::permission::Tier;
use serde_json::{Map, Value};

use crate::arguments;
use crate::effects::line_ends::{LineEnds, last_line_end};
use crate::effects::rewrite::{FileWrite, Rewrite, Way};
use crate::effects::text::Text;
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
fn appended(old: Option<&Text>, content: String) -> (String, Vec<String>) {
    let Some(old) = old.map(Text::as_str) else { return (content, Vec::new()) };
    let is_plain = LineEnds::of(&content) == LineEnds::Lf;
    let added = if is_plain && last_line_end(old) == "\r\n" { content.replace('\n', "\r\n") } else { content };
    let is_open = !old.is_empty() && !old.ends_with('\n');
    let notes = if is_open {
        vec!["the file's last line had no line end: the text goes on in it".to_owned()]
    } else {
        Vec::new()
    };
    (format!("{old}{added}"), notes)
}

#[cfg(test)]
mod tests;
