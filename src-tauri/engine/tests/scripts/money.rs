//! What answers cost, and a turn whose money is used up: it pauses and asks, and Continue allows the same again.
//! Prices here are 1,000 dollars per million of input and 2,000 of output, so that the sums are read at a glance.

use assent_protocol::settings::Limits;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{Script, approve, check, check_on_both, go_on, say, script, send, set_limits, stop};
use expect_test::expect;

use crate::{reads, writes};

fn priced() -> Script {
    ["f1", "f2", "f3", "f4"].iter().fold(script(), |script, name| script.file(name, "x\n")).price(1000.0, 2000.0, 100.0)
}

/// A limit in millionths of a dollar.
fn limits(money_micros: u64) -> Limits {
    Limits { money_micros: Some(money_micros), ..Limits::default() }
}

#[test]
fn a_turn_that_used_up_its_money_pauses_and_goes_on_with_as_much_again() {
    let answers = [
        reads("f1").used(100, 100, 0),
        reads("f2").used(10, 5, 1_000),
        reads("f3").used(100, 100, 0),
        say("Done.").used(50, 0, 0),
    ];
    check_on_both(
        priced().limits(limits(400_000)).model(answers).acts([send("read on"), go_on()]),
        expect![[r#"
            > sends "read on" (NextTurn)
            user/message next-turn "read on"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=read_file {"path":"f1"} tool-calls
            usage/recorded r1 100 in, 100 out for 300000
            tool/call c1 low: run by tool
            tool/started c1 reads
            tool/result c1 ok "f1: lines 1 to 1 of 1\n1\tx\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/message r2 c2=read_file {"path":"f2"} tool-calls
            usage/recorded r2 10 in, 1000 cached, 5 out for 120000
            tool/call c2 low: run by tool
            tool/started c2 reads
            tool/result c2 ok "f2: lines 1 to 1 of 1\n1\tx\n"
            iteration/end 2
            turn/end blocked "spent $0.42 of the $0.40 that this turn may cost"
            > continues
            turn/start continue
            iteration/start 1 (1 since a person acted)
            request/sent r3
            assistant/message r3 c3=read_file {"path":"f3"} tool-calls
            usage/recorded r3 100 in, 100 out for 300000
            tool/call c3 low: run by tool
            tool/started c3 reads
            tool/result c3 ok "f3: lines 1 to 1 of 1\n1\tx\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r4
            assistant/chunk r4 text "Done."
            assistant/message r4 "Done." stop
            usage/recorded r4 50 in, 0 out for 50000
            iteration/end 2
            turn/end completed
        "#]],
    );
}

#[test]
fn of_an_answer_that_never_finished_the_input_is_known_and_the_cost_is_not() {
    let script = priced()
        .model([say("half").told(100, 1).breaks(FailureKind::Disconnected), say("and half").told(120, 1).gate("rest")])
        .acts([send("x"), go_on(), stop()]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "half"
        assistant/discarded r1 disconnected "half"
        usage/recorded r1 100 in, output unknown
        iteration/end 1
        turn/end error "the connection broke off"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "and half"
        > stops
        turn/stop
        assistant/message r2 "and half" unfinished partial
        usage/recorded r2 120 in, output unknown
        iteration/end 1
        turn/end stopped
    "#]],
    );
}

#[test]
fn a_decision_does_not_begin_the_count_anew() {
    let answers = [writes("g", "x").used(100, 0, 0)];
    check(
        priced().limits(limits(100_000)).model(answers).acts([send("write"), approve(1)]),
        expect![[r#"
            > sends "write" (NextTurn)
            user/message next-turn "write"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=write_file {"content":"x","path":"g"} tool-calls
            usage/recorded r1 100 in, 0 out for 100000
            tool/call c1 medium: ask
            approval/requested c1 medium "Create g: 1 line"
            > approves c1
            approval/decided c1 approved by user
            tool/started c1 attempt 1 create g
            tool/result c1 ok [g created] "Created g: 1 line."
            iteration/end 1
            turn/end blocked "spent $0.10 of the $0.10 that this turn may cost"
        "#]],
    );
}

#[test]
fn the_next_message_has_money_of_its_own_and_a_last_answer_is_never_cut() {
    let answers = [say("Dear.").used(900, 0, 0), say("Cheap.").used(1, 0, 0)];
    check(
        priced().limits(limits(1_000)).model(answers).acts([send("one"), send("two")]),
        expect![[r#"
        > sends "one" (NextTurn)
        user/message next-turn "one"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "Dear."
        assistant/message r1 "Dear." stop
        usage/recorded r1 900 in, 0 out for 900000
        iteration/end 1
        turn/end completed
        > sends "two" (NextTurn)
        user/message next-turn "two"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "Cheap."
        assistant/message r2 "Cheap." stop
        usage/recorded r2 1 in, 0 out for 1000
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn what_is_unknown_is_not_held_against_the_limit() {
    let answers = [
        reads("f1"),
        reads("f2").breaks(FailureKind::Disconnected),
        reads("f3").used(1, 0, 0),
        say("Done.").used(1, 0, 0),
    ];
    check(
        priced().limits(limits(1_000)).model(answers).acts([send("read on"), go_on(), go_on()]),
        expect![[r#"
            > sends "read on" (NextTurn)
            user/message next-turn "read on"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=read_file {"path":"f1"} tool-calls
            tool/call c1 low: run by tool
            tool/started c1 reads
            tool/result c1 ok "f1: lines 1 to 1 of 1\n1\tx\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/discarded r2 disconnected ""
            iteration/end 2
            turn/end error "the connection broke off"
            > continues
            turn/start continue
            iteration/start 1 (1 since a person acted)
            request/sent r3
            assistant/message r3 c2=read_file {"path":"f3"} tool-calls
            usage/recorded r3 1 in, 0 out for 1000
            tool/call c2 low: run by tool
            tool/started c2 reads
            tool/result c2 ok "f3: lines 1 to 1 of 1\n1\tx\n"
            iteration/end 1
            turn/end blocked "spent $0.0010 of the $0.0010 that this turn may cost"
            > continues
            turn/start continue
            iteration/start 1 (1 since a person acted)
            request/sent r4
            assistant/chunk r4 text "Done."
            assistant/message r4 "Done." stop
            usage/recorded r4 1 in, 0 out for 1000
            iteration/end 1
            turn/end completed
        "#]],
    );
}

#[test]
fn a_model_without_prices_costs_what_nobody_knows() {
    let answers = [reads("f1").used(1_000_000, 1_000_000, 0), say("Done.").used(5, 5, 0)];
    check(
        script().file("f1", "x\n").limits(limits(1)).model(answers).acts([send("read")]),
        expect![[r#"
        > sends "read" (NextTurn)
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"f1"} tool-calls
        usage/recorded r1
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "f1: lines 1 to 1 of 1\n1\tx\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "Done."
        assistant/message r2 "Done." stop
        usage/recorded r2
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_limit_holds_from_the_moment_it_is_set() {
    let answers = [writes("g", "x").used(300, 0, 0)];
    check(
        priced().model(answers).acts([send("write"), set_limits(limits(200_000)), approve(1)]),
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x","path":"g"} tool-calls
        usage/recorded r1 300 in, 0 out for 300000
        tool/call c1 medium: ask
        approval/requested c1 medium "Create g: 1 line"
        > sets the limits
        limits/set max 10 retries 3
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create g
        tool/result c1 ok [g created] "Created g: 1 line."
        iteration/end 1
        turn/end blocked "spent $0.30 of the $0.20 that this turn may cost"
    "#]],
    );
}
