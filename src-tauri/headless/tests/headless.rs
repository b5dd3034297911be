//! The real binary in real folders against a real HTTP server: what scripts depend on, and what must hold when it is
//! killed. It looks into no crate of the engine: only at exit codes, output, files and what the server received.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "the figures are for people")]

#[path = "headless/support.rs"]
mod support;

#[path = "headless/support/facts.rs"]
mod facts;
#[path = "headless/support/pause.rs"]
mod pause;

#[path = "headless/approvals.rs"]
mod approvals;
#[path = "headless/canary.rs"]
mod canary;
#[path = "headless/cases.rs"]
mod cases;
#[path = "headless/exits.rs"]
mod exits;
#[path = "headless/git_cases.rs"]
mod git_cases;
#[path = "headless/homes.rs"]
mod homes;
#[path = "headless/import.rs"]
mod import;
#[path = "headless/inbox.rs"]
mod inbox;
#[path = "headless/kill_matrix.rs"]
mod kill_matrix;
#[path = "headless/lines.rs"]
mod lines;
#[path = "headless/options.rs"]
mod options;
#[path = "headless/questions.rs"]
mod questions;
#[path = "headless/random_kills.rs"]
mod random_kills;
#[path = "headless/replay.rs"]
mod replay;
#[path = "headless/search.rs"]
mod search;
#[path = "headless/secrets.rs"]
mod secrets;
#[path = "headless/steering.rs"]
mod steering;
#[path = "headless/stops.rs"]
mod stops;
#[path = "headless/streams.rs"]
mod streams;
#[path = "headless/terminal.rs"]
mod terminal;
