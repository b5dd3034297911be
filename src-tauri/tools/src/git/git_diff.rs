//! The tool `git_diff`: what differs between two states of the repository, as unified text.
//! No driver, filter or pager of the repository has a say in it.

use std::sync::Arc;
use std::time::Duration;

use assent_policy::Cleared;
use assent_protocol::assessment::Assessment;
use assent_protocol::permission::Tier;
use assent_protocol::tool::Brief;
use serde_json::{Map, Value};

use super::changes::{self, Differences, Trouble};
use super::off::Off;
use super::open::{self, Opened};
use super::report::{self, Patches};
use super::worktree::is_within;
use super::{linked, revision};
use crate::arguments;
use crate::search::budget::{Budget, Over};
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Form, Workspace};

/// Longest look, in seconds.
const SECONDS: u64 = 10;
/// Longest text of patches, in bytes; with the notes it stays below 8,192.
const SHOWN_BYTES: usize = 6_400;

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(GitDiff {
        spec: ToolSpec {
            name: "git_diff",
            version: 1,
            description: "Unified diff: work tree against index; `staged`: index against HEAD; `from` (and `to`): against a commit.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

struct GitDiff {
    spec: ToolSpec,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// File or folder.
    path: Option<String>,
    staged: Option<bool>,
    /// Commit, branch or tag.
    from: Option<String>,
    to: Option<String>,
}

impl Tool for GitDiff {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let arguments: Arguments = arguments::read(given)?;
        let only = path(looking.workspace, &arguments)?;
        check_arguments(&arguments)?;
        let target = format!("changes in {}", if only.is_empty() { "the repository" } else { &only });
        linked::assess(looking, target, |opened| check(&arguments, opened))
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        let budget = Budget::new(Duration::from_secs(SECONDS), running.cancel);
        let workspace = running.looking.workspace;
        let done = arguments::read(&cleared.arguments).and_then(|arguments| {
            open::with(workspace, &linked::allowed_by(cleared), |opened| {
                match diff(workspace, opened, &arguments, &budget) {
                    Ok(output) => Ok(Ok(output)),
                    Err(Trouble::Off(off)) => Err(off),
                    Err(Trouble::Refused(refusal)) => Ok(Err(refusal)),
                }
            })?
        });
        done.unwrap_or_else(ToolOutput::refused)
    }
}

fn path(workspace: &Workspace, arguments: &Arguments) -> Result<String, Refusal> {
    super::in_repository(workspace, arguments.path.as_deref().unwrap_or(""))
}

fn check(arguments: &Arguments, opened: &Opened) -> Result<(), Refusal> {
    check_arguments(arguments)?;
    for revision in [&arguments.from, &arguments.to].into_iter().flatten() {
        revision::commit(&opened.repository, revision)?;
    }
    if opened.is_bare() && arguments.to.is_none() {
        return Err(Refusal::new("this repository is bare, it has no work tree; name `from` and `to`"));
    }
    Ok(())
}

fn check_arguments(arguments: &Arguments) -> Result<(), Refusal> {
    if arguments.to.is_some() && arguments.from.is_none() {
        return Err(Refusal::bad_arguments("`to` needs `from`"));
    }
    if arguments.to.is_some() && arguments.staged == Some(true) {
        return Err(Refusal::bad_arguments("`staged` and `to` exclude each other"));
    }
    Ok(())
}

fn diff(
    workspace: &Workspace,
    opened: &Opened,
    arguments: &Arguments,
    budget: &Budget<'_>,
) -> Result<ToolOutput, Trouble> {
    check(arguments, opened)?;
    let only = path(workspace, arguments)?;
    let mut differences = compare(workspace, opened, arguments, &only, budget)?;
    let mut patches = Patches::default();
    changes::patches(workspace, opened, &mut differences, budget, &mut |path, patch| {
        patches.take(path, &patch, SHOWN_BYTES);
    });
    let (files, added, removed) = (patches.files, patches.added, patches.removed);
    let mut text = match files {
        0 => String::new(),
        1 => format!("1 file changed, +{added} -{removed}\n"),
        files => format!("{files} files changed, +{added} -{removed}\n"),
    };
    text.push_str(&patches.finish().0);
    let says_more =
        [&differences.secret, &differences.filtered, &differences.conflicts].iter().any(|list| !list.is_empty());
    if files == 0 && !says_more && differences.over.is_none() {
        if arguments.from.is_none() && !stands_anywhere(workspace, opened, &only)? {
            let words = format!("{only} is neither in the work tree nor in the index");
            return Err(Trouble::Refused(Refusal::new(words)));
        }
        text.push_str("[no differences]\n");
    }
    report::notes(&differences, SECONDS, &mut text);
    let brief = Brief::Changed { added, removed };
    if differences.over == Some(Over::Stopped) {
        return Ok(ToolOutput { brief, ..ToolOutput::stopped(text) });
    }
    Ok(ToolOutput::ok(text, brief))
}

/// Whether there is such a file or folder at all, so that a slip in its name isn't answered with "no differences".
fn stands_anywhere(workspace: &Workspace, opened: &Opened, only: &str) -> Result<bool, Trouble> {
    let is_missing = workspace.place(only).is_ok_and(|place| place.form == Form::Missing);
    let tracked = |entry: git2::IndexEntry| is_within(&String::from_utf8_lossy(&entry.path), only);
    Ok(!is_missing || opened.index()?.iter().any(tracked))
}

fn compare(
    workspace: &Workspace,
    opened: &Opened,
    arguments: &Arguments,
    only: &str,
    budget: &Budget<'_>,
) -> Result<Differences, Trouble> {
    let tree_of = |text: &str| Ok::<_, Trouble>(revision::commit(&opened.repository, text)?.tree_id());
    let from = arguments.from.as_deref().map(tree_of).transpose()?;
    if let Some(to) = arguments.to.as_deref() {
        return changes::between_trees(opened, from, Some(tree_of(to)?), only, budget);
    }
    let index = opened.index()?;
    if arguments.staged == Some(true) {
        let base = match from {
            Some(tree) => Some(tree),
            None => head_tree(opened)?,
        };
        return changes::to_index(opened, &index, base, only, budget);
    }
    changes::to_work_tree(workspace, opened, &index, from.map(Some), only, budget)
}

/// The tree of the present commit; `None` before the first one.
pub(super) fn head_tree(opened: &Opened) -> Result<Option<git2::Oid>, Off> {
    Ok(opened.head()?.map(|commit| commit.tree_id()))
}
