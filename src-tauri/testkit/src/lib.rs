//! Fakes and checks for tests: generated types, fake model server, log printer, tidy.
//! Never part of a program that people run.

pub mod fake_server;
pub mod types;
