//! Opened workspaces, one handle a folder, shared by all conversations in it.
//! A folder that vanished is tried again the next time it is needed.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use assent_tools::effects::{Emptied, empty_trash, has_trash};
use assent_tools::git::Snapshot;
use assent_tools::symbols::SymbolIndex;
use assent_tools::workspace::{Workspace, WorkspaceError};
use tokio::task;

/// How long what was deleted stays in a workspace's trash.
const TRASH_AGE: Duration = Duration::from_secs(30 * 24 * 3600);
/// How much of it stays, in bytes; the oldest goes first.
const TRASH_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// How old a look at a repository may be that was taken for a message to come.
const GLANCE_AGE: Duration = Duration::from_secs(2);

/// Opened workspaces by their canonical root.
pub(crate) struct Workspaces {
    /// Looks at repositories for messages to come.
    glances: Mutex<HashMap<String, Begun>>,
    forbidden: Vec<PathBuf>,
    open: Mutex<HashMap<String, Arc<Workspace>>>,
    symbols: Mutex<HashMap<String, Arc<SymbolIndex>>>,
}

/// A look at a repository that is on its way.
pub(crate) type Glance = task::JoinHandle<Option<Snapshot>>;

/// The same with when it was begun.
pub(crate) struct Begun {
    at: Instant,
    look: Glance,
}

impl Begun {
    /// Begins to look at the repository in the folder `root`, beside everything else. One elsewhere isn't looked at: nobody
    /// has let that be read yet. What is wrong with the folder is said when the message comes.
    pub fn begin(root: &Path, forbidden: &[PathBuf]) -> Self {
        let (root, forbidden) = (root.to_owned(), forbidden.to_owned());
        let look = task::spawn_blocking(move || {
            let workspace = Workspace::open(&root, &forbidden).ok()?;
            assent_tools::git::snapshot(&workspace, &|_| false)
        });
        Self { at: Instant::now(), look }
    }

    fn is_fresh(&self) -> bool {
        self.at.elapsed() < GLANCE_AGE
    }
}

impl Workspaces {
    /// With folders that are never workspaces (the app's own data).
    pub fn new(forbidden: Vec<PathBuf>) -> Self {
        Self { glances: Mutex::default(), forbidden, open: Mutex::default(), symbols: Mutex::default() }
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
        // Nobody waits for the trash: what can't be removed now is tried again at the next start.
        let (workspace, _) = self.open(root)?;
        open.insert(root.to_owned(), Arc::clone(&workspace));
        Ok(workspace)
    }

    /// The workspace at `root` for a look alone: nothing in it is changed, and it isn't kept.
    pub fn look(&self, root: &str) -> Result<Workspace, WorkspaceError> {
        Workspace::open(Path::new(root), &self.forbidden)
    }

    /// Begins to look at the repository in the workspace at `root` for a message that follows at once, unless a look for it
    /// was begun just now.
    pub fn begin_glance(&self, root: &str) {
        let mut glances = self.glances.lock().unwrap_or_else(PoisonError::into_inner);
        if !glances.get(root).is_some_and(Begun::is_fresh) {
            glances.insert(root.to_owned(), Begun::begin(Path::new(root), &self.forbidden));
        }
    }

    /// Keeps a look that was begun elsewhere, at the workspace at `root`.
    pub fn keep_glance(&self, root: String, begun: Begun) {
        self.glances.lock().unwrap_or_else(PoisonError::into_inner).insert(root, begun);
    }

    /// The look that was begun for this message, if it was just now.
    pub fn take_glance(&self, root: &str) -> Option<Glance> {
        let mut glances = self.glances.lock().unwrap_or_else(PoisonError::into_inner);
        glances.remove(root).filter(Begun::is_fresh).map(|begun| begun.look)
    }

    /// What is known of the definitions in the workspace at `root`.
    pub fn symbols(&self, root: &str) -> Arc<SymbolIndex> {
        let mut symbols = self.symbols.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(symbols.entry(root.to_owned()).or_default())
    }

    /// Opens a workspace, and empties its trash, if it has one, of what is too old or too much beside everything else.
    fn open(&self, root: &str) -> Result<(Arc<Workspace>, Option<Emptying>), WorkspaceError> {
        let workspace = Arc::new(self.look(root)?);
        let of = Arc::clone(&workspace);
        let emptying = has_trash(&of).then(|| std::thread::spawn(move || empty_trash(&of, TRASH_AGE, TRASH_BYTES)));
        Ok((workspace, emptying))
    }
}

/// A thread that empties a trash.
type Emptying = JoinHandle<io::Result<Emptied>>;

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::SystemTime;

    use super::*;

    #[tokio::test]
    async fn a_look_for_a_message_to_come_is_taken_once_and_only_while_it_is_fresh() {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let git = |words: &[&str]| {
            let status = std::process::Command::new("git").args(words).current_dir(&root).status().unwrap();
            assert!(status.success(), "git {words:?}");
        };
        git(&["init", "-q", "-b", "trunk"]);
        fs::write(base.path().join("new.txt"), "new").unwrap();
        let workspaces = Workspaces::new(Vec::new());
        assert!(workspaces.take_glance(&root).is_none(), "none was begun");
        workspaces.begin_glance(&root);
        let seen = workspaces.take_glance(&root).unwrap().await.unwrap().unwrap();
        assert_eq!((seen.branch.as_str(), seen.dirty), ("trunk", 1));
        assert!(workspaces.take_glance(&root).is_none(), "it is used up");
        workspaces.begin_glance(&root);
        let long_ago = Instant::now().checked_sub(GLANCE_AGE).unwrap();
        workspaces.glances.lock().unwrap().get_mut(&root).unwrap().at = long_ago;
        assert!(workspaces.take_glance(&root).is_none(), "it is too old");
    }

    #[test]
    fn what_was_deleted_long_ago_is_gone_after_a_start_and_the_rest_stays() {
        let base = tempfile::tempdir().unwrap();
        let trash = base.path().join(".assent/trash");
        for (call, days) in [("old", 31), ("young", 29)] {
            fs::create_dir_all(trash.join(call)).unwrap();
            fs::write(trash.join(call).join("file"), "12345").unwrap();
            let time = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
            File::open(trash.join(call)).unwrap().set_modified(time).unwrap();
        }
        let (_, emptying) = Workspaces::new(Vec::new()).open(base.path().to_str().unwrap()).unwrap();
        assert_eq!(emptying.unwrap().join().unwrap().unwrap(), Emptied { calls: 1, bytes: 5 });
        assert!(!trash.join("old").exists() && trash.join("young/file").exists());
    }
}
