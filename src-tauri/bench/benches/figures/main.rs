//! What Assent costs beside a bare client, in one run on one machine: `npm run bench`, or
//! `ASSENT_BIN=… cargo bench -p assent-bench [-- NAME…]` with names of figures. Prints a table with aims.
//! It stops at nothing that isn't met: whoever reads the table judges.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a figure that can't be taken is no figure"
)]

mod bare;
mod client;
mod command;
mod ground;
mod launch;
mod log;
mod opening;
mod prefix;
mod reads;
mod requests;
mod room;
mod start;
mod steps;
mod stream;
mod table;
mod tokens;
mod work;

use table::Row;

/// A figure's name, as it can be asked for, and how it is taken.
type Figure = (&'static str, fn() -> Vec<Row>);

/// In order of importance.
const FIGURES: [Figure; 10] = [
    ("steps", steps::measure),
    ("start", start::measure),
    ("work", work::measure),
    ("stream", stream::measure),
    ("prefix", prefix::measure),
    ("opening", opening::measure),
    ("requests", requests::measure),
    ("reads", reads::measure),
    ("command", command::measure),
    ("tokens", tokens::measure),
];

fn main() {
    assent_engine::supervise_if_asked();
    // Cargo adds this word to whatever a person asks for.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.first().map(String::as_str) {
        Some("bare") => return bare::run(&words[1..]),
        Some("launch") => return launch::run(&words[1..]),
        _ => {}
    }
    table::head();
    for (name, measure) in FIGURES {
        if words.is_empty() || words.iter().any(|word| word == name) {
            measure().iter().for_each(table::print);
        }
    }
}
