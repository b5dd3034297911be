//! The fake model server as a program: `assent-fake-server [--port N] [SCRIPT.json]` prints its port as one line and
//! serves until it is ended. The script's format stands in the library's `fake_server`.
//! Has no behaviour of its own.

use std::io::Write as _;
use std::process::ExitCode;

use assent_testkit::fake_server::{FakeServer, Script};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do when stderr is closed as well.
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut port = 0;
    let mut script = Script::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--port" {
            port = arguments.next().ok_or("--port needs a number")?.parse()?;
        } else {
            script = Script::parse(&std::fs::read_to_string(argument)?)?;
        }
    }
    let server = FakeServer::start_at(script, port)?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}", server.port())?;
    stdout.flush()?;
    server.join();
    Ok(())
}
