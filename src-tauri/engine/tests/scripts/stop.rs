//! Stop in every phase (2.3): what arrived is kept, what runs ends, what is pending is closed, and every call has a result.
//! That no process outlives it is tested in `tools`.

use assent_protocol::view::FailureKind;
use assent_testkit::stage::{
    approve, at, check, delete, gate, inbox, on, open, refused, say, script, send, standing, steer, stop, until_output,
};
use expect_test::expect;

use crate::{More as _, reads, runs, with_commands, writes};

#[test]
fn before_the_first_token() {
    let script = script().model([gate("g")]).acts([send("1"), at("g"), standing(), stop(), stop()]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        > at "g"
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        = waits for the first token
        > stops
        turn/stop
        request/failed r1 attempt 1 stopped "stopped before any text came"
        iteration/end 1
        turn/end stopped
        > stops
    "#]],
    );
}

#[test]
fn in_the_middle_of_the_text_which_is_kept() {
    let script = script().model([say("One, two, ").gate("g").say("three."), say("You stopped me at two.")]).acts([
        send("count"),
        at("g"),
        standing(),
        stop(),
        send("how far?"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "count" (NextTurn)
        > at "g"
        user/message next-turn "count"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One, two, "
        = writing
        > stops
        turn/stop
        assistant/message r1 "One, two, " unfinished partial
        iteration/end 1
        turn/end stopped
        > sends "how far?" (NextTurn)
        user/message next-turn "how far?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "You stopped me at two."
        assistant/message r2 "You stopped me at two." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn in_the_middle_of_a_call_that_is_being_written() {
    let script = script().model([say("I read. ").reads("a").gate("g"), say("stopped")]).acts([
        send("read"),
        at("g"),
        stop(),
        send("and?"),
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
        assistant/chunk r1 text "I read. "
        > stops
        turn/stop
        assistant/message r1 "I read. " unfinished partial
        iteration/end 1
        turn/end stopped
        > sends "and?" (NextTurn)
        user/message next-turn "and?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "stopped"
        assistant/message r2 "stopped" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn while_reads_run() {
    let script = script()
        .file("a", "A\n")
        .file("b", "B\n")
        .holds(&["before read_file a"])
        .model([reads("a").reads("b").writes("c", "x\n")])
        .acts([send("go"), at("before read_file a"), standing(), stop(), open("before read_file a")]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        > at "before read_file a"
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=read_file {"path":"b"} c3=write_file {"content":"x\n","path":"c"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/started c1 reads
        tool/started c2 reads
        tool/result c2 ok "b: lines 1 to 1 of 1\n1\tB\n"
        = runs read_file
        > stops
        turn/stop
        > open "before read_file a"
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        tool/result c3 stopped (stop) "It did not run: the user stopped the turn."
        iteration/end 1
        turn/end stopped
    "#]],
    );
}

#[test]
fn while_a_command_runs_with_more_behind_it() {
    let script = with_commands().model([runs("echo started; sleep 600").writes("b", "x\n")]).acts([
        send("go"),
        approve(2),
        approve(1),
        until_output("started"),
        stop(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"echo started; sleep 600"} c2=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run echo started; sleep 600"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        > approves c2
        approval/decided c2 approved by user
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 command
        > stops
        turn/stop
        tool/result c1 stopped (stop) "started\n[stopped by the user]"
        tool/result c2 stopped (stop) "It did not run: the user stopped the turn."
        iteration/end 1
        turn/end stopped
    "#]],
    );
}

#[test]
fn while_a_change_runs_it_ends_with_what_it_did() {
    let script = script().holds(&["after write_file a"]).model([writes("a", "x\n").writes("b", "y\n")]).acts([
        send("go"),
        approve(1),
        at("after write_file a"),
        approve(2),
        stop(),
        open("after write_file a"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"a"} c2=write_file {"content":"y\n","path":"b"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        > approves c1
        > at "after write_file a"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        > approves c2
        approval/decided c2 approved by user
        > stops
        turn/stop
        > open "after write_file a"
        tool/result c1 ok [a created] "Created a: 1 line."
        tool/result c2 stopped (stop) "It did not run: the user stopped the turn."
        iteration/end 1
        turn/end stopped
    "#]],
    );
}

#[test]
fn while_it_backs_off() {
    let script = script().paused().model([refused(FailureKind::RateLimited, "slow down")]).acts([
        send("go"),
        standing(),
        stop(),
        standing(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 rate-limited "too many requests (HTTP 429): slow down", again in about 1 s
        = backs off before attempt 2 of 4
        > stops
        turn/stop
        iteration/end 1
        turn/end stopped
        = idle
    "#]],
    );
}

#[test]
fn while_it_waits_for_a_slot() {
    let script = script().slots(1, 1).conversation("a", [gate("g").say("a")]).conversation("b", []).acts([
        send("1"),
        at("g"),
        on("b", send("2")),
        on("b", standing()),
        on("b", stop()),
        on("b", standing()),
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
        b > sends "2" (NextTurn)
        b user/message next-turn "2"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        = waits for a slot, 0 ahead
        b > stops
        b turn/stop
        b iteration/end 1
        b turn/end stopped
        = idle
        > open "g"
        assistant/chunk r1 text "a"
        assistant/message r1 "a" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn when_nothing_runs() {
    check(
        script().model([say("x")]).acts([stop(), send("x"), stop()]),
        expect![[r#"
        > stops
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "x"
        assistant/message r1 "x" stop
        iteration/end 1
        turn/end completed
        > stops
    "#]],
    );
}

#[test]
fn what_was_steered_and_not_taken_follows_the_stop() {
    let script = script().model([say("One ").gate("g"), say("in French")]).acts([
        send("count"),
        at("g"),
        steer("in French"),
        stop(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "count" (NextTurn)
        > at "g"
        user/message next-turn "count"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One "
        > sends "in French" (NextStep)
        queue/edited i1 added next-step "in French"
        > stops
        turn/stop
        assistant/message r1 "One " unfinished partial
        iteration/end 1
        turn/end stopped
        queue/taken i1
        user/message next-step "in French"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "in French"
        assistant/message r2 "in French" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_conversation_that_is_deleted_is_stopped_first() {
    let script = script().model([writes("a", "x\n")]).acts([send("write"), delete(), inbox()]);
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
        > deletes the conversation
        turn/stop
        tool/result c1 stopped (stop) "It did not run: the user stopped the turn."
        iteration/end 1
        turn/end stopped
        = inbox
    "#]],
    );
}
