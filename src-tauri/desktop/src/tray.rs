//! The icon in the system's tray, where the system has one.
//! Without its library there is no icon and nothing else changes.

use tauri::{
    AppHandle, Runtime,
    menu::{Menu, MenuItem},
    tray::TrayIconBuilder,
};

use crate::window;

const OPEN: &str = "open";
const QUIT: &str = "quit";

/// Shows the icon with its menu. Does nothing where the tray's library is missing.
///
/// # Errors
/// When the menu or the icon can't be made.
pub(crate) fn show<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    if !is_possible() {
        return Ok(());
    }
    let words = words();
    let menu = Menu::with_items(
        app,
        &[
            &MenuItem::with_id(app, OPEN, words.open, true, None::<&str>)?,
            &MenuItem::with_id(app, QUIT, words.quit, true, None::<&str>)?,
        ],
    )?;
    let mut icon = TrayIconBuilder::with_id("main")
        .tooltip("Assent")
        .menu(&menu)
        .on_menu_event(|app, event| match event.id().as_ref() {
            OPEN => window::bring_forward(app),
            QUIT => app.exit(0),
            _ => {}
        });
    if let Some(image) = app.default_window_icon() {
        icon = icon.icon(image.clone());
    }
    icon.build(app)?;
    Ok(())
}

struct Words {
    open: &'static str,
    quit: &'static str,
}

/// The menu in the language of the session: the page's catalogue can't be reached from here.
fn words() -> Words {
    let is_chinese = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_some_and(|value| value.starts_with("zh"));
    if is_chinese {
        Words {
            open: "打开 Assent",
            quit: "退出",
        }
    } else {
        Words {
            open: "Open Assent",
            quit: "Quit",
        }
    }
}

/// On Linux the icon comes from one of two libraries, and asking for it without them ends the process.
#[cfg(target_os = "linux")]
fn is_possible() -> bool {
    ["libayatana-appindicator3.so.1", "libappindicator3.so.1"]
        .into_iter()
        .any(|library| {
            // SAFETY: these libraries' initialisers only register types with GLib, and the tray loads the same one right afterwards.
            match unsafe { libloading::Library::new(library) } {
                Ok(found) => {
                    // Unloading would take those registered types' code away.
                    std::mem::forget(found);
                    true
                }
                Err(_) => false,
            }
        })
}

#[cfg(not(target_os = "linux"))]
fn is_possible() -> bool {
    true
}
