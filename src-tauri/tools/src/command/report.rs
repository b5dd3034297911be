//! Puts the end of a command into the result that the model and the card get.
//! Output is never shortened here: the engine does that for all tools alike.

use assent_protocol::tool::{Brief, Cause, Outcome};

use super::launch::{Cut, Finished, How};
use super::output::Whole;
use crate::tool::ToolOutput;

/// From how many seconds on the last line says how long it took.
const WORTH_SAYING_S: u64 = 10;

/// The result of a command that ran, with the line that ends it.
pub(super) fn output(finished: Finished, timeout_s: u32) -> ToolOutput {
    let last_line = last_line(&finished, timeout_s);
    let (outcome, cause) = match (finished.cut, finished.how) {
        (Some(Cut::Stopped), _) => (Outcome::Stopped, Some(Cause::Stop)),
        (Some(Cut::TimedOut), _) => (Outcome::Error, Some(Cause::Timeout)),
        (None, How::Exit(0)) => (Outcome::Ok, None),
        (None, How::Lost) => (Outcome::Unknown, None),
        (None, _) => (Outcome::Error, None),
    };
    let brief = match finished.how {
        How::Exit(code) if finished.cut.is_none() => Brief::Exit { code: Some(code), signal: None },
        How::Exit(_) => Brief::Exit { code: None, signal: None },
        How::Signal(signal) => Brief::Exit { code: None, signal: Some(signal) },
        How::NotStarted(..) | How::Lost => Brief::Done,
    };
    let Whole { bytes, spooled } = finished.output;
    ToolOutput { outcome, cause, spooled, closing: Some(last_line), ..ToolOutput::ok(bytes, brief) }
}

fn last_line(finished: &Finished, timeout_s: u32) -> String {
    let seconds = finished.took.as_secs();
    let after = if seconds >= WORTH_SAYING_S { format!(" after {seconds} s") } else { String::new() };
    let mut line = match (finished.cut, finished.how) {
        (_, How::NotStarted(stage, 0)) => format!("[not started: {}]", stage.words()),
        (_, How::NotStarted(stage, error)) => {
            format!("[not started: {}: {}]", stage.words(), std::io::Error::from_raw_os_error(error))
        }
        (_, How::Lost) => {
            "[nobody knows how it ended: its supervisor is gone, and processes of it may be left]".to_owned()
        }
        (Some(Cut::Stopped), _) => format!("[stopped by the user{after}]"),
        (Some(Cut::TimedOut), _) => format!("[timed out after {timeout_s} s; everything it started was ended]"),
        (None, How::Exit(code)) => format!("[exit code {code}{after}]"),
        (None, How::Signal(signal)) => format!("[ended by signal {signal}{}{after}]", signal_name(signal)),
    };
    if finished.left > 0 {
        line.push_str(&format!(" [{} of its processes could not be ended]", finished.left));
    }
    line
}

/// Names of the signals that commands usually die of. Numbers of POSIX; others differ between systems.
fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        14 => " (SIGALRM)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
