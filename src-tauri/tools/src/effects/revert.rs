//! Takes file effects back on a person's word, if each file is still as the tool left it; all of them or none.
//! It never replaces what stands in the way and never deletes: what a tool created goes to the trash.

use assent_policy::Reversal;
use assent_protocol::ids::{CallId, Sha};
use assent_protocol::tool::FileEffect;

use super::diff::difference;
use super::entry::Entry;
use super::guards::write_verdict;
use super::replace::{Trouble, replace};
use super::trash::{in_made_parent, move_apart, move_to_trash, refused, touches_trash, trash_path};
use super::tree::state_of;
use crate::content::{Content, recognise};
use crate::tool::Refusal;
use crate::workspace::{Form, Workspace};

/// Why effects were not taken back. Only [`RevertRefusal::Failed`] may have taken some of them back.
#[derive(Debug, thiserror::Error)]
pub enum RevertRefusal {
    /// The file isn't as the tool left it.
    #[error("{path} is not as the tool left it")]
    Changed {
        /// Which file.
        path: String,
        /// Its present hash; `None`: it is gone.
        now: Option<Sha>,
    },
    /// Something stands where it would have to go back to.
    #[error("something else stands at {path} now")]
    Occupied {
        /// Which path.
        path: String,
    },
    /// The old content was too large to be kept, or was removed.
    #[error("the old content of {path} was not kept")]
    NotKept {
        /// Which file.
        path: String,
    },
    /// The workspace refuses the path.
    #[error("{0}")]
    Refused(Refusal),
    /// The system refused in the middle.
    #[error("{path} could not be put back: {trouble}")]
    Failed {
        /// Which file.
        path: String,
        /// What went wrong.
        trouble: Trouble,
        /// What was taken back before that.
        done: Vec<FileEffect>,
    },
}

/// One effect, turned round.
enum Step {
    /// What was created goes to the trash.
    Discard { entry: Entry, state: Sha, trash: String },
    /// The old content comes back.
    Restore { path: String, now: Sha, old: Vec<u8>, hash: Sha },
    /// What was moved comes back.
    Return { from: Entry, to: String, state: Sha, is_from_trash: bool },
}

/// Takes back the `effects` of one call, last first. `kept` gives contents that were kept before the change. Returns
/// what was done, as effects.
pub fn revert(
    reversal: &Reversal,
    workspace: &Workspace,
    effects: &[FileEffect],
    kept: &dyn Fn(Sha) -> Option<Vec<u8>>,
) -> Result<Vec<FileEffect>, RevertRefusal> {
    let steps: Vec<Step> =
        effects.iter().rev().map(|effect| plan(&reversal.call, workspace, effect, kept)).collect::<Result<_, _>>()?;
    let mut done = Vec::with_capacity(steps.len());
    for step in steps {
        let path = step.path().to_owned();
        match step.take(workspace) {
            Ok(effect) => done.push(effect),
            Err(Trouble::Changed { now }) if done.is_empty() => return Err(RevertRefusal::Changed { path, now }),
            Err(trouble) => return Err(RevertRefusal::Failed { path, trouble, done }),
        }
    }
    Ok(done)
}

fn plan(
    call: &CallId,
    workspace: &Workspace,
    effect: &FileEffect,
    kept: &dyn Fn(Sha) -> Option<Vec<u8>>,
) -> Result<Step, RevertRefusal> {
    let path = effect.path.clone();
    write_verdict([path.as_str()]).map_err(RevertRefusal::Refused)?;
    match (&effect.moved_to, effect.before, effect.after) {
        (Some(there), Some(state), after) => {
            require_free(workspace, &path)?;
            let from = require_state(workspace, there, Some(state))?;
            Ok(Step::Return { from, to: path, state, is_from_trash: after.is_none() && touches_trash(there) })
        }
        (None, None, Some(state)) => {
            let entry = require_state(workspace, &path, Some(state))?;
            let trash = trash_path(&CallId::new(format!("{call}-reverted")), &entry.leaf);
            Ok(Step::Discard { entry, state, trash })
        }
        (None, Some(hash), Some(now)) => {
            require_state(workspace, &path, Some(now))?;
            let old =
                kept(hash).filter(|old| Sha::of(old) == hash).ok_or(RevertRefusal::NotKept { path: path.clone() })?;
            Ok(Step::Restore { path, now, old, hash })
        }
        (None, before, None) => {
            let words = format!("the effect on {path} (before: {before:?}) can't be taken back");
            Err(RevertRefusal::Refused(Refusal::new(words)))
        }
        (Some(_), None, _) => {
            let words = format!("the move of {path} doesn't say what was moved");
            Err(RevertRefusal::Refused(Refusal::new(words)))
        }
    }
}

