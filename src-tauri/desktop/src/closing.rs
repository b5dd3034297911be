//! Leaving, and staying on without a window.
//! The question whether to stop what runs is put by the page, which knows the words for it.

use tauri::{AppHandle, Manager as _, Runtime};

use crate::attention::Attention;
use crate::{tray, window};

/// Takes the window out of sight: into the tray where there is one, else into the task bar.
pub(crate) fn keep_running<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(window::MAIN) else {
        return;
    };
    let done = if tray::is_shown(app) { window.hide() } else { window.minimize() };
    if let Err(failure) = done {
        eprintln!("the window could not be taken out of sight: {failure}");
    }
}

/// Leaves at once where nothing runs; else closes the window as a person would, so that the page asks.
pub(crate) fn quit<R: Runtime>(app: &AppHandle<R>) {
    let window = app.get_webview_window(window::MAIN);
    match window {
        Some(window) if app.state::<Attention>().counts().running > 0 => {
            window::bring_forward(app);
            if let Err(failure) = window.close() {
                eprintln!("the window could not be closed: {failure}");
            }
        }
        _ => app.exit(0),
    }
}
