//! `write_file`: the whole content of one file, new or read before.
//! Encoding, line ends, byte-order mark and mode of a file that exists are kept; the writing itself is in `effects`.

use std::sync::Arc;

use assent_protocol::file_note::FileNote;
use assent_protocol::permission::Tier;
use serde_json::{Map, Value};

use crate::arguments;
use crate::content::{LineEnds, Text};
use crate::effects::line_ends::keep_line_ends;
use crate::effects::rewrite::{FileWrite, Rewrite, Way};
use crate::tool::{Looking, Refusal, Tool, ToolSpec};

/// Arguments of `write_file`.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// File, relative to the workspace.
    path: String,
    /// Its whole new content.
    content: String,
}

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(FileWrite {
        spec: ToolSpec {
            name: "write_file",
            version: 1,
            description: "Create a file or replace its whole content. A file that exists must have been read before.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Medium,
            rare: false,
        },
        plan,
    })
}

fn plan(given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Rewrite, Refusal> {
    let Arguments { path, content } = arguments::read(given)?;
    Rewrite::plan(looking, &path, Way::Whole, |old| Ok(whole(old, content)))
}

/// The new text with the old one's line ends, where it was given with plain line feeds.
fn whole(old: Option<&Text>, content: String) -> (String, Vec<FileNote>) {
    let Some(old) = old else { return (content, Vec::new()) };
    let (had, has) = (old.line_ends, LineEnds::of(&content));
    match (had, has) {
        (LineEnds::Cr, LineEnds::Lf) => (had.apply(&content).into_owned(), Vec::new()),
        (_, LineEnds::None | LineEnds::Lf) => (keep_line_ends(&old.text, &content, "\n"), Vec::new()),
        (LineEnds::None, _) => (content, Vec::new()),
        _ if had == has => (content, Vec::new()),
        _ => (content, vec![FileNote::LineEnds { from: had.into(), to: has.into() }]),
    }
}

#[cfg(test)]
mod tests;
