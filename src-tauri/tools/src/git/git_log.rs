//! The tool `git_log`: commits, newest first, of all or of one path, with their patches where asked.
//! History isn't rewritten for a path: a commit is listed when the path differs from all of its parents.

use std::sync::Arc;
use std::time::Duration;

use assent_policy::Cleared;
use assent_protocol::assessment::Assessment;
use assent_protocol::permission::Tier;
use assent_protocol::tool::Brief;
use git2::{Commit, Sort};
use serde_json::{Map, Value};

use super::changes::{self, Trouble};
use super::off::{Off, unreadable};
use super::open::{self, Opened};
use super::report::{self, Patches};
use super::{linked, revision, trees};
use crate::arguments;
use crate::search::budget::{Budget, Over};
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::Workspace;

/// Longest look, in seconds.
const SECONDS: u64 = 10;
/// Commits listed where the call names no limit.
const USUAL: u32 = 20;
/// Most commits that are listed.
const MOST: u32 = 200;
/// Longest text, in bytes; with the notes it stays below 8,192.
const SHOWN_BYTES: usize = 6_800;
/// Most text of one commit's patch.
const PATCH_BYTES: usize = 3_000;

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(GitLog {
        spec: ToolSpec {
            name: "git_log",
            version: 1,
            description: "Commits, newest first; `patch` adds messages in full and diffs.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

struct GitLog {
    spec: ToolSpec,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// File or folder.
    path: Option<String>,
    /// Default 20.
    limit: Option<u32>,
    /// Branch, tag or commit; default HEAD.
    #[serde(rename = "ref")]
    revision: Option<String>,
    patch: Option<bool>,
}

impl Tool for GitLog {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let arguments: Arguments = arguments::read(given)?;
        let only = check(looking.workspace, &arguments)?;
        let target = format!("commits of {}", if only.is_empty() { "the repository" } else { &only });
        linked::assess(looking, target, |opened| match arguments.revision.as_deref() {
            Some(text) => revision::commit(&opened.repository, text).map(|_| ()),
            None => Ok(()),
        })
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        let budget = Budget::new(Duration::from_secs(SECONDS), running.cancel);
        let workspace = running.looking.workspace;
        let done = arguments::read(&cleared.arguments).and_then(|arguments| {
            open::with(workspace, &linked::allowed_by(cleared), |opened| {
                match log(workspace, opened, &arguments, &budget) {
                    Ok(output) => Ok(Ok(output)),
                    Err(Trouble::Off(off)) => Err(off),
                    Err(Trouble::Refused(refusal)) => Ok(Err(refusal)),
                }
            })?
        });
        done.unwrap_or_else(ToolOutput::refused)
    }
}

fn check(workspace: &Workspace, arguments: &Arguments) -> Result<String, Refusal> {
    if arguments.limit.is_some_and(|limit| limit == 0 || limit > MOST) {
        return Err(Refusal::bad_arguments(format!("`limit` is 1 to {MOST}")));
    }
    super::in_repository(workspace, arguments.path.as_deref().unwrap_or(""))
}

fn log(
    workspace: &Workspace,
    opened: &Opened,
    arguments: &Arguments,
    budget: &Budget<'_>,
) -> Result<ToolOutput, Trouble> {
    let only = check(workspace, arguments)?;
    let limit = arguments.limit.unwrap_or(USUAL);
    let start = match &arguments.revision {
        Some(text) => Some(revision::commit(&opened.repository, text)?),
        None => opened.head()?,
    };
    let Some(start) = start else {
        return Ok(ToolOutput::ok("[no commits yet]\n", Brief::Entries { count: 0, more: false }));
    };
    let what = "the history can't be read";
    let mut walk = opened.repository.revwalk().map_err(|error| unreadable(what, &error))?;
    // Git's own order, newest first; any other is sorted over the whole history before the first commit is told.
    walk.set_sorting(Sort::NONE).map_err(|error| unreadable(what, &error))?;
    walk.push(start.id()).map_err(|error| unreadable(what, &error))?;
    let mut text = String::new();
    let (mut count, mut is_more, mut over) = (0, false, None);
    for id in walk {
        over = budget.over();
        if over.is_some() {
            break;
        }
        let id = id.map_err(|error| unreadable(what, &error))?;
        let commit = opened.repository.find_commit(id).map_err(|error| unreadable(what, &error))?;
        if !only.is_empty() && !touches(opened, &commit, &only)? {
            continue;
        }
        if count == limit || text.len() >= SHOWN_BYTES {
            is_more = true;
            break;
        }
        let entry = entry(workspace, opened, &commit, arguments, &only, budget)?;
        if text.len() + entry.len() > SHOWN_BYTES + PATCH_BYTES / 4 {
            is_more = true;
            break;
        }
        text.push_str(&entry);
        count += 1;
    }
    if count == 0 && over.is_none() {
        text.push_str("[no commits]\n");
    }
    if is_more {
        text.push_str("[there are older commits]\n");
    }
    report::over(over, SECONDS, &mut text);
    let brief = Brief::Entries { count, more: is_more || over.is_some() };
    if over == Some(Over::Stopped) {
        return Ok(ToolOutput { brief, ..ToolOutput::stopped(text) });
    }
    Ok(ToolOutput::ok(text, brief))
}

/// Whether what stands at the path differs from all parents.
fn touches(opened: &Opened, commit: &Commit<'_>, only: &str) -> Result<bool, Off> {
    let own = trees::entry_at(opened, commit.tree_id(), only)?;
    let mut parents = 0;
    for parent in commit.parents() {
        parents += 1;
        if trees::entry_at(opened, parent.tree_id(), only)? == own {
            return Ok(false);
        }
    }
    Ok(parents > 0 || own.is_some())
}

fn entry(
    workspace: &Workspace,
    opened: &Opened,
    commit: &Commit<'_>,
    arguments: &Arguments,
    only: &str,
    budget: &Budget<'_>,
) -> Result<String, Trouble> {
    let author = commit.author();
    let name: String = String::from_utf8_lossy(author.name_bytes()).chars().take(60).collect();
    let message = String::from_utf8_lossy(commit.message_bytes()).into_owned();
    let mut lines = message.trim().lines();
    let subject: String = lines.next().unwrap_or_default().chars().take(160).collect();
    let mut text = format!("{} {} {name}: {subject}\n", open::short(commit.id()), date(&author.when()));
    if arguments.patch != Some(true) {
        return Ok(text);
    }
    for line in lines.take(30) {
        let line: String = line.chars().take(200).collect();
        text.push_str(format!("    {line}").trim_end());
        text.push('\n');
    }
    let old = match commit.parent_count() {
        0 => None,
        _ => Some(commit.parent(0).map_err(|error| Off::from_parent(&error))?.tree_id()),
    };
    let mut differences = changes::between_trees(opened, old, Some(commit.tree_id()), only, budget)?;
    let mut patches = Patches::default();
    changes::patches(workspace, opened, &mut differences, budget, &mut |path, patch| {
        patches.take(path, &patch, PATCH_BYTES);
    });
    text.push_str(&patches.finish().0);
    report::notes(&differences, SECONDS, &mut text);
    text.push('\n');
    Ok(text)
}

impl Off {
    fn from_parent(error: &git2::Error) -> Self {
        unreadable("a parent commit can't be read (a shallow clone ends there)", error)
    }
}

/// `2026-11-03 14:05 +0800`, in the author's own time zone.
fn date(when: &git2::Time) -> String {
    let offset = i64::from(when.offset_minutes());
    let local = when.seconds().saturating_add(offset * 60);
    let (days, seconds) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let sign = if offset < 0 { '-' } else { '+' };
    let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02} {sign}{hours:02}{minutes:02}",
        seconds / 3_600,
        seconds / 60 % 60
    )
}

/// Day of the proleptic Gregorian calendar from days since 1970-01-01, counted in eras of 400 years from 0000-03-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
