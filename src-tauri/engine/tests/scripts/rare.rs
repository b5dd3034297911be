//! Rare tools (part 3): a call through `call_tool` is judged, shown, decided on, claimed and run as the inner call.
//! Nothing can run through it that would have been asked for or refused otherwise.

use assent_protocol::permission::Mode;
use assent_testkit::stage::{
    Answer, Script, approve, call, check, check_on_both, inbox, reject_with, restart, say, script, send, set_mode,
};
use expect_test::expect;
use serde_json::{Value, json};

use crate::raw;

/// Deleting, writing and the log of git are rare.
fn with_rare() -> Script {
    script().rare(&["delete_file", "git_log", "write_file"]).file("a", "A\n")
}

/// A call through `call_tool`.
fn through(name: &str, arguments: Value) -> Answer {
    call("call_tool", json!({ "name": name, "arguments": arguments }))
}

fn deletes() -> Answer {
    through("delete_file", json!({ "path": "a" }))
}

#[test]
fn rare_tools_are_found_and_called() {
    let script = with_rare()
        .model([
            call("find_tools", json!({ "query": "write" })),
            through("write_file", json!({ "path": "b", "content": "B\n" })),
            say("written"),
        ])
        .acts([send("x"), inbox(), approve(2)]);
    check_on_both(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=find_tools {"query":"write"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "write_file: Create a file or replace its whole content. A file that exists must …198 more…ed\":[\"path\",\"content\"],\"type\":\"object\"}\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=call_tool {"arguments":{"content":"B\n","path":"b"},"name":"write_file"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Create b: 1 line"
        = inbox write_file "Create b: 1 line"
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create b
        tool/result c2 ok [b created] "Created b: 1 line."
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
fn a_rare_high_call_is_refused_in_auto_and_in_plan() {
    let script = with_rare().mode(Mode::Auto).model([deletes(), say("no"), deletes(), say("no")]).acts([
        send("x"),
        set_mode(Mode::Plan),
        send("y"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=call_tool {"arguments":{"path":"a"},"name":"delete_file"} tool-calls
        tool/call c1 high: refuse by mode "It did not run: this conversation is in auto mode, where high-risk calls are refused. Go on without it, or ask the user to switch the mode to ask." (mode)
        tool/result c1 rejected (mode) "It did not run: this conversation is in auto mode, where high-risk calls are refused. Go on without it, or ask the user to switch the mode to ask."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "no"
        assistant/message r2 "no" stop
        iteration/end 2
        turn/end completed
        > sets the mode to Plan
        mode/set plan
        > sends "y" (NextTurn)
        user/message next-turn "y"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/message r3 c2=call_tool {"arguments":{"path":"a"},"name":"delete_file"} tool-calls
        tool/call c2 high: refuse by mode "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode." (mode)
        tool/result c2 rejected (mode) "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r4
        assistant/chunk r4 text "no"
        assistant/message r4 "no" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_rejected_inner_call_is_rejected_by_its_own_name_too() {
    let script = with_rare()
        .model([deletes(), call("delete_file", json!({ "path": "a" })), say("well")])
        .acts([send("x"), reject_with(1, "keep it")]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=call_tool {"arguments":{"path":"a"},"name":"delete_file"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Delete a"
        > rejects c1 "keep it"
        approval/decided c1 rejected by user "keep it"
        tool/result c1 rejected (user) "It did not run: the user rejected it, with this note:\n```\nkeep it\n```\nFollow the note; don't send the same call again."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=delete_file {"path":"a"} tool-calls
        tool/call c2 high: refuse by tool "It did not run: the user already rejected exactly this call. Ask what is wanted instead." (user)
        tool/result c2 rejected (user) "It did not run: the user already rejected exactly this call. Ask what is wanted instead."
        iteration/end 2
        iteration/start 3 (2 since a person acted)
        request/sent r3
        assistant/chunk r3 text "well"
        assistant/message r3 "well" stop
        iteration/end 3
        turn/end completed
    "#]],
    );
}

#[test]
fn a_pending_inner_call_is_pending_after_a_restart() {
    let script = with_rare().model([deletes(), say("gone")]).acts([send("x"), restart(), inbox(), approve(1)]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=call_tool {"arguments":{"path":"a"},"name":"delete_file"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Delete a"
        > restart
        = inbox delete_file "Delete a"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 delete a
        tool/result c1 ok [a gone] "Moved a to the trash."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "gone"
        assistant/message r2 "gone" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn what_is_no_call_is_told_and_a_common_tool_is_itself() {
    let script = with_rare()
        .model([
            through("delete_file", json!({ "file": "a" })),
            through("delete_everything", json!({})),
            raw("p", "call_tool", r#"{"name":"delete_file","arguments":"#),
            through("call_tool", json!({ "name": "delete_file", "arguments": { "path": "a" } })),
            through("read_file", json!({ "path": "a" })),
            say("read"),
        ])
        .acts([send("x")]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=call_tool {"arguments":{"file":"a"},"name":"delete_file"} tool-calls
        tool/call c1 no tier: refuse by tool "`path` is missing" (bad-arguments)
        tool/result c1 error (bad-arguments) "`path` is missing"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=call_tool {"arguments":{},"name":"delete_everything"} tool-calls
        tool/call c2 no tier: refuse by tool "It did not run: there is no tool named \"delete_everything\". Tools: append_file, …113 more… rename_file, run_command, search_files." (unknown-tool)
        tool/result c2 error (unknown-tool) "It did not run: there is no tool named \"delete_everything\". Tools: append_file, …113 more… rename_file, run_command, search_files."
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=call_tool {"name":"delete_file","arguments": tool-calls
        tool/call c3 no tier: refuse by tool "It did not run: call_tool: the arguments are not valid JSON: EOF while parsing a value at line 1 column 34. Nothing was called." (bad-arguments)
        tool/result c3 error (bad-arguments) "It did not run: call_tool: the arguments are not valid JSON: EOF while parsing a value at line 1 column 34. Nothing was called."
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/message r4 c4=call_tool {"arguments":{"arguments":{"path":"a"},"name":"delete_file"},"name":"call_tool"} tool-calls
        tool/call c4 no tier: refuse by tool "It did not run: call_tool does not call itself: name the tool that is meant" (bad-arguments)
        tool/result c4 error (bad-arguments) "It did not run: call_tool does not call itself: name the tool that is meant"
        iteration/end 4
        iteration/start 5 (5 since a person acted)
        request/sent r5
        assistant/message r5 c5=call_tool {"arguments":{"path":"a"},"name":"read_file"} tool-calls
        tool/call c5 low: run by tool
        tool/started c5 reads
        tool/result c5 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 5
        iteration/start 6 (6 since a person acted)
        request/sent r6
        assistant/chunk r6 text "read"
        assistant/message r6 "read" stop
        iteration/end 6
        turn/end completed
    "#]],
    );
}

#[test]
fn without_rare_tools_call_tool_is_no_tool() {
    let script = script().file("a", "A\n").model([deletes(), say("no such tool")]).acts([send("x")]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=call_tool {"arguments":{"path":"a"},"name":"delete_file"} tool-calls
        tool/call c1 no tier: refuse by tool "It did not run: there is no tool named \"call_tool\". Tools: append_file, delete_f…116 more…, run_command, search_files, write_file." (unknown-tool)
        tool/result c1 error (unknown-tool) "It did not run: there is no tool named \"call_tool\". Tools: append_file, delete_f…116 more…, run_command, search_files, write_file."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "no such tool"
        assistant/message r2 "no such tool" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}
