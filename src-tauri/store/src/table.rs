//! The tables, one file each: its schema, its rows, what reads it and what writes it.
//! No file changes another one's table.

pub(crate) mod attachments;
pub(crate) mod cards;
pub(crate) mod coefficients;
pub(crate) mod contents;
pub(crate) mod conversations;
pub(crate) mod deletions;
pub(crate) mod drafts;
pub(crate) mod events;
pub(crate) mod executions;
pub(crate) mod imported;
pub(crate) mod notices;
pub(crate) mod projects;
pub(crate) mod purged_usage;
pub(crate) mod questions;
pub(crate) mod queue;
pub(crate) mod reads;
pub(crate) mod references;
pub(crate) mod requests;
pub(crate) mod search;
pub(crate) mod settings;
pub(crate) mod trusted;

use crate::migrate::Migration;

/// The steps of all tables. A table stands behind those that it refers to.
pub(crate) const MIGRATIONS: &[&[Migration]] = &[
    events::MIGRATIONS,
    projects::MIGRATIONS,
    conversations::MIGRATIONS,
    executions::MIGRATIONS,
    cards::MIGRATIONS,
    questions::MIGRATIONS,
    queue::MIGRATIONS,
    requests::MIGRATIONS,
    contents::MIGRATIONS,
    references::MIGRATIONS,
    attachments::MIGRATIONS,
    deletions::MIGRATIONS,
    imported::MIGRATIONS,
    drafts::MIGRATIONS,
    reads::MIGRATIONS,
    notices::MIGRATIONS,
    settings::MIGRATIONS,
    coefficients::MIGRATIONS,
    purged_usage::MIGRATIONS,
    search::MIGRATIONS,
    trusted::MIGRATIONS,
];

/// Tables that are computed from the log alone, with the columns that order their rows. The full-text index is one too, and
/// compares itself.
pub(crate) const PROJECTIONS: &[(&str, &str)] = &[
    ("conversations", "id"),
    ("executions", "call"),
    ("cards", "call"),
    ("questions", "call"),
    ("queue", "item"),
    ("requests", "request"),
    ("content_references", "conversation, hash"),
];
