//! Sub-agents (2.2, part 4): they look side by side out of one pool, nothing of them ever asks, stop and restart reach
//! them, and what they cost counts where they were asked for.

use assent_protocol::permission::Mode;
use assent_protocol::settings::Limits;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{
    Answer, Script, approve, at, call, check, delete, fork, gate, go_on, inbox, on, open, refused, request, restart,
    say, script, send, set_mode, snapshot, standing, stop, write_outside,
};
use expect_test::expect;
use serde_json::json;

use crate::{More as _, reads, writes};

fn asks(task: &str) -> Answer {
    call("dispatch_agent", json!({ "task": task }))
}

fn also(answer: Answer, task: &str) -> Answer {
    answer.call("dispatch_agent", json!({ "task": task }))
}

fn three() -> Answer {
    also(also(asks("one"), "two"), "three")
}

fn with_agents() -> Script {
    script().with_all_tools().file("a", "A\n").file("b", "B\n").file(".env", "KEY=secret\n")
}

#[test]
fn its_last_words_alone_come_back() {
    let script = with_agents()
        .model([asks("What is in a?\nAnswer in one line."), say("It holds the letter A.")])
        .agent("What is in a?\nAnswer in one line.", [say("I look.").reads("a"), say("a holds one line: A.")])
        .acts([send("What is in a?"), request(2), on("a.1", snapshot()), on("a.1", request(1))]);
    check(
        script,
        expect![[r#"
        > sends "What is in a?" (NextTurn)
        user/message next-turn "What is in a?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"What is in a?\nAnswer in one line."} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        agent/ended c1 after request 2
        tool/result c1 ok "a holds one line: A."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "It holds the letter A."
        assistant/message r2 "It holds the letter A." stop
        iteration/end 2
        turn/end completed
        a.1 user/message next-turn "What is in a?\nAnswer in one line."
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r3
        a.1 assistant/chunk r3 text "I look."
        a.1 assistant/message r3 "I look." c2=read_file {"path":"a"} tool-calls
        a.1 tool/call c2 low: run by tool
        a.1 tool/started c2 reads
        a.1 tool/result c2 ok "a: lines 1 to 1 of 1\n1\tA\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        a.1 request/sent r4
        a.1 assistant/chunk r4 text "a holds one line: A."
        a.1 assistant/message r4 "a holds one line: A." stop
        a.1 iteration/end 2
        a.1 turn/end completed
        = {"content":"What is in a?","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"task\":\"What is in a?\\nAnswer in one line.\"}","name":"dispatch_agent"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"a holds one line: A.","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = snapshot with 0 chunks, live: idle
        = {"content":"What is in a?\nAnswer in one line.","role":"user"}
    "#]],
    );
}

#[test]
fn three_answer_one_after_the_other_through_a_single_slot() {
    let script = with_agents()
        .slots(1, 1)
        .model([three(), say("All three looked.")])
        .agent("one", [reads("a"), say("1")])
        .agent("two", [reads("b"), say("2")])
        .agent("three", [say("3")])
        .acts([send("look")]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} c2=dispatch_agent {"task":"two"} c3=dispatch_agent {"task":"three"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/call c3 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        tool/started c2 reads
        agent/started c2 with up to 8 requests
        tool/started c3 reads
        agent/started c3 with up to 8 requests
        agent/ended c1 after request 2
        tool/result c1 ok "1"
        agent/ended c2 after request 2
        tool/result c2 ok "2"
        agent/ended c3 after request 1
        tool/result c3 ok "3"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "All three looked."
        assistant/message r2 "All three looked." stop
        iteration/end 2
        turn/end completed
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r3
        a.1 assistant/message r3 c4=read_file {"path":"a"} tool-calls
        a.1 tool/call c4 low: run by tool
        a.1 tool/started c4 reads
        a.1 tool/result c4 ok "a: lines 1 to 1 of 1\n1\tA\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        a.1 request/sent r4
        a.1 assistant/chunk r4 text "1"
        a.1 assistant/message r4 "1" stop
        a.1 iteration/end 2
        a.1 turn/end completed
        a.2 user/message next-turn "two"
        a.2 turn/start message
        a.2 iteration/start 1 (1 since a person acted)
        a.2 request/sent r5
        a.2 assistant/message r5 c5=read_file {"path":"b"} tool-calls
        a.2 tool/call c5 low: run by tool
        a.2 tool/started c5 reads
        a.2 tool/result c5 ok "b: lines 1 to 1 of 1\n1\tB\n"
        a.2 iteration/end 1
        a.2 iteration/start 2 (2 since a person acted)
        a.2 request/sent r6
        a.2 assistant/chunk r6 text "2"
        a.2 assistant/message r6 "2" stop
        a.2 iteration/end 2
        a.2 turn/end completed
        a.3 user/message next-turn "three"
        a.3 turn/start message
        a.3 iteration/start 1 (1 since a person acted)
        a.3 request/sent r7
        a.3 assistant/chunk r7 text "3"
        a.3 assistant/message r7 "3" stop
        a.3 iteration/end 1
        a.3 turn/end completed
    "#]],
    );
}

#[test]
fn the_pool_reaches_for_three_at_once_and_is_full_again_when_a_person_acts() {
    let all = || also(three(), "four");
    let script = with_agents()
        .model([all(), asks("four"), say("done"), asks("one"), say("again")])
        .agent("one", [say("1"), say("1 again")])
        .agent("two", [say("2")])
        .agent("three", [say("3")])
        .agent("four", [say("4")])
        .acts([send("look"), send("once more")]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} c2=dispatch_agent {"task":"two"} c3=dispatch_agent {"task":"three"} c4=dispatch_agent {"task":"four"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/call c3 low: run by tool
        tool/call c4 low: run by tool
        tool/result c4 rejected (budget) "It did not run: the model calls that sub-agents have together are used up or set…54 more…all it again when the others have ended."
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        tool/started c2 reads
        agent/started c2 with up to 8 requests
        tool/started c3 reads
        agent/started c3 with up to 8 requests
        agent/ended c1 after request 1
        tool/result c1 ok "1"
        agent/ended c2 after request 1
        tool/result c2 ok "2"
        agent/ended c3 after request 1
        tool/result c3 ok "3"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c5=dispatch_agent {"task":"four"} tool-calls
        tool/call c5 low: run by tool
        tool/started c5 reads
        agent/started c5 with up to 8 requests
        agent/ended c5 after request 1
        tool/result c5 ok "4"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/chunk r3 text "done"
        assistant/message r3 "done" stop
        iteration/end 3
        turn/end completed
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r4
        a.1 assistant/chunk r4 text "1"
        a.1 assistant/message r4 "1" stop
        a.1 iteration/end 1
        a.1 turn/end completed
        a.2 user/message next-turn "two"
        a.2 turn/start message
        a.2 iteration/start 1 (1 since a person acted)
        a.2 request/sent r5
        a.2 assistant/chunk r5 text "2"
        a.2 assistant/message r5 "2" stop
        a.2 iteration/end 1
        a.2 turn/end completed
        a.3 user/message next-turn "three"
        a.3 turn/start message
        a.3 iteration/start 1 (1 since a person acted)
        a.3 request/sent r6
        a.3 assistant/chunk r6 text "3"
        a.3 assistant/message r6 "3" stop
        a.3 iteration/end 1
        a.3 turn/end completed
        a.4 user/message next-turn "four"
        a.4 turn/start message
        a.4 iteration/start 1 (1 since a person acted)
        a.4 request/sent r7
        a.4 assistant/chunk r7 text "4"
        a.4 assistant/message r7 "4" stop
        a.4 iteration/end 1
        a.4 turn/end completed
        > sends "once more" (NextTurn)
        user/message next-turn "once more"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/message r8 c6=dispatch_agent {"task":"one"} tool-calls
        tool/call c6 low: run by tool
        tool/started c6 reads
        agent/started c6 with up to 8 requests
        agent/ended c6 after request 1
        tool/result c6 ok "1 again"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r9
        assistant/chunk r9 text "again"
        assistant/message r9 "again" stop
        iteration/end 2
        turn/end completed
        a.5 user/message next-turn "one"
        a.5 turn/start message
        a.5 iteration/start 1 (1 since a person acted)
        a.5 request/sent r10
        a.5 assistant/chunk r10 text "1 again"
        a.5 assistant/message r10 "1 again" stop
        a.5 iteration/end 1
        a.5 turn/end completed
    "#]],
    );
}

#[test]
fn what_an_agent_reads_until_its_calls_are_used_up() {
    let looks = |last: &str| (1..8).map(|n| reads(&format!("f{n}"))).chain([say(last)]);
    let script = (1..8)
        .fold(with_agents(), |script, n| script.file(&format!("f{n}"), "x\n"))
        .limits(Limits { max_iterations: 20, ..Limits::default() })
        .model([asks("one"), asks("two"), asks("three"), asks("four"), say("done")])
        .agent("one", looks("eight"))
        .agent("two", looks("eight more"))
        .agent("three", looks("and eight"))
        .acts([send("look long")]);
    check(
        script,
        expect![[r#"
        > sends "look long" (NextTurn)
        user/message next-turn "look long"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        agent/ended c1 after request 8
        tool/result c1 ok "eight\n\n[The agent used all of the 8 model calls that it had.]"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=dispatch_agent {"task":"two"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        agent/started c2 with up to 8 requests
        agent/ended c2 after request 8
        tool/result c2 ok "eight more\n\n[The agent used all of the 8 model calls that it had.]"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=dispatch_agent {"task":"three"} tool-calls
        tool/call c3 low: run by tool
        tool/started c3 reads
        agent/started c3 with up to 8 requests
        agent/ended c3 after request 8
        tool/result c3 ok "and eight\n\n[The agent used all of the 8 model calls that it had.]"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/message r4 c4=dispatch_agent {"task":"four"} tool-calls
        tool/call c4 low: run by tool
        tool/result c4 rejected (budget) "It did not run: the model calls that sub-agents have together are used up or set…54 more…all it again when the others have ended."
        iteration/end 4
        iteration/start 5 (5 since a person acted)
        request/sent r5
        assistant/chunk r5 text "done"
        assistant/message r5 "done" stop
        iteration/end 5
        turn/end completed
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r6
        a.1 assistant/message r6 c5=read_file {"path":"f1"} tool-calls
        a.1 tool/call c5 low: run by tool
        a.1 tool/started c5 reads
        a.1 tool/result c5 ok "f1: lines 1 to 1 of 1\n1\tx\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        a.1 request/sent r7
        a.1 assistant/message r7 c6=read_file {"path":"f2"} tool-calls
        a.1 tool/call c6 low: run by tool
        a.1 tool/started c6 reads
        a.1 tool/result c6 ok "f2: lines 1 to 1 of 1\n1\tx\n"
        a.1 iteration/end 2
        a.1 iteration/start 3 (3 since a person acted)
        a.1 request/sent r8
        a.1 assistant/message r8 c7=read_file {"path":"f3"} tool-calls
        a.1 tool/call c7 low: run by tool
        a.1 tool/started c7 reads
        a.1 tool/result c7 ok "f3: lines 1 to 1 of 1\n1\tx\n"
        a.1 iteration/end 3
        a.1 iteration/start 4 (4 since a person acted)
        a.1 request/sent r9
        a.1 assistant/message r9 c8=read_file {"path":"f4"} tool-calls
        a.1 tool/call c8 low: run by tool
        a.1 tool/started c8 reads
        a.1 tool/result c8 ok "f4: lines 1 to 1 of 1\n1\tx\n"
        a.1 iteration/end 4
        a.1 iteration/start 5 (5 since a person acted)
        a.1 request/sent r10
        a.1 assistant/message r10 c9=read_file {"path":"f5"} tool-calls
        a.1 tool/call c9 low: run by tool
        a.1 tool/started c9 reads
        a.1 tool/result c9 ok "f5: lines 1 to 1 of 1\n1\tx\n"
        a.1 iteration/end 5
        a.1 iteration/start 6 (6 since a person acted)
        a.1 request/sent r11
        a.1 assistant/message r11 c10=read_file {"path":"f6"} tool-calls
        a.1 tool/call c10 low: run by tool
        a.1 tool/started c10 reads
        a.1 tool/result c10 ok "f6: lines 1 to 1 of 1\n1\tx\n" + "[BUDGET: iteration 6/8, 2 left. Start to bring the work together.]"
        a.1 iteration/end 6
        a.1 iteration/start 7 (7 since a person acted)
        a.1 request/sent r12
        a.1 assistant/message r12 c11=read_file {"path":"f7"} tool-calls
        a.1 tool/call c11 low: run by tool
        a.1 tool/started c11 reads
        a.1 tool/result c11 ok "f7: lines 1 to 1 of 1\n1\tx\n"
        a.1 iteration/end 7
        a.1 iteration/start 8 (8 since a person acted)
        a.1 request/sent r13 tools off
        a.1 assistant/chunk r13 text "eight"
        a.1 assistant/message r13 "eight" stop
        a.1 iteration/end 8
        a.1 turn/end max-iterations
        a.2 user/message next-turn "two"
        a.2 turn/start message
        a.2 iteration/start 1 (1 since a person acted)
        a.2 request/sent r14
        a.2 assistant/message r14 c12=read_file {"path":"f1"} tool-calls
        a.2 tool/call c12 low: run by tool
        a.2 tool/started c12 reads
        a.2 tool/result c12 ok "f1: lines 1 to 1 of 1\n1\tx\n"
        a.2 iteration/end 1
        a.2 iteration/start 2 (2 since a person acted)
        a.2 request/sent r15
        a.2 assistant/message r15 c13=read_file {"path":"f2"} tool-calls
        a.2 tool/call c13 low: run by tool
        a.2 tool/started c13 reads
        a.2 tool/result c13 ok "f2: lines 1 to 1 of 1\n1\tx\n"
        a.2 iteration/end 2
        a.2 iteration/start 3 (3 since a person acted)
        a.2 request/sent r16
        a.2 assistant/message r16 c14=read_file {"path":"f3"} tool-calls
        a.2 tool/call c14 low: run by tool
        a.2 tool/started c14 reads
        a.2 tool/result c14 ok "f3: lines 1 to 1 of 1\n1\tx\n"
        a.2 iteration/end 3
        a.2 iteration/start 4 (4 since a person acted)
        a.2 request/sent r17
        a.2 assistant/message r17 c15=read_file {"path":"f4"} tool-calls
        a.2 tool/call c15 low: run by tool
        a.2 tool/started c15 reads
        a.2 tool/result c15 ok "f4: lines 1 to 1 of 1\n1\tx\n"
        a.2 iteration/end 4
        a.2 iteration/start 5 (5 since a person acted)
        a.2 request/sent r18
        a.2 assistant/message r18 c16=read_file {"path":"f5"} tool-calls
        a.2 tool/call c16 low: run by tool
        a.2 tool/started c16 reads
        a.2 tool/result c16 ok "f5: lines 1 to 1 of 1\n1\tx\n"
        a.2 iteration/end 5
        a.2 iteration/start 6 (6 since a person acted)
        a.2 request/sent r19
        a.2 assistant/message r19 c17=read_file {"path":"f6"} tool-calls
        a.2 tool/call c17 low: run by tool
        a.2 tool/started c17 reads
        a.2 tool/result c17 ok "f6: lines 1 to 1 of 1\n1\tx\n" + "[BUDGET: iteration 6/8, 2 left. Start to bring the work together.]"
        a.2 iteration/end 6
        a.2 iteration/start 7 (7 since a person acted)
        a.2 request/sent r20
        a.2 assistant/message r20 c18=read_file {"path":"f7"} tool-calls
        a.2 tool/call c18 low: run by tool
        a.2 tool/started c18 reads
        a.2 tool/result c18 ok "f7: lines 1 to 1 of 1\n1\tx\n"
        a.2 iteration/end 7
        a.2 iteration/start 8 (8 since a person acted)
        a.2 request/sent r21 tools off
        a.2 assistant/chunk r21 text "eight more"
        a.2 assistant/message r21 "eight more" stop
        a.2 iteration/end 8
        a.2 turn/end max-iterations
        a.3 user/message next-turn "three"
        a.3 turn/start message
        a.3 iteration/start 1 (1 since a person acted)
        a.3 request/sent r22
        a.3 assistant/message r22 c19=read_file {"path":"f1"} tool-calls
        a.3 tool/call c19 low: run by tool
        a.3 tool/started c19 reads
        a.3 tool/result c19 ok "f1: lines 1 to 1 of 1\n1\tx\n"
        a.3 iteration/end 1
        a.3 iteration/start 2 (2 since a person acted)
        a.3 request/sent r23
        a.3 assistant/message r23 c20=read_file {"path":"f2"} tool-calls
        a.3 tool/call c20 low: run by tool
        a.3 tool/started c20 reads
        a.3 tool/result c20 ok "f2: lines 1 to 1 of 1\n1\tx\n"
        a.3 iteration/end 2
        a.3 iteration/start 3 (3 since a person acted)
        a.3 request/sent r24
        a.3 assistant/message r24 c21=read_file {"path":"f3"} tool-calls
        a.3 tool/call c21 low: run by tool
        a.3 tool/started c21 reads
        a.3 tool/result c21 ok "f3: lines 1 to 1 of 1\n1\tx\n"
        a.3 iteration/end 3
        a.3 iteration/start 4 (4 since a person acted)
        a.3 request/sent r25
        a.3 assistant/message r25 c22=read_file {"path":"f4"} tool-calls
        a.3 tool/call c22 low: run by tool
        a.3 tool/started c22 reads
        a.3 tool/result c22 ok "f4: lines 1 to 1 of 1\n1\tx\n"
        a.3 iteration/end 4
        a.3 iteration/start 5 (5 since a person acted)
        a.3 request/sent r26
        a.3 assistant/message r26 c23=read_file {"path":"f5"} tool-calls
        a.3 tool/call c23 low: run by tool
        a.3 tool/started c23 reads
        a.3 tool/result c23 ok "f5: lines 1 to 1 of 1\n1\tx\n"
        a.3 iteration/end 5
        a.3 iteration/start 6 (6 since a person acted)
        a.3 request/sent r27
        a.3 assistant/message r27 c24=read_file {"path":"f6"} tool-calls
        a.3 tool/call c24 low: run by tool
        a.3 tool/started c24 reads
        a.3 tool/result c24 ok "f6: lines 1 to 1 of 1\n1\tx\n" + "[BUDGET: iteration 6/8, 2 left. Start to bring the work together.]"
        a.3 iteration/end 6
        a.3 iteration/start 7 (7 since a person acted)
        a.3 request/sent r28
        a.3 assistant/message r28 c25=read_file {"path":"f7"} tool-calls
        a.3 tool/call c25 low: run by tool
        a.3 tool/started c25 reads
        a.3 tool/result c25 ok "f7: lines 1 to 1 of 1\n1\tx\n"
        a.3 iteration/end 7
        a.3 iteration/start 8 (8 since a person acted)
        a.3 request/sent r29 tools off
        a.3 assistant/chunk r29 text "and eight"
        a.3 assistant/message r29 "and eight" stop
        a.3 iteration/end 8
        a.3 turn/end max-iterations
    "#]],
    );
}

#[test]
fn nothing_of_it_changes_a_file_or_asks_anybody() {
    let script = with_agents()
        .mode(Mode::Auto)
        .model([asks("try"), say("It could not.")])
        .agent(
            "try",
            [
                writes("a", "x\n").reads(".env").runs("echo x > a"),
                also(call("todo", json!({ "items": [] })), "deeper"),
                say("Nothing of it ran."),
            ],
        )
        .acts([send("go"), inbox()]);
    check(
        script,
        expect![[r#"
            > sends "go" (NextTurn)
            user/message next-turn "go"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=dispatch_agent {"task":"try"} tool-calls
            tool/call c1 low: run by tool
            tool/started c1 reads
            agent/started c1 with up to 8 requests
            agent/ended c1 after request 3
            tool/result c1 ok "Nothing of it ran."
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/chunk r2 text "It could not."
            assistant/message r2 "It could not." stop
            iteration/end 2
            turn/end completed
            a.1 user/message next-turn "try"
            a.1 turn/start message
            a.1 iteration/start 1 (1 since a person acted)
            a.1 request/sent r3
            a.1 assistant/message r3 c2=write_file {"content":"x\n","path":"a"} c3=read_file {"path":".env"} c4=run_command {"command":"echo x > a"} tool-calls
            a.1 tool/call c2 no tier: refuse by tool "It did not run: there is no tool named \"write_file\". Tools: file_info, git_diff,…57 more…ad_symbol, search_files, session_search." (unknown-tool)
            a.1 tool/call c3 medium: refuse by tool "It did not run: this needs the user's word, and a sub-agent never asks for it. Go on without it, and say in your answer that it is needed." (mode)
            a.1 tool/call c4 no tier: refuse by tool "It did not run: there is no tool named \"run_command\". Tools: file_info, git_diff…58 more…ad_symbol, search_files, session_search." (unknown-tool)
            a.1 tool/result c2 error (unknown-tool) "It did not run: there is no tool named \"write_file\". Tools: file_info, git_diff,…57 more…ad_symbol, search_files, session_search."
            a.1 tool/result c3 rejected (mode) "It did not run: this needs the user's word, and a sub-agent never asks for it. Go on without it, and say in your answer that it is needed."
            a.1 tool/result c4 error (unknown-tool) "It did not run: there is no tool named \"run_command\". Tools: file_info, git_diff…58 more…ad_symbol, search_files, session_search."
            a.1 iteration/end 1
            a.1 iteration/start 2 (2 since a person acted)
            a.1 request/sent r4
            a.1 assistant/message r4 c5=todo {"items":[]} c6=dispatch_agent {"task":"deeper"} tool-calls
            a.1 tool/call c5 no tier: refuse by tool "It did not run: there is no tool named \"todo\". Tools: file_info, git_diff, git_l…51 more…ad_symbol, search_files, session_search." (unknown-tool)
            a.1 tool/call c6 no tier: refuse by tool "It did not run: there is no tool named \"dispatch_agent\". Tools: file_info, git_d…61 more…ad_symbol, search_files, session_search." (unknown-tool)
            a.1 tool/result c5 error (unknown-tool) "It did not run: there is no tool named \"todo\". Tools: file_info, git_diff, git_l…51 more…ad_symbol, search_files, session_search."
            a.1 tool/result c6 error (unknown-tool) "It did not run: there is no tool named \"dispatch_agent\". Tools: file_info, git_d…61 more…ad_symbol, search_files, session_search."
            a.1 iteration/end 2
            a.1 iteration/start 3 (3 since a person acted)
            a.1 request/sent r5
            a.1 assistant/chunk r5 text "Nothing of it ran."
            a.1 assistant/message r5 "Nothing of it ran." stop
            a.1 iteration/end 3
            a.1 turn/end completed
            = inbox
        "#]],
    );
}

#[test]
fn nobody_speaks_to_it_or_makes_it_another_one() {
    let script = with_agents().model([asks("wait"), say("done")]).agent("wait", [gate("g").say("waited")]).acts([
        send("go"),
        at("g"),
        on("a.1", set_mode(Mode::Auto)),
        on("a.1", send("write a file")),
        on("a.1", delete()),
        open("g"),
        on("a.1", go_on()),
        on("a.1", fork(2, "b")),
    ]);
    check(
        script,
        expect![[r#"
            > sends "go" (NextTurn)
            > at "g"
            user/message next-turn "go"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=dispatch_agent {"task":"wait"} tool-calls
            tool/call c1 low: run by tool
            tool/started c1 reads
            agent/started c1 with up to 8 requests
            a.1 user/message next-turn "wait"
            a.1 turn/start message
            a.1 iteration/start 1 (1 since a person acted)
            a.1 request/sent r2
            a.1 > sets the mode to Auto
            ! Invalid: that is a sub-agent: it works for a call of its conversation, and only a stop reaches it
            a.1 > sends "write a file" (NextTurn)
            ! Invalid: that is a sub-agent: it works for a call of its conversation, and only a stop reaches it
            a.1 > deletes the conversation
            ! Invalid: that is a sub-agent: it works for a call of its conversation, and only a stop reaches it
            > open "g"
            agent/ended c1 after request 1
            tool/result c1 ok "waited"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r3
            assistant/chunk r3 text "done"
            assistant/message r3 "done" stop
            iteration/end 2
            turn/end completed
            a.1 assistant/chunk r2 text "waited"
            a.1 assistant/message r2 "waited" stop
            a.1 iteration/end 1
            a.1 turn/end completed
            a.1 > continues
            ! Invalid: that is a sub-agent: it works for a call of its conversation, and only a stop reaches it
            a.1 > forks at message 2 as b
            ! Invalid: that is a sub-agent: it works for a call of its conversation, and only a stop reaches it
        "#]],
    );
}

#[test]
fn a_stop_reaches_one_that_streams_and_one_that_reads() {
    let script = with_agents()
        .holds(&["before read_file b"])
        .model([also(asks("one"), "two")])
        .agent("one", [reads("b")])
        .agent("two", [say("Half of").gate("g").say(" it")])
        .acts([send("look"), at("before read_file b"), at("g"), standing(), stop(), open("before read_file b")]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        > at "before read_file b"
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} c2=dispatch_agent {"task":"two"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        tool/started c2 reads
        agent/started c2 with up to 8 requests
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r2
        a.1 assistant/message r2 c3=read_file {"path":"b"} tool-calls
        a.1 tool/call c3 low: run by tool
        a.1 tool/started c3 reads
        a.2 user/message next-turn "two"
        a.2 turn/start message
        a.2 iteration/start 1 (1 since a person acted)
        a.2 request/sent r3
        a.2 assistant/chunk r3 text "Half of"
        > at "g"
        = runs dispatch_agent
        > stops
        turn/stop
        agent/ended c2 after request 1
        tool/result c2 stopped (stop) "Half of\n\n[The agent was stopped before it was done.]"
        a.1 turn/stop
        a.2 turn/stop
        a.2 assistant/message r3 "Half of" unfinished partial
        a.2 iteration/end 1
        a.2 turn/end stopped
        > open "before read_file b"
        agent/ended c1 after request 1
        tool/result c1 stopped (stop) "The agent was stopped before it was done. It said nothing."
        iteration/end 1
        turn/end stopped
        a.1 tool/result c3 ok "b: lines 1 to 1 of 1\n1\tB\n"
        a.1 iteration/end 1
        a.1 turn/end stopped
    "#]],
    );
}

#[test]
fn a_stop_reaches_one_that_waits_for_a_slot() {
    let script = with_agents()
        .slots(1, 1)
        .holds(&["before read_file b"])
        .model([asks("one")])
        .conversation("b", [gate("gb").say("b")])
        .agent("one", [reads("b")])
        .acts([
            send("look"),
            at("before read_file b"),
            on("b", send("talk")),
            at("gb"),
            open("before read_file b"),
            on("a.1", standing()),
            stop(),
            open("gb"),
        ]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        > at "before read_file b"
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r2
        a.1 assistant/message r2 c2=read_file {"path":"b"} tool-calls
        a.1 tool/call c2 low: run by tool
        a.1 tool/started c2 reads
        b > sends "talk" (NextTurn)
        > at "gb"
        b user/message next-turn "talk"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r3
        > open "before read_file b"
        a.1 tool/result c2 ok "b: lines 1 to 1 of 1\n1\tB\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        = waits for a slot, 0 ahead
        > stops
        turn/stop
        agent/ended c1 after request 2
        tool/result c1 stopped (stop) "The agent was stopped before it was done. It said nothing."
        iteration/end 1
        turn/end stopped
        a.1 turn/stop
        a.1 iteration/end 2
        a.1 turn/end stopped
        > open "gb"
        b assistant/chunk r3 text "b"
        b assistant/message r3 "b" stop
        b iteration/end 1
        b turn/end completed
    "#]],
    );
}

#[test]
fn one_that_is_stopped_by_itself_says_so() {
    let script = with_agents()
        .model([asks("one"), say("It was stopped.")])
        .agent("one", [say("So far").gate("g")])
        .acts([send("look"), at("g"), on("a.1", stop())]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        > at "g"
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r2
        a.1 assistant/chunk r2 text "So far"
        a.1 > stops
        agent/ended c1 after request 1
        tool/result c1 error "So far\n\n[The agent was stopped before it was done.]"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r3
        assistant/chunk r3 text "It was stopped."
        assistant/message r3 "It was stopped." stop
        iteration/end 2
        turn/end completed
        a.1 turn/stop
        a.1 assistant/message r2 "So far" unfinished partial
        a.1 iteration/end 1
        a.1 turn/end stopped
    "#]],
    );
}

#[test]
fn a_crash_interrupts_it_and_its_call_and_nobody_is_asked_at_the_start() {
    let script = with_agents()
        .model([also(asks("one"), "two"), say("I look again.")])
        .agent("one", [reads("a"), gate("g").say("1")])
        .agent("two", [say("2")])
        .acts([send("look"), at("g"), restart(), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        > at "g"
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} c2=dispatch_agent {"task":"two"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        tool/started c2 reads
        agent/started c2 with up to 8 requests
        agent/ended c2 after request 1
        tool/result c2 ok "2"
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r2
        a.1 assistant/message r2 c3=read_file {"path":"a"} tool-calls
        a.1 tool/call c3 low: run by tool
        a.1 tool/started c3 reads
        a.1 tool/result c3 ok "a: lines 1 to 1 of 1\n1\tA\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        a.1 request/sent r3
        a.2 user/message next-turn "two"
        a.2 turn/start message
        a.2 iteration/start 1 (1 since a person acted)
        a.2 request/sent r4
        a.2 assistant/chunk r4 text "2"
        a.2 assistant/message r4 "2" stop
        a.2 iteration/end 1
        a.2 turn/end completed
        > restart
        agent/ended c1 after request 2
        tool/result c1 error (interrupted) "It was interrupted, and its result is lost. Nothing was changed; call it again if it is still wanted."
        iteration/end 1
        turn/end interrupted
        a.1 assistant/discarded r3 disconnected ""
        a.1 iteration/end 2
        a.1 turn/end interrupted
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "I look again."
        assistant/message r5 "I look again." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn one_that_was_not_begun_before_a_crash_is_not_begun_at_the_start() {
    let script = with_agents()
        .file("c", "C\n")
        .holds(&["assessing read_file c"])
        .model([asks("one").reads("c"), say("as you wish")])
        .agent("one", [])
        .acts([send("look"), at("assessing read_file c"), restart(), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        > at "assessing read_file c"
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} c2=read_file {"path":"c"} tool-calls
        tool/call c1 low: run by tool
        > restart
        tool/call c2 low: run by tool
        tool/result c1 error (interrupted) "It did not run: the program was interrupted before it could. Nothing was changed by this call; call it again if it is still wanted."
        tool/started c2 reads
        tool/result c2 ok "c: lines 1 to 1 of 1\n1\tC\n"
        iteration/end 1
        turn/end interrupted
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "as you wish"
        assistant/message r2 "as you wish" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_card_waits_beside_it_and_is_decided_meanwhile() {
    let script = with_agents()
        .model([asks("one").writes("c", "C\n"), say("done")])
        .agent("one", [gate("g").say("1")])
        .acts([send("go"), at("g"), open("g"), approve(2)]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        > at "g"
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} c2=write_file {"content":"C\n","path":"c"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r2
        > open "g"
        agent/ended c1 after request 1
        tool/result c1 ok "1"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create c: 1 line"
        a.1 assistant/chunk r2 text "1"
        a.1 assistant/message r2 "1" stop
        a.1 iteration/end 1
        a.1 turn/end completed
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create c
        tool/result c2 ok [c created] "Created c: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "done"
        assistant/message r3 "done" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn the_words_say_why_it_failed() {
    let script = with_agents()
        .model([asks("one"), say("It has no key."), asks(" "), say("as you wish")])
        .agent("one", [refused(FailureKind::BadRequest, "no such thing")])
        .acts([send("look"), send("look again")]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        agent/ended c1 after request 1
        tool/result c1 error "The agent failed: the request was refused (HTTP 400): no such thing. It said nothing."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "It has no key."
        assistant/message r2 "It has no key." stop
        iteration/end 2
        turn/end completed
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r3
        a.1 request/failed r3 attempt 1 bad-request "the request was refused (HTTP 400): no such thing"
        a.1 iteration/end 1
        a.1 turn/end error "the request was refused (HTTP 400): no such thing"
        > sends "look again" (NextTurn)
        user/message next-turn "look again"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/message r4 c2=dispatch_agent {"task":" "} tool-calls
        tool/call c2 no tier: refuse by tool "It did not run: the task is empty." (bad-arguments)
        tool/result c2 error (bad-arguments) "It did not run: the task is empty."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r5
        assistant/chunk r5 text "as you wish"
        assistant/message r5 "as you wish" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn what_it_costs_counts_in_the_turn_that_asked() {
    let script = with_agents()
        .price(1.0, 1.0, 0.0)
        .limits(Limits { money_micros: Some(100_000), ..Limits::default() })
        .model([also(asks("one"), "two").used(10_000, 10_000, 0)])
        .agent("one", [reads("a").used(10_000, 10_000, 0), reads("b").used(30_000, 10_000, 0)])
        .agent("two", [say("cheap").used(10_000, 10_000, 0)])
        .acts([send("look")]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} c2=dispatch_agent {"task":"two"} tool-calls
        usage/recorded r1 10000 in, 10000 out for 20000
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        tool/started c2 reads
        agent/started c2 with up to 8 requests
        agent/ended c1 after request 2 for 60000
        tool/result c1 error "The agent failed: spent $0.0600 of the $0.0400 that this turn may cost. It said nothing."
        agent/ended c2 after request 1 for 20000
        tool/result c2 ok "cheap"
        iteration/end 1
        turn/end blocked "spent $0.10 of the $0.10 that this turn may cost"
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r2
        a.1 assistant/message r2 c3=read_file {"path":"a"} tool-calls
        a.1 usage/recorded r2 10000 in, 10000 out for 20000
        a.1 tool/call c3 low: run by tool
        a.1 tool/started c3 reads
        a.1 tool/result c3 ok "a: lines 1 to 1 of 1\n1\tA\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        a.1 request/sent r3
        a.1 assistant/message r3 c4=read_file {"path":"b"} tool-calls
        a.1 usage/recorded r3 30000 in, 10000 out for 40000
        a.1 tool/call c4 low: run by tool
        a.1 tool/started c4 reads
        a.1 tool/result c4 ok "b: lines 1 to 1 of 1\n1\tB\n"
        a.1 iteration/end 2
        a.1 turn/end blocked "spent $0.0600 of the $0.0400 that this turn may cost"
        a.2 user/message next-turn "two"
        a.2 turn/start message
        a.2 iteration/start 1 (1 since a person acted)
        a.2 request/sent r4
        a.2 assistant/chunk r4 text "cheap"
        a.2 assistant/message r4 "cheap" stop
        a.2 usage/recorded r4 10000 in, 10000 out for 20000
        a.2 iteration/end 1
        a.2 turn/end completed
    "#]],
    );
}

#[test]
fn a_deleted_conversation_stops_it() {
    let script =
        with_agents().model([asks("one")]).agent("one", [gate("g").say("1")]).acts([send("look"), at("g"), delete()]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        > at "g"
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r2
        > deletes the conversation
        turn/stop
        agent/ended c1 after request 1
        tool/result c1 stopped (stop) "The agent was stopped before it was done. It said nothing."
        iteration/end 1
        turn/end stopped
        a.1 turn/stop
        a.1 request/failed r2 attempt 1 stopped "stopped before any text came"
        a.1 iteration/end 1
        a.1 turn/end stopped
    "#]],
    );
}

#[test]
fn what_another_program_writes_meanwhile_is_what_it_reads() {
    let script = with_agents()
        .model([asks("one"), say("b is new")])
        .agent("one", [gate("g").reads("b"), say("b says so")])
        .acts([send("look"), at("g"), write_outside("b", "new\n"), open("g"), on("a.1", request(2))]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        > at "g"
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r2
        > another program writes b
        > open "g"
        agent/ended c1 after request 2
        tool/result c1 ok "b says so"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r3
        assistant/chunk r3 text "b is new"
        assistant/message r3 "b is new" stop
        iteration/end 2
        turn/end completed
        a.1 assistant/message r2 c2=read_file {"path":"b"} tool-calls
        a.1 tool/call c2 low: run by tool
        a.1 tool/started c2 reads
        a.1 tool/result c2 ok "b: lines 1 to 1 of 1\n1\tnew\n"
        a.1 iteration/end 1
        a.1 iteration/start 2 (2 since a person acted)
        a.1 request/sent r4
        a.1 assistant/chunk r4 text "b says so"
        a.1 assistant/message r4 "b says so" stop
        a.1 iteration/end 2
        a.1 turn/end completed
        = {"content":"one","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\":\"b\"}","name":"read_file"},"id":"call_0000000000007000800000000000000a","type":"function"}]}
        = {"content":"b: lines 1 to 1 of 1\n1\tnew\n","role":"tool","tool_call_id":"call_0000000000007000800000000000000a"}
    "#]],
    );
}

#[test]
fn a_long_one_is_summarised_as_any_conversation_is() {
    let text = "The quick brown fox jumps over the lazy dog.\n".repeat(20);
    let books = (1..=6).fold(with_agents(), |script, number| script.file(&format!("book{number}"), &text));
    let reads = (1..=6).map(|number| say("Now this. ".repeat(300).trim()).reads(&format!("book{number}")));
    // A script's model knows a sub-agent by its task as the first message; a summary, and what follows on one, it answers as
    // the conversation's own.
    let own = [asks("read all"), say("Books were read."), say("All of them are about a fox."), say("A fox.")];
    let limits = Limits { compact_messages: 2, ..Limits::default() };
    let script = books.window(14_000).limits(limits).model(own).agent("read all", reads);
    let played = assent_testkit::stage::played(script.acts([send("what are the books about?")]));
    let lines: Vec<&str> =
        played.lines().filter(|line| line.contains("compaction") || line.contains("result c1 ")).collect();
    let expected = [
        "tool/result c1 ok \"All of them are about a fox.\"",
        "a.1 compaction/start long 4 messages",
        "a.1 request/sent r9 for compaction",
        "a.1 compaction/part \"Books were read.\"",
        "a.1 compaction/end \"Books were read.\", smaller",
    ];
    assert_eq!(lines, expected, "{played}");
}

#[test]
fn a_fork_from_behind_it_has_its_answer_and_its_own_pool() {
    let script = with_agents()
        .model([asks("one"), say("It says 1."), also(also(asks("two"), "three"), "four"), say("In the fork.")])
        .agent("one", [say("1")])
        .agent("two", [say("2")])
        .agent("three", [say("3")])
        .agent("four", [say("4")])
        .acts([send("look"), fork(2, "b"), on("b", send("look again")), on("b", request(2))]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=dispatch_agent {"task":"one"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        agent/started c1 with up to 8 requests
        agent/ended c1 after request 1
        tool/result c1 ok "1"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "It says 1."
        assistant/message r2 "It says 1." stop
        iteration/end 2
        turn/end completed
        a.1 user/message next-turn "one"
        a.1 turn/start message
        a.1 iteration/start 1 (1 since a person acted)
        a.1 request/sent r3
        a.1 assistant/chunk r3 text "1"
        a.1 assistant/message r3 "1" stop
        a.1 iteration/end 1
        a.1 turn/end completed
        a > forks at message 2 as b
        b conversation/created ROOT, forked at 18
        b title/set "look" by tool
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b > sends "look again" (NextTurn)
        b user/message next-turn "look again"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r4
        b assistant/message r4 c2=dispatch_agent {"task":"two"} c3=dispatch_agent {"task":"three"} c4=dispatch_agent {"task":"four"} tool-calls
        b tool/call c2 low: run by tool
        b tool/call c3 low: run by tool
        b tool/call c4 low: run by tool
        b tool/started c2 reads
        b agent/started c2 with up to 8 requests
        b tool/started c3 reads
        b agent/started c3 with up to 8 requests
        b tool/started c4 reads
        b agent/started c4 with up to 8 requests
        b agent/ended c2 after request 1
        b tool/result c2 ok "2"
        b agent/ended c3 after request 1
        b tool/result c3 ok "3"
        b agent/ended c4 after request 1
        b tool/result c4 ok "4"
        b iteration/end 1
        b iteration/start 2 (2 since a person acted)
        b request/sent r5
        b assistant/chunk r5 text "In the fork."
        b assistant/message r5 "In the fork." stop
        b iteration/end 2
        b turn/end completed
        b.1 user/message next-turn "two"
        b.1 turn/start message
        b.1 iteration/start 1 (1 since a person acted)
        b.1 request/sent r6
        b.1 assistant/chunk r6 text "2"
        b.1 assistant/message r6 "2" stop
        b.1 iteration/end 1
        b.1 turn/end completed
        b.2 user/message next-turn "three"
        b.2 turn/start message
        b.2 iteration/start 1 (1 since a person acted)
        b.2 request/sent r7
        b.2 assistant/chunk r7 text "3"
        b.2 assistant/message r7 "3" stop
        b.2 iteration/end 1
        b.2 turn/end completed
        b.3 user/message next-turn "four"
        b.3 turn/start message
        b.3 iteration/start 1 (1 since a person acted)
        b.3 request/sent r8
        b.3 assistant/chunk r8 text "4"
        b.3 assistant/message r8 "4" stop
        b.3 iteration/end 1
        b.3 turn/end completed
        = {"content":"look","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"task\":\"one\"}","name":"dispatch_agent"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"1","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"look again","role":"user"}
    "#]],
    );
}
