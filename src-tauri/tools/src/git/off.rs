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
    /// Its git dir is elsewhere, and it is no linked worktree of a repository there.
    #[error(
        "git tools are off here, commands work: .git is a file that points to a git dir elsewhere ({0}) that is not one of a linked worktree, as in a submodule"
    )]
    GitFile(String),
    /// It is a linked worktree of a repository that a person did not let be read.
    #[error("this workspace is a linked worktree of the repository {0}, which the user did not allow to be read")]
    NotAllowed(String),
    /// A part of the repository lies outside of where it may be.
    #[error("git tools are off here, commands work: the repository's {part} leads outside of {of} ({leads_to})")]
    Outside {
        /// Which part.
        part: String,
        /// Where it may be.
        of: &'static str,
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

/// Where the parts of a repository of the workspace's own may be.
pub(super) const WORKSPACE: &str = "the workspace";
/// Where those of a repository may be that the workspace is a linked worktree of.
pub(super) const REPOSITORY: &str = "its own folder";

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
