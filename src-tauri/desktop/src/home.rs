//! The data folder that the environment chooses.
//! It doesn't know the default place and creates nothing.

use std::{ffi::OsString, path::PathBuf};

/// `ASSENT_HOME` as an absolute path, or `None` where it is unset or empty and the default place holds.
pub(crate) fn chosen() -> Option<PathBuf> {
    named_by(std::env::var_os("ASSENT_HOME"))
}

fn named_by(variable: Option<OsString>) -> Option<PathBuf> {
    let folder = variable.filter(|folder| !folder.is_empty())?;
    // Only an empty path fails here, or a start folder that is gone; the path is then used as it was written.
    Some(std::path::absolute(&folder).unwrap_or_else(|_| PathBuf::from(folder)))
}
