//! What a tool says of a call before anyone is asked: tier, touched paths, preview, reach, reason.
//! An assessment changes nothing and permits nothing.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::Sha;
use crate::permission::{Rule, Tier};
use crate::preview::Preview;
use crate::tool::{FileState, Outcome};

/// The tool's view of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// Risk, at least the tool's own.
    pub tier: Tier,
    /// Whether the call changes nothing.
    pub read_only: bool,
    /// Files the call would touch, or whose content it depends on, as they are now.
    pub touches: Vec<FileState>,
    /// What the card shows.
    pub preview: Preview,
    /// The reason line.
    pub reason: Reason,
    /// The blast radius.
    pub reach: Reach,
    /// A plain argv when the call is a command that is nothing else.
    pub argv: Option<Vec<String>>,
}

/// One line for people, made from the arguments; the front-end puts it into its language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum Reason {
    /// A new file.
    Create {
        /// Path.
        path: String,
        /// Lines it will have.
        lines: u32,
    },
    /// New content for a file that exists.
    Overwrite {
        /// Path.
        path: String,
        /// Lines added.
        added: u32,
        /// Lines removed.
        removed: u32,
    },
    /// A patch.
    Edit {
        /// Path.
        path: String,
        /// Lines added.
        added: u32,
        /// Lines removed.
        removed: u32,
    },
    /// Text added at the end.
    Append {
        /// Path.
        path: String,
        /// Lines added.
        lines: u32,
    },
    /// Delete, to the trash.
    Delete {
        /// Path.
        path: String,
        /// Entries that go, itself included.
        entries: u32,
    },
    /// Rename.
    Rename {
        /// Old path.
        from: String,
        /// New path.
        to: String,
    },
    /// A command.
    Command {
        /// Its first line, cut at 120 characters.
        line: String,
        /// Length of the whole in characters.
        characters: u32,
    },
    /// Reading a file that likely holds secrets.
    ReadSecret {
        /// Path.
        path: String,
    },
    /// Reading a repository that lies outside of the workspace.
    ReadRepository {
        /// Its own folder, absolute.
        folder: String,
    },
    /// Reading, listing or searching.
    Look {
        /// What is looked at.
        target: String,
    },
}

/// The blast radius, worked out by us and not by the model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct Reach {
    /// Files changed.
    pub files: u32,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// How git sees the path; `None` where git says nothing.
    pub tracked: Option<Tracked>,
    /// Whether all of it lies in the workspace.
    pub inside: bool,
    /// Whether one click can take it back.
    pub revertible: bool,
    /// Why this is raised above the tool's own tier, e.g. "something runs this file later".
    pub raised: Option<Raised>,
    /// How the same call ended last time in this conversation.
    pub last: Option<LastRun>,
    /// Things a person should know, as codes that the front-end puts into words.
    pub warnings: Vec<Warning>,
}

/// How git sees a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Tracked {
    /// Tracked, no changes.
    Clean,
    /// Tracked, with changes not committed.
    Dirty,
    /// Not tracked.
    Untracked,
    /// Ignored.
    Ignored,
}

/// Why a call stands above its tool's own tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Raised {
    /// Something runs this file later (hooks, build scripts, editor settings, CI).
    RunsLater,
    /// The file steers the assistant itself.
    SteersAssistant,
    /// The file likely holds secrets and reading it sends it to the model's provider.
    Secret,
    /// It reads a repository outside of the workspace, which the one touched path names.
    Elsewhere,
}

/// How the same call ended before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LastRun {
    /// Its outcome.
    pub outcome: Outcome,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// Things that a card warns of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "of")]
pub enum Warning {
    /// The program that would run lies in the workspace.
    ProgramInWorkspace {
        /// Absolute path.
        program: String,
    },
    /// The command is more than one plain argv.
    NotPlain,
    /// The text holds invisible, bidirectional or control characters.
    Invisible,
    /// A script named in the command is part of the approval.
    Script {
        /// Path of the script.
        path: String,
    },
    /// Another process may write here: the file has hard links.
    HardLinks,
    /// The sandbox is off on this machine.
    NoSandbox,
    /// The command asks to run once without the sandbox.
    Unsandboxed,
    /// The workspace is a linked worktree: whatever any branch holds can be read from that repository.
    LinkedWorktree {
        /// The repository's own folder, absolute.
        folder: String,
    },
}

/// An offer to widen an approval beyond one card, with the rule that would follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Breadth {
    /// The rule.
    pub rule: Rule,
}

/// A card as it is recorded and shown: one blob, one digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Card {
    /// SHA-256 over call digest, tier, touched files and preview.
    pub digest: Sha,
    /// Risk.
    pub tier: Tier,
    /// The reason line.
    pub reason: Reason,
    /// The preview.
    pub preview: Preview,
    /// Files whose content the approval depends on.
    pub touches: Vec<FileState>,
    /// The blast radius.
    pub reach: Reach,
    /// Wider scopes on offer.
    pub breadths: Vec<Breadth>,
}

impl Reason {
    /// The line in English, for terminals and scripts.
    pub fn line(&self) -> String {
        match self {
            Reason::Create { path, lines } => format!("Create {path}: {lines} {}", plural(*lines, "line")),
            Reason::Overwrite { path, added, removed } => format!("Overwrite {path}: +{added} -{removed} lines"),
            Reason::Edit { path, added, removed } => format!("Edit {path}: +{added} -{removed} lines"),
            Reason::Append { path, lines } => format!("Append {lines} {} to {path}", plural(*lines, "line")),
            Reason::Delete { path, entries: 1 } => format!("Delete {path}"),
            Reason::Delete { path, entries } => format!("Delete {path} and its {} entries", entries - 1),
            Reason::Rename { from, to } => format!("Rename {from} to {to}"),
            Reason::Command { line, characters } if line.chars().count() < *characters as usize => {
                format!("Run a command of {characters} characters: {line}…")
            }
            Reason::Command { line, .. } => format!("Run {line}"),
            Reason::ReadSecret { path } => format!("Read {path}, which may hold secrets, and send it to the model"),
            Reason::ReadRepository { folder } => {
                format!(
                    "Read the repository {folder}, which this linked worktree belongs to, and send what it holds to the model"
                )
            }
            Reason::Look { target } => format!("Look at {target}"),
        }
    }
}

fn plural(count: u32, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}
