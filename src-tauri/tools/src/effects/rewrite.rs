//! New content for one file, from the first look to the finished write: what `write_file`, `patch_file` and
//! `append_file` have in common.
//! What the new content is, each tool says itself; the writing as such is in `replace`.

use assent_policy::{Claimed, Cleared};
use assent_protocol::assessment::{Assessment, Raised, Reach, Reason, Warning};
use assent_protocol::file_note::{FileNote, LineEnding};
use assent_protocol::ids::Sha;
use assent_protocol::permission::Tier;
use assent_protocol::preview::{FileChangeForm, FileDiff, Hunk, Mark, Preview};
use assent_protocol::tool::{FileEffect, FileState, Intent};
use serde_json::{Map, Value};

use super::diff::{Difference, difference, line_count};
use super::guards::{tier, write_verdict};
use super::invisible::holds_invisible;
use super::outcome::{changed_since_approval, not_what_was_claimed, output, present};
use super::replace::replace;
use super::trash::in_made_parent;
use crate::content::{Content, LineEnds, Text, TextEncoding, recognise};
use crate::files::words::counted;
use crate::tool::{Looking, Prepared, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{FileBytes, Form, Place};

/// Largest file that is edited, in bytes. Its text, its new text and their difference are held in memory.
pub const EDIT_LIMIT: u64 = 64 * 1024 * 1024;
/// Largest old content that is kept for Revert, in bytes.
pub const KEEP_LIMIT: u64 = 32 * 1024 * 1024;

/// Removed lines that a card shows of one file, in bytes. What is beyond is counted; the hash binds the whole.
const SHOWN_REMOVED: usize = 1024 * 1024;

/// Which of the three tools writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The whole content is given.
    Whole,
    /// Parts are replaced.
    Patch,
    /// Text is added at the end.
    Append,
}

/// One file's new content and all that follows from it. Made anew from the present file for the assessment, for the
/// claim and for the change, so that each sees what is there then.
pub struct Rewrite {
    way: Way,
    place: Place,
    old: Option<Old>,
    new_text: String,
    new_bytes: Vec<u8>,
    raised: Option<Raised>,
    notes: Vec<FileNote>,
    /// Its name outside of the workspace; none: it lies in it.
    outside: Option<String>,
}

struct Old {
    file: FileBytes,
    text: Text,
}

impl Rewrite {
    /// Plans a write to `path`. `make` gets the present text, `None` for a file that doesn't exist, and gives the whole
    /// new text and what the card should say of it. A present file must be as the model last saw it.
    pub fn plan(
        looking: &Looking<'_>,
        path: &str,
        way: Way,
        make: impl FnOnce(Option<&Text>) -> Result<(String, Vec<FileNote>), Refusal>,
    ) -> Result<Self, Refusal> {
        let place = looking.workspace.place(path)?;
        let raised = write_verdict([place.asked.as_str(), place.path.as_str()])?;
        let old = match place.form {
            Form::Missing => None,
            _ => Some(read_old(looking, &place)?),
        };
        let (new_text, mut notes) = make(old.as_ref().map(|old| &old.text))?;
        let new_bytes = match &old {
            Some(old) => encoded(&old.text, &new_text, &place)?,
            None => new_text.clone().into_bytes(),
        };
        if old.as_ref().is_some_and(|old| old.file.bytes == new_bytes) {
            let words = format!("Nothing to do: {} already has exactly this content", place.shown());
            return Err(Refusal::new(words));
        }
        if let Some(old) = &old
            && is_special(&old.text)
        {
            let Text { encoding, bom, line_ends, .. } = &old.text;
            let line_ends = Some(*line_ends).filter(|ends| !matches!(ends, LineEnds::None | LineEnds::Lf));
            notes.push(FileNote::Kept {
                encoding: encoding.to_string(),
                bom: *bom,
                line_ends: line_ends.map(LineEnding::from),
            });
        }
        if let Some(old) = old.as_ref().filter(|_| way != Way::Append) {
            notes.extend(last_line_end_note(&old.text.text, &new_text));
        }
        if old.as_ref().is_some_and(|old| old.file.mode & 0o222 == 0) {
            notes.push(FileNote::ReadOnly);
        }
        Ok(Self { way, place, old, new_text, new_bytes, raised, notes, outside: None })
    }

    /// The same for a file that doesn't lie in the conversation's workspace but in the folder that it was planned in: from
    /// here on `name` names it.
    pub fn outside(self, name: String) -> Self {
        Self { outside: Some(name), ..self }
    }

