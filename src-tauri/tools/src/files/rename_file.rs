//! `rename_file`: gives a file, a link or a folder a new path, never replacing what stands there.
//! It changes no content; a link is renamed itself.

use std::sync::Arc;

use assent_policy::{Claimed, Cleared};
use assent_protocol::assessment::{Assessment, Reach, Reason, Warning};
use assent_protocol::file_note::FileNote;
use assent_protocol::permission::Tier;
use assent_protocol::preview::{FileChangeForm, FileDiff, Preview};
use assent_protocol::tool::{FileEffect, FileState, Intent};
use serde_json::{Map, Value};

use crate::arguments;
use crate::effects::invisible::holds_invisible;
use crate::effects::outcome::{changed_since_approval, not_what_was_claimed, output};
use crate::effects::relocate::Moving;
use crate::effects::replace::Trouble;
use crate::effects::trash::{in_made_parent, move_apart};
use crate::effects::tree::Kind;
use crate::tool::{Looking, Prepared, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Form, Place, Workspace};

/// Arguments of `rename_file`.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Present path, relative to the workspace.
    from: String,
    /// New path; nothing may stand there.
    to: String,
}

struct RenameFile {
    spec: ToolSpec,
}

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(RenameFile {
        spec: ToolSpec {
            name: "rename_file",
            version: 1,
            description: "Rename or move a file, link or folder within the workspace. Never replaces anything.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::High,
            rare: false,
        },
    })
}

/// One rename, as it would happen now.
struct Renaming {
    moving: Moving,
    to: Place,
}

impl Tool for RenameFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        Ok(Renaming::plan(given, looking)?.assessment(looking))
    }

    fn prepare(&self, cleared: &Cleared, looking: &Looking<'_>) -> Result<Prepared, Refusal> {
        let renaming = Renaming::plan(&cleared.arguments, looking)?;
        let before = renaming.before();
        if cleared.touches != before {
            return Err(changed_since_approval(&renaming.moving.entry.path, Some(renaming.moving.survey.hash)));
        }
        Ok(Prepared { intent: renaming.intent(), before: before.to_vec(), keep: Vec::new() })
    }

    fn change(&self, claimed: &Claimed, prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        match Renaming::plan(&claimed.arguments, &running.looking) {
            Ok(renaming) => renaming.carry_out(claimed, prepared, running),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

impl Renaming {
    fn plan(given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Self, Refusal> {
        let Arguments { from, to } = arguments::read(given)?;
        let to = looking.workspace.place(&to)?;
        let moving = Moving::survey(looking.workspace, &from, Some(&to))?;
        let is_within = to.path.strip_prefix(&moving.entry.path).is_some_and(|rest| rest.starts_with('/'));
        if is_within {
            return Err(Refusal::new(format!("{} can't be moved into itself", moving.entry.path)));
        }
        match to.form {
            Form::Missing => Ok(Self { moving, to }),
            Form::Folder => Err(Refusal::new(format!(
                "{0} is a folder that exists; to move {1} into it, give the whole new path: {0}/{1}",
                to.shown(),
                moving.entry.leaf
            ))),
            Form::File | Form::Other(_) => {
                Err(Refusal::new(format!("{} exists and is never replaced by a rename", to.shown())))
            }
        }
    }

    fn before(&self) -> [FileState; 2] {
        let from = FileState { path: self.moving.entry.path.clone(), hash: Some(self.moving.survey.hash) };
        [from, FileState { path: self.to.path.clone(), hash: None }]
    }

    fn intent(&self) -> Intent {
        Intent::Rename { from: self.moving.entry.path.clone(), to: self.to.path.clone() }
    }

    fn assessment(&self, looking: &Looking<'_>) -> Assessment {
        let (from, survey) = (self.moving.entry.path.clone(), self.moving.survey);
        let mut warnings = Vec::new();
        if survey.links > 1 {
            warnings.push(Warning::HardLinks);
        }
        if holds_invisible(&from) || holds_invisible(&self.to.path) {
            warnings.push(Warning::Invisible);
        }
        let mut notes = Vec::new();
        match survey.kind {
            Kind::Folder => {
                notes.push(FileNote::Folder { entries: (survey.entries - 1).into(), bytes: None });
            }
            Kind::Link => notes.push(FileNote::Link),
            Kind::File | Kind::Other => {}
        }
        if self.to.is_link() {
            notes.push(FileNote::ThroughLink { path: self.to.asked.clone() });
        }
        Assessment {
            tier: Tier::High,
            read_only: false,
            touches: self.before().to_vec(),
            reason: Reason::Rename { from: from.clone(), to: self.to.path.clone() },
            reach: Reach {
                files: survey.entries,
                added: 0,
                removed: 0,
                tracked: self.moving.tracked(looking),
                inside: true,
                revertible: true,
                raised: self.moving.raised,
                last: looking.last,
                warnings,
            },
            preview: Preview::Diff {
                files: vec![FileDiff {
                    path: from,
                    resolved: None,
                    change: FileChangeForm::Renamed { to: self.to.path.clone() },
                    hunks: Vec::new(),
                    old_lines: 0,
                    added: 0,
                    removed: 0,
                    notes,
                }],
            },
            argv: None,
        }
    }

    fn carry_out(&self, claimed: &Claimed, prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        let (from, state) = (self.moving.entry.path.as_str(), self.moving.survey.hash);
        if claimed.touches != self.before() {
            return ToolOutput::refused(changed_since_approval(from, Some(state)));
        }
        if prepared.intent != self.intent() {
            return ToolOutput::refused(not_what_was_claimed(from));
        }
        if running.cancel.is_cancelled() {
            return ToolOutput::stopped(format!("Stopped before {from} was renamed"));
        }
        let effect = FileEffect {
            path: from.to_owned(),
            before: Some(state),
            after: Some(state),
            moved_to: Some(self.to.path.clone()),
            added: 0,
            removed: 0,
        };
        let done = self.rename(running.looking.workspace);
        let words = format!("Renamed {from} to {}.", self.to.path);
        let mut output = output(done, from, words, vec![effect]);
        let is_known = (running.looking.seen)(from) == Some(state);
        if is_known && !output.effects.is_empty() {
            // What the model knows of the old path it knows of the new one.
            output.seen.push(FileState { path: self.to.path.clone(), hash: Some(state) });
        }
        output
    }

    fn rename(&self, workspace: &Workspace) -> Result<(), Trouble> {
        let (entry, state) = (&self.moving.entry, self.moving.survey.hash);
        in_made_parent(workspace, &self.to, |folder, leaf| move_apart(&entry.folder, &entry.leaf, folder, leaf, state))
    }
}

#[cfg(test)]
mod tests;
