//! The folder that clients work in: many small files, no two alike, in a git repository where that matters.
//! It holds no client's data.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with a workspace; goes with this value.
pub struct Ground {
    base: TempDir,
    /// Canonical root of the workspace.
    pub workspace: PathBuf,
}

impl Ground {
    /// Makes so many files and commits them. Every read of a run takes another one, because a call that is repeated
    /// is refused.
    pub fn new(files: usize) -> Self {
        let ground = Self::without_git(files);
        git(&ground.workspace, &["init", "-q", "-b", "main"]);
        git(&ground.workspace, &["add", "-A"]);
        git(&ground.workspace, &["commit", "-q", "-m", "notes"]);
        ground
    }

    /// Makes so many files in a folder that is no repository.
    pub fn without_git(files: usize) -> Self {
        let base = tempfile::tempdir().unwrap();
        let workspace = base.path().join("workspace");
        std::fs::create_dir_all(workspace.join("notes")).unwrap();
        for number in 0..files {
            let text = format!("note {number}\nIt says little, as most notes do.\n");
            std::fs::write(workspace.join(note(number)), text).unwrap();
        }
        let workspace = workspace.canonicalize().unwrap();
        Self { base, workspace }
    }

    /// A name for data of a client, beside the workspace.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }
}

/// The call that reads file `number`.
pub fn read(number: usize) -> (&'static str, Value) {
    ("read_file", json!({ "path": note(number) }))
}

fn note(number: usize) -> String {
    format!("notes/{number:04}.txt")
}

fn git(folder: &Path, words: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .status()
        .unwrap();
    assert!(status.success(), "git {words:?}");
}
