//! Forty requests of one run in each protocol: how much of each begins the next, as the log tells it.
//! What a provider's cache makes of that is not measured.

use std::process::Stdio;

use assent_protocol::event::Payload;
use assent_testkit::fake_server::{Call, FakeServer, Reply, Script};

use crate::client::{Client, PROTOCOLS};
use crate::ground::{Ground, read};
use crate::table::{Aim, Row};

/// Model calls of a run.
const ITERATIONS: usize = 40;

/// Takes the figures.
pub fn measure() -> Vec<Row> {
    let ground = Ground::new(200);
    PROTOCOLS.iter().map(|(protocol, _)| share(&ground, protocol)).collect()
}

/// The bytes with which requests begin like the ones before, in percent of the bytes that can't change any more.
fn share(ground: &Ground, protocol: &str) -> Row {
    let replies = (1..ITERATIONS).map(|number| {
        let (name, arguments) = read(number);
        let call = Call { id: None, name: name.to_owned(), arguments: arguments.to_string() };
        Reply::answer("The next note may say more.", "I go on.", &[call])
    });
    let server = FakeServer::start(Script::of(replies.chain([Reply::say("Done.")]))).unwrap();
    let home = ground.beside(protocol);
    let mut command = Client::Assent.command(&server, &ground.workspace, &home);
    command.args(["--protocol", protocol]).stdout(Stdio::null());
    assert!(command.status().unwrap().success());
    assert_eq!(server.violations(), Vec::<String>::new());

    let (store, _) = assent_store::Store::open(&home).unwrap();
    let conversation = &store.rows().unwrap()[0].id;
    let events = store.fold_events(conversation).unwrap();
    let sent: Vec<(u64, u64)> = events
        .iter()
        .filter_map(|event| match &event.payload {
            Payload::RequestSent(sent) => Some((sent.prefix, sent.stable)),
            _ => None,
        })
        .collect();
    assert_eq!(sent.len(), ITERATIONS);
    let shared: u64 = sent[1..].iter().map(|(prefix, _)| prefix).sum();
    let stable: u64 = sent[..ITERATIONS - 1].iter().map(|(_, stable)| stable).sum();
    Row {
        figure: format!("{ITERATIONS} requests, {protocol}: what begins the next"),
        ours: shared as f64 * 100.0 / stable as f64,
        other: None,
        unit: "%",
        aim: Aim::AtLeast(100.0),
    }
}
