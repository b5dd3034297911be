//! The icon in the system's tray, where the system has one.
//! Without its library there is no icon and nothing else changes.

use tauri::menu::{Menu, MenuItem};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager as _, Runtime};

use crate::attention::Counts;
use crate::words::words;
use crate::{closing, window};

const ICON: &str = "main";
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
    let words = words(None);
    let open = MenuItem::with_id(app, OPEN, words.open, true, None::<&str>)?;
    let quit = MenuItem::with_id(app, QUIT, words.quit, true, None::<&str>)?;
    let mut icon = TrayIconBuilder::with_id(ICON)
        .tooltip("Assent")
        .menu(&Menu::with_items(app, &[&open, &quit])?)
        .on_menu_event(|app, event| match event.id().as_ref() {
            OPEN => window::bring_forward(app),
            QUIT => closing::quit(app),
            _ => {}
        });
    if let Some(image) = app.default_window_icon() {
        icon = icon.icon(image.clone());
    }
    icon.build(app)?;
    app.manage(Items { open, quit });
    Ok(())
}

/// Whether there is an icon.
pub(crate) fn is_shown<R: Runtime>(app: &AppHandle<R>) -> bool {
    app.tray_by_id(ICON).is_some()
}

/// Shows how many cards wait, in the language that was set. To be called on the main thread.
pub(crate) fn show_counts<R: Runtime>(app: &AppHandle<R>, counts: &Counts) {
    let (Some(icon), Some(items)) = (app.tray_by_id(ICON), app.try_state::<Items<R>>()) else {
        return;
    };
    let words = words(counts.language.as_deref());
    let count = (counts.waiting > 0).then(|| counts.waiting.to_string());
    for step in [
        icon.set_title(count.as_deref()),
        icon.set_tooltip(Some(match &count {
            Some(count) => format!("Assent: {} ({count})", words.approval),
            None => "Assent".to_owned(),
        })),
        items.open.set_text(words.open),
        items.quit.set_text(words.quit),
    ] {
        if let Err(failure) = step {
            eprintln!("the tray could not be brought up to date: {failure}");
        }
    }
}

/// The menu's lines, kept because their language can change.
struct Items<R: Runtime> {
    open: MenuItem<R>,
    quit: MenuItem<R>,
}

/// On Linux the icon comes from one of two libraries, and asking for it without them ends the process.
#[cfg(target_os = "linux")]
fn is_possible() -> bool {
    ["libayatana-appindicator3.so.1", "libappindicator3.so.1"].into_iter().any(|library| {
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
