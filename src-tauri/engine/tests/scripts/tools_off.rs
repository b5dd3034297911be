//! Models that take no tools, answers whose calls must not run, and calls that go round in circles beside commands.
//! Pairing itself is told in `pairing`.

use assent_protocol::view::{FailureKind, FinishReason};
use assent_testkit::stage::{approve, check, check_on_both, refused, say, script, send};
use expect_test::expect;

use crate::{More as _, reads, runs, with_commands, writes};

#[test]
fn a_model_without_tools_gets_a_chat_without_tools() {
    let no_tools = refused(FailureKind::NoTools, "tiny does not support tools");
    let script = script()
        .file("a", "A\n")
        .model([no_tools, say("hello"), reads("a"), say("I can't")])
        .acts([send("hi"), send("read a")]);
    check_on_both(
        script,
        expect![[r#"
            > sends "hi" (NextTurn)
            user/message next-turn "hi"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            request/failed r1 attempt 1 no-tools "the request was refused (HTTP 400): tiny does not support tools. The conversation goes on without tools", again in 0 ms
            model/set a window 128000 learned
            tools/set 0 tools, 0 reading
            request/sent r2 attempt 2
            assistant/chunk r2 text "hello"
            assistant/message r2 "hello" stop
            iteration/end 1
            turn/end completed
            > sends "read a" (NextTurn)
            user/message next-turn "read a"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r3
            assistant/message r3 c1=read_file {"path":"a"} tool-calls
            tool/call c1 no tier: refuse by tool "It did not run: there is no tool named \"read_file\". Tools: none in this conversation." (unknown-tool)
            tool/result c1 error (unknown-tool) "It did not run: there is no tool named \"read_file\". Tools: none in this conversation."
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r4
            assistant/chunk r4 text "I can't"
            assistant/message r4 "I can't" stop
            iteration/end 2
            turn/end completed
        "#]],
    );
}

#[test]
fn what_a_filter_or_a_refusal_cut_off_does_not_run() {
    let cut = |reason| reads("a").writes("b", "x\n").finish(reason);
    let script = script()
        .file("a", "A\n")
        .model([cut(FinishReason::ContentFilter), cut(FinishReason::Refusal)])
        .acts([send("one"), send("two")]);
    check(
        script,
        expect![[r#"
        > sends "one" (NextTurn)
        user/message next-turn "one"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=write_file {"content":"x\n","path":"b"} content-filter
        tool/result c1 error (bad-arguments) "It did not run: the provider ended the answer before it was complete."
        tool/result c2 error (bad-arguments) "It did not run: the provider ended the answer before it was complete."
        iteration/end 1
        turn/end error "the provider's content filter ended the answer"
        > sends "two" (NextTurn)
        user/message next-turn "two"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/message r2 c3=read_file {"path":"a"} c4=write_file {"content":"x\n","path":"b"} refusal
        tool/result c3 error (bad-arguments) "It did not run: the provider ended the answer before it was complete."
        tool/result c4 error (bad-arguments) "It did not run: the provider ended the answer before it was complete."
        iteration/end 1
        turn/end error "the model refused to answer"
    "#]],
    );
}

#[test]
fn a_command_in_between_makes_it_another_question() {
    let script = with_commands()
        .file("a", "one\n")
        .model([reads("a"), reads("a"), runs("echo two > a"), reads("a"), say("two")])
        .acts([send("look"), approve(3)]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
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
        assistant/message r2 c2=read_file {"path":"a"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "a: lines 1 to 1 of 1\n1\tone\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=run_command {"command":"echo two > a"} tool-calls
        tool/call c3 high: ask
        approval/requested c3 high "Run echo two > a"
        > approves c3
        approval/decided c3 approved by user
        tool/started c3 attempt 1 command
        tool/result c3 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 3
        iteration/start 4 (1 since a person acted)
        request/sent r4
        assistant/message r4 c4=read_file {"path":"a"} tool-calls
        tool/call c4 low: run by tool
        tool/started c4 reads
        tool/result c4 ok "a: lines 1 to 1 of 1\n1\ttwo\n"
        iteration/end 4
        iteration/start 5 (2 since a person acted)
        request/sent r5
        assistant/chunk r5 text "two"
        assistant/message r5 "two" stop
        iteration/end 5
        turn/end completed
    "#]],
    );
}

#[test]
fn a_command_goes_round_in_circles_by_itself() {
    use assent_testkit::stage::approve_wide;
    let script = with_commands()
        .model([runs("true"), runs("true"), runs("true"), say("enough")])
        .acts([send("run"), approve_wide(1, 1)]);
    check(
        script,
        expect![[r#"
        > sends "run" (NextTurn)
        user/message next-turn "run"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"true"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run true"
        > approves c1 with offer 1
        approval/decided c1 approved by user and whatever fits {"tool":"run_command","matcher":{"by":"command","argv":["true"]}}
        tool/started c1 attempt 1 command
        tool/result c1 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=run_command {"command":"true"} tool-calls
        tool/call c2 high: run by rule {"tool":"run_command","matcher":{"by":"command","argv":["true"]}}
        tool/started c2 attempt 1 command
        tool/result c2 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 2
        iteration/start 3 (2 since a person acted)
        request/sent r3
        assistant/message r3 c3=run_command {"command":"true"} tool-calls
        tool/call c3 high: refuse by tool "It was not run again: the same call gave the same result twice in this turn and …48 more… something else, or say what is missing." (repeated)
        tool/result c3 rejected (repeated) "It was not run again: the same call gave the same result twice in this turn and …48 more… something else, or say what is missing."
        iteration/end 3
        iteration/start 4 (3 since a person acted)
        request/sent r4
        assistant/chunk r4 text "enough"
        assistant/message r4 "enough" stop
        iteration/end 4
        turn/end completed
    "#]],
    );
}

#[test]
fn a_read_that_dies_takes_no_other_with_it() {
    let script = script()
        .file("a", "A\n")
        .dies("list_directory")
        .model([reads("a").call("list_directory", serde_json::json!({ "path": "" })), say("one of two")])
        .acts([send("look")]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=list_directory {"path":""} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/started c1 reads
        tool/started c2 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        tool/result c2 error (interrupted) "The tool failed in the middle of its work."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "one of two"
        assistant/message r2 "one of two" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn writes_of_one_text_are_no_circle() {
    let append = || assent_testkit::stage::call("append_file", serde_json::json!({ "path": "a", "content": "x\n" }));
    let script = script()
        .mode(assent_protocol::permission::Mode::Auto)
        .file("a", "A\n")
        .model([reads("a"), append(), append(), append(), writes("b", "done\n"), say("three lines")])
        .acts([send("append")]);
    check(
        script,
        expect![[r#"
            > sends "append" (NextTurn)
            user/message next-turn "append"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=read_file {"path":"a"} tool-calls
            tool/call c1 low: run by tool
            tool/started c1 reads
            tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/message r2 c2=append_file {"content":"x\n","path":"a"} tool-calls
            tool/call c2 medium: run by mode, shows "--- a/a\n+++ b/a\n@@ -1,1 +1,2 @@\n A\n+x\n"
            tool/started c2 attempt 1 rewrite a
            tool/result c2 ok [a changed] "Changed a: +1 line."
            iteration/end 2
            iteration/start 3 (3 since a person acted)
            request/sent r3
            assistant/message r3 c3=append_file {"content":"x\n","path":"a"} tool-calls
            tool/call c3 medium: run by mode, shows "--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n A\n x\n+x\n"
            tool/started c3 attempt 1 rewrite a
            tool/result c3 ok [a changed] "Changed a: +1 line."
            iteration/end 3
            iteration/start 4 (4 since a person acted)
            request/sent r4
            assistant/message r4 c4=append_file {"content":"x\n","path":"a"} tool-calls
            tool/call c4 medium: run by mode, shows "--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n A\n x\n x\n+x\n"
            tool/started c4 attempt 1 rewrite a
            tool/result c4 ok [a changed] "Changed a: +1 line."
            iteration/end 4
            iteration/start 5 (5 since a person acted)
            request/sent r5
            assistant/message r5 c5=write_file {"content":"done\n","path":"b"} tool-calls
            tool/call c5 medium: run by mode, shows "--- /dev/null\n+++ b/b\n@@ -0,0 +1,1 @@\n+done\n"
            tool/started c5 attempt 1 create b
            tool/result c5 ok [b created] "Created b: 1 line."
            iteration/end 5
            iteration/start 6 (6 since a person acted)
            request/sent r6
            assistant/chunk r6 text "three lines"
            assistant/message r6 "three lines" stop
            iteration/end 6
            turn/end completed
        "#]],
    );
}

#[test]
fn a_server_that_refuses_null_beside_calls_gets_an_empty_text_from_then_on() {
    let null = refused(FailureKind::NullContent, "messages.2.content: Input should be a valid string");
    let script = script().file("a", "A\n").model([reads("a"), null, say("read")]).acts([send("read a")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "read a" (NextTurn)
        user/message next-turn "read a"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        request/failed r2 attempt 1 null-content "the request was refused (HTTP 400): messages.2.content: Input should be a valid string. It is sent again with an empty text in the place of null", again in 0 ms
        model/set a window 128000 learned
        request/sent r3 attempt 2
        assistant/chunk r3 text "read"
        assistant/message r3 "read" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}
