//! Random runs of the pure loop: fold, ask, do, append, again, with a made-up engine, model and person that pick from what
//! is possible. After every step and before every model call the rules of spec 2.2, 2.6 and part 4 are checked.
//! No disk, no clock and no real tool: those have their own tests.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "simulated/person.rs"]
mod person;
#[path = "simulated/rules.rs"]
mod rules;
#[path = "simulated/summaries.rs"]
mod summaries;
#[path = "simulated/world.rs"]
mod world;

use proptest::prelude::*;
use world::World;

/// Steps after which a run has to have ended: a model can't keep it going for ever.
const STEPS: usize = 2_000;

fn run(choices: Vec<u8>, window: u64, max_iterations: u32) -> World {
    let mut world = World::new(choices, window, max_iterations);
    world.send("first");
    for _ in 0..STEPS {
        rules::hold(&world);
        if world.is_over() {
            rules::hold_at_the_end(&world);
            return world;
        }
        world.step();
    }
    panic!("the run does not end: {:?}", world.session.next());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_rules_hold(choices in prop::collection::vec(any::<u8>(), 0..400), max in 1u32..12) {
        run(choices, 128_000, max);
    }

    #[test]
    fn in_a_small_window_too(choices in prop::collection::vec(any::<u8>(), 100..600)) {
        run(choices, 6_000, 10);
    }
}

#[test]
fn the_runs_are_about_something() {
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..200u64 {
        let choices = (0..300u64).map(|place| mixed(seed << 32 | place));
        for event in run(choices.collect(), 6_000, 10).events {
            *counts.entry(event.payload.kind().to_owned()).or_insert(0) += 1;
        }
    }
    for kind in [
        "user/message",
        "turn/stop",
        "turn/end",
        "request/sent",
        "request/failed",
        "assistant/chunk",
        "assistant/message",
        "assistant/discarded",
        "tool/call",
        "approval/requested",
        "approval/decided",
        "tool/started",
        "tool/result",
        "queue/edited",
        "queue/taken",
        "window/moved",
        "compaction/start",
        "compaction/part",
        "compaction/end",
        "compaction/failed",
    ] {
        assert!(counts.get(kind).is_some_and(|count| *count > 20), "{kind} hardly happens: {counts:?}");
    }
    println!("{counts:?}");
}

/// A byte that only looks random (the end of SplitMix64).
fn mixed(number: u64) -> u8 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 56) as u8
}
