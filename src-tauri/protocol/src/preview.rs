//! What an approval card shows: the frozen blob that is digested, decided on, claimed and run.
//! Rendering is left to the front-ends; `Preview::text` is the plain form for terminals and scripts.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::file_note::FileNote;

/// The effect as it will happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "form")]
pub enum Preview {
    /// Changes to files.
    Diff {
        /// One entry a file, in the order of the effect.
        files: Vec<FileDiff>,
    },
    /// A command line, whole.
    Command {
        /// The text that the shell gets, unchanged.
        command: String,
        /// Folder it runs in, relative to the workspace root; empty is the root.
        folder: String,
        /// Absolute program when the command is one plain argv whose program was found.
        program: Option<String>,
        /// Programs named inside wrappers (`env`, `sh -c`, `busybox`), outermost first.
        inner: Vec<String>,
        /// Time limit in seconds.
        timeout_s: u32,
        /// Whether writes are limited to the workspace by the system's sandbox.
        sandboxed: bool,
    },
    /// A read that needs a person's word, because its content would leave the machine.
    Read {
        /// Path relative to the workspace root.
        path: String,
        /// Size in bytes.
        bytes: u64,
    },
    /// A read that needs a person's word, because it reaches a repository outside of the workspace.
    Repository {
        /// The repository's own folder, absolute, links resolved.
        path: String,
    },
}

/// One file of a diff preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileDiff {
    /// Path relative to the workspace root, `/` between segments.
    pub path: String,
    /// The file that a link inside the workspace names, when `path` is a link.
    pub resolved: Option<String>,
    /// What happens to it.
    pub change: FileChangeForm,
    /// Changed places with context, empty when the content is not text.
    pub hunks: Vec<Hunk>,
    /// Lines of the file before the change; zero when it isn't text.
    pub old_lines: u32,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// Said where it matters: encoding, line ends, BOM, binary, entries of a folder.
    pub notes: Vec<FileNote>,
}

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum FileChangeForm {
    /// New file.
    Created,
    /// Existing file, new content.
    Modified,
    /// Moved to the workspace's own trash. `entries` counts what goes with a folder.
    Deleted {
        /// Files, folders and links below it, itself included.
        entries: u32,
    },
    /// Renamed, never replacing.
    Renamed {
        /// New path.
        to: String,
    },
}

/// A changed place with its context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Hunk {
    /// First old line, from 1; 0 when there is none.
    pub old_start: u32,
    /// First new line, from 1; 0 when there is none.
    pub new_start: u32,
    /// The lines, without their line ends.
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffLine {
    /// Context, added or removed.
    pub mark: Mark,
    /// The text.
    pub text: String,
}

/// Which side a diff line stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "LineMark")]
pub enum Mark {
    /// On both sides.
    #[serde(rename = " ")]
    Context,
    /// Only on the new side.
    #[serde(rename = "+")]
    Added,
    /// Only on the old side.
    #[serde(rename = "-")]
    Removed,
}

impl Preview {
    /// The whole preview as plain text, nothing left out.
    pub fn text(&self) -> String {
        let mut out = String::new();
        match self {
            Preview::Diff { files } => files.iter().for_each(|file| file.write(&mut out)),
            Preview::Command { command, folder, program, inner, timeout_s, sandboxed } => {
                out.push_str(command);
                let folder = if folder.is_empty() { "the workspace root" } else { folder };
                let _ = write!(out, "\n# in {folder}, {timeout_s} s at most");
                if let Some(program) = program {
                    let _ = write!(out, ", program {program}");
                }
                if !inner.is_empty() {
                    let _ = write!(out, ", runs {}", inner.join(" -> "));
                }
                let words = if *sandboxed { "limited to the workspace" } else { "not limited" };
                let _ = write!(out, ", writes {words}");
            }
            Preview::Read { path, bytes } => {
                let _ = write!(out, "read {path} ({bytes} bytes)");
            }
            Preview::Repository { path } => {
                let _ = write!(out, "read the repository {path}");
            }
        }
        out
    }
}

impl FileDiff {
    fn write(&self, out: &mut String) {
        let (old, new) = match &self.change {
            FileChangeForm::Created => ("/dev/null".to_owned(), format!("b/{}", self.path)),
            FileChangeForm::Modified => (format!("a/{}", self.path), format!("b/{}", self.path)),
            FileChangeForm::Deleted { .. } => (format!("a/{}", self.path), "/dev/null".to_owned()),
            FileChangeForm::Renamed { to } => (format!("a/{}", self.path), format!("b/{to}")),
        };
        let _ = writeln!(out, "--- {old}\n+++ {new}");
        if let Some(resolved) = &self.resolved {
            let _ = writeln!(out, "# {} is a link to {resolved}", self.path);
        }
        for note in &self.notes {
            let _ = writeln!(out, "# {}", note.line());
        }
        for hunk in &self.hunks {
            let old_count = hunk.lines.iter().filter(|line| line.mark != Mark::Added).count();
            let new_count = hunk.lines.iter().filter(|line| line.mark != Mark::Removed).count();
            let _ = writeln!(out, "@@ -{},{old_count} +{},{new_count} @@", hunk.old_start, hunk.new_start);
            for line in &hunk.lines {
                let mark = match line.mark {
                    Mark::Context => ' ',
                    Mark::Added => '+',
                    Mark::Removed => '-',
                };
                let _ = writeln!(out, "{mark}{}", line.text);
            }
        }
    }
}
