//! The workspace's own trash: `.assent/trash/<call>/<name>`, on the same file system, so that deleting is a rename.
//! It decides nothing about what may be deleted; a person's rule of age and size empties it.

use std::ffi::OsString;
use std::io;
use std::time::{Duration, SystemTime};

use assent_protocol::ids::{CallId, Sha};
use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use super::folder::{Sync, rename_apart};
use super::replace::{Trouble, replace};
use super::tree;
use crate::tool::Refusal;
use crate::workspace::{Form, Place, Workspace, folded};

/// Where the trash lies, relative to the root.
pub const TRASH: &str = ".assent/trash";
/// Git's list of ignored names in the trash: everything, itself included.
const IGNORE: (&str, &[u8]) = (".gitignore", b"*\n");

/// What emptying removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Emptied {
    /// Calls whose trash is gone.
    pub calls: u32,
    /// Bytes of the files in them.
    pub bytes: u64,
}

/// Whether a path is the trash, lies in it or holds it, so that no tool may write, move or delete there.
pub fn touches_trash(path: &str) -> bool {
    let folded = path.split('/').map(folded).collect::<Vec<_>>().join("/");
    folded == ".assent" || folded == TRASH || folded.strip_prefix(TRASH).is_some_and(|rest| rest.starts_with('/'))
}

