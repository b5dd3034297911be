//! Limits of the settings (2.4): a change holds from the next model call on, also where a conversation runs; what runs keeps
//! its own, and what a person set for one conversation stays.
//! Slots, which take effect at once, are told in `slots`.

use assent_protocol::settings::Limits;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{
    Answer, at, check, gate, go_on, on, open, pass, refused, say, script, send, set_defaults, set_limits, standing,
};
use expect_test::expect;

use crate::{More as _, reads};

fn idle_s(idle_s: u32) -> Limits {
    Limits { idle_s, ..Limits::default() }
}

#[test]
fn other_time_outs_hold_from_the_next_call_of_a_running_conversation_on() {
    let script =
        script().paused().file("a", "A\n").model([gate("first").reads("a"), gate("second").say("never")]).acts([
            send("x"),
            at("first"),
            set_defaults(idle_s(5)),
            pass(20_000),
            standing(),
            open("first"),
            at("second"),
            pass(5_001),
        ]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        > at "first"
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > saves other limits in the settings
        > 20000 ms pass
        = waits for the first token
        > open "first"
        > at "second"
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        limits/set max 10 retries 3
        iteration/start 2 (2 since a person acted)
        request/sent r2
        > 5001 ms pass
        assistant/discarded r2 idle-timeout ""
        iteration/end 2
        turn/end error "the answer stood still for 5 s"
    "#]],
    );
}

#[test]
fn other_retries_hold_for_the_call_that_is_failing_now() {
    let busy = || refused(FailureKind::Server, "busy");
    let script = script().paused().model([busy(), busy(), say("now")]).acts([
        send("x"),
        set_defaults(Limits { retries: 1, ..Limits::default() }),
        pass(1_250),
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
        > saves other limits in the settings
        > 1250 ms pass
        limits/set max 10 retries 1
        request/sent r2 attempt 2
        request/failed r2 attempt 2 server "the server has a problem (HTTP 503): busy"
        iteration/end 1
        turn/end error "the server has a problem (HTTP 503): busy"
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
fn more_iterations_let_a_turn_go_on_that_would_have_ended() {
    let limits = |max_iterations| Limits { max_iterations, ..Limits::default() };
    let answers = [gate("here").reads("a"), reads("b"), reads("c"), say("all")];
    let script = script().file("a", "A\n").file("b", "B\n").file("c", "C\n").model(answers).acts([
        set_defaults(limits(2)),
        send("x"),
        at("here"),
        set_defaults(limits(5)),
        open("here"),
    ]);
    check(
        script,
        expect![[r#"
        > saves other limits in the settings
        > sends "x" (NextTurn)
        > at "here"
        user/message next-turn "x"
        turn/start message
        limits/set max 2 retries 3
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > saves other limits in the settings
        > open "here"
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        limits/set max 5 retries 3
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=read_file {"path":"b"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "b: lines 1 to 1 of 1\n1\tB\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=read_file {"path":"c"} tool-calls
        tool/call c3 low: run by tool
        tool/started c3 reads
        tool/result c3 ok "c: lines 1 to 1 of 1\n1\tC\n"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/chunk r4 text "all"
        assistant/message r4 "all" stop
        iteration/end 4
        turn/end completed
    "#]],
    );
}

#[test]
fn what_a_person_set_for_one_conversation_stays() {
    let own = Limits { retries: 2, ..Limits::default() };
    let both = Limits { retries: 0, max_iterations: 7, ..Limits::default() };
    let one = |name: &str| -> [Answer; 1] { [say(name)] };
    let script = script().conversation("a", one("a")).conversation("b", one("b")).acts([
        set_limits(own),
        set_defaults(both),
        send("x"),
        on("b", send("x")),
    ]);
    check(
        script,
        expect![[r#"
        > sets the limits
        > saves other limits in the settings
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        limits/set max 7 retries 2
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "a"
        assistant/message r1 "a" stop
        iteration/end 1
        turn/end completed
        b > sends "x" (NextTurn)
        b user/message next-turn "x"
        b turn/start message
        b limits/set max 7 retries 0
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/chunk r2 text "b"
        b assistant/message r2 "b" stop
        b iteration/end 1
        b turn/end completed
    "#]],
    );
}
