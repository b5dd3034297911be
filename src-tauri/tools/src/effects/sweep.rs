//! Removes the temporary files that a crash in the middle of a write left anywhere in the workspace.
//! It removes nothing else, and nothing that some process is writing at the moment.

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use super::replace::{is_temporary, remove_leftover};
use super::tree::MAX_DEPTH;
use crate::tool::Refusal;
use crate::workspace::Workspace;

/// What a sweep found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Leftovers removed.
    pub removed: u32,
    /// Leftovers and folders that could not be dealt with: no permission, too deep, or just in use.
    pub skipped: u32,
}

/// Looks through the workspace once, to be called when it is opened. Links are not followed; `.git` is left alone,
/// because no tool ever writes there.
pub fn sweep(workspace: &Workspace) -> Result<Swept, Refusal> {
    let root = workspace.folder_handle(&workspace.place("")?)?;
    let mut swept = Swept::default();
    let mut folders = vec![(root, 0)];
    while let Some((folder, depth)) = folders.pop() {
        let below = sweep_folder(&folder, &mut swept);
        if depth >= MAX_DEPTH {
            swept.skipped += u32::from(!below.is_empty());
            continue;
        }
        for name in below {
            match folder.open_dir_nofollow(&name) {
                Ok(below) => folders.push((below, depth + 1)),
                Err(_) => swept.skipped += 1,
            }
        }
    }
    Ok(swept)
}

/// Removes the leftovers of one folder and names the folders in it.
fn sweep_folder(folder: &Dir, swept: &mut Swept) -> Vec<std::ffi::OsString> {
    let Ok(entries) = folder.entries() else {
        swept.skipped += 1;
        return Vec::new();
    };
    let mut below = Vec::new();
    for entry in entries {
        let Ok((name, kind)) = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) else {
            swept.skipped += 1;
            continue;
        };
        if kind.is_dir() {
            if name != ".git" {
                below.push(name);
            }
        } else if kind.is_file()
            && let Some(name) = name.to_str().filter(|name| is_temporary(name))
        {
            match remove_leftover(folder, name) {
                Ok(true) => swept.removed += 1,
                Ok(false) | Err(_) => swept.skipped += 1,
            }
        }
    }
    below
}

#[cfg(test)]
mod tests;
