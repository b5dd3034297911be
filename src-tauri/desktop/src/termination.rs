//! Ends the program in good order when the system or a terminal asks it to (SIGTERM, SIGINT, SIGHUP).
//! It doesn't decide what good order is: `exit` runs what every other way out runs.

use tauri::{AppHandle, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for the first such signal and then leaves through the event loop.
pub(crate) fn watch<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        match listen() {
            Ok([mut terminate, mut interrupt, mut hangup]) => {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                    _ = hangup.recv() => {}
                }
                app.exit(0);
            }
            Err(failure) => eprintln!("signals of the system can't be watched: {failure}"),
        }
    });
}

fn listen() -> std::io::Result<[Signal; 3]> {
    Ok([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?])
}
