//! `memory`: short facts that outlive a conversation, one a line, in a file of the project and one of the person.
//! A change is planned, claimed and carried out as every write to a file; how the facts reach a model is not known here.

use std::sync::Arc;

use assent_policy::{Claimed, Cleared};
use assent_protocol::assessment::Assessment;
use assent_protocol::ids::Sha;
use assent_protocol::permission::Tier;
use serde_json::{Map, Value};

use crate::arguments;
use crate::content::Text;
use crate::effects::Trouble;
use crate::effects::replace::replace;
use crate::effects::rewrite::{Rewrite, Way};
use crate::effects::trash::in_made_parent;
use crate::tool::{Looking, Prepared, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Form, Place, Workspace};

/// The project's file, in its workspace.
pub const PROJECT_FILE: &str = ".assent/MEMORY.md";
/// The person's file, in the app's own folder.
pub const USER_FILE: &str = "USER.md";
/// Bytes that either has at most.
pub const LIMIT: usize = 8 * 1024;
/// A file above this many bytes, which only another program can have made so long, is not read.
const MAX_READ: u64 = 1024 * 1024;
/// Characters of a fact at most.
const LONGEST: usize = 500;
/// Bytes of the present lines that a refusal tells at most: a file of another program's making may be long.
const MOST_TOLD: usize = LIMIT / 2;

/// Arguments of `memory`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Whether a fact is added, takes the place of another, or goes.
    action: Action,
    /// Whose it is: of this project, or of the user in all projects.
    scope: Scope,
    /// The fact, in one line; for remove, words that only its line has.
    text: String,
    /// For replace: words that only the line has which is replaced.
    #[serde(default)]
    old: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Action {
    Add,
    Replace,
    Remove,
}

#[derive(Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Scope {
    Project,
    User,
}

struct Memory {
    spec: ToolSpec,
    /// The app's own folder; none: there is nowhere to keep what is the person's.
    home: Option<Arc<Workspace>>,
}

/// The tool. `home` is the app's own folder.
pub fn tool(home: Option<Arc<Workspace>>) -> Arc<dyn Tool> {
    Arc::new(Memory {
        spec: ToolSpec {
            name: "memory",
            version: 1,
            description: "Remembers short facts beyond this conversation: of the project, or of the user. For what will \
                          be wanted again and can't be read from the files; never keys or passwords.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Medium,
            rare: false,
        },
        home,
    })
}

/// The name of a file in the app's own folder, by which calls, claims and effects know it.
pub fn name_in(home: &Workspace, file: &str) -> String {
    home.root().join(file).to_string_lossy().into_owned()
}

impl Memory {
    /// Plans a call and hands the plan on, with what it may look at: the workspace, or the app's own folder.
    fn planned<T>(
        &self,
        given: &Map<String, Value>,
        looking: &Looking<'_>,
        work: impl FnOnce(Rewrite, &Looking<'_>) -> T,
    ) -> Result<T, Refusal> {
        let call: Arguments = arguments::read(given)?;
        call.check()?;
        let (folder, path) = match (call.scope, &self.home) {
            (Scope::Project, _) => (looking.workspace, PROJECT_FILE),
            (Scope::User, Some(home)) => (home.as_ref(), USER_FILE),
            (Scope::User, None) => return Err(Refusal::new("It did not run: there is no folder for it.")),
        };
        let present = hash_of(folder, path)?;
        // What is there was given to the model with the conversation; it needn't have been read by a call.
        let seen = |_: &str| present;
        let looking = Looking { workspace: folder, seen: &seen, ..*looking };
        let plan = Rewrite::plan(&looking, path, Way::Patch, |old| Ok((call.change(old)?, Vec::new())))?;
        let plan = match call.scope {
            Scope::Project => plan,
            Scope::User => plan.outside(name_in(folder, USER_FILE)),
        };
        Ok(work(plan, &looking))
    }
}

impl Tool for Memory {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        // It steers the assistant by its nature, and says so; that alone doesn't raise it.
        let assess =
            |plan: Rewrite, looking: &Looking<'_>| Assessment { tier: Tier::Medium, ..plan.assessment(looking) };
        self.planned(given, looking, assess)
    }

    fn prepare(&self, cleared: &Cleared, looking: &Looking<'_>) -> Result<Prepared, Refusal> {
        self.planned(&cleared.arguments, looking, |plan, _| plan.prepared(cleared))?
    }

