//! Opens the main window and keeps the page where it belongs.
//! It knows nothing of what the page shows.

use std::path::Path;

use tauri::{
    AppHandle, Manager, Runtime, Url, WebviewWindowBuilder,
    plugin::TauriPlugin,
    webview::{NewWindowResponse, PageLoadEvent},
};

use crate::ShellError;
use crate::signals::Listeners;

/// The label of the main window, in `tauri.conf.json` and in the capabilities.
pub(crate) const MAIN: &str = "main";

/// Opens the main window as `tauri.conf.json` describes it; its web storage lies in the data folder where one is chosen.
///
/// # Errors
/// When the configuration lacks the window or the web view can't be made.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>, data: Option<&Path>) -> Result<(), ShellError> {
    let windows = &app.config().app.windows;
    let described = windows.iter().find(|window| window.label == MAIN).ok_or(ShellError::NoMainWindow)?;
    let mut window = WebviewWindowBuilder::from_config(app, described)?
        .on_navigation(is_ours)
        .on_page_load(|window, load| {
            // A page that is left hears nothing more; the next one begins anew.
            if load.event() == PageLoadEvent::Started {
                window.state::<Listeners>().end(window.label());
            }
        })
        .on_new_window(|_, _| NewWindowResponse::Deny);
    if let Some(data) = data {
        window = window.data_directory(data.join("webview"));
    }
    let window = window.build()?;
    #[cfg(target_os = "linux")]
    if std::env::var_os("ASSENT_WEB_CONSOLE").is_some() {
        write_console_to_terminal(&window)?;
    }
    #[cfg(not(target_os = "linux"))]
    drop(window);
    Ok(())
}

/// The plugin that remembers size and position, in the data folder where one is chosen.
pub(crate) fn memory<R: Runtime>(data: Option<&Path>) -> TauriPlugin<R> {
    let mut memory = tauri_plugin_window_state::Builder::default();
    // The plugin joins this name to its own folder, and joining an absolute path gives that path.
    let file = data.map(|data| data.join("window-state.json"));
    if let Some(file) = file.as_deref().and_then(Path::to_str) {
        memory = memory.with_filename(file);
    }
    memory.build()
}

/// Shows the main window and gives it the focus.
pub(crate) fn bring_forward<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(MAIN) else {
        return;
    };
    for step in [window.show(), window.unminimize(), window.set_focus()] {
        if let Err(failure) = step {
            eprintln!("the window could not be brought forward: {failure}");
        }
    }
}

/// Shows a number on the program's icon, where the desktop can; 0 takes it away.
pub(crate) fn badge<R: Runtime>(app: &AppHandle<R>, count: u32) {
    let Some(window) = app.get_webview_window(MAIN) else {
        return;
    };
    if let Err(failure) = window.set_badge_count((count > 0).then_some(i64::from(count))) {
        eprintln!("the badge could not be brought up to date: {failure}");
    }
}

/// Whether the web view may load `address`: only the page that is part of the program. Links go to the system's browser instead.
fn is_ours(address: &Url) -> bool {
    match address.scheme() {
        "tauri" => true,
        "http" | "https" if address.host_str() == Some("tauri.localhost") => true,
        "http" => cfg!(not(feature = "custom-protocol")) && address.host_str() == Some("localhost"),
        _ => false,
    }
}

/// Prints the page's console, and what its content policy refuses, to the terminal: the only way to read it without a debugger.
#[cfg(target_os = "linux")]
fn write_console_to_terminal<R: Runtime>(window: &tauri::WebviewWindow<R>) -> tauri::Result<()> {
    use webkit2gtk::{SettingsExt, WebViewExt};
    window.with_webview(|page| {
        if let Some(settings) = page.inner().settings() {
            settings.set_enable_write_console_messages_to_stdout(true);
        }
    })
}

#[cfg(test)]
mod tests;
