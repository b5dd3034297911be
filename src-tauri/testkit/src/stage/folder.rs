//! The folders of a stage: the workspace, a folder beside it that nobody may touch, and what is in them.
//! It compares; what may have changed is the invariants' business.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use assent_protocol::ids::Sha;

/// Content of the file beside the workspace.
const CANARY: &str = "CANARY-OUT";

/// The folders of one stage; they go with this value.
pub(super) struct Folders {
    /// Holds all of them.
    base: tempfile::TempDir,
    /// Canonical root of the workspace. Its name has a space and Chinese in it.
    pub root: PathBuf,
    /// The engine's data folder.
    pub home: PathBuf,
}

impl Folders {
    pub(super) fn new(files: &[(String, String)], has_git: bool, is_worktree: bool) -> io::Result<Self> {
        let base = tempfile::tempdir()?;
        let (root, out, home) = (base.path().join("项目 one"), base.path().join("out"), base.path().join("home"));
        std::fs::create_dir_all(&root)?;
        std::fs::create_dir_all(&out)?;
        std::fs::write(out.join("canary.txt"), CANARY)?;
        let root = root.canonicalize()?;
        let repository = if is_worktree { base.path().join("repo") } else { root.clone() };
        for (path, text) in files {
            write(&repository, path, text)?;
        }
        if has_git || is_worktree {
            init(&repository)?;
        }
        if is_worktree {
            let (other, second) = (base.path().join("other"), base.path().join("second"));
            write(&other, "foreign.txt", CANARY)?;
            init(&other)?;
            add_worktree(&repository, "side", &root)?;
            add_worktree(&other, "foreign", &second)?;
            write(&other, ".git/worktrees/second/gitdir", &format!("{}\n", root.join(".git").display()))?;
        }
        Ok(Self { base, root, home })
    }

    /// The folder that holds all of them.
    pub(super) fn base(&self) -> &Path {
        self.root.parent().unwrap_or(&self.root)
    }

    /// Files of the workspace by path, with the hash of their content; what git and the trash keep is left out.
    pub(super) fn files(&self) -> io::Result<BTreeMap<String, Sha>> {
        let mut files = BTreeMap::new();
        collect(&self.root, &self.root, &mut files)?;
        files.retain(|path, _| !path.starts_with(".git/") && !path.starts_with(".assent/"));
        Ok(files)
    }

    /// Everything beside the workspace and the data folder.
    pub(super) fn outside(&self) -> io::Result<BTreeMap<String, Sha>> {
        let mut files = BTreeMap::new();
        collect(self.base.path(), self.base.path(), &mut files)?;
        let inside = |path: &str| path.starts_with("home/") || path.starts_with("项目 one/");
        files.retain(|path, _| !inside(path));
        Ok(files)
    }
}

/// Writes a file below `root`, with its folders.
pub(super) fn write(root: &Path, path: &str, text: &str) -> io::Result<()> {
    let path = root.join(path);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

fn collect(base: &Path, folder: &Path, files: &mut BTreeMap<String, Sha>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(base, &path, files)?;
        } else {
            let name = path.strip_prefix(base).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.insert(name, Sha::of(&std::fs::read(&path)?));
        }
    }
    Ok(())
}

/// Makes a repository with everything in the folder committed.
fn init(root: &Path) -> io::Result<()> {
    git(root, &["init", "-q", "-b", "main"])?;
    git(root, &["add", "-A"])?;
    git(root, &["commit", "-q", "-m", "first"])
}

fn add_worktree(repository: &Path, branch: &str, at: &Path) -> io::Result<()> {
    git(repository, &["worktree", "add", "-q", "-b", branch, &at.to_string_lossy()])
}

fn git(root: &Path, arguments: &[&str]) -> io::Result<()> {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null"])
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2026-11-03T14:05:00+0800")
        .env("GIT_COMMITTER_DATE", "2026-11-03T14:05:00+0800")
        .status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("git {arguments:?} failed"))) }
}
