//! Fallbacks (part 3): who takes over, when, for how long, and what the log says of it.
//! Time stands still in these scripts and passes only where they say so.

use assent_protocol::settings::Limits;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{check, go_on, pass, refused, say, script, send, standing, stop};
use expect_test::expect;

use crate::reads;

fn without_retries() -> Limits {
    Limits { retries: 0, ..Limits::default() }
}

#[test]
fn after_the_retries_the_next_takes_over_and_the_next_turn_begins_with_the_first_again() {
    let busy = || refused(FailureKind::Server, "busy");
    let script = script()
        .paused()
        .limits(Limits { retries: 1, ..Limits::default() })
        .file("a", "A\n")
        .model([busy(), busy(), say("first")])
        .fallback("b", [reads("a"), say("A")])
        .acts([send("x"), pass(1_250), send("y")]);
    check(script, expect![[r#""#]]);
}

#[test]
fn a_wrong_key_and_a_missing_model_are_not_tried_again() {
    let script = script()
        .paused()
        .model([refused(FailureKind::Unauthorized, "no")])
        .fallback("b", [refused(FailureKind::NotFound, "no such model")])
        .fallback("c", [say("here")])
        .acts([send("x")]);
    check(script, expect![[r#""#]]);
}

#[test]
fn when_all_fail_the_turn_ends_with_the_last_words_and_continue_begins_anew() {
    let script = script()
        .paused()
        .limits(without_retries())
        .model([refused(FailureKind::RateLimited, "slow down"), say("now")])
        .fallback("b", [refused(FailureKind::Server, "down")])
        .acts([send("x"), go_on()]);
    check(script, expect![[r#""#]]);
}

#[test]
fn what_is_wrong_with_the_request_itself_is_nobody_elses_chance() {
    let script = script()
        .paused()
        .model([refused(FailureKind::BadRequest, "temperature must be a number")])
        .fallback("b", [])
        .acts([send("x")]);
    check(script, expect![[r#""#]]);
}

#[test]
fn stop_ends_the_wait_before_a_fallback_too() {
    let busy = || refused(FailureKind::Server, "busy");
    let script = script().paused().model([refused(FailureKind::Forbidden, "no")]).fallback("b", [busy()]).acts([
        send("x"),
        standing(),
        stop(),
        pass(10_000),
        standing(),
    ]);
    check(script, expect![[r#""#]]);
}

#[test]
fn what_a_fallback_turned_out_not_to_take_is_learned_of_it_alone() {
    let script = script()
        .paused()
        .file("a", "A\n")
        .limits(without_retries())
        .model([refused(FailureKind::Server, "busy"), reads("a"), say("A")])
        .fallback("b", [refused(FailureKind::NoTools, "b does not support tools"), say("no tools here")])
        .acts([send("x"), send("y")]);
    check(script, expect![[r#""#]]);
}
