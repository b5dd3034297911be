//! Looks for evidence of whether an intended change happened, after a crash in the middle of it.
//! It repeats nothing and takes nothing back.

use assent_protocol::ids::Sha;
use assent_protocol::tool::{FileEffect, Intent};

use super::entry::Entry;
use super::tree::state_of;
use crate::workspace::{Form, Place, Workspace};

/// What the evidence says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// It happened. Lines aren't counted any more.
    Done(Vec<FileEffect>),
    /// It did not happen.
    NotDone,
    /// Nobody can tell.
    Unknown,
}

/// Probes an intent. A write is told by the file's hash; a delete and a rename by what exists where; a command leaves
/// no evidence.
pub fn probe(workspace: &Workspace, intent: &Intent) -> Probe {
    match intent {
        Intent::Write { path, before, after } => probe_write(workspace, path, *before, *after),
        Intent::Delete { path, trash } => probe_move(workspace, path, trash, true),
        Intent::Rename { from, to } => probe_move(workspace, from, to, false),
        Intent::Command => Probe::Unknown,
    }
}

fn probe_write(workspace: &Workspace, path: &str, before: Option<Sha>, after: Sha) -> Probe {
    let Some(now) = plain_place(workspace, path).and_then(|place| hash_at(workspace, &place)) else {
        return Probe::Unknown;
    };
    if now == Some(after) {
        let effect =
            FileEffect { path: path.to_owned(), before, after: Some(after), moved_to: None, added: 0, removed: 0 };
        Probe::Done(vec![effect])
    } else if now == before {
        Probe::NotDone
    } else {
        Probe::Unknown
    }
}

/// The place, unless a link stands in the way now: then nothing that is seen there is evidence.
fn plain_place(workspace: &Workspace, path: &str) -> Option<Place> {
    workspace.place(path).ok().filter(|place| !place.is_link())
}

/// `None`: can't be told. `Some(None)`: nothing there.
fn hash_at(workspace: &Workspace, place: &Place) -> Option<Option<Sha>> {
    match place.form {
        Form::Missing => Some(None),
        Form::File => {
            let file = workspace.open_file(place).ok()?;
            super::folder::hash_of(&file).ok().map(Some)
        }
        Form::Folder | Form::Other(_) => None,
    }
}

/// The place in the trash is the call's own, so that what stands there proves a delete even when the old name was
/// taken again. The new name of a rename proves it only while the old one is free.
fn probe_move(workspace: &Workspace, from: &str, to: &str, is_trash: bool) -> Probe {
    let (Some(old), Some(new)) = (state_at(workspace, from), state_at(workspace, to)) else {
        return Probe::Unknown;
    };
    match (old, new) {
        (old, Some(state)) if old.is_none() || is_trash => Probe::Done(vec![FileEffect {
            path: from.to_owned(),
            before: Some(state),
            after: (!is_trash).then_some(state),
            moved_to: Some(to.to_owned()),
            added: 0,
            removed: 0,
        }]),
        (Some(_), None) => Probe::NotDone,
        _ => Probe::Unknown,
    }
}

/// `None`: can't be told. `Some(None)`: nothing there, be it that the folder itself is missing.
fn state_at(workspace: &Workspace, path: &str) -> Option<Option<Sha>> {
    let holder = path.rsplit_once('/').map_or("", |(holder, _)| holder);
    if plain_place(workspace, holder)?.form == Form::Missing {
        return Some(None);
    }
    let entry = Entry::find(workspace, path).ok()?;
    state_of(&entry.folder, &entry.leaf).ok()
}

#[cfg(test)]
mod tests;
