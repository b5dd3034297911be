//! `assent`: the same engine in a terminal and in scripts.
//! It decides nothing: it reads arguments, hands requests to the engine, and prints what the engine says.

mod arguments;
mod chat;
mod cli;
mod exec;
mod host;
mod interrupts;
mod print;
mod search;
mod steering;
mod turn;
mod usage;
mod waiting;

use std::process::ExitCode;

fn main() -> ExitCode {
    assent_engine::supervise_if_asked();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let is_read_by_a_script = arguments::asks_for_events(&words);
    let command = match arguments::parse(words) {
        Ok(command) => command,
        Err(error) => {
            print::complain(&format!("{error}\n\n{}", arguments::USAGE));
            if is_read_by_a_script {
                print::exit("usage", None);
            }
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            print::complain(&format!("the program can't start: {error}"));
            return ExitCode::from(1);
        }
    };
    let code = runtime.block_on(cli::run(command));
    // Blocking work that a second Ctrl-C leaves behind must not hold the program.
    runtime.shutdown_background();
    ExitCode::from(code)
}
