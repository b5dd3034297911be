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
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 server "the server has a problem (HTTP 503): busy", again in about 1 s
        > 1250 ms pass
        request/sent r2 attempt 2
        request/failed r2 attempt 2 server "the server has a problem (HTTP 503): busy"
        provider/switched a gives way to b after attempt 2: server
        request/sent r3
        assistant/message r3 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r4
        assistant/chunk r4 text "A"
        assistant/message r4 "A" stop
        iteration/end 2
        turn/end completed
        > sends "y" (NextTurn)
        user/message next-turn "y"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "first"
        assistant/message r5 "first" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_wrong_key_and_a_missing_model_are_not_tried_again() {
    let script = script()
        .paused()
        .model([refused(FailureKind::Unauthorized, "no")])
        .fallback("b", [refused(FailureKind::NotFound, "no such model")])
        .fallback("c", [say("here")])
        .acts([send("x")]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 unauthorized "the key is missing or wrong (HTTP 401): no"
        provider/switched a gives way to b after attempt 1: unauthorized
        request/sent r2
        request/failed r2 attempt 1 not-found "there is no such endpoint or model (HTTP 404): no such model"
        provider/switched b gives way to c after attempt 1: not-found
        request/sent r3
        assistant/chunk r3 text "here"
        assistant/message r3 "here" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn when_all_fail_the_turn_ends_with_the_last_words_and_continue_begins_anew() {
    let script = script()
        .paused()
        .limits(without_retries())
        .model([refused(FailureKind::RateLimited, "slow down"), say("now")])
        .fallback("b", [refused(FailureKind::Server, "down")])
        .acts([send("x"), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 rate-limited "too many requests (HTTP 429): slow down"
        provider/switched a gives way to b after attempt 1: rate-limited
        request/sent r2
        request/failed r2 attempt 1 server "the server has a problem (HTTP 503): down"
        iteration/end 1
        turn/end error "the server has a problem (HTTP 503): down"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "now"
        assistant/message r3 "now" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn what_is_wrong_with_the_request_itself_is_nobody_elses_chance() {
    let script = script()
        .paused()
        .model([refused(FailureKind::BadRequest, "temperature must be a number")])
        .fallback("b", [])
        .acts([send("x")]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 bad-request "the request was refused (HTTP 400): temperature must be a number"
        iteration/end 1
        turn/end error "the request was refused (HTTP 400): temperature must be a number"
    "#]],
    );
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
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 forbidden "access is refused (HTTP 403): no"
        provider/switched a gives way to b after attempt 1: forbidden
        request/sent r2
        request/failed r2 attempt 1 server "the server has a problem (HTTP 503): busy", again in about 1 s
        = backs off before attempt 2 of 4
        > stops
        turn/stop
        iteration/end 1
        turn/end stopped
        > 10000 ms pass
        = idle
    "#]],
    );
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
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 server "the server has a problem (HTTP 503): busy"
        provider/switched a gives way to b after attempt 1: server
        request/sent r2
        request/failed r2 attempt 1 no-tools "the request was refused (HTTP 400): b does not support tools. The conversation goes on without tools", again in 0 ms
        model/set b window 128000 learned
        tools/set 0 tools, 0 reading
        request/sent r3 attempt 2
        assistant/chunk r3 text "no tools here"
        assistant/message r3 "no tools here" stop
        iteration/end 1
        turn/end completed
        > sends "y" (NextTurn)
        tools/set 15 tools, 9 reading
        user/message next-turn "y"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/message r4 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r5
        assistant/chunk r5 text "A"
        assistant/message r5 "A" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}