/// The entry at a path whose links are resolved, if its state is as expected.
fn require_state(workspace: &Workspace, path: &str, expected: Option<Sha>) -> Result<Entry, RevertRefusal> {
    let changed = |now| RevertRefusal::Changed { path: path.to_owned(), now };
    let holder = path.rsplit_once('/').map_or("", |(holder, _)| holder);
    if workspace.place(holder).map_err(RevertRefusal::Refused)?.form == Form::Missing {
        return Err(changed(None));
    }
    let entry = Entry::find(workspace, path).map_err(RevertRefusal::Refused)?;
    let now = state_of(&entry.folder, &entry.leaf)
        .map_err(|halt| RevertRefusal::Refused(Refusal::new(format!("{path} can't be looked at: {halt}"))))?;
    if entry.path == path && now == expected { Ok(entry) } else { Err(changed(now)) }
}

fn require_free(workspace: &Workspace, path: &str) -> Result<(), RevertRefusal> {
    let place = workspace.place(path).map_err(RevertRefusal::Refused)?;
    if place.form == Form::Missing && place.path == path {
        Ok(())
    } else {
        Err(RevertRefusal::Occupied { path: path.to_owned() })
    }
}

impl Step {
    fn path(&self) -> &str {
        match self {
            Self::Discard { entry, .. } => &entry.path,
            Self::Restore { path, .. } => path,
            Self::Return { to, .. } => to,
        }
    }

    fn take(self, workspace: &Workspace) -> Result<FileEffect, Trouble> {
        match self {
            Self::Discard { entry, state, trash } => {
                move_to_trash(workspace, &entry.folder, &entry.leaf, &trash, state)?;
                Ok(moved(entry.path, trash, state, None))
            }
            Self::Return { from, to, state, is_from_trash } => {
                let place = workspace.place(&to).map_err(|refusal| refused("find its place", refusal))?;
                in_made_parent(workspace, &place, |folder, leaf| {
                    move_apart(&from.folder, &from.leaf, folder, leaf, state)
                })?;
                if is_from_trash {
                    return Ok(FileEffect {
                        path: to,
                        before: None,
                        after: Some(state),
                        moved_to: None,
                        added: 0,
                        removed: 0,
                    });
                }
                Ok(moved(from.path, to, state, Some(state)))
            }
            Self::Restore { path, now, old, hash } => restore(workspace, path, now, &old, hash),
        }
    }
}

fn restore(workspace: &Workspace, path: String, now: Sha, old: &[u8], hash: Sha) -> Result<FileEffect, Trouble> {
    let entry = Entry::find(workspace, &path).map_err(|refusal| refused("find its place", refusal))?;
    let (mut added, mut removed) = (0, 0);
    if let Some(file) = super::folder::open_leaf(&entry.folder, &entry.leaf).map_err(Trouble::while_doing("read it"))? {
        let mut present = Vec::new();
        std::io::Read::read_to_end(&mut &file, &mut present).map_err(Trouble::while_doing("read it"))?;
        if let (Content::Text(present), Content::Text(old)) = (recognise(&present), recognise(old)) {
            let difference = difference(&present.text, &old.text);
            (added, removed) = (difference.added, difference.removed);
        }
    }
    replace(&entry.folder, &entry.leaf, Some(now), old)?;
    Ok(FileEffect { path, before: Some(now), after: Some(hash), moved_to: None, added, removed })
}

fn moved(path: String, to: String, state: Sha, after: Option<Sha>) -> FileEffect {
    FileEffect { path, before: Some(state), after, moved_to: Some(to), added: 0, removed: 0 }
}

#[cfg(test)]
mod tests;
