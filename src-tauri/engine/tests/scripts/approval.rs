//! A decision is bound to the card (2.7): late, double, stale and foreign clicks change nothing; what changed is asked anew.
//! Which calls need a card is told in `permission`.

use assent_protocol::permission::Mode;
use assent_testkit::stage::{
    approve, approve_card, at, check, check_on_both, inbox, on, open, reject, reject_with, remove_outside, restart,
    revert, say, script, send, set_mode, stop, together, write_outside,
};
use expect_test::expect;

use crate::{More as _, reads, runs, with_commands, writes};

#[test]
fn p48_of_two_clicks_at_once_one_wins() {
    let script = script().model([writes("a", "x\n"), say("written")]).acts([
        send("go"),
        together([approve(1), approve(1)]),
        approve(1),
        reject(1),
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
            > together: approves c1; approves c1
            ! NotPending: it is already executing
            = done
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
            > approves c1
            ! NotPending: it is already finished
            > rejects c1
            ! NotPending: nothing is pending for that call: somebody decided, or it was closed
        "#]],
    );
}

#[test]
fn p48_yes_and_no_at_once() {
    let script = script()
        .model([writes("a", "x\n"), say("so be it")])
        .acts([send("go"), together([reject_with(1, "no"), approve(1)])]);
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
        > together: rejects c1 "no"; approves c1
        ! NotPending: it is already rejected
        = done
        approval/decided c1 rejected by user "no"
        tool/result c1 rejected (user) "It did not run: the user rejected it, with this note:\n```\nno\n```\nFollow the note; don't send the same call again."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "so be it"
        assistant/message r2 "so be it" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn p50_a_decision_reaches_its_own_conversation_alone() {
    let script = script()
        .conversation("a", [writes("a", "x\n"), say("a done")])
        .conversation("b", [writes("b", "x\n"), say("b done")])
        .acts([send("go"), on("b", send("go")), inbox(), on("b", approve(2)), inbox(), approve(1)]);
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
        b > sends "go" (NextTurn)
        b user/message next-turn "go"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/message r2 c2=write_file {"content":"x\n","path":"b"} tool-calls
        b tool/call c2 medium: ask
        b approval/requested c2 medium "Create b: 1 line"
        = inbox write_file "Create a: 1 line" write_file "Create b: 1 line"
        b > approves c2
        b approval/decided c2 approved by user
        b tool/started c2 attempt 1 create b
        b tool/result c2 ok [b created] "Created b: 1 line."
        b iteration/end 1
        b iteration/start 2 (1 since a person acted)
        b request/sent r3
        b assistant/chunk r3 text "b done"
        b assistant/message r3 "b done" stop
        b iteration/end 2
        b turn/end completed
        = inbox write_file "Create a: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "a done"
        assistant/message r4 "a done" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_file_that_appeared_after_the_card_is_not_overwritten() {
    let script = script().file("a", "one\n").model([reads("a"), writes("b", "x\n"), say("written")]).acts([
        send("go"),
        write_outside("b", "somebody's\n"),
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
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tone\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        > another program writes b
        > approves c2
        approval/decided c2 approved by user
        tool/result c2 rejected (refused) "It did not run: b exists and was not read in this conversation; its present cont…55 more…ecf0e16cda9b3e2aae09f377. Read it first."
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
fn a_deleted_file_makes_another_card_and_the_old_one_is_worth_nothing() {
    let script = script()
        .file("a", "one\ntwo\n")
        .model([reads("a"), writes("a", "one\nthree\n"), say("written")])
        .acts([send("go"), remove_outside("a"), approve(2), approve_card(2, 1), approve_card(2, 2)]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 2 of 2\n1\tone\n2\ttwo\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"one\nthree\n","path":"a"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Overwrite a: +1 -1 lines"
        > another program removes a
        > approves c2
        approval/decided c2 approved by user
        approval/requested c2 medium "Create a: 2 lines" again: changed
        > approves c2 by card 1
        ! CardChanged: the card was redrawn: what would run now is not what was decided on
        > approves c2 by card 2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create a
        tool/result c2 ok [a created] "Created a: 2 lines."
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
fn a_file_that_changes_between_approval_and_claim() {
    let script = script().holds(&["prepared write_file b"]).model([writes("b", "x\n"), say("written")]).acts([
        send("go"),
        approve(1),
        at("prepared write_file b"),
        write_outside("b", "somebody's\n"),
        open("prepared write_file b"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create b: 1 line"
        > approves c1
        > at "prepared write_file b"
        approval/decided c1 approved by user
        > another program writes b
        > open "prepared write_file b"
        tool/started c1 attempt 1 create b
        tool/result c1 rejected (refused) "It did not run: b exists and was not read in this conversation; its present cont…55 more…ecf0e16cda9b3e2aae09f377. Read it first."
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
fn p10_a_script_that_changed_after_the_approval() {
    let script = with_commands()
        .file("build.sh", "echo built\n")
        .model([runs("true").runs("sh build.sh"), say("built")])
        .acts([send("build"), approve(2), write_outside("build.sh", "touch MARK\n"), approve(1), reject(2)]);
    check(
        script,
        expect![[r#"
        > sends "build" (NextTurn)
        user/message next-turn "build"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"true"} c2=run_command {"command":"sh build.sh"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run true"
        tool/call c2 high: ask
        approval/requested c2 high "Run sh build.sh"
        > approves c2
        approval/decided c2 approved by user
        > another program writes build.sh
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 command
        tool/result c1 ok exit 0 "(no output)\n[exit code 0]"
        approval/requested c2 high "Run sh build.sh" again: changed
        > rejects c2
        approval/decided c2 rejected by user
        tool/result c2 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "built"
        assistant/message r2 "built" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn p52_a_flip_to_auto_decides_nothing_and_runs_nothing_high() {
    let script = with_commands().model([runs("touch MARK"), say("refused then")]).acts([
        send("go"),
        set_mode(Mode::Auto),
        inbox(),
        approve(1),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"touch MARK"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run touch MARK"
        > sets the mode to Auto
        mode/set auto
        = inbox run_command "Run touch MARK"
        > approves c1
        approval/decided c1 approved by user
        tool/result c1 rejected (mode) "It did not run: this conversation is in auto mode, where high-risk calls are refused. Go on without it, or ask the user to switch the mode to ask."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "refused then"
        assistant/message r2 "refused then" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_flip_decides_no_medium_call_either() {
    let script = script().model([writes("a", "x\n"), say("written")]).acts([
        send("go"),
        set_mode(Mode::Auto),
        inbox(),
        approve(1),
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
        > sets the mode to Auto
        mode/set auto
        = inbox write_file "Create a: 1 line"
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
fn a_flip_to_plan_after_the_approval_keeps_it_from_running() {
    let script = script().model([writes("a", "1\n").writes("b", "2\n"), say("planned")]).acts([
        send("go"),
        approve(2),
        set_mode(Mode::Plan),
        approve(1),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"a"} c2=write_file {"content":"2\n","path":"b"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        > approves c2
        approval/decided c2 approved by user
        > sets the mode to Plan
        mode/set plan
        > approves c1
        approval/decided c1 approved by user
        tool/result c1 rejected (mode) "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode."
        tool/result c2 rejected (mode) "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "planned"
        assistant/message r2 "planned" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn p53_a_pending_call_stays_pending_when_nobody_answers() {
    let script = script().model([writes("a", "x\n"), say("late")]).acts([
        send("go"),
        inbox(),
        restart(),
        inbox(),
        restart(),
        approve(1),
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
        = inbox write_file "Create a: 1 line"
        > restart
        = inbox write_file "Create a: 1 line"
        > restart
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "late"
        assistant/message r2 "late" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_stop_closes_what_is_pending_and_a_late_click_is_told() {
    let script = script().model([writes("a", "x\n")]).acts([send("go"), stop(), approve(1), reject(1), inbox()]);
    check_on_both(
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
            > stops
            turn/stop
            tool/result c1 stopped (stop) "It did not run: the user stopped the turn."
            iteration/end 1
            turn/end stopped
            > approves c1
            ! NotPending: it is already stopped
            > rejects c1
            ! NotPending: nothing is pending for that call: somebody decided, or it was closed
            = inbox
        "#]],
    );
}

#[test]
fn what_a_call_did_can_be_taken_back_once_and_not_over_a_later_change() {
    let script = script()
        .file("a", "one\n")
        .model([reads("a"), writes("a", "two\n"), say("written"), writes("b", "x\n"), say("both")])
        .acts([
            send("go"),
            approve(2),
            revert(2),
            revert(2),
            send("and b"),
            approve(3),
            write_outside("b", "mine\n"),
            revert(3),
        ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
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
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 rewrite a
        tool/result c2 ok [a changed] "Changed a: +1 -1 lines."
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "written"
        assistant/message r3 "written" stop
        iteration/end 3
        turn/end completed
        > takes c2 back
        effect/reverted c2 [a changed]
        > takes c2 back
        ! Invalid: it was already taken back
        > sends "and b" (NextTurn)
        user/message next-turn "and b"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/message r4 c3=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c3 medium: ask
        approval/requested c3 medium "Create b: 1 line"
        > approves c3
        approval/decided c3 approved by user
        tool/started c3 attempt 1 create b
        tool/result c3 ok [b created] "Created b: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "both"
        assistant/message r5 "both" stop
        iteration/end 2
        turn/end completed
        > another program writes b
        > takes c3 back
        ! FileChanged: b is not as the tool left it
    "#]],
    );
}