    fn change(&self, claimed: &Claimed, prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        let carry_out = |plan: Rewrite, looking: &Looking<'_>| {
            plan.carry_out(claimed, prepared, &Running { looking: *looking, ..*running })
        };
        match self.planned(&claimed.arguments, &running.looking, carry_out) {
            Ok(output) => output,
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

impl Arguments {
    fn check(&self) -> Result<(), Refusal> {
        let refuse = |words: String| Err(Refusal::bad_arguments(format!("It did not run: {words}.")));
        let lines = [Some(&self.text), self.old.as_ref()];
        if lines.into_iter().flatten().any(|line| line.trim().is_empty() || line.contains(['\n', '\r'])) {
            return refuse("a fact is one line, and not an empty one".to_owned());
        }
        if self.text.chars().count() > LONGEST {
            return refuse(format!("a fact has {LONGEST} characters at most"));
        }
        match (self.action, &self.old) {
            (Action::Replace, None) => refuse("`old` has to name the line that is replaced".to_owned()),
            (Action::Add | Action::Remove, Some(_)) => refuse("`old` is for replace alone".to_owned()),
            _ => Ok(()),
        }
    }

    /// The whole text after the change.
    fn change(&self, old: Option<&Text>) -> Result<String, Refusal> {
        let old = old.map_or("", |old| old.text.as_str());
        let fact = format!("- {}\n", self.text.trim());
        let new = match (self.action, &self.old) {
            (Action::Add, _) => {
                let gap = if old.is_empty() || old.ends_with(['\n', '\r']) { "" } else { "\n" };
                format!("{old}{gap}{fact}")
            }
            (Action::Replace, Some(words)) => with_line(old, words, &fact)?,
            (Action::Replace, None) | (Action::Remove, _) => with_line(old, &self.text, "")?,
        };
        if new.len() > LIMIT && new.len() > old.len() {
            let words = format!(
                "It did not run: it would be {} bytes then, and {LIMIT} are the most. Remove or shorten something that is \
                 no longer wanted first.",
                new.len()
            );
            return Err(Refusal::new(words));
        }
        Ok(new)
    }
}

/// `text` with the one line that has `words` replaced.
fn with_line(text: &str, words: &str, by: &str) -> Result<String, Refusal> {
    let words = words.trim();
    let found: Vec<&str> = text.split_inclusive('\n').filter(|line| line.contains(words)).collect();
    match found.as_slice() {
        [_] => Ok(text.split_inclusive('\n').map(|line| if line.contains(words) { by } else { line }).collect()),
        [] => Err(Refusal::new(format!("It did not run: no line has {words:?}. Lines:\n{}", told(text)))),
        several => Err(Refusal::new(format!(
            "It did not run: {} lines have {words:?}; name words that only one has:\n{}",
            several.len(),
            told(&several.concat())
        ))),
    }
}

/// The first lines of a text, as many as a refusal tells.
fn told(lines: &str) -> String {
    if lines.len() <= MOST_TOLD {
        return lines.to_owned();
    }
    let end = lines.floor_char_boundary(MOST_TOLD);
    let end = lines[..end].rfind('\n').map_or(end, |line| line + 1);
    format!("{}…[{} more bytes are left out]", &lines[..end], lines.len() - end)
}

/// Where a text lies. A link is no place for one: the call would change another file than its card's tier is for, and people
/// would be shown that one as what is remembered.
fn place_of(folder: &Workspace, path: &str) -> Result<Place, Refusal> {
    let place = folder.place(path)?;
    match place.is_link() {
        true => {
            Err(Refusal::new(format!("{path} is a link to {}; what is remembered stands in no other file", place.path)))
        }
        false => Ok(place),
    }
}

fn hash_of(folder: &Workspace, path: &str) -> Result<Option<Sha>, Refusal> {
    let place = place_of(folder, path)?;
    match place.form {
        Form::Missing => Ok(None),
        _ => folder.read(&place, MAX_READ).map(|file| Some(file.hash)),
    }
}

/// A text with the hash of its file; none: there is no file.
pub fn read(folder: &Workspace, path: &str) -> Result<Option<(String, Sha)>, Refusal> {
    let place = place_of(folder, path)?;
    match place.form {
        Form::Missing => Ok(None),
        _ => {
            let file = folder.read(&place, MAX_READ)?;
            Ok(Some((String::from_utf8_lossy(&file.bytes).into_owned(), file.hash)))
        }
    }
}

/// Why a text was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveRefusal {
    /// The file is another one than the one that was edited; nothing was written.
    #[error("the file was changed meanwhile")]
    Changed,
    /// It has more bytes than are kept.
    #[error("it has {0} bytes; {LIMIT} are the most")]
    TooLong(usize),
    /// The file may not be written.
    #[error("{0}")]
    Refused(Refusal),
    /// The system refused.
    #[error("it was not saved: {0}")]
    Failed(Trouble),
}

/// Replaces a text on a person's word, who edited what has the hash `before`; no model's call leads here.
pub fn save(folder: &Workspace, path: &str, text: &str, before: Option<Sha>) -> Result<(), SaveRefusal> {
    if text.len() > LIMIT {
        return Err(SaveRefusal::TooLong(text.len()));
    }
    let place = place_of(folder, path).map_err(SaveRefusal::Refused)?;
    let saved = in_made_parent(folder, &place, |folder, leaf| replace(folder, leaf, before, text.as_bytes()));
    match saved {
        Ok(()) => Ok(()),
        Err(Trouble::Changed { .. }) => Err(SaveRefusal::Changed),
        Err(trouble) => Err(SaveRefusal::Failed(trouble)),
    }
}

#[cfg(test)]
mod tests;
