//! Keeps the folder named on the command line until the page asks for it.
//! It doesn't open, check or create that folder: the engine does when the page hands it on.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tauri::{AppHandle, Emitter, Manager, Runtime};

/// Sent to the page when a later start of the program named a folder; carries nothing.
pub(crate) const FOLDER_WAITS: &str = "launch-folder";

/// The folder of the latest start that the page hasn't fetched yet.
///
/// It is fetched rather than pushed, because at the first start the page isn't there yet.
#[derive(Default)]
pub(crate) struct LaunchFolder(Mutex<Option<PathBuf>>);

impl LaunchFolder {
    /// Hands the folder out and forgets it.
    pub(crate) fn take(&self) -> Option<String> {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        waiting.map(|folder| folder.to_string_lossy().into_owned())
    }

    fn put(&self, folder: PathBuf) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder);
    }
}

/// Keeps the folder this process was started with.
pub(crate) fn remember_first<R: Runtime>(app: &AppHandle<R>) {
    let kept = LaunchFolder::default();
    let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    // A start folder that has been deleted leaves relative arguments relative; the engine then says that they don't exist.
    let from = std::env::current_dir().unwrap_or_default();
    if let Some(folder) = named_in(&arguments, &from) {
        kept.put(folder);
    }
    app.manage(kept);
}

/// Keeps the folder a later start named, and tells the page that one waits.
///
/// # Errors
/// When the event can't be sent to the page.
pub(crate) fn remember_later<R: Runtime>(app: &AppHandle<R>, arguments: &[String], from: &Path) -> tauri::Result<()> {
    let Some(folder) = named_in(arguments, from) else {
        return Ok(());
    };
    app.state::<LaunchFolder>().put(folder);
    app.emit(FOLDER_WAITS, ())
}

/// The first argument after the program's name that isn't an option, as seen from the folder `from`.
fn named_in(arguments: &[String], from: &Path) -> Option<PathBuf> {
    arguments
        .iter()
        .skip(1)
        .find(|argument| !argument.is_empty() && !argument.starts_with('-'))
        .map(|argument| from.join(argument))
}

#[cfg(test)]
mod tests;
