//! Scripts that nobody wrote: whatever a model says and a person does, the invariants hold.
//! A seed that ever failed is kept by name below.

use assent_testkit::stage::{any, played, script, send};

/// Seeds a test, and acts a seed.
const SEEDS: u64 = 8;
const ACTS: u64 = 20;

fn play(seed: u64) {
    let acts = (0..ACTS).map(|number| any(seed * 1_000 + number));
    let script = script()
        .file("a", "one\n")
        .file("b", "two\n")
        .file(".env", "KEY=1\n")
        .random(seed)
        .acts(std::iter::once(send("go")).chain(acts));
    played(script);
}

#[test]
fn whatever_is_said_and_done_the_invariants_hold() {
    (0..SEEDS).for_each(play);
}

#[test]
fn whatever_is_said_and_done_they_hold_again() {
    (SEEDS..2 * SEEDS).for_each(play);
}
