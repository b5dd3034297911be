//! Five megabytes of a command's output: from the click on Approve to the next request, beside the bare client's time from
//! its reply to its next request. What reaches a window is measured in the window.

use std::process::Stdio;
use std::time::{Duration, Instant};

use assent_protocol::event::Payload;
use assent_protocol::permission::Scope;
use assent_protocol::request::Request;
use assent_testkit::fake_server::{FakeServer, Reply, Script};
use assent_tools::Registry;
use serde_json::json;

use crate::client::{Client, gaps};
use crate::ground::Ground;
use crate::room::{Room, block_on};
use crate::table::{Aim, Row, median};

/// Rounds of both.
const ROUNDS: usize = 15;
/// Prints 5.2 MB as it goes.
const LOUD: &str = "seq 1 760000";

/// Takes the figure.
pub fn measure() -> Vec<Row> {
    let ground = Ground::new(200);
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        bare.push(of_bare(&ground, round));
        ours.push(of_engine(&ground, round));
    }
    vec![Row::times("5 MB of output of a command", median(ours), Some(median(bare)), Aim::Times(1.2))]
}

fn server() -> FakeServer {
    let call = Reply::call(&[("run_command", json!({ "command": LOUD }))]);
    FakeServer::start(Script::of([call, Reply::say("Done.")])).unwrap()
}

fn of_bare(ground: &Ground, round: usize) -> Duration {
    let server = server();
    let mut command = Client::Bare.command(&server, &ground.workspace, &ground.beside(&format!("bare-{round}")));
    assert!(command.stdout(Stdio::null()).status().unwrap().success());
    gaps(&server)[0]
}

fn of_engine(ground: &Ground, round: usize) -> Duration {
    let server = server();
    let home = ground.beside(&format!("home-{round}"));
    let approved = block_on(async {
        let mut room = Room::open(&home, ground.workspace.clone(), Registry::standard(), &server).await;
        room.send("go on").await;
        room.until(|payload| matches!(payload, Payload::ApprovalRequested { .. })).await;
        let pending = room.engine.inbox().unwrap().remove(0);
        let (call, digest) = (pending.call, pending.card.digest);
        let approved = Instant::now();
        room.engine.handle(Request::Approve { call, digest, scope: Scope::Once, note: None }).await.unwrap();
        room.until_end().await;
        approved
    });
    server.times()[1].arrived.saturating_duration_since(approved)
}
