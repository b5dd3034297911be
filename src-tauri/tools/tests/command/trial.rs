//! A stand-in for the app: `assent-command-trial FOLDER COMMAND` runs one command with its approval given, and prints
//! its output, with the result's last line on standard error. Asked for the helper mode, it supervises, as the real programs do.

#![expect(clippy::expect_used, clippy::panic, reason = "it exists for tests alone")]

#[path = "call.rs"]
mod call;

use std::io::Write as _;

fn main() {
    // The window has such a thread before its `main`, from the libraries it is linked with. It could take every signal.
    std::thread::spawn(|| {
        loop {
            std::thread::park();
        }
    });
    assent_tools::command::supervise_if_asked();
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, command] = arguments.as_slice() else {
        eprintln!("usage: assent-command-trial FOLDER COMMAND");
        std::process::exit(2);
    };
    let mut output = call::Call::of(folder.as_ref(), command).complete();
    if let Some(last) = output.shown(str::to_owned).lines().last() {
        eprintln!("{last}");
    }
    std::io::stdout().write_all(&output.full).expect("standard output is there");
}
