//! The line of what waits (2.3): put into another order, made to steer or to follow, until it is taken.
//! What an item is and when it is taken is told in `inbox`.

use assent_protocol::event::Delivery;
use assent_testkit::stage::{
    approve, at, check, check_on_both, compact, delete, edit, gate, go_on, inject, on, open, put, redeliver, restart,
    say, script, send, steer, stop, together, withdraw,
};
use expect_test::expect;

use crate::{More as _, writes};

#[test]
fn what_waits_is_taken_in_the_order_that_a_person_gave_it() {
    let script = script().model([gate("g").say("one"), say("four"), say("three"), say("two")]).acts([
        send("1"),
        at("g"),
        send("2"),
        send("3"),
        send("4"),
        put(3, Some(1)),
        put(1, None),
        put(2, Some(2)),
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
        > sends "4" (NextTurn)
        queue/edited i3 added next-turn "4"
        > moves i3 before i1
        queue/edited i3 moved before i1
        > moves i1 to the end
        queue/edited i1 moved to the end
        > moves i2 before i2
        > open "g"
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        queue/taken i3
        user/message next-turn "4"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "four"
        assistant/message r2 "four" stop
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
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "two"
        assistant/message r4 "two" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_follow_up_is_made_to_steer_the_running_turn_and_a_steer_to_follow_it() {
    let script = script().file("a", "A\n").model([gate("g").reads("a"), say("in French: A"), say("next")]).acts([
        send("read"),
        at("g"),
        send("in French"),
        steer("then the rest"),
        redeliver(1, Delivery::NextStep),
        redeliver(2, Delivery::NextTurn),
        redeliver(2, Delivery::NextTurn),
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
        > sends "in French" (NextTurn)
        queue/edited i1 added next-turn "in French"
        > sends "then the rest" (NextStep)
        queue/edited i2 added next-step "then the rest"
        > makes i1 NextStep
        queue/edited i1 becomes next-step
        > makes i2 NextTurn
        queue/edited i2 becomes next-turn
        > makes i2 NextTurn
        > open "g"
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        queue/taken i1
        user/message next-step "in French"
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "in French: A"
        assistant/message r2 "in French: A" stop
        iteration/end 2
        turn/end completed
        queue/taken i2
        user/message next-turn "then the rest"
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
fn steers_go_into_the_running_turn_in_their_new_order_with_what_was_injected_between() {
    let script = script().file("a", "A\n").model([gate("g").reads("a"), say("done"), say("followed")]).acts([
        send("read"),
        at("g"),
        send("follow"),
        steer("second"),
        inject("it rains"),
        steer("first"),
        put(4, Some(1)),
        put(3, Some(2)),
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
        > sends "follow" (NextTurn)
        queue/edited i1 added next-turn "follow"
        > sends "second" (NextStep)
        queue/edited i2 added next-step "second"
        > sends "it rains" (Inject)
        queue/edited i3 added inject "it rains"
        > sends "first" (NextStep)
        queue/edited i4 added next-step "first"
        > moves i4 before i1
        queue/edited i4 moved before i1
        > moves i3 before i2
        queue/edited i3 moved before i2
        > open "g"
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        queue/taken i4
        user/message next-step "first"
        queue/taken i3
        user/message inject "it rains"
        queue/taken i2
        user/message next-step "second"
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "done"
        assistant/message r2 "done" stop
        iteration/end 2
        turn/end completed
        queue/taken i1
        user/message next-turn "follow"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "followed"
        assistant/message r3 "followed" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn context_keeps_its_place_when_a_message_is_put_before_it() {
    let script = script().model([gate("g").say("one"), say("three"), say("two")]).acts([
        send("1"),
        at("g"),
        send("2"),
        inject("it rains"),
        send("3"),
        put(3, Some(1)),
        redeliver(2, Delivery::NextStep),
        redeliver(1, Delivery::Inject),
        open("g"),
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
        > sends "it rains" (Inject)
        queue/edited i2 added inject "it rains"
        > sends "3" (NextTurn)
        queue/edited i3 added next-turn "3"
        > moves i3 before i1
        queue/edited i3 moved before i1
        > makes i2 NextStep
        ! Invalid: context that wakes nothing stays that, and nothing becomes it
        > makes i1 Inject
        ! Invalid: context that wakes nothing stays that, and nothing becomes it
        > open "g"
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        queue/taken i3
        user/message next-turn "3"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "three"
        assistant/message r2 "three" stop
        iteration/end 1
        turn/end completed
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "two"
        assistant/message r3 "two" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn whoever_comes_too_late_for_an_item_is_told() {
    let script = script().model([gate("g").say("one"), gate("h").say("two"), say("three")]).acts([
        send("1"),
        at("g"),
        send("2"),
        send("3"),
        open("g"),
        at("h"),
        put(1, None),
        put(2, Some(1)),
        redeliver(1, Delivery::NextStep),
        edit(1, "late"),
        withdraw(1),
        edit(2, "  "),
        open("h"),
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
        > open "g"
        > at "h"
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        > moves i1 to the end
        ! NotFound: that message was already taken
        > moves i2 before i1
        ! NotFound: that message was already taken
        > makes i1 NextStep
        ! NotFound: that message was already taken
        > changes i1 to "late"
        ! NotFound: that message was already taken
        > withdraws i1
        ! NotFound: that message was already taken
        > changes i2 to "  "
        ! Invalid: the message is empty
        > open "h"
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
fn a_change_at_the_moment_of_taking_is_made_before_it_or_not_at_all() {
    let script = script().model([gate("g").say("one"), say("three"), say("two")]).acts([
        send("1"),
        at("g"),
        send("2"),
        send("3"),
        together([stop(), put(2, Some(1)), edit(2, "three")]),
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
        > together: stops; moves i2 before i1; changes i2 to "three"
        = done
        = done
        = done
        turn/stop
        request/failed r1 attempt 1 stopped "stopped before any text came"
        iteration/end 1
        turn/end stopped
        queue/edited i2 moved before i1
        queue/edited i2 changed "three"
        queue/taken i2
        user/message next-turn "three"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "three"
        assistant/message r2 "three" stop
        iteration/end 1
        turn/end completed
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "two"
        assistant/message r3 "two" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn the_order_outlives_a_kill_and_what_was_taken_is_not_taken_again() {
    let script =
        script().model([gate("g").say("one"), say("one"), gate("h").say("three"), say("three"), say("two")]).acts([
            send("1"),
            at("g"),
            send("2"),
            send("3"),
            put(2, Some(1)),
            restart(),
            go_on(),
            at("h"),
            restart(),
            go_on(),
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
        > moves i2 before i1
        queue/edited i2 moved before i1
        > restart
        assistant/discarded r1 disconnected ""
        iteration/end 1
        turn/end interrupted
        > continues
        > at "h"
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "one"
        assistant/message r2 "one" stop
        iteration/end 1
        turn/end completed
        queue/taken i2
        user/message next-turn "3"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        > restart
        assistant/discarded r3 disconnected ""
        iteration/end 1
        turn/end interrupted
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "three"
        assistant/message r4 "three" stop
        iteration/end 1
        turn/end completed
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "two"
        assistant/message r5 "two" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_steer_while_a_card_waits_is_made_a_follow_up_before_the_decision() {
    let script = script().model([writes("a", "1\n"), say("written"), say("in French")]).acts([
        send("write"),
        steer("in French"),
        redeliver(1, Delivery::NextTurn),
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
        > sends "in French" (NextStep)
        queue/edited i1 added next-step "in French"
        > makes i1 NextTurn
        queue/edited i1 becomes next-turn
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "written"
        assistant/message r2 "written" stop
        iteration/end 2
        turn/end completed
        queue/taken i1
        user/message next-turn "in French"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "in French"
        assistant/message r3 "in French" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn what_waits_in_a_deleted_conversation_is_not_taken() {
    // The other one's turn gives it the time that it would need.
    let script = script().without_folder().model([gate("g").say("one")]).conversation("b", [say("B")]);
    let acts = [send("first"), at("g"), send("second"), delete(), on("b", send("go on"))];
    check(
        script.acts(acts),
        expect![[r#"
        > sends "first" (NextTurn)
        > at "g"
        user/message next-turn "first"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "second" (NextTurn)
        queue/edited i1 added next-turn "second"
        > deletes the conversation
        turn/stop
        request/failed r1 attempt 1 stopped "stopped before any text came"
        iteration/end 1
        turn/end stopped
        b > sends "go on" (NextTurn)
        b user/message next-turn "go on"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/chunk r2 text "B"
        b assistant/message r2 "B" stop
        b iteration/end 1
        b turn/end completed
    "#]],
    );
}

#[test]
fn a_window_that_has_not_heard_of_a_deletion_begins_nothing() {
    let script = script().model([say("one")]).acts([send("first"), delete(), send("second"), go_on(), compact()]);
    check(
        script,
        expect![[r#"
        > sends "first" (NextTurn)
        user/message next-turn "first"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        > deletes the conversation
        > sends "second" (NextTurn)
        ! NotFound: the conversation is deleted: restore it first
        > continues
        ! NotFound: the conversation is deleted: restore it first
        > wants a summary
        ! NotFound: the conversation is deleted: restore it first
    "#]],
    );
}
