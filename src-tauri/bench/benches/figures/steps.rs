//! From the end of a reply to the next request, with a small read in between: early, late, and with a long log.
//! It takes no figure of a whole run.

use std::time::Duration;

use assent_testkit::fake_server::{FakeServer, Reply, Script};

use crate::client::{BOTH, Client, gaps};
use crate::ground::{Ground, read};
use crate::table::{Aim, Row, median};

/// Runs of each client.
const ROUNDS: usize = 5;
/// Runs of each kind that make a long log.
const LONG_ROUNDS: usize = 4;
/// Steps of a run.
const STEPS: usize = 120;
/// Reads in one reply where the log is to become long. Each makes three events, and each reply five more.
const TOGETHER: usize = 8;
/// Replies with so many reads, after which the log holds more than 10,000 events.
const FILLING: usize = 345;
/// A window as many models have it, in tokens.
const USUAL_WINDOW: &str = "128000";

/// Takes the figures.
pub fn measure() -> Vec<Row> {
    let ground = Ground::new(3_000);
    let mut taken = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for (client, taken) in BOTH.into_iter().zip(&mut taken) {
            taken.push(run(client, &ground, &format!("{client:?}-{round}"), (0..STEPS).map(|n| n..n + 1)));
        }
    }
    let [bare, ours] = taken.map(|runs| (near(&runs, 5), near(&runs, 100)));
    let mut rows = vec![
        Row::times("reply to next request, near step 5", ours.0, Some(bare.0), Aim::Times(4.0)),
        Row::times("reply to next request, near step 100", ours.1, Some(bare.1), Aim::Times(4.0)),
        Row::times("the same near step 100, beside near step 5", ours.1, Some(ours.0), Aim::Times(2.0)),
    ];
    rows.extend(long(&ground));
    rows
}

/// A log of more than 10,000 events: its last steps beside its first ones, and beside those of the bare client, which sends
/// as long a history. Once in a window that takes all of it, and once in a usual one, where a summary stands for the most.
fn long(ground: &Ground) -> [Row; 3] {
    let singles = |from: usize| (from..from + 20).map(|n| n..n + 1);
    let plan = || {
        let together = (0..FILLING).map(|n| 20 + n * TOGETHER..20 + (n + 1) * TOGETHER);
        singles(0).chain(together).chain(singles(20 + FILLING * TOGETHER))
    };
    let [mut bare, mut ours, mut usual] = [const { Vec::new() }; 3];
    for round in 0..LONG_ROUNDS {
        let named = |name: &str| if round == 0 { name.to_owned() } else { format!("{name}-{round}") };
        bare.push(run(Client::Bare, ground, &named("long-bare"), plan()));
        ours.push(run(Client::Assent, ground, &named("long"), plan()));
        usual.push(run_with(Client::Assent, &["--context", USUAL_WINDOW], ground, &named("long-usual"), plan()));
    }
    let last = |runs: &[Vec<Duration>]| median(runs.iter().flat_map(|gaps| gaps[gaps.len() - 15..].iter().copied()));
    let early = |runs: &[Vec<Duration>]| near(runs, 5);
    let name = |events: u64, window: &str| {
        assert!(events > 10_000, "the log has {events} events only");
        format!("the same with {events} events {window}, beside near step 5")
    };
    let (all, summarised) = (events(ground, "long"), events(ground, "long-usual"));
    [
        Row::times(
            name(summarised, &format!("in a window of {USUAL_WINDOW} tokens")),
            last(&usual),
            Some(early(&usual)),
            Aim::Times(2.0),
        ),
        Row::times(name(all, "all of them sent"), last(&ours), Some(early(&ours)), Aim::Times(2.0)),
        Row::times("reply to next request, with as many events", last(&ours), Some(last(&bare)), Aim::Times(4.0)),
    ]
}

/// Gaps of a run whose replies call for these reads.
fn run(
    client: Client,
    ground: &Ground,
    name: &str,
    plan: impl Iterator<Item = std::ops::Range<usize>>,
) -> Vec<Duration> {
    run_with(client, &[], ground, name, plan)
}

/// The same with more arguments.
fn run_with(
    client: Client,
    more: &[&str],
    ground: &Ground,
    name: &str,
    plan: impl Iterator<Item = std::ops::Range<usize>>,
) -> Vec<Duration> {
    let replies = plan.map(|numbers| Reply::call(&numbers.map(read).collect::<Vec<_>>()));
    let server = FakeServer::start(Script::of(replies.chain([Reply::say("Done.")]))).unwrap();
    let status = client
        .command(&server, &ground.workspace, &ground.beside(name))
        .args(more)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{client:?} ended with {status}");
    gaps(&server)
}

/// Number of the last event of the one conversation.
fn events(ground: &Ground, name: &str) -> u64 {
    let (store, _) = assent_store::Store::open(&ground.beside(name)).unwrap();
    store.rows().unwrap()[0].seq
}

/// The median of the gaps around step `at` of all runs.
fn near(runs: &[Vec<Duration>], at: usize) -> Duration {
    median(runs.iter().flat_map(|gaps| gaps[at - 3..at + 4].iter().copied()))
}
