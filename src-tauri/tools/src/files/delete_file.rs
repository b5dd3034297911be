//! `delete_file`: moves a file, a link or a folder with all that is in it to the workspace's own trash.
//! It removes nothing for good; a link is moved itself, and what it leads to is never touched.

use std::sync::Arc;

use assent_policy::{Claimed, Cleared};
use assent_protocol::assessment::{Assessment, Reach, Reason, Warning};
use assent_protocol::file_note::FileNote;
use assent_protocol::permission::Tier;
use assent_protocol::preview::{FileChangeForm, FileDiff, Preview};
use assent_protocol::tool::{FileEffect, FileState, Intent};
use serde_json::{Map, Value};

use super::words::counted;
use crate::arguments;
use crate::content::{Content, recognise};
use crate::effects::diff::{Difference, difference};
use crate::effects::invisible::holds_invisible;
use crate::effects::outcome::{changed_since_approval, not_what_was_claimed, output};
use crate::effects::relocate::Moving;
use crate::effects::trash::{move_to_trash, trash_path};
use crate::effects::tree::Kind;
use crate::tool::{Looking, Prepared, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Form, Guard, Workspace, read_guard};

/// Largest file, in bytes, whose lines the card shows. A larger one is named with its size.
const SHOWN_BYTES: u64 = 1024 * 1024;

/// Arguments of `delete_file`.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// File, link or folder, relative to the workspace.
    path: String,
}

struct DeleteFile {
    spec: ToolSpec,
}

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(DeleteFile {
        spec: ToolSpec {
            name: "delete_file",
            version: 1,
            description: "Move a file, link or whole folder to the workspace's trash.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::High,
            rare: false,
        },
    })
}

/// One deletion, as it would happen now.
struct Deletion {
    moving: Moving,
    trash: String,
}

impl Tool for DeleteFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        Ok(Deletion::plan(given, looking)?.assessment(looking))
    }

    fn prepare(&self, cleared: &Cleared, looking: &Looking<'_>) -> Result<Prepared, Refusal> {
        let deletion = Deletion::plan(&cleared.arguments, looking)?;
        let before = deletion.before();
        if cleared.touches != [before.clone()] {
            return Err(changed_since_approval(&before.path, before.hash));
        }
        Ok(Prepared { intent: deletion.intent(), before: vec![before], keep: Vec::new() })
    }

    fn change(&self, claimed: &Claimed, prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        match Deletion::plan(&claimed.arguments, &running.looking) {
            Ok(deletion) => deletion.carry_out(claimed, prepared, running),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

impl Deletion {
    fn plan(given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Self, Refusal> {
        let Arguments { path } = arguments::read(given)?;
        let moving = Moving::survey(looking.workspace, &path, None)?;
        let trash = trash_path(looking.call, &moving.entry.leaf);
        Ok(Self { moving, trash })
    }

    fn before(&self) -> FileState {
        FileState { path: self.moving.entry.path.clone(), hash: Some(self.moving.survey.hash) }
    }

    fn intent(&self) -> Intent {
        Intent::Delete { path: self.moving.entry.path.clone(), trash: self.trash.clone() }
    }

    fn assessment(&self, looking: &Looking<'_>) -> Assessment {
        let (path, survey) = (self.moving.entry.path.clone(), self.moving.survey);
        let (difference, notes) = self.content(looking.workspace);
        let mut warnings = Vec::new();
        if survey.links > 1 {
            warnings.push(Warning::HardLinks);
        }
        if holds_invisible(&path) {
            warnings.push(Warning::Invisible);
        }
        Assessment {
            tier: Tier::High,
            read_only: false,
            touches: vec![self.before()],
            reason: Reason::Delete { path: path.clone(), entries: survey.entries },
            reach: Reach {
                files: survey.entries,
                added: 0,
                removed: difference.removed,
                tracked: self.moving.tracked(looking),
                inside: true,
                revertible: true,
                raised: self.moving.raised,
                last: looking.last,
                warnings,
            },
            preview: Preview::Diff {
                files: vec![FileDiff {
                    path,
                    resolved: None,
                    change: FileChangeForm::Deleted { entries: survey.entries },
                    hunks: difference.hunks,
                    old_lines: difference.old_lines,
                    added: 0,
                    removed: difference.removed,
                    notes,
                }],
            },
            argv: None,
        }
    }

    /// The lines that go, where they are text that a card may show, and what is to be said instead.
    fn content(&self, workspace: &Workspace) -> (Difference, Vec<FileNote>) {
        let (entry, survey) = (&self.moving.entry, self.moving.survey);
        let say = |note| (Difference::default(), vec![note]);
        let bytes = survey.bytes;
        match survey.kind {
            Kind::Link => return say(FileNote::Link),
            Kind::Folder => {
                return say(FileNote::Folder { entries: (survey.entries - 1).into(), bytes: Some(bytes) });
            }
            Kind::Other => return say(FileNote::Special),
            Kind::File if survey.bytes > SHOWN_BYTES => return say(FileNote::Large { bytes }),
            Kind::File if read_guard(&entry.path) != Guard::Free => {
                return say(FileNote::Secret { bytes });
            }
            Kind::File => {}
        }
        let read = workspace.place(&entry.path).ok().filter(|place| place.form == Form::File);
        let read = read.and_then(|place| workspace.read(&place, SHOWN_BYTES).ok());
        match read.filter(|read| read.hash == survey.hash).map(|read| recognise(&read.bytes)) {
            Some(Content::Text(text)) => (difference(&text.text, ""), Vec::new()),
            Some(Content::Binary(kind)) => say(FileNote::Binary { kind: kind.to_owned(), bytes }),
            Some(Content::Unclear { .. }) | None => say(FileNote::NotText { bytes }),
        }
    }

    fn carry_out(&self, claimed: &Claimed, prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        let before = self.before();
        let path = before.path.as_str();
        if claimed.touches != [before.clone()] {
            return ToolOutput::refused(changed_since_approval(path, before.hash));
        }
        if prepared.intent != self.intent() {
            return ToolOutput::refused(not_what_was_claimed(path));
        }
        if running.cancel.is_cancelled() {
            return ToolOutput::stopped(format!("Stopped before {path} was deleted"));
        }
        let (entry, survey) = (&self.moving.entry, self.moving.survey);
        let (difference, _) = self.content(running.looking.workspace);
        let effect = FileEffect {
            path: path.to_owned(),
            before: before.hash,
            after: None,
            moved_to: Some(self.trash.clone()),
            added: 0,
            removed: difference.removed,
        };
        let done = move_to_trash(running.looking.workspace, &entry.folder, &entry.leaf, &self.trash, survey.hash);
        let words = match survey.kind {
            Kind::Folder if survey.entries == 1 => format!("Moved {path}, an empty folder, to the trash."),
            Kind::Folder => {
                format!("Moved {path} with its {} to the trash.", counted((survey.entries - 1).into(), "entry"))
            }
            Kind::File | Kind::Link | Kind::Other => format!("Moved {path} to the trash."),
        };
        output(done, path, words, vec![effect])
    }
}

#[cfg(test)]
mod tests;
