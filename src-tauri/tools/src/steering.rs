//! Which files of a workspace steer the assistant: rules, context and skills, by their places alone.
//! It reads none of them and trusts none: what they say, and whether a person let it count, is the engine's part.

use std::time::Duration;

use crate::search::budget::Budget;
use crate::search::folder::{Folder, Kind};
use crate::search::walk::{Step, walk};
use crate::workspace::{Form, Workspace};

/// Rule files of a folder: the first that is there counts.
pub const RULES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// The app's own rules, at the root.
pub const OWN_RULES: &str = ".assent/rules.md";
/// The app's own context, at the root.
pub const OWN_CONTEXT: &str = ".assent/context.md";
/// What is remembered of the project.
pub const MEMORY: &str = crate::files::memory::PROJECT_FILE;
/// Folders of skills, each in a folder of its own; the first that has a name wins.
pub const SKILL_FOLDERS: [&str; 3] = [".assent/skills", ".agents/skills", ".claude/skills"];
/// A skill's file in its folder.
pub const SKILL_FILE: &str = "SKILL.md";

/// Longest look for rules of folders below the root.
const LONGEST: Duration = Duration::from_millis(500);
/// Most entries that are looked at for them.
const MOST_ENTRIES: usize = 50_000;
/// Most of them that are found.
const MOST_RULES: usize = 200;
/// Most skills of one folder.
const MOST_SKILLS: usize = 200;

/// What a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steers {
    /// Its text is rules.
    Rules,
    /// Its text is context.
    Context,
    /// It is a skill.
    Skill,
}

/// What was found of some kind, and whether there may be more.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FoundPaths {
    /// Paths relative to the root.
    pub paths: Vec<String>,
    /// The look ended before its end.
    pub is_partial: bool,
}

/// What a path would do if it were a file; none: it steers nothing.
pub fn steers(path: &str) -> Option<Steers> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match path {
        OWN_RULES => return Some(Steers::Rules),
        OWN_CONTEXT | MEMORY => return Some(Steers::Context),
        _ if RULES.contains(&name) => return Some(Steers::Rules),
        _ => {}
    }
    let is_skill = SKILL_FOLDERS.iter().any(|folder| {
        let rest = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        rest.and_then(|rest| rest.split_once('/')).is_some_and(|(_, file)| file == SKILL_FILE)
    });
    is_skill.then_some(Steers::Skill)
}

/// Rule files of all folders: those of the root first, then those below it that no ignore rule covers, in order of paths.
pub fn rule_files(workspace: &Workspace) -> FoundPaths {
    let mut found = FoundPaths::default();
    let of_root = RULES.into_iter().find(|path| is_there(workspace, path));
    let own = [OWN_RULES, OWN_CONTEXT, MEMORY].into_iter().filter(|path| is_there(workspace, path));
    found.paths.extend(of_root.into_iter().chain(own).map(str::to_owned));
    let Ok(start) = workspace.place("") else { return found };
    let mut looked = 0;
    let mut is_cut = false;
    let walked = walk(workspace, &start, true, &Budget::short(LONGEST), &mut |entry| {
        looked += 1;
        if looked > MOST_ENTRIES || found.paths.len() >= MOST_RULES {
            is_cut = true;
            return Step::End;
        }
        if entry.is_ignored {
            return Step::Pass;
        }
        let may_steer = entry.kind == Kind::File || entry.kind == Kind::Link;
        if may_steer && RULES.contains(&entry.name) && is_first_below(entry.path, &found.paths) {
            found.paths.push(entry.path.to_owned());
        }
        Step::Enter
    });
    found.is_partial = is_cut || walked.map_or(true, |left| left.over.is_some());
    found
}

/// `SKILL.md` of every folder in a folder of skills, in order of names; a link that leads out of the workspace is among
/// them, and refused when it is read.
pub fn skill_files(workspace: &Workspace, folder: &str) -> FoundPaths {
    let mut found = FoundPaths::default();
    let opened = workspace.place(folder).ok().filter(|place| place.form == Form::Folder);
    let opened = opened.and_then(|place| Folder::open(workspace, &place).ok());
    let Some(entries) = opened.and_then(|folder| folder.entries().ok()) else { return found };
    let lead = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    for entry in entries.list {
        if !matches!(entry.kind, Kind::Folder | Kind::Link) {
            continue;
        }
        if found.paths.len() >= MOST_SKILLS {
            found.is_partial = true;
            break;
        }
        let path = format!("{lead}{}/{SKILL_FILE}", entry.name);
        // A folder without the file is no skill; one that can't be looked at is one that says why.
        if workspace.place(&path).map_or(entry.kind == Kind::Link, |place| place.form != Form::Missing) {
            found.paths.push(path);
        }
    }
    found
}

/// Whether a rule file lies below the root, and none before it counts for its folder.
fn is_first_below(path: &str, found: &[String]) -> bool {
    let Some((folder, _)) = path.rsplit_once('/') else { return false };
    !RULES.iter().any(|name| found.iter().any(|known| *known == format!("{folder}/{name}")))
}

fn is_there(workspace: &Workspace, path: &str) -> bool {
    workspace.place(path).is_ok_and(|place| place.form != Form::Missing)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
