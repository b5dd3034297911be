//! Twenty thousand tokens streamed into a client: time and processor time of the whole program.
//! What the window does with them is measured in the window.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use assent_testkit::fake_server::{FakeServer, Reply, Script};

use crate::client::{BOTH, Client, PROTOCOLS};
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
    rows.extend(PROTOCOLS.iter().map(|(protocol, path)| beside_sending(&ground, protocol, path)));
    rows
}

/// From the arrival of the request to the end of the program, beside the time that the server needs to send as much to
/// somebody who throws it away.
fn beside_sending(ground: &Ground, protocol: &str, path: &str) -> Row {
    let (mut sending, mut ours) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let server = FakeServer::start(Script::of([Reply::tokens(TOKENS, 1)])).unwrap();
        sending.push(drained(&server, path));
        let server = FakeServer::start(Script::of([Reply::tokens(TOKENS, 1)])).unwrap();
        let mut command =
            Client::Assent.command(&server, &ground.workspace, &ground.beside(&format!("{protocol}-{round}")));
        command.args(["--protocol", protocol]).stdout(Stdio::null());
        assert!(command.status().unwrap().success());
        ours.push(Instant::now().duration_since(server.times()[0].arrived));
    }
    let name = format!("{TOKENS} tokens, {protocol}: request to end, beside the server's sending");
    Row::times(name, median(ours), Some(median(sending)), Aim::Times(1.5))
}

/// Asks, reads to the end and keeps nothing.
fn drained(server: &FakeServer, path: &str) -> Duration {
    let mut socket = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let request = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{{}}");
    socket.write_all(request.as_bytes()).unwrap();
    socket.shutdown(std::net::Shutdown::Write).unwrap();
    let mut buffer = vec![0; 1 << 16];
    while socket.read(&mut buffer).unwrap() > 0 {}
    let times = server.times()[0];
    times.ended.unwrap().duration_since(times.arrived)
}
