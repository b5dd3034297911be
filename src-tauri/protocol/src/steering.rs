//! Files of a workspace that steer the model, and whether a person trusts them.
//! A file can't say of itself that it is trusted: that is kept with the app's data.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::Sha;
use crate::preview::Hunk;

/// What a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum SteeringKind {
    /// Rules for the model.
    Rules,
    /// Context for the model.
    Context,
    /// A skill.
    Skill,
}

/// A file that steers the model, as a person reads it before it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SteeringFile {
    /// Its path in the workspace.
    pub path: String,
    /// What it does.
    pub kind: SteeringKind,
    /// Its text, hidden characters made visible as `⟨U+200B⟩`; the beginning of a long one.
    pub text: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether `text` is only the beginning of it. No more than that reaches the model either.
    pub cut: bool,
    /// How many characters of `text` were made visible.
    pub hidden: u32,
    /// SHA-256 of the whole file; none: it can't be read, and doesn't count.
    pub hash: Option<Sha>,
    /// Whether exactly this content is trusted.
    pub trusted: bool,
    /// What changed since the content of it that was trusted last; none: none was.
    pub changed: Option<Vec<Hunk>>,
    /// Why it can't be read, in English.
    pub trouble: Option<String>,
}

/// The files of a workspace that steer the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Steering {
    /// Those of the root first.
    pub files: Vec<SteeringFile>,
    /// The look ended early: there may be more.
    pub partial: bool,
}

/// A content that a person trusts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TrustedContent {
    /// The file's path in the workspace.
    pub path: String,
    /// SHA-256 of what was shown.
    pub hash: Sha,
}

/// A steering file of which a person trusts some content, whichever folder it is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TrustedFile {
    /// The folder: its canonical root.
    pub root: String,
    /// The file's path in it.
    pub path: String,
    /// What it does.
    pub kind: SteeringKind,
    /// When its content was trusted last: milliseconds since 1970.
    pub at: i64,
    /// What stands there now.
    pub now: TrustedNow,
}

/// What stands now at the place of a file that a person trusts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum TrustedNow {
    /// A content that is trusted: it counts.
    Trusted,
    /// Another content, which doesn't count.
    Changed,
    /// No file.
    Missing,
    /// Something that can't be read.
    Unreadable,
}
