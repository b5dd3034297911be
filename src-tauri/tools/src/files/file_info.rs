//! `file_info`: what one path is, without its content.
//! It opens nothing but regular files and folders; a pipe or a device is named and left alone.

use std::fmt::Write as _;
use std::sync::Arc;

use assent_policy::Cleared;
use assent_protocol::assessment::Assessment;
use assent_protocol::permission::Tier;
use assent_protocol::tool::Brief;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::look::look;
use super::words;
use crate::arguments;
use crate::content::{self, Content, LineEnds};
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Form, Place, Workspace};

/// Longest file whose content is looked at, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Most entries of a folder that are counted.
const MAX_COUNTED: usize = 100_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
}

struct FileInfo {
    spec: ToolSpec,
}

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(FileInfo {
        spec: ToolSpec {
            name: "file_info",
            version: 1,
            description: "Tell what a path is: kind, size, time of change, encoding, lines, line ends, link target.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

impl Tool for FileInfo {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        Ok(look(&existing(arguments, looking.workspace)?, 0))
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        info(cleared, running.looking.workspace).unwrap_or_else(ToolOutput::refused)
    }
}

fn existing(arguments: &Map<String, Value>, workspace: &Workspace) -> Result<Place, Refusal> {
    let arguments: Arguments = arguments::read(arguments)?;
    let place = workspace.place(&arguments.path)?;
    if place.form == Form::Missing { Err(missing(&place)) } else { Ok(place) }
}

fn missing(place: &Place) -> Refusal {
    Refusal::new(format!("{} does not exist", place.shown()))
}

fn info(cleared: &Cleared, workspace: &Workspace) -> Result<ToolOutput, Refusal> {
    let place = existing(&cleared.arguments, workspace)?;
    let mut out = format!("path: {}\n", place.shown());
    if place.is_link() {
        let _ = writeln!(out, "link to: {}", place.path);
    }
    let brief = match place.form {
        Form::Missing => return Err(missing(&place)),
        Form::File => file(&place, workspace, &mut out)?,
        Form::Folder => folder(&place, workspace, &mut out)?,
        Form::Other(what) => {
            let _ = writeln!(out, "kind: {what}, not a regular file; it is neither read nor written");
            Brief::Done
        }
    };
    Ok(ToolOutput::ok(out, brief))
}

fn file(place: &Place, workspace: &Workspace, out: &mut String) -> Result<Brief, Refusal> {
    let opened = workspace.open_file(place)?;
    let unreadable = |error| Refusal::new(format!("{} can't be read: {error}", place.shown()));
    let metadata = opened.metadata().map_err(unreadable)?;
    let bytes = metadata.len();
    if bytes > MAX_BYTES {
        let _ = writeln!(out, "kind: a file, too large to look into");
    } else {
        let read = workspace.read(place, MAX_BYTES)?;
        let _ = writeln!(out, "kind: {}", kind(&read.bytes));
        if cfg!(unix) {
            let _ = writeln!(out, "permissions: {}", permissions(read.mode));
        }
        if read.links > 1 {
            let _ = writeln!(out, "hard links: {}", read.links);
        }
    }
    let _ = writeln!(out, "size: {}", words::counted(bytes, "byte"));
    times(&metadata.modified().ok(), &metadata.created().ok(), out);
    Ok(Brief::Bytes { bytes })
}

fn folder(place: &Place, workspace: &Workspace, out: &mut String) -> Result<Brief, Refusal> {
    let unreadable = |error| Refusal::new(format!("{} can't be listed: {error}", place.shown()));
    let handle = workspace.folder_handle(place)?;
    let count = handle.entries().map_err(unreadable)?.take(MAX_COUNTED).count();
    let at_least = if count == MAX_COUNTED { "at least " } else { "" };
    let _ = writeln!(out, "kind: folder with {at_least}{}", words::counted(count as u64, "entry"));
    let metadata = handle.dir_metadata().map_err(unreadable)?;
    times(
        &metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
        &metadata.created().ok().map(cap_std::time::SystemTime::into_std),
        out,
    );
    let more = count == MAX_COUNTED;
    Ok(Brief::Entries { count: u32::try_from(count).unwrap_or(u32::MAX), more })
}

fn kind(bytes: &[u8]) -> String {
    match content::recognise(bytes) {
        Content::Binary(kind) => kind.to_owned(),
        Content::Unclear { .. } => "text in neither UTF-8 nor another known encoding; it can't be edited".to_owned(),
        Content::Text(text) if text.text.is_empty() => "an empty file".to_owned(),
        Content::Text(text) => {
            let bom = if text.bom { " with BOM" } else { "" };
            let lines = words::counted(text.line_count() as u64, "line");
            let ends = match text.line_ends {
                LineEnds::None => "no line end".to_owned(),
                ends => format!("{ends} line ends"),
            };
            format!("text, {}{bom}, {lines}, {ends}", text.encoding)
        }
    }
}

fn times(modified: &Option<std::time::SystemTime>, created: &Option<std::time::SystemTime>, out: &mut String) {
    for (name, time) in [("changed", modified), ("created", created)] {
        if let Some(time) = time {
            let _ = writeln!(out, "{name}: {}", words::moment(*time));
        }
    }
}

/// Nine letters, as `ls` writes them.
fn permissions(mode: u32) -> String {
    let letters = "rwxrwxrwx".chars().enumerate();
    letters.map(|(index, letter)| if mode >> (8 - index) & 1 == 1 { letter } else { '-' }).collect()
}

#[cfg(test)]
mod tests;