/// Where `leaf` goes when `call` deletes it. A call's id that isn't a plain name is replaced by its digest.
pub fn trash_path(call: &CallId, leaf: &str) -> String {
    let id = call.as_str();
    let is_plain = (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain { format!("{TRASH}/{id}/{leaf}") } else { format!("{TRASH}/{}/{leaf}", Sha::of(id.as_bytes())) }
}

/// Moves `leaf` of `folder` to `target`, a [`trash_path`], provided that its state is still `expected`.
pub fn move_to_trash(
    workspace: &Workspace,
    folder: &Dir,
    leaf: &str,
    target: &str,
    expected: Sha,
) -> Result<(), Trouble> {
    let place = workspace.place(target).map_err(|refusal| refused("open the trash", refusal))?;
    if place.is_link() {
        return Err(Trouble::System { doing: "open the trash", source: io::Error::other("a link leads there") });
    }
    in_made_parent(workspace, &place, |into, name| {
        ignore_trash(workspace)?;
        move_apart(folder, leaf, into, name, expected)
    })
}

/// Renames without replacing and puts both folders on disk, provided that the state of what is moved is `expected`.
pub fn move_apart(from: &Dir, leaf: &str, to: &Dir, new_leaf: &str, expected: Sha) -> Result<(), Trouble> {
    let syncs = [to, from].map(Sync::of);
    let state = tree::state_of(from, leaf).map_err(|halt| Trouble::System {
        doing: "look at what is there",
        source: io::Error::other(halt.to_string()),
    })?;
    if state != Some(expected) {
        return Err(Trouble::Changed { now: state });
    }
    let [to_sync, from_sync] = syncs;
    let to_sync = to_sync.map_err(Trouble::while_doing("open the new folder"))?;
    let from_sync = from_sync.map_err(Trouble::while_doing("open the folder"))?;
    #[cfg(debug_assertions)]
    crate::pause::at("during-move");
    rename_apart(from, leaf, to, new_leaf).map_err(Trouble::while_doing("move it"))?;
    to_sync.put_on_disk().and_then(|()| from_sync.put_on_disk()).map_err(Trouble::Unconfirmed)
}

/// Makes git's list of ignored names in the trash, where it is missing.
fn ignore_trash(workspace: &Workspace) -> Result<(), Trouble> {
    let doing = "set up the trash";
    let place = workspace.place(&format!("{TRASH}/{}", IGNORE.0)).map_err(|refusal| refused(doing, refusal))?;
    if place.form != Form::Missing {
        return Ok(());
    }
    let (trash, _) = workspace.parent(&place).map_err(|refusal| refused(doing, refusal))?;
    match replace(&trash, IGNORE.0, None, IGNORE.1) {
        // Someone else made it just now.
        Ok(()) | Err(Trouble::Changed { .. }) => Ok(()),
        // What isn't confirmed here is the ignore file, not the move that follows.
        Err(Trouble::Unconfirmed(source)) => Err(Trouble::System { doing, source }),
        Err(trouble) => Err(trouble),
    }
}

/// Runs `act` on the parent folder of a place and the name in it. Folders that are missing are made and put on disk, and
/// taken back when nothing was changed in the end.
pub fn in_made_parent(
    workspace: &Workspace,
    place: &Place,
    act: impl FnOnce(&Dir, &str) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let doing = "make the folder";
    let (folder, leaf, made) = workspace.parent_made(place).map_err(|refusal| refused(doing, refusal))?;
    let done = put_on_disk(workspace, &made).and_then(|()| act(&folder, &leaf.to_string_lossy()));
    if !matches!(done, Ok(()) | Err(Trouble::Unconfirmed(_))) {
        workspace.unmake(&made);
    }
    done
}

fn put_on_disk(workspace: &Workspace, made: &[String]) -> Result<(), Trouble> {
    for path in made {
        let doing = "put the new folder on disk";
        let place = workspace.place(path).map_err(|refusal| refused(doing, refusal))?;
        let (holder, _) = workspace.parent(&place).map_err(|refusal| refused(doing, refusal))?;
        Sync::of(&holder).and_then(|sync| sync.put_on_disk()).map_err(Trouble::while_doing(doing))?;
    }
    Ok(())
}

/// A refusal of the workspace in the middle of a change.
pub fn refused(doing: &'static str, refusal: Refusal) -> Trouble {
    Trouble::System { doing, source: io::Error::other(refusal.words) }
}

/// Whether something was ever deleted in this workspace.
pub fn has_trash(workspace: &Workspace) -> bool {
    workspace.root().join(TRASH).symlink_metadata().is_ok()
}

/// Empties the trash: what was deleted longer than `max_age` ago, then the oldest until at most `max_bytes` are left.
/// What can't be removed doesn't keep the rest; the first such error is returned when all was tried.
pub fn empty_trash(workspace: &Workspace, max_age: Duration, max_bytes: u64) -> io::Result<Emptied> {
    let refused = |refusal: Refusal| io::Error::other(refusal.words);
    let place = workspace.place(TRASH).map_err(refused)?;
    if place.form == Form::Missing {
        return Ok(Emptied::default());
    }
    if place.is_link() {
        return Err(io::Error::other("a link stands where the trash should be"));
    }
    let trash = workspace.folder_handle(&place).map_err(refused)?;
    let mut calls = calls_in(&trash)?;
    calls.sort_unstable_by_key(|(moved, ..)| *moved);
    let mut left: u64 = calls.iter().map(|(_, _, bytes)| bytes).sum();
    let now = SystemTime::now();
    let mut emptied = Emptied::default();
    let mut trouble = None;
    for (moved, name, bytes) in calls {
        let is_old = now.duration_since(moved).is_ok_and(|age| age > max_age);
        if is_old || left > max_bytes {
            match tree::remove(&trash, &name) {
                Ok(()) => {
                    emptied.calls += 1;
                    emptied.bytes += bytes;
                }
                // Another process of ours was first.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    trouble.get_or_insert(error);
                    continue;
                }
            }
            left -= bytes;
        }
    }
    trouble.map_or(Ok(emptied), Err)
}

/// The folders of the trash: when something was last moved there, its name, and the bytes it holds.
fn calls_in(trash: &Dir) -> io::Result<Vec<(SystemTime, OsString, u64)>> {
    let mut calls = Vec::new();
    for entry in trash.entries()? {
        let name = entry?.file_name();
        if trash.symlink_metadata(&name)?.is_dir() {
            let folder = trash.open_dir_nofollow(&name)?;
            // What can't be counted takes no room from the rest, and goes by its age.
            let bytes = bytes_in(&folder).unwrap_or(0);
            calls.push((folder.dir_metadata()?.modified()?.into_std(), name, bytes));
        }
    }
    Ok(calls)
}

fn bytes_in(folder: &Dir) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in folder.entries()? {
        let name = entry?.file_name();
        let metadata = folder.symlink_metadata(&name)?;
        if !metadata.is_dir() {
            // A survey would read the whole content for its hash.
            bytes += metadata.len();
            continue;
        }
        let survey = tree::survey(folder, &name.to_string_lossy(), |_| Ok::<(), std::convert::Infallible>(()));
        bytes += survey.map_err(|halt| io::Error::other(halt.to_string()))?.map_or(0, |survey| survey.bytes);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
