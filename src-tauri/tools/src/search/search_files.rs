//! `search_files`: which files have a name that fits a glob.
//! Contents are `grep`'s part; folders are `list_directory`'s.

use std::sync::Arc;
use std::time::Duration;

use assent_policy::Cleared;
use assent_protocol::assessment::Assessment;
use assent_protocol::permission::Tier;
use assent_protocol::tool::Brief;
use serde_json::{Map, Value};

use super::budget::{Budget, Over};
use super::folder::Kind;
use super::grep::refuse_hidden;
use super::pattern::Glob;
use super::text::is_secret;
use super::walk::{Left, Step, walk};
use super::words;
use crate::arguments;
use crate::files::look::look_at;
use crate::files::words::{counted, on_one_line};
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Form, Workspace};

/// Longest search, in seconds.
const SECONDS: u64 = 10;
/// Most files that are counted.
const MOST: usize = 5_000;
/// Longest list, in bytes, so that it stays whole in what the model gets.
const SHOWN_BYTES: usize = 7_200;

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(SearchFiles {
        spec: ToolSpec {
            name: "search_files",
            version: 1,
            description: "Find files by glob, e.g. *.rs or src/**/test_*.py. Obeys .gitignore.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

struct SearchFiles {
    spec: ToolSpec,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Glob; without a slash it matches names at any depth.
    pattern: String,
    /// Folder to search; default: the workspace.
    path: Option<String>,
    /// Search ignored files too.
    include_ignored: Option<bool>,
}

/// What was found.
struct Hits {
    paths: Vec<String>,
    /// Files that may hold secrets: named, so that they can be asked for one by one.
    secret: Vec<String>,
    is_more: bool,
    left: Left,
}

impl Tool for SearchFiles {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let arguments: Arguments = arguments::read(given)?;
        Glob::new("pattern", &arguments.pattern)?;
        let start = looking.workspace.place(arguments.path.as_deref().unwrap_or(""))?;
        refuse_hidden(&start)?;
        match start.form {
            Form::Folder => Ok(look_at(format!("{} in {}", arguments.pattern, start.shown()), 0)),
            Form::Missing => Err(Refusal::new(format!("{} does not exist", start.shown()))),
            Form::File | Form::Other(_) => Err(Refusal::new(format!("{} is not a folder", start.shown()))),
        }
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        let arguments: Arguments = match arguments::read(&cleared.arguments) {
            Ok(arguments) => arguments,
            Err(refusal) => return ToolOutput::refused(refusal),
        };
        match find(running.looking.workspace, &arguments, &Budget::new(Duration::from_secs(SECONDS), running.cancel)) {
            Ok(hits) => output(&hits, &arguments.pattern),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

fn find(workspace: &Workspace, arguments: &Arguments, budget: &Budget<'_>) -> Result<Hits, Refusal> {
    let glob = Glob::new("pattern", &arguments.pattern)?;
    let start = workspace.place(arguments.path.as_deref().unwrap_or(""))?;
    refuse_hidden(&start)?;
    let cut = if start.path.is_empty() { 0 } else { start.path.len() + 1 };
    let obeys = !arguments.include_ignored.unwrap_or(false);
    let mut hits = Hits { paths: Vec::new(), secret: Vec::new(), is_more: false, left: Left::default() };
    hits.left = walk(workspace, &start, obeys, budget, &mut |found| {
        if found.is_ignored {
            return Step::Pass;
        }
        if found.kind == Kind::File && glob.matches(&found.path[cut..]) {
            if hits.paths.len() >= MOST {
                hits.is_more = true;
                return Step::End;
            }
            if is_secret(found.path) {
                hits.secret.push(found.path.to_owned());
            } else {
                hits.paths.push(found.path.to_owned());
            }
        }
        Step::Enter
    })?;
    Ok(hits)
}

fn output(hits: &Hits, pattern: &str) -> ToolOutput {
    let mut text = String::new();
    let mut shown = 0;
    for path in hits.paths.iter().map(|path| on_one_line(path)) {
        if text.len() + path.len() > SHOWN_BYTES {
            break;
        }
        text.push_str(&path);
        text.push('\n');
        shown += 1;
    }
    let mut notes = Vec::new();
    let hidden = hits.paths.len() - shown;
    if hits.is_more {
        notes.push(format!("more than {MOST} files match; narrow the pattern or `path`"));
    } else if hidden > 0 {
        let verb = if hidden == 1 { "matches" } else { "match" };
        notes.push(format!("{} {verb}; narrow the pattern or `path`", counted(hidden as u64, "more file")));
    }
    if hits.paths.is_empty() && hits.secret.is_empty() && hits.left.over.is_none() {
        notes.push(format!("no file matches {pattern}"));
    }
    if !hits.secret.is_empty() {
        notes.push(format!("left out, may hold secrets: {}", words::some_of(&hits.secret)));
    }
    words::notes(&hits.left, SECONDS, &mut notes);
    for note in notes {
        text.push_str(&format!("[{note}]\n"));
    }
    let is_more = hits.is_more || hidden > 0 || hits.left.over.is_some();
    let brief = Brief::Entries { count: u32::try_from(hits.paths.len()).unwrap_or(u32::MAX), more: is_more };
    if hits.left.over == Some(Over::Stopped) {
        return ToolOutput { brief, ..ToolOutput::stopped(text) };
    }
    ToolOutput::ok(text, brief)
}
