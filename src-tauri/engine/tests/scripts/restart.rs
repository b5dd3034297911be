//! Start-up after a kill (2.6), one row of the table after the other: nothing runs by itself, nothing is lost, nothing twice.
//! The kill leaves the log as it stands at a gate; kills at random moments of a real process are tested elsewhere.

use assent_testkit::stage::{
    approve, approve_card, approve_wide, at, check, check_again, gate, go_on, inbox, keep, on, open, reject,
    remove_outside, resolve, restart, say, script, send, standing, stop, write_outside,
};
use expect_test::expect;

use crate::{More as _, reads, runs, with_commands, writes};

#[test]
fn a_stream_was_open() {
    let script = script().model([say("One, two, ").gate("g"), say("One, two, three.")]).acts([
        send("count"),
        at("g"),
        standing(),
        restart(),
        standing(),
        keep(),
        go_on(),
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
        > restart
        assistant/discarded r1 disconnected "One, two, "
        iteration/end 1
        turn/end interrupted
        = idle
        > keeps the text
        assistant/message r1 "One, two, " unfinished partial
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "One, two, three."
        assistant/message r2 "One, two, three." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p57_a_stream_was_open_and_the_user_writes_go_on() {
    let script = script().model([say("One, two, ").gate("g"), say("One, two, three.")]).acts([
        send("count"),
        at("g"),
        standing(),
        restart(),
        send("go on"),
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
        > restart
        assistant/discarded r1 disconnected "One, two, "
        iteration/end 1
        turn/end interrupted
        > sends "go on" (NextTurn)
        user/message next-turn "go on"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "One, two, three."
        assistant/message r2 "One, two, three." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn nothing_had_come() {
    let script = script().model([gate("g"), say("here")]).acts([send("x"), at("g"), restart(), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        > at "g"
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > restart
        assistant/discarded r1 disconnected ""
        iteration/end 1
        turn/end interrupted
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "here"
        assistant/message r2 "here" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_call_was_proposed_and_not_judged() {
    let script = script()
        .holds(&["assessing write_file a"])
        .model([writes("a", "x\n").reads("b"), say("written")])
        .acts([send("write"), at("assessing write_file a"), restart(), inbox(), approve(1)]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        > at "assessing write_file a"
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"a"} c2=read_file {"path":"b"} tool-calls
        > restart
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        tool/call c2 no tier: after c1
        = inbox write_file "Create a: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        tool/call c2 no tier: refuse by tool "b does not exist" (refused)
        tool/result c2 error (refused) "b does not exist"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "written"
        assistant/message r2 "written" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_call_that_a_rule_cleared_had_not_been_claimed() {
    let script = script()
        .holds(&["prepared write_file b"])
        .model([writes("a", "x\n"), writes("b", "y\n"), say("not b")])
        .acts([send("write"), approve_wide(1, 2), at("prepared write_file b"), restart(), inbox(), go_on()]);
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
        > approves c1 with offer 2
        > at "prepared write_file b"
        approval/decided c1 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"**"}}
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"y\n","path":"b"} tool-calls
        tool/call c2 medium: run by rule {"tool":"write_file","matcher":{"by":"path","glob":"**"}}, shows "--- /dev/null\n+++ b/b\n@@ -0,0 +1,1 @@\n+y\n"
        > restart
        tool/result c2 error (interrupted) "It did not run: the program was interrupted before it could. Nothing was changed by this call; call it again if it is still wanted."
        iteration/end 2
        turn/end interrupted
        = inbox
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "not b"
        assistant/message r3 "not b" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p55_a_card_was_pending() {
    let script = script().model([writes("a", "x\n"), say("written")]).acts([
        send("write"),
        restart(),
        inbox(),
        standing(),
        approve_card(1, 1),
    ]);
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
        > restart
        = inbox write_file "Create a: 1 line"
        = waits for a person, 1 pending
        > approves c1 by card 1
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
    "#]],
    );
}

#[test]
fn a_card_was_pending_and_the_file_changed_meanwhile() {
    let script = script().model([writes("a", "x\n"), say("then not")]).acts([
        send("write"),
        write_outside("a", "mine\n"),
        restart(),
        inbox(),
        go_on(),
    ]);
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
        > another program writes a
        > restart
        tool/result c1 rejected (refused) "It did not run: a exists and was not read in this conversation; its present cont…55 more…ade1ed6e65189824f95c3cda. Read it first."
        iteration/end 1
        turn/end interrupted
        = inbox
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "then not"
        assistant/message r2 "then not" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_card_was_pending_and_is_drawn_on_another_file() {
    let script = script().file("a", "one\n").model([reads("a"), writes("a", "two\n"), say("written")]).acts([
        send("write"),
        remove_outside("a"),
        restart(),
        inbox(),
        approve_card(2, 1),
        approve_card(2, 2),
    ]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tone\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"two\n","path":"a"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Overwrite a: +1 -1 lines"
        > another program removes a
        > restart
        approval/requested c2 medium "Create a: 1 line" again: changed
        = inbox write_file "Create a: 1 line"
        > approves c2 by card 1
        ! CardChanged: the card was redrawn: what would run now is not what was decided on
        > approves c2 by card 2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create a
        tool/result c2 ok [a created] "Created a: 1 line."
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "written"
        assistant/message r3 "written" stop
        iteration/end 3
        turn/end completed
    "#]],
    );
}

#[test]
fn it_was_approved_and_not_claimed() {
    let script = script().holds(&["prepared write_file a"]).model([writes("a", "x\n"), say("written")]).acts([
        send("write"),
        approve(1),
        at("prepared write_file a"),
        restart(),
        inbox(),
        open("prepared write_file a"),
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
        assistant/message r1 c1=write_file {"content":"x\n","path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        > approves c1
        > at "prepared write_file a"
        approval/decided c1 approved by user
        > restart
        approval/requested c1 medium "Create a: 1 line" again: approved-before-restart
        = inbox write_file "Create a: 1 line"
        > open "prepared write_file a"
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
    "#]],
    );
}

#[test]
fn of_three_one_was_approved_and_waited() {
    let script = script()
        .model([writes("a", "1\n").writes("b", "2\n").writes("c", "3\n"), say("two of three")])
        .acts([send("write"), approve(2), reject(3), restart(), inbox(), approve(1), approve(2)]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"a"} c2=write_file {"content":"2\n","path":"b"} c3=write_file {"content":"3\n","path":"c"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        tool/call c3 medium: ask
        approval/requested c3 medium "Create c: 1 line"
        > approves c2
        approval/decided c2 approved by user
        > rejects c3
        approval/decided c3 rejected by user
        tool/result c3 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        > restart
        approval/requested c2 medium "Create b: 1 line" again: approved-before-restart
        = inbox write_file "Create a: 1 line" write_file "Create b: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create b
        tool/result c2 ok [b created] "Created b: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "two of three"
        assistant/message r2 "two of three" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_read_was_running() {
    let script = script()
        .file("a", "A\n")
        .file("b", "B\n")
        .holds(&["before read_file a"])
        .model([reads("a").reads("b"), reads("b"), say("B")])
        .acts([send("read"), at("before read_file a"), restart(), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        > at "before read_file a"
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=read_file {"path":"b"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/started c1 reads
        tool/started c2 reads
        tool/result c2 ok "b: lines 1 to 1 of 1\n1\tB\n"
        > restart
        tool/result c1 error (interrupted) "It was interrupted, and its result is lost. Nothing was changed; call it again if it is still wanted."
        iteration/end 1
        turn/end interrupted
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/message r2 c3=read_file {"path":"b"} tool-calls
        tool/call c3 low: run by tool
        tool/started c3 reads
        tool/result c3 ok "b: lines 1 to 1 of 1\n1\tB\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r3
        assistant/chunk r3 text "B"
        assistant/message r3 "B" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn p56_a_write_was_claimed_and_had_not_begun() {
    let script = script().holds(&["before write_file a"]).model([writes("a", "x\n"), say("not written")]).acts([
        send("write"),
        approve(1),
        at("before write_file a"),
        restart(),
        go_on(),
    ]);
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
        > approves c1
        > at "before write_file a"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        > restart
        tool/result c1 error (interrupted) recovered "It did not run: the program was interrupted, and the files show that nothing changed. Call it again if it is still wanted."
        iteration/end 1
        turn/end interrupted
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "not written"
        assistant/message r2 "not written" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p56_a_write_was_done_and_its_result_was_not_written() {
    let script = script().holds(&["after write_file a"]).model([writes("a", "x\n"), say("written")]).acts([
        send("write"),
        approve(1),
        at("after write_file a"),
        restart(),
        go_on(),
    ]);
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
        > approves c1
        > at "after write_file a"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        > restart
        tool/result c1 ok (interrupted) recovered [a created] "It ran: the program was interrupted before the result was written, and the files show that the effect is there."
        iteration/end 1
        turn/end interrupted
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "written"
        assistant/message r2 "written" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p56_a_write_was_claimed_and_somebody_else_wrote() {
    let script = script().holds(&["before write_file a"]).model([writes("a", "x\n"), say("I look.")]).acts([
        send("write"),
        approve(1),
        at("before write_file a"),
        write_outside("a", "mine\n"),
        restart(),
        check_again(1),
        resolve(1, false),
        resolve(1, true),
        go_on(),
    ]);
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
        > approves c1
        > at "before write_file a"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        > another program writes a
        > restart
        tool/result c1 unknown (interrupted) "Unknown outcome: the program was interrupted while it ran, so it may or may not have had its effect. Look at the present state before you repeat it."
        iteration/end 1
        turn/end interrupted
        > has c1 checked again
        = false
        > marks c1 as not done
        tool/resolved c1 not-done
        > marks c1 as done
        ! NotPending: the outcome of that call is not unknown
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "I look."
        assistant/message r2 "I look." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p56_a_command_was_running_and_nobody_can_tell() {
    let script = with_commands()
        .holds(&["before run_command touch MARK"])
        .model([runs("touch MARK"), say("I look first.")])
        .acts([
            send("run"),
            approve(1),
            at("before run_command touch MARK"),
            restart(),
            check_again(1),
            resolve(1, true),
            send("so?"),
        ]);
    check(
        script,
        expect![[r#"
        > sends "run" (NextTurn)
        user/message next-turn "run"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"touch MARK"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run touch MARK"
        > approves c1
        > at "before run_command touch MARK"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 command
        > restart
        tool/result c1 unknown (interrupted) "Unknown outcome: the program was interrupted while it ran, so it may or may not have had its effect. Look at the present state before you repeat it."
        iteration/end 1
        turn/end interrupted
        > has c1 checked again
        = false
        > marks c1 as done
        tool/resolved c1 done
        > sends "so?" (NextTurn)
        user/message next-turn "so?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "I look first."
        assistant/message r2 "I look first." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn an_unknown_outcome_can_be_settled_by_looking_again() {
    let script = script().holds(&["before write_file a"]).model([writes("a", "x\n"), say("It is there.")]).acts([
        send("write"),
        approve(1),
        at("before write_file a"),
        write_outside("a", "mine\n"),
        restart(),
        write_outside("a", "x\n"),
        check_again(1),
        go_on(),
    ]);
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
        > approves c1
        > at "before write_file a"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        > another program writes a
        > restart
        tool/result c1 unknown (interrupted) "Unknown outcome: the program was interrupted while it ran, so it may or may not have had its effect. Look at the present state before you repeat it."
        iteration/end 1
        turn/end interrupted
        > another program writes a
        > has c1 checked again
        = true
        tool/resolved c1 done
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "It is there."
        assistant/message r2 "It is there." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn what_waited_behind_an_interrupted_change_is_asked_for_again() {
    let script = script()
        .holds(&["before write_file a"])
        .model([writes("a", "x\n").writes("b", "y\n"), say("b alone")])
        .acts([send("write"), approve(2), approve(1), at("before write_file a"), restart(), inbox(), approve(2)]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"a"} c2=write_file {"content":"y\n","path":"b"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        > approves c2
        approval/decided c2 approved by user
        > approves c1
        > at "before write_file a"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        > restart
        tool/result c1 error (interrupted) recovered "It did not run: the program was interrupted, and the files show that nothing changed. Call it again if it is still wanted."
        approval/requested c2 medium "Create b: 1 line" again: approved-before-restart
        = inbox write_file "Create b: 1 line"
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create b
        tool/result c2 ok [b created] "Created b: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "b alone"
        assistant/message r2 "b alone" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn all_was_done_and_the_model_not_told() {
    let script = script()
        .slots(1, 1)
        .file("a", "A\n")
        .conversation("b", [gate("g")])
        .conversation("a", [reads("a"), say("A")])
        .holds(&["before read_file a"])
        .acts([
            send("read"),
            at("before read_file a"),
            on("b", send("busy")),
            at("g"),
            open("before read_file a"),
            standing(),
            restart(),
            go_on(),
        ]);
    check(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        > at "before read_file a"
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        b > sends "busy" (NextTurn)
        > at "g"
        b user/message next-turn "busy"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        > open "before read_file a"
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        = waits for a slot, 0 ahead
        > restart
        b assistant/discarded r2 disconnected ""
        b iteration/end 1
        b turn/end interrupted
        iteration/end 2
        turn/end interrupted
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "A"
        assistant/message r3 "A" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn it_was_being_stopped() {
    let script = script()
        .file("a", "A\n")
        .holds(&["before read_file a"])
        .model([reads("a").writes("b", "x\n"), say("stopped")])
        .acts([send("read"), at("before read_file a"), stop(), restart(), send("and?")]);
    check(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        > at "before read_file a"
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        > stops
        turn/stop
        > restart
        tool/result c1 error (interrupted) "It was interrupted, and its result is lost. Nothing was changed; call it again if it is still wanted."
        tool/result c2 stopped (stop) "It did not run: the user stopped the turn."
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
fn nothing_was_under_way() {
    let script = script().model([say("one"), say("two")]).acts([send("1"), restart(), restart(), send("2")]);
    check(
        script,
        expect![[r#"
        > sends "1" (NextTurn)
        user/message next-turn "1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        > restart
        > restart
        > sends "2" (NextTurn)
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
