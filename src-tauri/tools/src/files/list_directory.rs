//! `list_directory`: what lies in one folder, sorted, with kinds and sizes.
//! It doesn't go into sub-folders and reads no content.

use std::cmp::Reverse;
use std::sync::Arc;

use assent_policy::Cleared;
use assent_protocol::assessment::Assessment;
use assent_protocol::permission::Tier;
use assent_protocol::tool::Brief;
use cap_std::fs::{Dir, DirEntry, FileType};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::look::look;
use super::words;
use crate::arguments;
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Place, Workspace};

/// Most entries that are shown.
const MAX_SHOWN: usize = 500;

/// Longest result in characters.
const MAX_CHARACTERS: usize = 8_192;

/// Most entries that are counted; a folder with more is said to have at least as many.
const MAX_COUNTED: usize = 200_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Default: the workspace root
    path: Option<String>,
}

struct ListDirectory {
    spec: ToolSpec,
}

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(ListDirectory {
        spec: ToolSpec {
            name: "list_directory",
            version: 1,
            description: "List one folder: sub-folders first, sizes of files, targets of links.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

impl Tool for ListDirectory {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let (place, _) = opened(arguments, looking.workspace)?;
        Ok(look(&place, 0))
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        list(cleared, running).unwrap_or_else(ToolOutput::refused)
    }
}

/// One entry before it is written out.
struct Entry {
    name: String,
    kind: Kind,
    entry: DirEntry,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
    Link,
    Other,
}

fn opened(arguments: &Map<String, Value>, workspace: &Workspace) -> Result<(Place, Dir), Refusal> {
    let arguments: Arguments = arguments::read(arguments)?;
    let place = workspace.place(arguments.path.as_deref().unwrap_or_default())?;
    let folder = workspace.folder_handle(&place)?;
    Ok((place, folder))
}

fn list(cleared: &Cleared, running: &Running<'_>) -> Result<ToolOutput, Refusal> {
    let (place, folder) = opened(&cleared.arguments, running.looking.workspace)?;
    let unreadable = |error| Refusal::new(format!("{} can't be listed: {error}", place.shown()));
    let mut entries = Vec::new();
    let mut is_complete = true;
    for entry in folder.entries().map_err(unreadable)? {
        if running.cancel.is_cancelled() {
            return Ok(ToolOutput::stopped(format!("{}: stopped", place.shown())));
        }
        if entries.len() == MAX_COUNTED {
            is_complete = false;
            break;
        }
        let entry = entry.map_err(unreadable)?;
        let name = words::name(&entry.file_name().to_string_lossy());
        entries.push(Entry { name, kind: entry.file_type().map_or(Kind::Other, kind_of), entry });
    }
    entries.sort_by(|a, b| (Reverse(a.kind == Kind::Folder), &a.name).cmp(&(Reverse(b.kind == Kind::Folder), &b.name)));
    Ok(written(&place, &entries, is_complete, running.looking.workspace))
}

fn written(place: &Place, entries: &[Entry], is_complete: bool, workspace: &Workspace) -> ToolOutput {
    let folders = entries.iter().filter(|entry| entry.kind == Kind::Folder).count();
    let at_least = if is_complete { "" } else { "at least " };
    let header = format!(
        "{}: {at_least}{}, {}\n",
        place.shown(),
        words::counted(folders as u64, "folder"),
        words::counted((entries.len() - folders) as u64, "other entry")
    );
    // Room for the line that says what is left out.
    let room = MAX_CHARACTERS.saturating_sub(header.chars().count() + 120);
    let (mut body, mut used, mut shown) = (String::new(), 0, 0);
    for entry in entries.iter().take(MAX_SHOWN) {
        let line = line(place, entry, workspace);
        let length = line.chars().count();
        if used + length > room {
            break;
        }
        body.push_str(&line);
        used += length;
        shown += 1;
    }
    if shown < entries.len() || !is_complete {
        let left = words::counted((entries.len() - shown) as u64, "more entry");
        body.push_str(&format!("({at_least}{left} not shown; find files by name with search_files)\n"));
    }
    let more = shown < entries.len() || !is_complete;
    ToolOutput::ok(header + &body, Brief::Entries { count: u32::try_from(shown).unwrap_or(u32::MAX), more })
}

fn line(place: &Place, entry: &Entry, workspace: &Workspace) -> String {
    let name = &entry.name;
    match entry.kind {
        Kind::Folder => format!("{name}/\n"),
        Kind::File => match entry.entry.metadata() {
            Ok(metadata) => format!("{name}  {}\n", words::size(metadata.len())),
            Err(_) => format!("{name}\n"),
        },
        Kind::Link => {
            let path = if place.path.is_empty() { name.clone() } else { format!("{}/{name}", place.path) };
            match workspace.place(&path) {
                Ok(target) => format!("{name} -> {}\n", target.path),
                Err(_) => format!("{name} -> (a link that can't be used)\n"),
            }
        }
        Kind::Other => format!("{name}  (not a regular file)\n"),
    }
}

fn kind_of(kind: FileType) -> Kind {
    if kind.is_dir() {
        Kind::Folder
    } else if kind.is_symlink() {
        Kind::Link
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}

#[cfg(test)]
mod tests;
