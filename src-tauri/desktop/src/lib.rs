//! The window of Assent: the only code that knows Tauri.
//! It decides nothing about conversations; it carries requests to the engine and signals back.

#[macro_use]
#[path = "../commands.rs"]
mod table;

pub mod graphics;

mod commands;
mod folder;
mod home;
mod instance;
#[cfg(unix)]
mod termination;
#[cfg(test)]
mod tests;
mod tray;
mod window;

/// Why the desktop program could not start.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// Tauri, the web view or a window refused to start.
    #[error("the window system refused: {0}")]
    Tauri(#[from] tauri::Error),
    /// `tauri.conf.json` describes no window with the label [`window::MAIN`].
    #[error("the configuration has no window named {}", window::MAIN)]
    NoMainWindow,
}

/// Runs the desktop program until its last window is closed.
///
/// Call [`graphics::prepare`] first. Where another process already serves the same data folder,
/// hands it this process's arguments and ends the process.
///
/// # Errors
/// When the configuration, the web view or the window can't be set up.
pub fn run() -> Result<(), ShellError> {
    let data = home::chosen();
    tauri::Builder::default()
        .plugin(instance::plugin(data.as_deref()))
        .plugin(window::memory(data.as_deref()))
        .plugin(
            tauri_plugin_opener::Builder::new()
                .open_js_links_on_click(false)
                .build(),
        )
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .invoke_handler(commands::dispatch())
        .setup(move |app| {
            folder::remember_first(app.handle());
            window::open(app.handle(), data.as_deref())?;
            tray::show(app.handle())?;
            #[cfg(unix)]
            termination::watch(app.handle());
            Ok(())
        })
        .run(embedded())?;
    Ok(())
}

/// The configuration, page and icons that the build script put into the program.
#[expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "generated code: it parses what the build script has already parsed"
)]
fn embedded<R: tauri::Runtime>() -> tauri::Context<R> {
    tauri::tauri_build_context!()
}
