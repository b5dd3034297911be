//! What is remembered between conversations: one text of the project, one of the person, as people edit them.
//! How they reach a model is said elsewhere.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::Sha;

/// Both texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Memory {
    /// The project's; none: no project was named.
    pub project: Option<MemoryText>,
    /// The person's.
    pub user: MemoryText,
    /// Bytes that a text has at most.
    pub limit: u64,
}

/// One text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryText {
    /// Its file, absolute.
    pub path: String,
    /// What stands in it; empty where there is no file.
    pub text: String,
    /// SHA-256 of the file, to be named when it is saved; none: there is no file.
    pub hash: Option<Sha>,
}
