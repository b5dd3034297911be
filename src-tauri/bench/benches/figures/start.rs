//! From a program's start to the arrival of its first request, with a fresh data folder and with one that exists.
//! Building and linking are over by then.

use std::process::Stdio;
use std::time::{Duration, Instant};

use assent_testkit::fake_server::{FakeServer, Reply, Script};

use crate::client::{BOTH, Client};
use crate::ground::Ground;
use crate::table::{Aim, Row, median};

/// Starts of each kind.
const ROUNDS: usize = 40;

/// Takes the figures: in a repository, which Assent looks at for the message and the bare client doesn't, and in a folder
/// that is none.
pub fn measure() -> Vec<Row> {
    let mut rows = starts(&Ground::new(200), "");
    rows.extend(starts(&Ground::without_git(200), ", no repository"));
    rows
}

fn starts(ground: &Ground, place: &str) -> Vec<Row> {
    let server = FakeServer::start(Script::default()).unwrap();
    let mut fresh = [Vec::new(), Vec::new()];
    let mut known = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for (at, client) in BOTH.into_iter().enumerate() {
            let new = first_request(client, ground, &server, &format!("{client:?}-{round}"));
            fresh[at].push(new);
            // The first of these makes the data that the others find.
            let again = first_request(client, ground, &server, &format!("{client:?}"));
            if round > 0 {
                known[at].push(again);
            }
        }
    }
    let [bare_fresh, ours_fresh] = fresh.map(median);
    let [bare_known, ours_known] = known.map(median);
    let row = |data: &str, ours, bare| {
        Row::times(format!("start to first request, {data}{place}"), ours, Some(bare), Aim::Times(3.0))
    };
    vec![row("data there", ours_known, bare_known), row("nothing there yet", ours_fresh, bare_fresh)]
}

fn first_request(client: Client, ground: &Ground, server: &FakeServer, name: &str) -> Duration {
    server.push(Reply::say("Done."));
    let mut command = client.command(server, &ground.workspace, &ground.beside(name));
    command.stdout(Stdio::null());
    let began = Instant::now();
    let status = command.status().unwrap();
    assert!(status.success(), "{client:?} ended with {status}");
    let times = server.times();
    times.last().unwrap().arrived.saturating_duration_since(began)
}
