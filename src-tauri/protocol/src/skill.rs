//! Skills: instructions with a name that a person invokes with a message, and what is wrong with those that can't be.
//! Nothing here reads one.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::Sha;

/// Whose a skill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum SkillSource {
    /// It came with the workspace: it counts once a person trusts it.
    Workspace,
    /// It lies in the person's own folders.
    User,
}

/// A skill that went with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillUse {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub source: SkillSource,
    /// SHA-256 of its file.
    pub hash: Sha,
}

/// A skill as it can be offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillRow {
    /// What it is invoked by, after a slash.
    pub name: String,
    /// What it is for, in one line.
    pub description: String,
    /// Whose it is.
    pub source: SkillSource,
    /// Its file: relative to the workspace, or whole.
    pub path: String,
    /// Whether it may be used. A person's own always may.
    pub trusted: bool,
}

/// Something that is no skill, or not as its author meant it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillProblem {
    /// Its file: relative to the workspace, or whole.
    pub path: String,
    /// The line, from 1, where one is to blame.
    pub line: Option<u32>,
    /// What is wrong.
    pub trouble: SkillTrouble,
}

/// What is wrong with a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum SkillTrouble {
    /// It doesn't begin with front matter between two lines of three dashes.
    NoFrontMatter,
    /// The front matter is no YAML, or no list of names and values.
    BadFrontMatter {
        /// What the parser says, in English.
        message: String,
    },
    /// `description` is missing or empty.
    NoDescription,
    /// The name can't be typed after a slash.
    BadName {
        /// As it stands there.
        name: String,
    },
    /// The name is one of a command's.
    Reserved {
        /// The name.
        name: String,
    },
    /// Another skill of the same name came first.
    Duplicate {
        /// The name.
        name: String,
        /// The file of the one that counts.
        first: String,
    },
    /// It can't be read.
    Unreadable {
        /// Why, in English.
        message: String,
    },
    /// There are more than are looked at in this folder.
    TooMany,
}

/// All skills of a conversation and what is wrong with others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillList {
    /// By name.
    pub skills: Vec<SkillRow>,
    /// In the order in which they were met.
    pub problems: Vec<SkillProblem>,
}
