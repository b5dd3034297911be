//! The two limits on model calls (2.4): who waits, with how many ahead, until when; and who holds no place.
//! Each conversation has a model of its own here, which waits at a gate.

use assent_testkit::stage::{approve, at, check, gate, on, open, say, script, send, set_slots, standing, stop, until};
use expect_test::expect;

use crate::writes;

#[test]
fn three_answer_at_once_and_the_fourth_and_fifth_wait_in_line() {
    let script = ["a", "b", "c", "d", "e"]
        .into_iter()
        .fold(script(), |script, name| script.conversation(name, [gate(&format!("g{name}")).say(name)]))
        .acts([
            send("1"),
            on("b", send("1")),
            on("c", send("1")),
            at("ga"),
            at("gb"),
            at("gc"),
            on("d", send("1")),
            on("e", send("1")),
            on("d", standing()),
            on("e", standing()),
            open("gb"),
            at("gd"),
            on("e", standing()),
            open("ga"),
            at("ge"),
            open("gc"),
            open("gd"),
            open("ge"),
        ]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        b > sends "1" (NextTurn)
        b user/message next-turn "1"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        c > sends "1" (NextTurn)
        > at "ga"
        c user/message next-turn "1"
        c turn/start message
        c iteration/start 1 (1 since a person acted)
        c request/sent r3
        > at "gb"
        > at "gc"
        d > sends "1" (NextTurn)
        d user/message next-turn "1"
        d turn/start message
        d iteration/start 1 (1 since a person acted)
        e > sends "1" (NextTurn)
        e user/message next-turn "1"
        e turn/start message
        e iteration/start 1 (1 since a person acted)
        = waits for a slot, 0 ahead
        = waits for a slot, 1 ahead
        > open "gb"
        > at "gd"
        b assistant/chunk r2 text "b"
        b assistant/message r2 "b" stop
        b iteration/end 1
        b turn/end completed
        d request/sent r4
        = waits for a slot, 0 ahead
        > open "ga"
        > at "ge"
        assistant/chunk r1 text "a"
        assistant/message r1 "a" stop
        iteration/end 1
        turn/end completed
        e request/sent r5
        > open "gc"
        c assistant/chunk r3 text "c"
        c assistant/message r3 "c" stop
        c iteration/end 1
        c turn/end completed
        > open "gd"
        d assistant/chunk r4 text "d"
        d assistant/message r4 "d" stop
        d iteration/end 1
        d turn/end completed
        > open "ge"
        e assistant/chunk r5 text "e"
        e assistant/message r5 "e" stop
        e iteration/end 1
        e turn/end completed
    "#]],
    );
}

#[test]
fn a_pending_card_holds_no_place() {
    let script = script()
        .slots(1, 1)
        .conversation("a", [writes("a", "x\n"), say("a done")])
        .conversation("b", [say("b done")])
        .acts([send("write"), on("b", send("talk")), approve(1)]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        b > sends "talk" (NextTurn)
        b user/message next-turn "talk"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/chunk r2 text "b done"
        b assistant/message r2 "b done" stop
        b iteration/end 1
        b turn/end completed
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "a done"
        assistant/message r3 "a done" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn more_slots_come_at_once_and_fewer_as_calls_end() {
    let script = ["a", "b", "c"]
        .into_iter()
        .fold(script().slots(1, 1), |script, name| script.conversation(name, [gate(&format!("g{name}")).say(name)]))
        .acts([
            send("1"),
            at("ga"),
            on("b", send("1")),
            on("b", standing()),
            set_slots(2, 1),
            at("gb"),
            on("c", send("1")),
            at("gc"),
            open("ga"),
            open("gb"),
            open("gc"),
        ]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        > at "ga"
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        b > sends "1" (NextTurn)
        b user/message next-turn "1"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        = waits for a slot, 0 ahead
        > sets the slots to 2 and 1
        > at "gb"
        b request/sent r2
        c > sends "1" (NextTurn)
        > at "gc"
        c user/message next-turn "1"
        c turn/start message
        c iteration/start 1 (1 since a person acted)
        c request/sent r3
        > open "ga"
        assistant/chunk r1 text "a"
        assistant/message r1 "a" stop
        iteration/end 1
        turn/end completed
        > open "gb"
        b assistant/chunk r2 text "b"
        b assistant/message r2 "b" stop
        b iteration/end 1
        b turn/end completed
        > open "gc"
        c assistant/chunk r3 text "c"
        c assistant/message r3 "c" stop
        c iteration/end 1
        c turn/end completed
    "#]],
    );
}

#[test]
fn one_who_leaves_the_line_lets_the_next_move_up() {
    let script = ["b", "c"]
        .into_iter()
        .fold(script().slots(1, 1), |script, name| script.conversation(name, []))
        .conversation("a", [gate("ga").say("a")])
        .acts([
            send("1"),
            at("ga"),
            on("b", send("1")),
            on("c", send("1")),
            on("c", standing()),
            on("b", stop()),
            on("c", standing()),
            on("c", stop()),
            open("ga"),
        ]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        > at "ga"
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        b > sends "1" (NextTurn)
        b user/message next-turn "1"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        c > sends "1" (NextTurn)
        c user/message next-turn "1"
        c turn/start message
        c iteration/start 1 (1 since a person acted)
        = waits for a slot, 1 ahead
        b > stops
        b turn/stop
        b iteration/end 1
        b turn/end stopped
        = waits for a slot, 0 ahead
        c > stops
        c turn/stop
        c iteration/end 1
        c turn/end stopped
        > open "ga"
        assistant/chunk r1 text "a"
        assistant/message r1 "a" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_stop_frees_the_place_of_a_call_that_answers() {
    let script = script().slots(1, 1).conversation("a", [gate("ga")]).conversation("b", [say("b")]).acts([
        send("1"),
        at("ga"),
        on("b", send("1")),
        stop(),
        until("turn/end"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        > at "ga"
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        b > sends "1" (NextTurn)
        b user/message next-turn "1"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        > stops
        turn/stop
        request/failed r1 attempt 1 stopped "stopped before any text came"
        iteration/end 1
        turn/end stopped
        b request/sent r2
        b assistant/chunk r2 text "b"
        b assistant/message r2 "b" stop
        b iteration/end 1
        b turn/end completed
    "#]],
    );
}
