//! A run of twenty reads: its peak memory, and what of its first request is the same in every conversation.
//! Times are taken elsewhere.

use assent_testkit::fake_server::{FakeServer, Reply, Script};
use serde_json::Value;

use crate::client::{BOTH, Client};
use crate::ground::{Ground, read};
use crate::launch::used;
use crate::table::{Aim, Row, median};

/// Runs of each client.
const ROUNDS: usize = 5;
/// Reads of a run.
const READS: usize = 20;
/// Bytes of a megabyte.
const MEGABYTE: f64 = 1e6;

/// Takes the figures.
pub fn measure() -> Vec<Row> {
    let ground = Ground::new(200);
    let mut peaks = [Vec::new(), Vec::new()];
    let mut fixed = 0;
    for round in 0..ROUNDS {
        for (client, peaks) in BOTH.into_iter().zip(&mut peaks) {
            let replies = (0..READS).map(|number| Reply::call(&[read(number)]));
            let server = FakeServer::start(Script::of(replies.chain([Reply::say("Done.")]))).unwrap();
            let data = ground.beside(&format!("{client:?}-{round}"));
            peaks.push(used(&client.command(&server, &ground.workspace, &data)).peak);
            if client == Client::Assent {
                fixed = fixed_part(&server.requests()[0].body);
            }
        }
    }
    let [bare, ours] = peaks.map(|peaks| median(peaks) as f64 / MEGABYTE);
    vec![
        Row {
            figure: format!("peak memory over {READS} reads"),
            ours,
            other: Some(bare),
            unit: "MB",
            aim: Aim::Below(25.0),
        },
        Row {
            figure: "system prompt and all tools, in a request".to_owned(),
            ours: fixed as f64,
            other: None,
            unit: "bytes",
            aim: Aim::Below(12_001.0),
        },
    ]
}

/// A body without its messages, the system prompt excepted.
fn fixed_part(body: &str) -> usize {
    let parsed: Value = serde_json::from_str(body).unwrap();
    let messages = parsed["messages"].as_array().unwrap();
    let others = messages.iter().filter(|message| message["role"] != "system");
    body.len() - others.map(|message| message.to_string().len() + 1).sum::<usize>()
}