    /// What it is asked for by.
    fn asked(&self) -> &str {
        self.outside.as_deref().unwrap_or(&self.place.asked)
    }

    /// What the card shows and the approval binds.
    pub fn assessment(&self, looking: &Looking<'_>) -> Assessment {
        let difference = self.difference();
        let reach = Reach {
            files: 1,
            added: difference.added,
            removed: difference.removed,
            tracked: crate::git::tracked(looking, &self.place.path),
            inside: self.outside.is_none(),
            revertible: self.is_kept(),
            raised: self.raised,
            last: looking.last,
            warnings: self.warnings(&difference),
        };
        Assessment {
            tier: tier(Tier::Medium, self.raised),
            read_only: false,
            touches: vec![self.before()],
            reason: self.reason(&difference),
            preview: Preview::Diff { files: vec![self.file_diff(difference)] },
            reach,
            argv: None,
        }
    }

    /// What the claim records, provided that the file is as it was approved.
    pub fn prepared(&self, cleared: &Cleared) -> Result<Prepared, Refusal> {
        let before = self.before();
        if cleared.touches != [before.clone()] {
            return Err(changed_since_approval(self.place.shown(), before.hash));
        }
        let keep = match &self.old {
            Some(old) if self.is_kept() => vec![old.file.bytes.clone()],
            _ => Vec::new(),
        };
        Ok(Prepared { intent: self.intent(), before: vec![before], keep })
    }

    /// Writes, provided that nothing differs from what was claimed.
    pub fn carry_out(&self, claimed: &Claimed, prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        let path = self.place.shown();
        let before = self.before();
        if claimed.touches != [before.clone()] {
            return ToolOutput::refused(changed_since_approval(path, before.hash));
        }
        if prepared.intent != self.intent() {
            return ToolOutput::refused(not_what_was_claimed(path));
        }
        if running.cancel.is_cancelled() {
            return ToolOutput::stopped(format!("Stopped before {path} was changed"));
        }
        let difference = self.difference();
        let effect = FileEffect {
            path: before.path,
            before: before.hash,
            after: Some(self.after()),
            moved_to: None,
            added: difference.added,
            removed: difference.removed,
        };
        let done = in_made_parent(running.looking.workspace, &self.place, |folder, leaf| {
            replace(folder, leaf, before.hash, &self.new_bytes)
        });
        output(done, path, self.words(&difference), vec![effect])
    }

    fn before(&self) -> FileState {
        let path = self.outside.clone().unwrap_or_else(|| self.place.path.clone());
        FileState { path, hash: self.old.as_ref().map(|old| old.file.hash) }
    }

    fn after(&self) -> Sha {
        Sha::of(&self.new_bytes)
    }

    fn intent(&self) -> Intent {
        let FileState { path, hash } = self.before();
        Intent::Write { path, before: hash, after: self.after() }
    }

    fn is_kept(&self) -> bool {
        self.old.as_ref().is_none_or(|old| old.file.bytes.len() as u64 <= KEEP_LIMIT)
    }

    fn old_text(&self) -> &str {
        self.old.as_ref().map_or("", |old| old.text.text.as_str())
    }

    fn difference(&self) -> Difference {
        let (old, new) = (self.old_text(), self.new_text.as_str());
        if LineEnds::of(old) == LineEnds::Cr {
            return difference(&old.replace('\r', "\n"), &new.replace('\r', "\n"));
        }
        difference(old, new)
    }

    fn reason(&self, difference: &Difference) -> Reason {
        let path = self.asked().to_owned();
        let (added, removed) = (difference.added, difference.removed);
        match (self.way, &self.old) {
            (_, None) => Reason::Create { path, lines: line_count(&self.new_text) },
            (Way::Whole, _) => Reason::Overwrite { path, added, removed },
            (Way::Patch, _) => Reason::Edit { path, added, removed },
            (Way::Append, _) => Reason::Append { path, lines: added },
        }
    }

    fn file_diff(&self, difference: Difference) -> FileDiff {
        let change = if self.old.is_some() { FileChangeForm::Modified } else { FileChangeForm::Created };
        let mut notes = self.notes.clone();
        let (hunks, hidden) = without_most_removed(difference.hunks);
        if hidden > 0 {
            notes.push(FileNote::Hidden { lines: hidden as u64 });
        }
        FileDiff {
            path: self.asked().to_owned(),
            resolved: self.place.is_link().then(|| self.place.path.clone()),
            change,
            hunks,
            old_lines: difference.old_lines,
            added: difference.added,
            removed: difference.removed,
            notes,
        }
    }

