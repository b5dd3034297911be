//! The words that cross a boundary: ids, events, requests, signals, the model view, assessments and failures.
//! Holds no logic beyond naming, canonical JSON and digests; it never touches a disk, a clock or a network.

pub mod assessment;
pub mod attachment;
pub mod canonical;
pub mod context;
pub mod event;
pub mod failure;
pub mod file_note;
pub mod ids;
pub mod known;
pub mod memory;
pub mod permission;
pub mod preview;
pub mod price;
pub mod request;
pub mod search;
pub mod settings;
pub mod signal;
pub mod skill;
pub mod snapshot;
pub mod steering;
pub mod todo;
pub mod tool;
pub mod usage;
pub mod view;
pub mod words;
