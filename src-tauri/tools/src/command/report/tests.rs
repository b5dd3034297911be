//! The line that ends a result, where no real command can easily be brought to it.

use std::time::Duration;

use assent_protocol::tool::{Brief, Cause, Outcome};

use super::output;
use crate::command::launch::{Cut, Finished, How, Stage};
use crate::command::output::Whole;

fn finished(how: How, cut: Option<Cut>, left: u32, seconds: u64) -> Finished {
    Finished { how, cut, left, output: Whole { bytes: Vec::new(), spooled: false }, took: Duration::from_secs(seconds) }
}

#[test]
fn the_last_line_says_what_matters() {
    for (end, wanted) in [
        (finished(How::Exit(0), None, 0, 9), "[exit code 0]"),
        (finished(How::Exit(1), None, 0, 34), "[exit code 1 after 34 s]"),
        (finished(How::Signal(9), None, 0, 0), "[ended by signal 9 (SIGKILL)]"),
        (finished(How::Signal(15), Some(Cut::Stopped), 0, 12), "[stopped by the user after 12 s]"),
        (
            finished(How::Signal(9), Some(Cut::TimedOut), 2, 60),
            "[timed out after 60 s; everything it started was ended] [2 of its processes could not be ended]",
        ),
        (finished(How::NotStarted(Stage::Sandbox, 0), None, 0, 0), "[not started: the sandbox could not be set up]"),
    ] {
        assert_eq!(output(end, 60).shown(str::to_owned), format!("(no output)\n{wanted}"));
    }
}

#[test]
fn outcomes_follow_the_end() {
    let of = |how, cut| {
        let output = output(finished(how, cut, 0, 0), 60);
        (output.outcome, output.cause, output.brief)
    };
    let exit = |code, signal| Brief::Exit { code, signal };
    assert_eq!(of(How::Exit(0), None), (Outcome::Ok, None, exit(Some(0), None)));
    assert_eq!(of(How::Exit(0), Some(Cut::Stopped)), (Outcome::Stopped, Some(Cause::Stop), exit(None, None)));
    assert_eq!(of(How::Signal(15), Some(Cut::TimedOut)), (Outcome::Error, Some(Cause::Timeout), exit(None, Some(15))));
    assert_eq!(of(How::NotStarted(Stage::Shell, 2), None), (Outcome::Error, None, Brief::Done));
}
