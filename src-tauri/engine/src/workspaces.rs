//! Opened workspaces, one handle a folder, shared by all conversations in it.
//! A folder that vanished is tried again the next time it is needed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use assent_tools::workspace::{Workspace, WorkspaceError};

/// Opened workspaces by their canonical root.
pub(crate) struct Workspaces {
    forbidden: Vec<PathBuf>,
    open: Mutex<HashMap<String, Arc<Workspace>>>,
}

impl Workspaces {
    /// With folders that are never workspaces (the app's own data).
    pub fn new(forbidden: Vec<PathBuf>) -> Self {
        Self { forbidden, open: Mutex::default() }
    }

    /// The workspace at `root`, opened now or before. One whose folder is no longer there is opened anew.
    pub fn get(&self, root: &str) -> Result<Arc<Workspace>, WorkspaceError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(workspace) = open.get(root)
            && workspace.root().is_dir()
        {
            return Ok(Arc::clone(workspace));
        }
        open.remove(root);
        let workspace = Arc::new(Workspace::open(Path::new(root), &self.forbidden)?);
        open.insert(root.to_owned(), Arc::clone(&workspace));
        Ok(workspace)
    }
}
