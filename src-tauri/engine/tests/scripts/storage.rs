//! A log that can't be written (2.6): nothing is called done or not run without evidence, and a stop ends what runs.
//! How the store reports its failures is tested there.

use std::path::Path;

use assent_testkit::stage::{approve, check, in_home, restart, say, script, send, standing, stop, until_output};
use expect_test::expect;

use crate::{runs, with_commands, writes};

/// What another program does to the log.
fn tamper(home: &Path, sql: &str) {
    let done = rusqlite::Connection::open(home.join("assent.db")).and_then(|log| log.execute_batch(sql));
    assert_eq!(done, Ok(()));
}

fn refuse(home: &Path, kind: &str) {
    let refuse = "BEGIN SELECT RAISE(ABORT, 'no room'); END";
    tamper(home, &format!("CREATE TRIGGER broken BEFORE INSERT ON events WHEN NEW.kind = '{kind}' {refuse}"));
}

fn refuse_results(home: &Path) {
    refuse(home, "tool/result");
}

fn refuse_stops(home: &Path) {
    refuse(home, "turn/stop");
}

fn mend(home: &Path) {
    tamper(home, "DROP TRIGGER broken");
}

#[test]
fn the_result_of_a_change_is_kept_until_it_can_be_written() {
    let script = script().model([writes("a", "x\n")]).acts([
        send("go"),
        in_home("no result can be written", refuse_results),
        approve(1),
        standing(),
        stop(),
        in_home("they can again", mend),
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
            assistant/message r1 c1=write_file {"content":"x\n","path":"a"} tool-calls
            tool/call c1 medium: ask
            approval/requested c1 medium "Create a: 1 line"
            > no result can be written
            > approves c1
            approval/decided c1 approved by user
            tool/started c1 attempt 1 create a
            = idle
            > stops
            turn/stop
            > they can again
            > stops
            tool/result c1 ok [a created] "Created a: 1 line."
            iteration/end 1
            turn/end stopped
        "#]],
    );
}

#[test]
fn after_a_restart_the_files_say_what_could_not_be_written() {
    let script = script().model([writes("a", "x\n")]).acts([
        send("go"),
        in_home("no result can be written", refuse_results),
        approve(1),
        in_home("they can again", mend),
        restart(),
    ]);
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
        > no result can be written
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        > they can again
        > restart
        tool/result c1 ok (interrupted) recovered [a created] "It ran: the program was interrupted before the result was written, and the files show that the effect is there."
        iteration/end 1
        turn/end interrupted
    "#]],
    );
}

#[test]
fn the_result_of_a_command_is_kept_too_and_the_turn_goes_on_with_a_message() {
    let script = with_commands().model([runs("echo ran >> out; echo said"), say("it ran"), say("yes")]).acts([
        send("go"),
        in_home("no result can be written", refuse_results),
        approve(1),
        in_home("they can again", mend),
        send("did it run?"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"echo ran >> out; echo said"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run echo ran >> out; echo said"
        > no result can be written
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 command
        > they can again
        > sends "did it run?" (NextTurn)
        queue/edited i1 added next-turn "did it run?"
        tool/result c1 ok exit 0 "said\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "it ran"
        assistant/message r2 "it ran" stop
        iteration/end 2
        turn/end completed
        queue/taken i1
        user/message next-turn "did it run?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "yes"
        assistant/message r3 "yes" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_stop_that_cannot_be_written_ends_what_runs_all_the_same() {
    let script = with_commands().model([runs("echo started; sleep 600"), say("it was stopped")]).acts([
        send("go"),
        in_home("no stop can be written", refuse_stops),
        approve(1),
        until_output("started"),
        stop(),
        in_home("they can again", mend),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"echo started; sleep 600"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run echo started; sleep 600"
        > no stop can be written
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 command
        > stops
        ! Storage: the database refused: no room
        tool/result c1 stopped (stop) "started\n[stopped by the user]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "it was stopped"
        assistant/message r2 "it was stopped" stop
        iteration/end 2
        turn/end completed
        > they can again
    "#]],
    );
}
