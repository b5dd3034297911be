//! The tool `git_status`: branch, staged and other changes, what isn't tracked.
//! Nothing is written: not even the index's record of file times, which plain git refreshes.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use assent_policy::Cleared;
use assent_protocol::assessment::Assessment;
use assent_protocol::permission::Tier;
use assent_protocol::tool::Brief;
use serde_json::{Map, Value};

use super::changes::{self, Differences, Trouble};
use super::git_diff::head_tree;
use super::open::{self, Opened};
use super::worktree::{self, Compared, Comparison, Standing, Untracked};
use super::{linked, report};
use crate::arguments;
use crate::files::words::on_one_line;
use crate::search::budget::{Budget, Over};
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::Workspace;

/// Longest look, in seconds.
const SECONDS: u64 = 10;
/// Most lines of one kind that are shown.
const MOST_LINES: usize = 60;
/// Longest text of one kind, in bytes.
const MOST_BYTES: usize = 1_800;

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(GitStatus {
        spec: ToolSpec {
            name: "git_status",
            version: 1,
            description: "Branch, staged and unstaged changes, untracked files.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

struct GitStatus {
    spec: ToolSpec,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

/// A repository's state.
pub(super) struct Status {
    pub(super) branch: String,
    pub(super) commit: Option<String>,
    pub(super) staged: Differences,
    pub(super) compared: Compared,
    pub(super) untracked: Untracked,
}

impl Status {
    /// Paths that aren't as in the last commit.
    pub(super) fn dirty(&self) -> usize {
        let mut changed: HashSet<&str> = changes::paths(&self.staged).collect();
        changed.extend(self.compared.departures.iter().map(|departure| departure.path.as_str()));
        changed.extend(self.compared.conflicts.iter().map(String::as_str));
        changed.len() + self.untracked.paths.len()
    }

    /// Whether the look ended early.
    pub(super) fn over(&self) -> Option<Over> {
        self.staged.over.or(self.compared.over).or(self.untracked.over)
    }
}

impl Tool for GitStatus {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        arguments::read::<Arguments>(given)?;
        linked::assess(looking, "the repository's state".to_owned(), |_| Ok(()))
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        let budget = Budget::new(Duration::from_secs(SECONDS), running.cancel);
        let workspace = running.looking.workspace;
        let done = arguments::read::<Arguments>(&cleared.arguments).and_then(|_| {
            open::with(workspace, &linked::allowed_by(cleared), |opened| {
                if opened.is_bare() {
                    return Ok(Ok(bare(opened)));
                }
                match status(workspace, opened, &budget) {
                    Ok(status) => Ok(Ok(output(&status, opened))),
                    Err(Trouble::Off(off)) => Err(off),
                    Err(Trouble::Refused(refusal)) => Ok(Err(refusal)),
                }
            })?
        });
        done.unwrap_or_else(ToolOutput::refused)
    }
}

/// Looks at index, work tree and what isn't tracked.
pub(super) fn status(workspace: &Workspace, opened: &Opened, budget: &Budget<'_>) -> Result<Status, Trouble> {
    let index = opened.index()?;
    let staged = changes::to_index(opened, &index, head_tree(opened)?, "", budget)?;
    let compared = Comparison::new(workspace, opened)?.all(index.iter(), &|_| true, budget);
    let tracked: HashSet<String> = index.iter().filter_map(|entry| String::from_utf8(entry.path).ok()).collect();
    let untracked = worktree::untracked(workspace, opened, &tracked, budget)?;
    let commit = opened.head()?.map(|commit| {
        let subject = commit.summary_bytes().map(String::from_utf8_lossy).unwrap_or_default();
        format!("{} {}", open::short(commit.id()), subject.chars().take(100).collect::<String>())
    });
    Ok(Status { branch: opened.branch(), commit, staged, compared, untracked })
}

fn bare(opened: &Opened) -> ToolOutput {
    ToolOutput::ok(format!("branch {}\nthis repository is bare: it has no work tree\n", opened.branch()), Brief::Done)
}

fn output(status: &Status, opened: &Opened) -> ToolOutput {
    let mut text = match &status.commit {
        Some(commit) => format!("branch {} at {commit}\n", status.branch),
        None => format!("branch {}, no commits yet\n", status.branch),
    };
    if let Some(state) = in_progress(opened) {
        text.push_str(&format!("{state} is in progress\n"));
    }
    let of = |wanted: &dyn Fn(Standing) -> bool, letters: bool| -> Vec<String> {
        let departures = status.compared.departures.iter().filter(|departure| wanted(departure.standing));
        departures
            .map(|departure| match departure.standing {
                _ if !letters => departure.path.clone(),
                Standing::Deleted => format!("D {}", departure.path),
                Standing::TypeChanged => format!("T {}", departure.path),
                Standing::Added => format!("A {}", departure.path),
                Standing::Modified | Standing::Same | Standing::Unknown => {
                    format!("M {}", departure.path)
                }
            })
            .collect()
    };
    let mut staged = changes::letters(&status.staged);
    staged.extend(status.staged.secret.iter().map(|path| format!("M {path} (may hold secrets)")));
    let changed = of(&|standing| standing != Standing::Unknown, true);
    let filtered = of(&|standing| standing == Standing::Unknown, false);
    let is_clean = staged.is_empty() && changed.is_empty() && filtered.is_empty();
    let untracked = &status.untracked.paths;
    list("staged", &staged, &mut text);
    list("changed, not staged", &changed, &mut text);
    list("in conflict", &status.compared.conflicts, &mut text);
    list("filtered, state unknown (a filter driver is named for them, and not run)", &filtered, &mut text);
    list("not tracked", untracked, &mut text);
    list("submodules, not entered", &status.compared.submodules, &mut text);
    if is_clean && untracked.is_empty() && status.compared.conflicts.is_empty() && status.over().is_none() {
        text.push_str("nothing to commit, work tree clean\n");
    }
    if status.compared.unnamed > 0 {
        text.push_str(&format!("[{} tracked paths aren't Unicode and were left out]\n", status.compared.unnamed));
    }
    if status.staged.is_cut || status.untracked.is_cut {
        text.push_str("[too many changes: not all were looked at]\n");
    }
    report::over(status.over(), SECONDS, &mut text);
    let brief = Brief::Entries {
        count: u32::try_from(status.dirty()).unwrap_or(u32::MAX),
        more: status.staged.is_cut || status.untracked.is_cut || status.over().is_some(),
    };
    if status.over() == Some(Over::Stopped) {
        return ToolOutput { brief, ..ToolOutput::stopped(text) };
    }
    ToolOutput::ok(text, brief)
}

fn list(heading: &str, lines: &[String], text: &mut String) {
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("{heading}:\n"));
    let start = text.len();
    for (index, line) in lines.iter().enumerate() {
        if index >= MOST_LINES || text.len() - start + line.len() > MOST_BYTES {
            text.push_str(&format!("  [{} more]\n", lines.len() - index));
            return;
        }
        text.push_str(&format!("  {}\n", on_one_line(line)));
    }
}

fn in_progress(opened: &Opened) -> Option<&'static str> {
    use git2::RepositoryState as State;
    match opened.repository.state() {
        State::Clean => None,
        State::Merge => Some("a merge"),
        State::Revert | State::RevertSequence => Some("a revert"),
        State::CherryPick | State::CherryPickSequence => Some("a cherry-pick"),
        State::Bisect => Some("a bisect"),
        State::Rebase | State::RebaseInteractive | State::RebaseMerge => Some("a rebase"),
        State::ApplyMailbox | State::ApplyMailboxOrRebase => Some("an application of patches"),
    }
}
