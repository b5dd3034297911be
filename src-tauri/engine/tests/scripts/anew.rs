//! Cards that are drawn anew (2.7), calls that wait for another one's files, and words that come while the model answers.
//! What a decision is bound to is told in `approval`.

use assent_testkit::stage::{
    approve, approve_with, at, check, gate, on, open, revert, say, script, send, standing, stop, upgrade,
};
use expect_test::expect;

use crate::{More as _, runs, with_commands, writes};

#[test]
fn what_waits_over_an_update_of_the_program_is_another_call_and_runs_when_it_is_approved_again() {
    let script = script().model([writes("a", "x\n").writes("b", "y\n"), say("written")]).acts([
        send("go"),
        upgrade(),
        approve(1),
        approve(2),
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
            > restart as the next version
            tool/call c1 medium: ask
            approval/requested c1 medium "Create a: 1 line" again: changed
            tool/call c2 medium: ask
            approval/requested c2 medium "Create b: 1 line" again: changed
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
            assistant/chunk r2 text "written"
            assistant/message r2 "written" stop
            iteration/end 2
            turn/end completed
        "#]],
    );
}

#[test]
fn what_is_refused_at_the_last_moment_without_a_change_is_told_to_the_model_and_not_asked_again() {
    let script =
        script().refuses("write_file").model([writes("a", "x\n"), say("not written")]).acts([send("go"), approve(1)]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/result c1 rejected (refused) "It did not run: the script lets it be refused."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "not written"
        assistant/message r2 "not written" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_call_that_waits_for_the_files_of_another_one_hears_what_it_is_told() {
    let script = with_commands()
        .file("s.sh", "echo x >> out\n")
        .holds(&["before run_command sh s.sh"])
        .conversation("a", [runs("sh s.sh"), say("a ran")])
        .conversation("b", [runs("sh s.sh").writes("c", "x\n")])
        .acts([
            send("go"),
            approve(1),
            at("before run_command sh s.sh"),
            on("b", send("go")),
            on("b", approve(2)),
            on("b", standing()),
            on("b", stop()),
            open("before run_command sh s.sh"),
        ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"sh s.sh"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run sh s.sh"
        > approves c1
        > at "before run_command sh s.sh"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 command
        b > sends "go" (NextTurn)
        b user/message next-turn "go"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/message r2 c2=run_command {"command":"sh s.sh"} c3=write_file {"content":"x\n","path":"c"} tool-calls
        b tool/call c2 high: ask
        b approval/requested c2 high "Run sh s.sh"
        b tool/call c3 medium: ask
        b approval/requested c3 medium "Create c: 1 line"
        b > approves c2
        b approval/decided c2 approved by user
        = runs run_command
        b > stops
        b turn/stop
        b tool/result c2 stopped (stop) "It did not run: the user stopped the turn."
        b tool/result c3 stopped (stop) "It did not run: the user stopped the turn."
        b iteration/end 1
        b turn/end stopped
        > open "before run_command sh s.sh"
        tool/result c1 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "a ran"
        assistant/message r3 "a ran" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_call_that_waited_for_the_files_of_another_one_runs_after_it() {
    let script = with_commands()
        .file("s.sh", "echo x >> out\n")
        .holds(&["before run_command sh s.sh"])
        .conversation("a", [runs("sh s.sh"), say("a ran")])
        .conversation("b", [runs("sh s.sh"), say("b ran")])
        .acts([
            send("go"),
            approve(1),
            at("before run_command sh s.sh"),
            on("b", send("go")),
            on("b", approve(2)),
            open("before run_command sh s.sh"),
        ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"sh s.sh"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run sh s.sh"
        > approves c1
        > at "before run_command sh s.sh"
        approval/decided c1 approved by user
        tool/started c1 attempt 1 command
        b > sends "go" (NextTurn)
        b user/message next-turn "go"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/message r2 c2=run_command {"command":"sh s.sh"} tool-calls
        b tool/call c2 high: ask
        b approval/requested c2 high "Run sh s.sh"
        b > approves c2
        b approval/decided c2 approved by user
        > open "before run_command sh s.sh"
        tool/result c1 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "a ran"
        assistant/message r3 "a ran" stop
        iteration/end 2
        turn/end completed
        b tool/started c2 attempt 1 command
        b tool/result c2 ok exit 0 "(no output)\n[exit code 0]"
        b iteration/end 1
        b iteration/start 2 (1 since a person acted)
        b request/sent r4
        b assistant/chunk r4 text "b ran"
        b assistant/message r4 "b ran" stop
        b iteration/end 2
        b turn/end completed
    "#]],
    );
}

#[test]
fn words_that_come_while_the_model_answers_stand_behind_its_answer() {
    let script = script().model([writes("a", "x\n"), say("written"), gate("g").say("again"), say("third")]).acts([
        send("write"),
        approve(1),
        send("again"),
        at("g"),
        revert(1),
        open("g"),
        send("third"),
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
            > sends "again" (NextTurn)
            > at "g"
            user/message next-turn "again"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r3
            > takes c1 back
            effect/reverted c1 [a gone]
            > open "g"
            assistant/chunk r3 text "again"
            assistant/message r3 "again" stop
            iteration/end 1
            turn/end completed
            > sends "third" (NextTurn)
            user/message next-turn "third"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r4
            assistant/chunk r4 text "third"
            assistant/message r4 "third" stop
            iteration/end 1
            turn/end completed
        "#]],
    );
}

#[test]
fn a_word_with_an_approval_reaches_the_model_behind_the_result() {
    let script =
        script().model([writes("a", "x\n"), say("I will")]).acts([send("write"), approve_with(1, "tabs next time")]);
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
            > approves c1 "tabs next time"
            approval/decided c1 approved by user "tabs next time"
            tool/started c1 attempt 1 create a
            tool/result c1 ok [a created] "Created a: 1 line." + "[The user approved this call with a note:]\n```\ntabs next time\n```"
            iteration/end 1
            iteration/start 2 (1 since a person acted)
            request/sent r2
            assistant/chunk r2 text "I will"
            assistant/message r2 "I will" stop
            iteration/end 2
            turn/end completed
        "#]],
    );
}
