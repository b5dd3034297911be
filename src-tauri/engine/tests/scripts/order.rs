//! The order of calls (2.2): reads together, changes one after the other, results in call order, cards all at once.
//! What a card is worth is told in `approval`.

use assent_testkit::stage::{
    approve, at, call, check, check_on_both, inbox, open, reject, say, script, send, standing,
};
use expect_test::expect;
use serde_json::json;

use crate::{More as _, reads, writes};

#[test]
fn reads_run_together_and_their_results_go_back_in_call_order() {
    let script = script()
        .file("a", "A\n")
        .file("b", "B\n")
        .file("c", "C\n")
        .holds(&["before read_file a", "before read_file b"])
        .model([reads("a").reads("b").reads("c"), say("A B C")])
        .acts([
            send("read"),
            at("before read_file a"),
            at("before read_file b"),
            open("before read_file b"),
            open("before read_file a"),
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
        assistant/message r1 c1=read_file {"path":"a"} c2=read_file {"path":"b"} c3=read_file {"path":"c"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/call c3 low: run by tool
        tool/started c1 reads
        tool/started c2 reads
        tool/started c3 reads
        tool/result c3 ok "c: lines 1 to 1 of 1\n1\tC\n"
        > at "before read_file b"
        > open "before read_file b"
        tool/result c2 ok "b: lines 1 to 1 of 1\n1\tB\n"
        > open "before read_file a"
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "A B C"
        assistant/message r2 "A B C" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_change_waits_for_the_reads_before_it_and_those_after_it_wait_for_it() {
    let script = script()
        .file("a", "old\n")
        .holds(&["before read_file a"])
        .model([reads("a").writes("a", "new\n").reads("a"), say("changed")])
        .acts([send("change"), at("before read_file a"), open("before read_file a"), approve(2)]);
    check(
        script,
        expect![[r#"
        > sends "change" (NextTurn)
        > at "before read_file a"
        user/message next-turn "change"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=write_file {"content":"new\n","path":"a"} c3=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/call c3 low: run by tool
        tool/started c1 reads
        > open "before read_file a"
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\told\n"
        tool/call c2 medium: ask
        approval/requested c2 medium "Overwrite a: +1 -1 lines"
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 rewrite a
        tool/result c2 ok [a changed] "Changed a: +1 -1 lines."
        tool/started c3 reads
        tool/result c3 ok "a: lines 1 to 1 of 1\n1\tnew\n"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "changed"
        assistant/message r2 "changed" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn all_cards_of_a_message_are_shown_at_once_and_run_in_call_order() {
    let script = script().model([writes("a", "1\n").writes("b", "2\n").writes("c", "3\n"), say("three files")]).acts([
        send("write"),
        inbox(),
        approve(3),
        standing(),
        approve(2),
        approve(1),
    ]);
    check_on_both(
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
        = inbox write_file "Create a: 1 line" write_file "Create b: 1 line" write_file "Create c: 1 line"
        > approves c3
        approval/decided c3 approved by user
        = waits for a person, 2 pending
        > approves c2
        approval/decided c2 approved by user
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        tool/started c2 attempt 1 create b
        tool/result c2 ok [b created] "Created b: 1 line."
        tool/started c3 attempt 1 create c
        tool/result c3 ok [c created] "Created c: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "three files"
        assistant/message r2 "three files" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn of_several_on_one_path_the_second_waits_and_is_drawn_on_the_first_ones_result() {
    let script = script()
        .file("a", "one\n")
        .model([
            reads("a"),
            call("patch_file", json!({ "path": "a", "edits": [{ "old": "one", "new": "two" }] }))
                .call("patch_file", json!({ "path": "a", "edits": [{ "old": "two", "new": "three" }] }))
                .writes("b", "x\n"),
            say("patched twice"),
        ])
        .acts([send("patch"), inbox(), approve(4), approve(2), inbox(), approve(3)]);
    check(
        script,
        expect![[r#"
        > sends "patch" (NextTurn)
        user/message next-turn "patch"
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
        assistant/message r2 c2=patch_file {"edits":[{"new":"two","old":"one"}],"path":"a"} c3=patch_file {"edits":[{"new":"three","old":"two"}],"path":"a"} c4=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Edit a: +1 -1 lines"
        tool/call c3 no tier: after c2
        tool/call c4 medium: ask
        approval/requested c4 medium "Create b: 1 line"
        = inbox patch_file "Edit a: +1 -1 lines" write_file "Create b: 1 line"
        > approves c4
        approval/decided c4 approved by user
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 rewrite a
        tool/result c2 ok [a changed] "Changed a: +1 -1 lines."
        tool/call c3 medium: ask
        approval/requested c3 medium "Edit a: +1 -1 lines"
        = inbox patch_file "Edit a: +1 -1 lines"
        > approves c3
        approval/decided c3 approved by user
        tool/started c3 attempt 1 rewrite a
        tool/result c3 ok [a changed] "Changed a: +1 -1 lines."
        tool/started c4 attempt 1 create b
        tool/result c4 ok [b created] "Created b: 1 line."
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "patched twice"
        assistant/message r3 "patched twice" stop
        iteration/end 3
        turn/end completed
    "#]],
    );
}

#[test]
fn a_deferred_call_of_a_rejected_one_is_judged_on_what_is_there() {
    let script = script()
        .file("a", "one\n")
        .model([
            reads("a"),
            call("patch_file", json!({ "path": "a", "edits": [{ "old": "one", "new": "two" }] }))
                .call("patch_file", json!({ "path": "a", "edits": [{ "old": "two", "new": "three" }] })),
            say("then not"),
        ])
        .acts([send("patch"), reject(2)]);
    check(
        script,
        expect![[r#"
        > sends "patch" (NextTurn)
        user/message next-turn "patch"
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
        assistant/message r2 c2=patch_file {"edits":[{"new":"two","old":"one"}],"path":"a"} c3=patch_file {"edits":[{"new":"three","old":"two"}],"path":"a"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Edit a: +1 -1 lines"
        tool/call c3 no tier: after c2
        > rejects c2
        approval/decided c2 rejected by user
        tool/result c2 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        tool/call c3 no tier: refuse by tool "Nothing was changed: edit 1 of 1 was not found in a, nor anything like it. Read the file and give its exact text." (refused)
        tool/result c3 rejected (refused) "Nothing was changed: edit 1 of 1 was not found in a, nor anything like it. Read the file and give its exact text."
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "then not"
        assistant/message r3 "then not" stop
        iteration/end 3
        turn/end completed
    "#]],
    );
}

#[test]
fn a_low_call_ahead_runs_while_a_card_waits() {
    let script = script().file("a", "A\n").model([reads("a").writes("b", "x\n"), say("done")]).acts([
        send("go"),
        standing(),
        approve(2),
    ]);
    check_on_both(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        = waits for a person, 1 pending
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create b
        tool/result c2 ok [b created] "Created b: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "done"
        assistant/message r2 "done" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_read_of_a_file_that_is_being_written_sees_the_result() {
    let script =
        script().model([writes("a", "fresh\n").reads("a"), say("it says fresh")]).acts([send("go"), approve(1)]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"fresh\n","path":"a"} c2=read_file {"path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        tool/call c2 no tier: after c1
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "a: lines 1 to 1 of 1\n1\tfresh\n"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "it says fresh"
        assistant/message r2 "it says fresh" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn the_next_answer_is_a_new_message() {
    let script = script().model([writes("a", "x\n").say("I write. "), say("Written.")]).acts([send("go"), approve(1)]);
    check_on_both(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "I write. "
        assistant/message r1 "I write. " c1=write_file {"content":"x\n","path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "Written."
        assistant/message r2 "Written." stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}
