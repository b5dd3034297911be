//! One process per data folder: a second start hands its folder to the first and ends.
//! It guards only the window; the lock that keeps a second engine off the database is the engine's.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use tauri::{Runtime, plugin::TauriPlugin};

use crate::{folder, window};

/// The name under which processes find each other on the session bus, for the default data folder.
const BUS_NAME: &str = "dev.assent.desktop";

/// The plugin that finds an earlier process serving the data folder `data` (`None`: the default place).
///
/// Where processes can't find each other (no session bus), the start goes on and the engine's lock decides.
pub(crate) fn plugin<R: Runtime>(data: Option<&Path>) -> TauriPlugin<R> {
    tauri_plugin_single_instance::Builder::new()
        .callback(|app, arguments, from| {
            window::bring_forward(app);
            if let Err(failure) = folder::remember_later(app, &arguments, Path::new(&from)) {
                eprintln!("the folder of a second start could not be handed to the page: {failure}");
            }
        })
        .dbus_id(bus_name(data))
        .build()
}

/// Data folders are told apart by a digest, because a bus name takes no paths.
fn bus_name(data: Option<&Path>) -> String {
    let Some(data) = data else {
        return BUS_NAME.to_owned();
    };
    let mut digest = DefaultHasher::new();
    data.hash(&mut digest);
    format!("{BUS_NAME}.home{:016x}", digest.finish())
}
