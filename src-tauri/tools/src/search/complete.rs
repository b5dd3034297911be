//! Files that fit what a person typed after `@`, best first. For the composer, not for the model.
//! Bounded in time: an incomplete list is better than a late one.

use std::time::Duration;

use super::budget::Budget;
use super::folder::Kind;
use super::walk::{Step, walk};
use crate::workspace::Workspace;

/// Longest look.
const LONGEST: Duration = Duration::from_millis(300);
/// Most files that are looked at.
const MOST: usize = 50_000;

/// Paths of the workspace that fit `typed`, best first, at most `limit`. Case is ignored; ignored files are left out.
/// A path that can't be walked gives an empty list.
pub fn complete(workspace: &Workspace, typed: &str, limit: usize) -> Vec<String> {
    let wanted = typed.to_lowercase();
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut looked = 0;
    let Ok(start) = workspace.place("") else { return Vec::new() };
    let walked = walk(workspace, &start, true, &Budget::short(LONGEST), &mut |entry| {
        looked += 1;
        if looked > MOST {
            return Step::End;
        }
        if entry.is_ignored {
            return Step::Pass;
        }
        if entry.kind == Kind::File
            && let Some(rank) = rank(entry.path, entry.name, &wanted)
        {
            found.push((rank, entry.path.to_owned()));
        }
        Step::Enter
    });
    if walked.is_err() {
        return Vec::new();
    }
    found.sort_by(|a, b| (a.0, a.1.len(), &a.1).cmp(&(b.0, b.1.len(), &b.1)));
    found.into_iter().take(limit).map(|(_, path)| path).collect()
}

/// How well a path fits, 0 best; `None`: not at all.
fn rank(path: &str, name: &str, wanted: &str) -> Option<u32> {
    let (path, name) = (path.to_lowercase(), name.to_lowercase());
    if name.starts_with(wanted) {
        Some(0)
    } else if name.contains(wanted) {
        Some(1)
    } else if path.contains(wanted) {
        Some(2)
    } else if is_scattered(&path, wanted) {
        Some(3)
    } else {
        None
    }
}

/// Whether the characters of `wanted` stand in `path` in this order.
fn is_scattered(path: &str, wanted: &str) -> bool {
    let mut characters = path.chars();
    wanted.chars().all(|wanted| characters.any(|character| character == wanted))
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn names_come_before_paths_and_paths_before_scattered_letters() {
        assert_eq!(rank("src/retry.rs", "retry.rs", "ret"), Some(0));
        assert_eq!(rank("src/no_retry.rs", "no_retry.rs", "ret"), Some(1));
        assert_eq!(rank("retries/a.rs", "a.rs", "ret"), Some(2));
        assert_eq!(rank("文档/六月.md", "六月.md", "六"), Some(0));
        assert_eq!(rank("src/a_very_tall.rs", "a_very_tall.rs", "vt"), Some(3));
        assert_eq!(rank("src/a.rs", "a.rs", "xyz"), None);
    }
}
