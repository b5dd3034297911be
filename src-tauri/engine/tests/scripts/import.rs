//! Importing: what a conversation takes along to another machine, what it leaves behind, and what a file can't do.
//! What is no log is refused; that is tested with the store.

use assent_protocol::permission::Mode;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{
    approve, approve_wide, call, carry, check, check_on_both, check_over_http, fork, inbox, on, refused, request,
    restart, say, script, send, steer,
};
use expect_test::expect;
use serde_json::json;

use crate::{More as _, reads, writes};

fn whole(file: String) -> String {
    file
}

#[test]
fn a_conversation_goes_on_elsewhere_with_all_that_was_said() {
    let script = script()
        .file("x", "X\n")
        .model([reads("x").writes("y", "Y\n"), say("written"), say("still known"), say("forked there")])
        .acts([
            send("look and write"),
            approve(2),
            carry("b", whole),
            on("b", send("what was it?")),
            on("b", request(3)),
            restart(),
            on("b", fork(3, "c")),
            on("c", send("go on")),
        ]);
    check_on_both(
        script,
        expect![[r#"
        > sends "look and write" (NextTurn)
        user/message next-turn "look and write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"x"} c2=write_file {"content":"Y\n","path":"y"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "x: lines 1 to 1 of 1\n1\tX\n"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create y: 1 line"
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create y
        tool/result c2 ok [y created] "Created y: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "written"
        assistant/message r2 "written" stop
        iteration/end 2
        turn/end completed
        a > is carried to another machine as b
        b conversation/created ROOT, imported and forked at 27
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b title/set "look and write" by tool
        b > sends "what was it?" (NextTurn)
        b prompt/set
        b tools/set 15 tools, 9 reading
        b user/message next-turn "what was it?"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r3
        b assistant/chunk r3 text "still known"
        b assistant/message r3 "still known" stop
        b iteration/end 1
        b turn/end completed
        = {"content":"look and write","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\":\"x\"}","name":"read_file"},"id":"call_00000000000070008000000000000005","type":"function"},{"function":{"arguments":"{\"content\":\"Y\\n\",\"path\":\"y\"}","name":"write_file"},"id":"call_00000000000070008000000000000006","type":"function"}]}
        = {"content":"x: lines 1 to 1 of 1\n1\tX\n","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"Created y: 1 line.","role":"tool","tool_call_id":"call_00000000000070008000000000000006"}
        = {"content":"written","role":"assistant"}
        = {"content":"what was it?","role":"user"}
        > restart
        b > forks at message 3 as c
        c conversation/created ROOT, imported and forked at 27
        c title/set "look and write" by tool
        c model/set a window 128000
        c mode/set ask
        c limits/set max 10 retries 3
        c > sends "go on" (NextTurn)
        c prompt/set
        c tools/set 15 tools, 9 reading
        c user/message next-turn "go on"
        c turn/start message
        c iteration/start 1 (1 since a person acted)
        c request/sent r4
        c assistant/chunk r4 text "forked there"
        c assistant/message r4 "forked there" stop
        c iteration/end 1
        c turn/end completed
    "#]],
    );
}

