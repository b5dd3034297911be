//! `grep`: which lines of which files match a regular expression.
//! It walks first and then opens each file beneath the workspace's handle; no path is trusted twice and no program runs.

use std::sync::Arc;
use std::time::Duration;

use assent_policy::Cleared;
use assent_protocol::assessment::Assessment;
use assent_protocol::permission::Tier;
use assent_protocol::tool::Brief;
use serde_json::{Map, Value};

use super::budget::{Budget, Over};
use super::contents::{self, Candidate, Searched, Wanted};
use super::folder::Kind;
use super::pattern::{self, Glob};
use super::report;
use super::text::is_secret;
use super::walk::{Left, Step, is_in_hidden_place, walk};
use crate::arguments;
use crate::files::look::look_at;
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Form, Place, Workspace};

/// Longest search, in seconds.
pub(super) const SECONDS: u64 = 10;
/// Most files that are looked into.
const MOST_FILES: usize = 200_000;
/// Most lines around a match.
const MOST_CONTEXT: u32 = 10;

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(Grep {
        spec: ToolSpec {
            name: "grep",
            version: 1,
            description: "Search file contents by regular expression, line by line. Obeys .gitignore.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

struct Grep {
    spec: ToolSpec,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Regular expression (Rust syntax).
    pattern: String,
    /// File or folder; default: the workspace.
    path: Option<String>,
    /// Only files that fit, e.g. *.rs
    glob: Option<String>,
    ignore_case: Option<bool>,
    /// Take the pattern as plain text.
    fixed: Option<bool>,
    /// Lines around each match, 0 to 10.
    context: Option<u32>,
    /// Search ignored files too.
    include_ignored: Option<bool>,
}

/// What was left out before any content was read.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Files that may hold secrets.
    pub(super) secret: Vec<String>,
    /// What is no regular file.
    pub(super) irregular: Vec<String>,
    /// There are more files than are looked into.
    pub(super) too_many: bool,
    /// What the walk left out.
    pub(super) walk: Left,
}

impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let arguments: Arguments = arguments::read(given)?;
        wanted(&arguments)?;
        if let Some(glob) = &arguments.glob {
            Glob::new("glob", glob)?;
        }
        let start = searchable(looking.workspace, &arguments)?;
        Ok(look_at(format!("{} in {}", arguments.pattern, start.shown()), 0))
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        let budget = Budget::new(Duration::from_secs(SECONDS), running.cancel);
        let searched = arguments::read(&cleared.arguments)
            .and_then(|arguments| search(running.looking.workspace, &arguments, &budget));
        match searched {
            Ok((searched, left)) => output(&searched, &left),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

fn wanted(arguments: &Arguments) -> Result<Wanted, Refusal> {
    let context = arguments.context.unwrap_or(0);
    if context > MOST_CONTEXT {
        return Err(Refusal::bad_arguments(format!("`context` is 0 to {MOST_CONTEXT}")));
    }
    let ignores_case = arguments.ignore_case.unwrap_or(false);
    let matcher = pattern::regex(&arguments.pattern, ignores_case, arguments.fixed.unwrap_or(false))?;
    Ok(Wanted { matcher, context: context as usize })
}

fn searchable(workspace: &Workspace, arguments: &Arguments) -> Result<Place, Refusal> {
    let start = workspace.place(arguments.path.as_deref().unwrap_or(""))?;
    refuse_hidden(&start)?;
    match start.form {
        Form::Folder | Form::File => Ok(start),
        Form::Missing => Err(Refusal::new(format!("{} does not exist", start.shown()))),
        Form::Other(what) => {
            Err(Refusal::new(format!("{} is a {what}, not a regular file; it can't be searched", start.shown())))
        }
    }
}

/// Git's own folder and the workspace's trash aren't searched, even when they are named.
pub(super) fn refuse_hidden(start: &Place) -> Result<(), Refusal> {
    if is_in_hidden_place(&start.path) {
        return Err(Refusal::new(format!("{} is never searched", start.shown())));
    }
    Ok(())
}

fn search(workspace: &Workspace, arguments: &Arguments, budget: &Budget<'_>) -> Result<(Searched, LeftOut), Refusal> {
    let wanted = wanted(arguments)?;
    let start = searchable(workspace, arguments)?;
    let mut left = LeftOut::default();
    let candidates = candidates(workspace, &start, arguments, budget, &mut left)?;
    let searched = contents::search(workspace, &wanted, &candidates, budget);
    Ok((searched, left))
}

/// The files to look into, in order of their paths.
fn candidates(
    workspace: &Workspace,
    start: &Place,
    arguments: &Arguments,
    budget: &Budget<'_>,
    left: &mut LeftOut,
) -> Result<Vec<Candidate>, Refusal> {
    let glob = arguments.glob.as_deref().map(|glob| Glob::new("glob", glob)).transpose()?;
    let mut out = Vec::new();
    let take = |path: &str, out: &mut Vec<Candidate>, left: &mut LeftOut| {
        if is_secret(path) {
            left.secret.push(path.to_owned());
        } else {
            out.push(Candidate { path: path.to_owned() });
        }
    };
    if start.form == Form::File {
        take(&start.path, &mut out, left);
        return Ok(out);
    }
    let cut = if start.path.is_empty() { 0 } else { start.path.len() + 1 };
    let obeys = !arguments.include_ignored.unwrap_or(false);
    let mut too_many = false;
    let walked = walk(workspace, start, obeys, budget, &mut |found| {
        if found.is_ignored {
            return Step::Pass;
        }
        let fits = || glob.as_ref().is_none_or(|glob| glob.matches(&found.path[cut..]));
        match found.kind {
            Kind::File if out.len() >= MOST_FILES => {
                too_many = true;
                return Step::End;
            }
            Kind::File if fits() => take(found.path, &mut out, left),
            Kind::Other if fits() => left.irregular.push(found.path.to_owned()),
            Kind::File | Kind::Other | Kind::Folder | Kind::Link => {}
        }
        Step::Enter
    })?;
    left.too_many = too_many;
    left.walk = walked;
    Ok(out)
}

fn output(searched: &Searched, left: &LeftOut) -> ToolOutput {
    let report = report::write(searched, left);
    let brief = Brief::Matches {
        count: u32::try_from(searched.matches).unwrap_or(u32::MAX),
        files: u32::try_from(searched.files.len()).unwrap_or(u32::MAX),
        more: report.is_more,
    };
    let is_stopped = [left.walk.over, searched.over].contains(&Some(Over::Stopped));
    if is_stopped {
        ToolOutput { brief, ..ToolOutput::stopped(report.text) }
    } else {
        ToolOutput::ok(report.text, brief)
    }
}
