//! Twenty thousand tokens streamed into a client: time and processor time of the whole program.
//! What the window does with them is measured in the window.

use assent_testkit::fake_server::{FakeServer, Reply, Script};

use crate::client::BOTH;
use crate::ground::Ground;
use crate::launch::used;
use crate::table::{Aim, Row, median};

/// Runs of each client.
const ROUNDS: usize = 7;
/// Tokens of an answer.
const TOKENS: usize = 20_000;

/// Takes the figures: with a write a token, as servers do, and with many tokens in a write, where the client is what waits.
pub fn measure() -> Vec<Row> {
    let ground = Ground::new(200);
    let mut rows = Vec::new();
    for (per_write, words) in [(1, "one a write"), (50, "50 a write")] {
        let mut taken = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS {
            for (client, taken) in BOTH.into_iter().zip(&mut taken) {
                let server = FakeServer::start(Script::of([Reply::tokens(TOKENS, per_write)])).unwrap();
                let data = ground.beside(&format!("{client:?}-{per_write}-{round}"));
                taken.push(used(&client.command(&server, &ground.workspace, &data)));
            }
        }
        let [bare, ours] =
            taken.map(|runs| (median(runs.iter().map(|run| run.wall)), median(runs.iter().map(|run| run.processor))));
        let name = |what: &str| format!("{TOKENS} tokens, {words}: {what}");
        rows.push(Row::times(name("time"), ours.0, Some(bare.0), Aim::Times(2.5)));
        rows.push(Row::times(name("processor time"), ours.1, Some(bare.1), Aim::Times(2.5)));
    }
    rows
}