#[test]
fn what_waits_and_what_was_allowed_stays_behind() {
    let script = script()
        .model([
            writes("x", "X\n"),
            writes("x", "XX\n"),
            writes("y", "Y\n"),
            say("asked again"),
            reads("x"),
            writes("x", "here\n"),
            say("done"),
        ])
        .acts([
            send("write"),
            approve_wide(1, 1),
            steer("and quickly"),
            carry("b", whole),
            inbox(),
            on("b", send("again")),
            on("b", request(4)),
            on("b", send("write x")),
            inbox(),
            on("b", approve(5)),
        ]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"X\n","path":"x"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create x: 1 line"
        > approves c1 with offer 1
        approval/decided c1 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"x"}}
        tool/started c1 attempt 1 create x
        tool/result c1 ok [x created] "Created x: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"XX\n","path":"x"} tool-calls
        tool/call c2 medium: run by rule {"tool":"write_file","matcher":{"by":"path","glob":"x"}}, shows "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-X\n+XX\n"
        tool/started c2 attempt 1 rewrite x
        tool/result c2 ok [x changed] "Changed x: +1 -1 lines."
        iteration/end 2
        iteration/start 3 (2 since a person acted)
        request/sent r3
        assistant/message r3 c3=write_file {"content":"Y\n","path":"y"} tool-calls
        tool/call c3 medium: ask
        approval/requested c3 medium "Create y: 1 line"
        > sends "and quickly" (NextStep)
        queue/edited i1 added next-step "and quickly"
        a > is carried to another machine as b
        b conversation/created ROOT, imported and forked at 31
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b title/set "write" by tool
        = inbox
        b > sends "again" (NextTurn)
        b prompt/set
        b tools/set 15 tools, 9 reading
        b user/message next-turn "again"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r4
        b assistant/chunk r4 text "asked again"
        b assistant/message r4 "asked again" stop
        b iteration/end 1
        b turn/end completed
        = {"content":"write","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"content\":\"X\\n\",\"path\":\"x\"}","name":"write_file"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"Created x: 1 line.","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"content\":\"XX\\n\",\"path\":\"x\"}","name":"write_file"},"id":"call_00000000000070008000000000000008","type":"function"}]}
        = {"content":"Changed x: +1 -1 lines.","role":"tool","tool_call_id":"call_00000000000070008000000000000008"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"content\":\"Y\\n\",\"path\":\"y\"}","name":"write_file"},"id":"call_0000000000007000800000000000000b","type":"function"}]}
        = {"content":"The conversation was forked here before this call ended, so its result is not known in this one. Look at the present state before you repeat it.","role":"tool","tool_call_id":"call_0000000000007000800000000000000b"}
        = {"content":"again","role":"user"}
        b > sends "write x" (NextTurn)
        b user/message next-turn "write x"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r5
        b assistant/message r5 c4=read_file {"path":"x"} tool-calls
        b tool/call c4 low: run by tool
        b tool/started c4 reads
        b tool/result c4 ok "x: lines 1 to 1 of 1\n1\tXX\n"
        b iteration/end 1
        b iteration/start 2 (2 since a person acted)
        b request/sent r6
        b assistant/message r6 c5=write_file {"content":"here\n","path":"x"} tool-calls
        b tool/call c5 medium: ask
        b approval/requested c5 medium "Overwrite x: +1 -1 lines"
        = inbox write_file "Overwrite x: +1 -1 lines"
        b > approves c5
        b approval/decided c5 approved by user
        b tool/started c5 attempt 1 rewrite x
        b tool/result c5 ok [x changed] "Changed x: +1 -1 lines."
        b iteration/end 2
        b iteration/start 3 (1 since a person acted)
        b request/sent r7
        b assistant/chunk r7 text "done"
        b assistant/message r7 "done" stop
        b iteration/end 3
        b turn/end completed
    "#]],
    );
}

#[test]
fn a_file_sets_neither_mode_nor_address() {
    let script = script().mode(Mode::Auto).model([say("one"), writes("x", "X\n")]).acts([
        send("first"),
        carry("b", |file| {
            assert!(file.contains("\"mode\":\"auto\"") && file.contains("/v1\""), "{file}");
            file.replace("/v1\"", "/another\"")
        }),
        on("b", send("second")),
        inbox(),
    ]);
    check_over_http(
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
        a > is carried to another machine as b
        b conversation/created ROOT, imported and forked at 15
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b title/set "first" by tool
        b > sends "second" (NextTurn)
        b prompt/set
        b tools/set 15 tools, 9 reading
        b user/message next-turn "second"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/message r2 c1=write_file {"content":"X\n","path":"x"} tool-calls
        b tool/call c1 medium: ask
        b approval/requested c1 medium "Create x: 1 line"
        = inbox write_file "Create x: 1 line"
    "#]],
    );
}

