//! The window of Assent: the only code that knows Tauri.
//! It decides nothing about conversations; it carries requests to the engine and signals back.

#[macro_use]
#[path = "../commands.rs"]
mod table;

pub mod graphics;

mod attention;
mod backend;
mod closing;
mod commands;
mod folder;
mod home;
mod instance;
mod keychain;
mod saving;
mod signals;
mod surroundings;
#[cfg(unix)]
mod termination;
#[cfg(test)]
mod tests;
mod tray;
mod window;
mod words;

use std::path::PathBuf;
use std::sync::Arc;

use assent_engine::OpenError;
use tauri::{AppHandle, Manager as _, RunEvent, Runtime, WindowEvent};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};

use attention::Attention;
use backend::Backend;
use signals::Listeners;
use surroundings::Desktop;

/// Why the desktop program could not start.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// Tauri, the web view or a window refused to start.
    #[error("the window system refused: {0}")]
    Tauri(#[from] tauri::Error),
    /// `tauri.conf.json` describes no window with the label [`window::MAIN`].
    #[error("the configuration has no window named {}", window::MAIN)]
    NoMainWindow,
    /// Nothing says where the user's data lies.
    #[error("there is no place for the data: set ASSENT_HOME to a folder")]
    NoHome,
    /// The system gave no thread for the engine.
    #[error("the engine could not be started: {0}")]
    Thread(#[from] std::io::Error),
    /// Clicks on notices can't be listened to.
    #[error("notices are not possible: {0}")]
    Notices(#[from] tauri_plugin_notification::Error),
}

/// Runs the desktop program until its last window is closed.
///
/// Call [`graphics::prepare`] first. Where another process already serves the same data folder,
/// hands it this process's arguments and ends the process.
///
/// # Errors
/// When the configuration, the web view or the window can't be set up, or there is no place for the data.
pub fn run() -> Result<(), ShellError> {
    let data = home::chosen();
    let home = home::folder().ok_or(ShellError::NoHome)?;
    tauri::Builder::default()
        .plugin(instance::plugin(data.as_deref()))
        .plugin(window::memory(data.as_deref()))
        .plugin(tauri_plugin_opener::Builder::new().open_js_links_on_click(false).build())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .invoke_handler(commands::dispatch())
        .on_window_event(|window, event| {
            if let WindowEvent::Focused(is_focused) = event {
                window.state::<Attention>().focused(*is_focused);
            }
        })
        .setup(move |app| {
            folder::remember_first(app.handle());
            start_engine(app.handle(), home)?;
            window::open(app.handle(), data.as_deref())?;
            tray::show(app.handle())?;
            attention::begin(app.handle())?;
            #[cfg(unix)]
            termination::watch(app.handle());
            Ok(())
        })
        .build(embedded())?
        .run(|app, event| match event {
            RunEvent::Exit => {
                // There is none where the set-up failed.
                if let Some(backend) = app.try_state::<Backend>() {
                    backend.end();
                }
            }
            #[cfg(target_os = "macos")]
            RunEvent::Reopen { .. } => window::bring_forward(app),
            _ => {}
        });
    Ok(())
}

/// Begins to open the data folder; the window is drawn meanwhile. When it can't be opened, a dialog says why and ends the program.
fn start_engine<R: Runtime>(app: &AppHandle<R>, home: PathBuf) -> Result<(), ShellError> {
    app.manage(Listeners::default());
    app.manage(Attention::default());
    let host = Arc::new(Desktop::new(app.clone(), home.clone()));
    let failed = app.clone();
    let backend = Backend::start(home, host, move |error| say_and_leave(&failed, &error))?;
    app.manage(backend);
    Ok(())
}

fn say_and_leave<R: Runtime>(app: &AppHandle<R>, error: &OpenError) {
    eprintln!("Assent could not start: {error}");
    let leaving = app.clone();
    app.dialog()
        .message(format!("{}\n\n{error}", words::words(None).cannot_open))
        .title("Assent")
        .kind(MessageDialogKind::Error)
        .show(move |_| leaving.exit(1));
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
