//! The inbox (2.3): follow-ups, steering, context; edited, withdrawn, taken; reject and send.
//! Stops are told in `stop`.

use assent_testkit::stage::{
    approve, at, check, check_on_both, edit, gate, inject, open, reject_and_send, restart, say, script, send, steer,
    stop, withdraw,
};
use expect_test::expect;

use crate::{More as _, reads, writes};

#[test]
fn a_follow_up_is_the_next_turn_and_each_has_its_own() {
    let script = script().model([gate("g").say("one"), say("two"), say("three")]).acts([
        send("1"),
        at("g"),
        send("2"),
        send("3"),
        open("g"),
    ]);
    check_on_both(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        > at "g"
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "2" (NextTurn)
        queue/edited i1 added next-turn "2"
        > sends "3" (NextTurn)
        queue/edited i2 added next-turn "3"
        > open "g"
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "two"
        assistant/message r2 "two" stop
        iteration/end 1
        turn/end completed
        queue/taken i2
        user/message next-turn "3"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "three"
        assistant/message r3 "three" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn steering_goes_in_before_the_next_model_call() {
    let script = script().file("a", "A\n").model([gate("g").reads("a"), say("in French: A")]).acts([
        send("read"),
        at("g"),
        steer("in French"),
        steer("please"),
        open("g"),
    ]);
    check_on_both(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        > at "g"
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "in French" (NextStep)
        queue/edited i1 added next-step "in French"
        > sends "please" (NextStep)
        queue/edited i2 added next-step "please"
        > open "g"
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        queue/taken i1
        user/message next-step "in French"
        queue/taken i2
        user/message next-step "please"
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "in French: A"
        assistant/message r2 "in French: A" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn steering_at_the_last_word_goes_on_in_the_same_turn() {
    let script = script().model([gate("g").say("done"), say("and shorter")]).acts([
        send("tell"),
        at("g"),
        steer("shorter"),
        open("g"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "tell" (NextTurn)
        > at "g"
        user/message next-turn "tell"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "shorter" (NextStep)
        queue/edited i1 added next-step "shorter"
        > open "g"
        assistant/chunk r1 text "done"
        assistant/message r1 "done" stop
        iteration/end 1
        queue/taken i1
        user/message next-step "shorter"
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "and shorter"
        assistant/message r2 "and shorter" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn context_wakes_nothing_and_goes_with_what_does() {
    let script = script().model([gate("g").say("one"), say("two")]).acts([
        inject("it rains"),
        send("1"),
        at("g"),
        inject("it snows"),
        open("g"),
        inject("it hails"),
        send("2"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "it rains" (Inject)
        queue/edited i1 added inject "it rains"
        > sends "1" (NextTurn)
        > at "g"
        queue/edited i2 added next-turn "1"
        queue/taken i1
        user/message inject "it rains"
        queue/taken i2
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "it snows" (Inject)
        queue/edited i3 added inject "it snows"
        > open "g"
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        > sends "it hails" (Inject)
        queue/edited i4 added inject "it hails"
        > sends "2" (NextTurn)
        queue/edited i5 added next-turn "2"
        queue/taken i3
        user/message inject "it snows"
        queue/taken i4
        user/message inject "it hails"
        queue/taken i5
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "two"
        assistant/message r2 "two" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn context_goes_with_a_call_that_is_made_anyway() {
    let script = script().file("a", "A\n").model([gate("g").reads("a"), say("A, in the rain")]).acts([
        send("read"),
        at("g"),
        inject("it rains"),
        open("g"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        > at "g"
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "it rains" (Inject)
        queue/edited i1 added inject "it rains"
        > open "g"
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        queue/taken i1
        user/message inject "it rains"
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "A, in the rain"
        assistant/message r2 "A, in the rain" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn an_item_can_be_changed_and_withdrawn_until_it_is_taken() {
    let script = script().model([gate("g").say("one"), say("two")]).acts([
        send("1"),
        at("g"),
        send("secnd"),
        send("third"),
        edit(1, "second"),
        withdraw(2),
        withdraw(2),
        open("g"),
        edit(1, "too late"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        > at "g"
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "secnd" (NextTurn)
        queue/edited i1 added next-turn "secnd"
        > sends "third" (NextTurn)
        queue/edited i2 added next-turn "third"
        > changes i1 to "second"
        queue/edited i1 changed "second"
        > withdraws i2
        queue/edited i2 withdrawn
        > withdraws i2
        ! NotFound: that message was already taken
        > open "g"
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        queue/taken i1
        user/message next-turn "second"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "two"
        assistant/message r2 "two" stop
        iteration/end 1
        turn/end completed
        > changes i1 to "too late"
        ! NotFound: that message was already taken
    "#]],
    );
}

#[test]
fn reject_and_send_is_the_note_of_every_card() {
    let script = script()
        .model([writes("a", "1\n").writes("b", "2\n"), say("In src then.")])
        .acts([send("write"), reject_and_send("put them into src")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"a"} c2=write_file {"content":"2\n","path":"b"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        > rejects and sends "put them into src"
        approval/decided c1 rejected by user "put them into src"
        approval/decided c2 rejected by user "put them into src"
        tool/result c1 rejected (user) "It did not run: the user rejected it, with this note:\n```\nput them into src\n```\nFollow the note; don't send the same call again."
        tool/result c2 rejected (user) "It did not run: the user rejected it, with this note:\n```\nput them into src\n```\nFollow the note; don't send the same call again."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "In src then."
        assistant/message r2 "In src then." stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_message_while_a_card_waits_follows_the_turn_and_steering_follows_the_decision() {
    let script = script().model([writes("a", "1\n"), say("written, in French"), say("next")]).acts([
        send("write"),
        send("then this"),
        steer("in French"),
        approve(1),
    ]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        > sends "then this" (NextTurn)
        queue/edited i1 added next-turn "then this"
        > sends "in French" (NextStep)
        queue/edited i2 added next-step "in French"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        iteration/end 1
        queue/taken i2
        user/message next-step "in French"
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "written, in French"
        assistant/message r2 "written, in French" stop
        iteration/end 2
        turn/end completed
        queue/taken i1
        user/message next-turn "then this"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "next"
        assistant/message r3 "next" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn an_empty_message_is_none() {
    check(
        script().model([say("x")]).acts([send("  \n"), send("x")]),
        expect![[r#"
        > sends "  \n" (NextTurn)
        ! Invalid: the message is empty
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "x"
        assistant/message r1 "x" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_message_while_a_turn_stops_begins_the_next_one() {
    let script = script().file("a", "A\n").holds(&["before read_file a"]).model([reads("a"), say("two")]).acts([
        send("1"),
        at("before read_file a"),
        stop(),
        send("2"),
        open("before read_file a"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        > at "before read_file a"
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        > stops
        turn/stop
        > sends "2" (NextTurn)
        queue/edited i1 added next-turn "2"
        > open "before read_file a"
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        turn/end stopped
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "two"
        assistant/message r2 "two" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn the_inbox_outlives_a_restart_and_waits_for_a_person() {
    let script = script().model([gate("g"), say("2"), say("3"), say("4")]).acts([
        send("1"),
        at("g"),
        send("2"),
        send("3"),
        restart(),
        send("4"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        > at "g"
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "2" (NextTurn)
        queue/edited i1 added next-turn "2"
        > sends "3" (NextTurn)
        queue/edited i2 added next-turn "3"
        > restart
        assistant/discarded r1 disconnected ""
        iteration/end 1
        turn/end interrupted
        > sends "4" (NextTurn)
        queue/edited i3 added next-turn "4"
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "2"
        assistant/message r2 "2" stop
        iteration/end 1
        turn/end completed
        queue/taken i2
        user/message next-turn "3"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "3"
        assistant/message r3 "3" stop
        iteration/end 1
        turn/end completed
        queue/taken i3
        user/message next-turn "4"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "4"
        assistant/message r4 "4" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}
