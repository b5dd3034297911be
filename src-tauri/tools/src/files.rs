//! Tools on single files and folders: one module each.
//! What they share on the write side is in `effects`, and every path is opened in `workspace`.

pub mod append_file;
pub mod delete_file;
pub mod file_info;
pub mod list_directory;
pub mod memory;
pub mod patch_file;
pub mod read_file;
pub mod rename_file;
pub mod write_file;

pub(crate) mod look;
pub(crate) mod words;
