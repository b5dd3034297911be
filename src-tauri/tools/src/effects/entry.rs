//! An entry of a folder, named without following its last link: what deleting and renaming act on.
//! Reading and writing go through `Workspace::place` instead, which follows links that stay inside.

use cap_std::fs::Dir;

use crate::tool::Refusal;
use crate::workspace::{Workspace, segment_trouble};

/// A name in a folder of the workspace.
pub struct Entry {
    /// Path as it was asked for.
    pub asked: String,
    /// Path relative to the root, the folder's links resolved, the last name as it is.
    pub path: String,
    /// The folder's handle.
    pub folder: Dir,
    /// The last name.
    pub leaf: String,
}

impl Entry {
    /// Finds the folder of `path` beneath the root. The folder must exist; the entry need not.
    pub fn find(workspace: &Workspace, path: &str) -> Result<Self, Refusal> {
        let text = path.replace('\\', "/");
        let trimmed = text.trim_end_matches('/');
        let (holder, leaf) = match trimmed.rsplit_once('/') {
            Some(("", leaf)) => ("/", leaf),
            Some(pair) => pair,
            None => ("", trimmed),
        };
        if holder.is_empty() && matches!(leaf, "" | ".") || workspace.root().to_str() == Some(path) {
            return Err(Refusal::new("the workspace's root itself can't be moved or deleted"));
        }
        if let Some(why) = segment_trouble(leaf) {
            return Err(Refusal::new(format!("{leaf:?} in the path {path:?} {why}")));
        }
        let holder = workspace.place(holder)?;
        let folder = workspace.folder_handle(&holder)?;
        let [asked, path] = [&holder.asked, &holder.path]
            .map(|holder| if holder.is_empty() { leaf.to_owned() } else { format!("{holder}/{leaf}") });
        workspace.admit(&asked)?;
        workspace.admit(&path)?;
        Ok(Self { asked, path, folder, leaf: leaf.to_owned() })
    }
}
