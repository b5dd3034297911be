//! Why git tools are off in a workspace, each reason by its name.
//! Commands still work there: a person may run `git` itself.

use crate::tool::Refusal;

/// Why a repository isn't read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Off {
    /// The workspace isn't the root of a repository.
    #[error("this workspace is not a git repository")]
    NoRepository,
    /// It lies inside a repository.
    #[error(
        "this workspace is a folder inside the git repository {0}; git tools work when that folder is opened as the workspace"
    )]
    InsideRepository(String),
    /// It is a linked worktree or a submodule: its git dir is elsewhere.
    #[error(
        "git tools are off here, commands work: .git is a file that points to a git dir elsewhere ({0}), as in a linked worktree or a submodule"
    )]
    LinkedWorktree(String),
    /// A part of the repository lies outside of the workspace.
    #[error(
        "git tools are off here, commands work: the repository's {part} leads outside of the workspace ({leads_to})"
    )]
    Outside {
        /// Which part.
        part: String,
        /// Where it leads.
        leads_to: String,
    },
    /// A part isn't what it has to be.
    #[error("git tools are off here, commands work: the repository's {part} is {what}")]
    Part {
        /// Which part.
        part: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A format that isn't read.
    #[error("git tools are off here, commands work: the repository uses {0}, which is not supported")]
    Format(String),
    /// Somebody else owns it.
    #[error(
        "git tools are off here, commands work: {0} belongs to another user, and a repository's settings are only trusted from its owner; change the owner, or open the folder as that user (safe.directory is not consulted and not changed)"
    )]
    Owner(String),
    /// Damaged, or unreadable for another reason.
    #[error("git tools are off here, commands work: {what}: {why}")]
    Unreadable {
        /// What can't be read.
        what: &'static str,
        /// The reason.
        why: String,
    },
}

impl From<Off> for Refusal {
    fn from(off: Off) -> Self {
        Refusal::new(off.to_string())
    }
}

/// Words for an error of libgit2 while `what` was read.
pub(super) fn unreadable(what: &'static str, error: &git2::Error) -> Off {
    let why = error.message();
    if error.code() == git2::ErrorCode::Owner {
        return Off::Owner("the repository".to_owned());
    }
    for (extension, format) in [("'link'", "a split index"), ("'sdir'", "a sparse index")] {
        if why.contains("extension") && why.contains(extension) {
            return Off::Format(format.to_owned());
        }
    }
    Off::Unreadable { what, why: why.to_owned() }
}
