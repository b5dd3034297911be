//! From a revision as a model writes it to a commit: a name, a hash, `HEAD~2`, by a rule of our own.
//! Options, ranges, searches through history and anything else that is more than a name are not revisions.

use git2::{Commit, ObjectType, Repository};

use crate::tool::Refusal;

/// Longest revision, in bytes.
const LONGEST: usize = 250;

/// The commit that a revision names.
pub(super) fn commit<'repo>(repository: &'repo Repository, text: &str) -> Result<Commit<'repo>, Refusal> {
    let refuse = || {
        let shown: String = text.chars().take(100).collect();
        Refusal::new(format!(
            "{shown:?} is not a revision: a branch, a tag, a commit hash, or one of these followed by ~N or ^"
        ))
    };
    if !is_revision(text) {
        return Err(refuse());
    }
    let object = repository.revparse_single(text).map_err(|_| refuse())?;
    // A tag may name a tag; a tree or a file is no commit.
    let commit = object.peel(ObjectType::Commit).map_err(|_| refuse())?;
    commit.into_commit().map_err(|_| refuse())
}

/// Whether the text is written like one revision.
fn is_revision(text: &str) -> bool {
    let has_letters_of_one = |c: char| {
        c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '#' | '@' | '^' | '~' | '=' | '{' | '}')
    };
    !text.is_empty()
        && text.len() <= LONGEST
        && !text.starts_with('-')
        && text.chars().all(has_letters_of_one)
        && !text.contains("..")
        // `^{/text}` searches messages; `~999999999` walks for ever.
        && !text.contains("{/")
        && !text.split(['~', '^']).skip(1).any(|count| count.starts_with(|c: char| c.is_ascii_digit()) && count.parse::<u32>().map_or(true, |count| count > 100_000))
}