    fn warnings(&self, difference: &Difference) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.old.as_ref().is_some_and(|old| old.file.links > 1) {
            warnings.push(Warning::HardLinks);
        }
        let mut added = difference.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.mark == Mark::Added);
        if holds_invisible(&self.place.asked) || added.any(|line| holds_invisible(&line.text)) {
            warnings.push(Warning::Invisible);
        }
        warnings
    }

    fn words(&self, difference: &Difference) -> String {
        let name = if self.place.is_link() {
            format!("{} (through the link {})", self.place.path, self.place.asked)
        } else {
            self.before().path
        };
        match &self.old {
            None => format!("Created {name}: {}.", counted(line_count(&self.new_text).into(), "line")),
            Some(_) => format!("Changed {name}: {}.", difference.in_words()),
        }
    }
}

/// A tool that writes one file: `plan` is all that its kind adds.
pub struct FileWrite {
    /// What is fixed about the tool.
    pub spec: ToolSpec,
    /// Plans a call from its arguments and the present file.
    pub plan: fn(&Map<String, Value>, &Looking<'_>) -> Result<Rewrite, Refusal>,
}

impl Tool for FileWrite {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        Ok((self.plan)(arguments, looking)?.assessment(looking))
    }

    fn prepare(&self, cleared: &Cleared, looking: &Looking<'_>) -> Result<Prepared, Refusal> {
        (self.plan)(&cleared.arguments, looking)?.prepared(cleared)
    }

    fn change(&self, claimed: &Claimed, prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        match (self.plan)(&claimed.arguments, &running.looking) {
            Ok(rewrite) => rewrite.carry_out(claimed, prepared, running),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

/// Reads the present file, which the model must have seen as it is now.
fn read_old(looking: &Looking<'_>, place: &Place) -> Result<Old, Refusal> {
    let file = looking.workspace.read(place, EDIT_LIMIT)?;
    let path = place.shown();
    match (looking.seen)(&place.path) {
        Some(hash) if hash == file.hash => {}
        Some(_) => {
            return Err(Refusal::new(format!(
                "It did not run: {path} changed since it was read; {}. Read it again first.",
                present(Some(file.hash))
            )));
        }
        None => {
            return Err(Refusal::new(format!(
                "It did not run: {path} exists and was not read in this conversation; {}. Read it first.",
                present(Some(file.hash))
            )));
        }
    }
    let text = match recognise(&file.bytes) {
        Content::Text(text) => text,
        Content::Unclear { .. } => {
            return Err(Refusal::new(format!(
                "It did not run: {path} is neither UTF-8 nor in another known encoding, so it can't be edited as text; \
                 its bytes are unchanged"
            )));
        }
        Content::Binary(kind) => {
            return Err(Refusal::new(format!("It did not run: {path} is {kind} and can't be edited as text")));
        }
    };
    Ok(Old { file, text })
}

/// The new text in the encoding of the old. A byte-order mark that is there already isn't doubled.
fn encoded(old: &Text, new: &str, place: &Place) -> Result<Vec<u8>, Refusal> {
    let new = if old.bom { new.strip_prefix('\u{feff}').unwrap_or(new) } else { new };
    old.encode(new).map_err(|why| Refusal::new(format!("It did not run: {}: {why}", place.shown())))
}

/// What the lines of a diff don't show: that the line end after the last one comes or goes.
fn last_line_end_note(old: &str, new: &str) -> Option<FileNote> {
    let ends = |text: &str| text.ends_with(['\n', '\r']);
    match (ends(old), ends(new)) {
        (true, false) if !new.is_empty() => Some(FileNote::LastLineOpened),
        (false, true) if !old.is_empty() => Some(FileNote::LastLineEnded),
        _ => None,
    }
}

/// Leaves out removed lines beyond [`SHOWN_REMOVED`] bytes, and says how many.
fn without_most_removed(mut hunks: Vec<Hunk>) -> (Vec<Hunk>, usize) {
    let (mut shown, mut hidden) = (0, 0);
    for hunk in &mut hunks {
        hunk.lines.retain(|line| {
            let is_shown = line.mark != Mark::Removed || shown + line.text.len() <= SHOWN_REMOVED;
            if line.mark == Mark::Removed && is_shown {
                shown += line.text.len() + 1;
            }
            hidden += usize::from(!is_shown);
            is_shown
        });
    }
    (hunks, hidden)
}

/// Whether a card has to say how the text is stored.
fn is_special(text: &Text) -> bool {
    let is_plain = matches!(text.line_ends, LineEnds::None | LineEnds::Lf);
    text.encoding != TextEncoding::Utf8 || text.bom || !is_plain
}
