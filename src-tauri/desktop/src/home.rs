//! The data folder: what the environment chooses, else the engine's default place.
//! It creates nothing.

use std::{ffi::OsString, path::PathBuf};

use assent_engine::Engine;

/// Where the engine's data lies; `None` where the environment names no home either.
pub(crate) fn folder() -> Option<PathBuf> {
    chosen().or_else(|| Engine::default_home(|name| std::env::var(name).ok().filter(|value| !value.is_empty())))
}

/// `ASSENT_HOME` as an absolute path, or `None` where it is unset or empty and the default place holds.
pub(crate) fn chosen() -> Option<PathBuf> {
    named_by(std::env::var_os("ASSENT_HOME"))
}

fn named_by(variable: Option<OsString>) -> Option<PathBuf> {
    let folder = variable.filter(|folder| !folder.is_empty())?;
    // Only an empty path fails here, or a start folder that is gone; the path is then used as it was written.
    Some(std::path::absolute(&folder).unwrap_or_else(|_| PathBuf::from(folder)))
}
