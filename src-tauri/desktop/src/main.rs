//! Starts the desktop program.
//! Everything it does is in the library, so that tests can reach it.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    // The program also supervises its own commands: asked to do that, it is no window.
    assent_engine::supervise_if_asked();
    assent_desktop::graphics::prepare();
    match assent_desktop::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("Assent could not start: {failure}");
            ExitCode::FAILURE
        }
    }
}
