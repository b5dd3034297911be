//! Failures before the first byte (part 3): waits of 1, 2 and 4 s ± 25 %, `Retry-After`, the end after three.
//! Time stands still in these scripts and passes only where they say so.

use assent_protocol::settings::Limits;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{check, go_on, pass, refused, say, script, send, standing, steer};
use expect_test::expect;

use crate::reads;

#[test]
fn three_waits_and_then_the_end() {
    let busy = || refused(FailureKind::Server, "busy");
    let script = script().paused().model([busy(), busy(), busy(), busy(), say("here")]).acts([
        send("x"),
        pass(749),
        standing(),
        pass(501),
        pass(1_499),
        standing(),
        pass(1_001),
        pass(2_999),
        standing(),
        pass(2_001),
        go_on(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 server "the server has a problem (HTTP 503): busy", again in about 1 s
        > 749 ms pass
        = backs off before attempt 2 of 4
        > 501 ms pass
        request/sent r2 attempt 2
        request/failed r2 attempt 2 server "the server has a problem (HTTP 503): busy", again in about 2 s
        > 1499 ms pass
        = backs off before attempt 3 of 4
        > 1001 ms pass
        request/sent r3 attempt 3
        request/failed r3 attempt 3 server "the server has a problem (HTTP 503): busy", again in about 4 s
        > 2999 ms pass
        = backs off before attempt 4 of 4
        > 2001 ms pass
        request/sent r4 attempt 4
        request/failed r4 attempt 4 server "the server has a problem (HTTP 503): busy"
        iteration/end 1
        turn/end error "the server has a problem (HTTP 503): busy"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "here"
        assistant/message r5 "here" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_retry_that_works_goes_on_as_if_nothing_had_happened() {
    let script = script()
        .paused()
        .file("a", "A\n")
        .model([reads("a"), refused(FailureKind::RateLimited, "slow down"), say("A")])
        .acts([send("x"), pass(1_250)]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        request/failed r2 attempt 1 rate-limited "too many requests (HTTP 429): slow down", again in about 1 s
        > 1250 ms pass
        request/sent r3 attempt 2
        assistant/chunk r3 text "A"
        assistant/message r3 "A" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn retry_after_is_obeyed_up_to_a_minute() {
    let script = script()
        .paused()
        .model([
            refused(FailureKind::RateLimited, "slow down").retry_after(7),
            refused(FailureKind::RateLimited, "slow down").retry_after(600),
            say("here"),
        ])
        .acts([send("x"), pass(6_999), standing(), pass(1), pass(59_999), standing(), pass(1)]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 rate-limited "too many requests (HTTP 429): slow down", again in 7000 ms
        > 6999 ms pass
        = backs off before attempt 2 of 4
        > 1 ms pass
        request/sent r2 attempt 2
        request/failed r2 attempt 2 rate-limited "too many requests (HTTP 429): slow down", again in 60000 ms
        > 59999 ms pass
        = backs off before attempt 3 of 4
        > 1 ms pass
        request/sent r3 attempt 3
        assistant/chunk r3 text "here"
        assistant/message r3 "here" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn what_does_not_get_better_is_not_tried_again() {
    let script = script()
        .paused()
        .model([refused(FailureKind::BadRequest, "no"), refused(FailureKind::Unauthorized, "no key")])
        .acts([send("x"), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 bad-request "the request was refused (HTTP 400): no"
        iteration/end 1
        turn/end error "the request was refused (HTTP 400): no"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        request/failed r2 attempt 1 unauthorized "the key is missing or wrong (HTTP 401): no key"
        iteration/end 1
        turn/end error "the key is missing or wrong (HTTP 401): no key"
    "#]],
    );
}

#[test]
fn no_retries_when_the_limits_say_so_and_the_count_is_of_answers() {
    let limits = Limits { retries: 0, max_iterations: 2, ..Limits::default() };
    let script = script()
        .paused()
        .limits(limits)
        .file("a", "A\n")
        .model([refused(FailureKind::Server, "busy"), reads("a"), say("A")])
        .acts([send("x"), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 server "the server has a problem (HTTP 503): busy"
        iteration/end 1
        turn/end error "the server has a problem (HTTP 503): busy"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/message r2 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r3 tools off
        assistant/chunk r3 text "A"
        assistant/message r3 "A" stop
        iteration/end 2
        turn/end max-iterations
    "#]],
    );
}

#[test]
fn the_last_permitted_call_stays_without_tools_when_it_is_tried_again() {
    let limits = Limits { max_iterations: 1, ..Limits::default() };
    let script = script()
        .paused()
        .limits(limits)
        .model([refused(FailureKind::Server, "busy"), say("words")])
        .acts([send("x"), pass(1_250)]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1 tools off
        request/failed r1 attempt 1 server "the server has a problem (HTTP 503): busy", again in about 1 s
        > 1250 ms pass
        request/sent r2 attempt 2 tools off
        assistant/chunk r2 text "words"
        assistant/message r2 "words" stop
        iteration/end 1
        turn/end max-iterations
    "#]],
    );
}

#[test]
fn steering_while_it_backs_off_goes_in_after_the_answer() {
    let script = script().paused().model([refused(FailureKind::Server, "busy"), say("one"), say("in French")]).acts([
        send("x"),
        steer("in French"),
        pass(1_250),
    ]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 server "the server has a problem (HTTP 503): busy", again in about 1 s
        > sends "in French" (NextStep)
        queue/edited i1 added next-step "in French"
        > 1250 ms pass
        request/sent r2 attempt 2
        assistant/chunk r2 text "one"
        assistant/message r2 "one" stop
        iteration/end 1
        queue/taken i1
        user/message next-step "in French"
        iteration/start 2 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "in French"
        assistant/message r3 "in French" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}