#[test]
fn what_a_sub_agent_did_comes_along_and_nothing_goes_on_from_it_alone() {
    let asks = || call("dispatch_agent", json!({ "task": "look" }));
    let script = || script().with_all_tools().file("a", "A\n").agent("look", [reads("a"), say("It holds A.")]);
    // That its log is there too is one of the stage's invariants.
    let whole = script().model([asks(), say("A, then"), say("still A")]).acts([
        send("what is it?"),
        carry("b", whole),
        on("b", send("sure?")),
        on("b", request(3)),
    ]);
    check(
        whole,
        expect![[r#"
        > sends "what is it?" (NextTurn)
        user/message next-turn "what is it?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"look"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        agent/ended c1 after request 2
        tool/result c1 ok "It holds A."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "A, then"
        assistant/message r2 "A, then" stop
        iteration/end 2
        turn/end completed
        a.1 user/message next-turn "look"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r3
        a.1 assistant/message r3 c2=read_file {"path":"a"} tool-calls
        a.1 tool/call c2 low: run by tool
        a.1 tool/started c2 reads
        a.1 tool/result c2 ok "a: lines 1 to 1 of 1\n1\tA\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        a.1 request/sent r4
        a.1 assistant/chunk r4 text "It holds A."
        a.1 assistant/message r4 "It holds A." stop
        a.1 iteration/end 2
        a.1 turn/end completed
        a > is carried to another machine as b
        b conversation/created ROOT, imported and forked at 24
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b title/set "what is it?" by tool
        b > sends "sure?" (NextTurn)
        b prompt/set
        b tools/set 20 tools, 13 reading
        b user/message next-turn "sure?"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r5
        b assistant/chunk r5 text "still A"
        b assistant/message r5 "still A" stop
        b iteration/end 1
        b turn/end completed
        = {"content":"what is it?","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"task\":\"look\"}","name":"dispatch_agent"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"It holds A.","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"A, then","role":"assistant"}
        = {"content":"sure?","role":"user"}
    "#]],
    );
    let alone = script()
        .model([asks(), say("A, then")])
        .acts([send("what is it?"), on("a.1", carry("b", |file| format!("{file}\n")))]);
    check(
        alone,
        expect![[r#"
        > sends "what is it?" (NextTurn)
        user/message next-turn "what is it?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"look"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        agent/ended c1 after request 2
        tool/result c1 ok "It holds A."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "A, then"
        assistant/message r2 "A, then" stop
        iteration/end 2
        turn/end completed
        a.1 user/message next-turn "look"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r3
        a.1 assistant/message r3 c2=read_file {"path":"a"} tool-calls
        a.1 tool/call c2 low: run by tool
        a.1 tool/started c2 reads
        a.1 tool/result c2 ok "a: lines 1 to 1 of 1\n1\tA\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        a.1 request/sent r4
        a.1 assistant/chunk r4 text "It holds A."
        a.1 assistant/message r4 "It holds A." stop
        a.1 iteration/end 2
        a.1 turn/end completed
        a.1 > is carried to another machine as b
        ! Invalid: the file holds a sub-agent alone; nothing goes on from one
    "#]],
    );
}

#[test]
fn fallbacks_of_a_file_take_nothing_over() {
    let refuses = refused(FailureKind::Unauthorized, "no key");
    let script = script().model([say("one"), refuses]).fallback("f", []).acts([
        send("first"),
        carry("b", whole),
        on("b", send("second")),
    ]);
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
        a > is carried to another machine as b
        b conversation/created ROOT, imported and forked at 16
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b title/set "first" by tool
        b > sends "second" (NextTurn)
        b prompt/set
        b tools/set 15 tools, 9 reading
        b user/message next-turn "second"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b request/failed r2 attempt 1 unauthorized "the key is missing or wrong (HTTP 401): no key"
        b iteration/end 1
        b turn/end error "the key is missing or wrong (HTTP 401): no key"
    "#]],
    );
}

#[test]
fn a_file_that_was_changed_is_taken_for_what_it_says_or_not_at_all() {
    let script = script()
        .model([reads("x"), say("read")])
        .file("x", "X\n")
        .acts([send("look"), carry("b", |file| file.replace("\"kind\":\"tool/call\"", "\"kind\":\"tool/dream\""))]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"x"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "x: lines 1 to 1 of 1\n1\tX\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "read"
        assistant/message r2 "read" stop
        iteration/end 2
        turn/end completed
        a > is carried to another machine as b
        ! Invalid: the file holds no whole conversation: event 13: this version doesn't know "tool/dream"; a newer one wrote it
    "#]],
    );
}
