//! The write side of the file tools: planned, previewed, claimed and carried out beneath the workspace's handles; probed
//! after a crash, and taken back on a person's word.
//! It decides nothing: every change here needs a `Claimed`, or a person's `Reversal`.

#[cfg(test)]
pub(crate) mod bench;
mod compare;
pub(crate) mod diff;
pub(crate) mod edits;
pub(crate) mod entry;
mod folder;
mod guards;
pub(crate) mod invisible;
pub(crate) mod line_ends;
mod nearest;
pub(crate) mod outcome;
mod probe;
pub(crate) mod relocate;
pub(crate) mod replace;
mod revert;
pub(crate) mod rewrite;
mod sweep;
pub(crate) mod trash;
pub(crate) mod tree;

pub use diff::{Difference, difference};
pub use invisible::is_invisible;
pub use probe::{Probe, probe};
pub use replace::Trouble;
pub use revert::{RevertRefusal, revert};
pub use rewrite::{EDIT_LIMIT, KEEP_LIMIT};
pub use sweep::{Swept, sweep};
pub use trash::{Emptied, empty_trash, has_trash};
