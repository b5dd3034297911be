//! Searching: `search_files` by name and `grep` by content, and the walk beneath handles that both share with git.
//! Nothing here follows a link, reads an ignored or secret file unasked, or starts a program.

pub mod grep;
pub mod search_files;

pub(crate) mod budget;
pub(crate) mod folder;
pub(crate) mod rules;
pub(crate) mod text;
pub(crate) mod walk;
pub(crate) mod words;

mod complete;
mod contents;
mod line;
mod pattern;
mod report;

pub use complete::complete;

#[cfg(test)]
#[cfg(unix)]
pub(crate) mod tests;
