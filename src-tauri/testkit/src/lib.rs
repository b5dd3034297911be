//! Fakes and checks for tests: generated types, fake model server, log printer, tidy.
//! Never part of a program that people run.

pub mod fake_server;
#[cfg(feature = "engine")]
#[expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
pub mod stage;
pub mod types;
