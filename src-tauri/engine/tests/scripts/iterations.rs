//! Ten model calls between two human acts (2.2): the notes at 7 and 9, the last call without tools, Continue.
//! What counts as a human act is told here too.

use assent_protocol::settings::Limits;
use assent_testkit::stage::{
    Answer, Script, approve, check, check_on_both, go_on, reject, say, script, send, set_limits, steer,
};
use expect_test::expect;

use crate::{More as _, reads, writes};

/// A folder with files `f1` to `f12`.
fn files() -> Script {
    (1..=12).fold(script(), |script, number| script.file(&format!("f{number}"), &format!("{number}\n")))
}

/// Answers that read `f{first}` to `f{last}`, one a request.
fn read_on(first: usize, last: usize) -> Vec<Answer> {
    (first..=last).map(|number| reads(&format!("f{number}"))).collect()
}

#[test]
fn the_tenth_call_has_its_tools_and_may_not_use_them() {
    let mut answers = read_on(1, 9);
    answers.push(say("Enough."));
    check_on_both(
        files().model(answers).acts([send("read all")]),
        expect![[r#"
        > sends "read all" (NextTurn)
        user/message next-turn "read all"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"f1"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "f1: lines 1 to 1 of 1\n1\t1\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=read_file {"path":"f2"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "f2: lines 1 to 1 of 1\n1\t2\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=read_file {"path":"f3"} tool-calls
        tool/call c3 low: run by tool
        tool/started c3 reads
        tool/result c3 ok "f3: lines 1 to 1 of 1\n1\t3\n"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/message r4 c4=read_file {"path":"f4"} tool-calls
        tool/call c4 low: run by tool
        tool/started c4 reads
        tool/result c4 ok "f4: lines 1 to 1 of 1\n1\t4\n"
        iteration/end 4
        iteration/start 5 (5 since a person acted)
        request/sent r5
        assistant/message r5 c5=read_file {"path":"f5"} tool-calls
        tool/call c5 low: run by tool
        tool/started c5 reads
        tool/result c5 ok "f5: lines 1 to 1 of 1\n1\t5\n"
        iteration/end 5
        iteration/start 6 (6 since a person acted)
        request/sent r6
        assistant/message r6 c6=read_file {"path":"f6"} tool-calls
        tool/call c6 low: run by tool
        tool/started c6 reads
        tool/result c6 ok "f6: lines 1 to 1 of 1\n1\t6\n"
        iteration/end 6
        iteration/start 7 (7 since a person acted)
        request/sent r7
        assistant/message r7 c7=read_file {"path":"f7"} tool-calls
        tool/call c7 low: run by tool
        tool/started c7 reads
        tool/result c7 ok "f7: lines 1 to 1 of 1\n1\t7\n" + "[BUDGET: iteration 7/10, 3 left. Start to bring the work together.]"
        iteration/end 7
        iteration/start 8 (8 since a person acted)
        request/sent r8
        assistant/message r8 c8=read_file {"path":"f8"} tool-calls
        tool/call c8 low: run by tool
        tool/started c8 reads
        tool/result c8 ok "f8: lines 1 to 1 of 1\n1\t8\n"
        iteration/end 8
        iteration/start 9 (9 since a person acted)
        request/sent r9
        assistant/message r9 c9=read_file {"path":"f9"} tool-calls
        tool/call c9 low: run by tool
        tool/started c9 reads
        tool/result c9 ok "f9: lines 1 to 1 of 1\n1\t9\n" + "[BUDGET WARNING: iteration 9/10, 1 left. Give your final answer.]"
        iteration/end 9
        iteration/start 10 (10 since a person acted)
        request/sent r10 tools off
        assistant/chunk r10 text "Enough."
        assistant/message r10 "Enough." stop
        iteration/end 10
        turn/end max-iterations
    "#]],
    );
}

#[test]
fn calls_that_come_with_the_last_answer_are_closed_unrun() {
    let mut answers = read_on(1, 9);
    answers.push(reads("f10").writes("g", "x").say("I go on. "));
    answers.extend([reads("f11"), say("All read.")]);
    check_on_both(
        files().model(answers).acts([send("read all"), go_on()]),
        expect![[r#"
        > sends "read all" (NextTurn)
        user/message next-turn "read all"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"f1"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "f1: lines 1 to 1 of 1\n1\t1\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=read_file {"path":"f2"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "f2: lines 1 to 1 of 1\n1\t2\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=read_file {"path":"f3"} tool-calls
        tool/call c3 low: run by tool
        tool/started c3 reads
        tool/result c3 ok "f3: lines 1 to 1 of 1\n1\t3\n"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/message r4 c4=read_file {"path":"f4"} tool-calls
        tool/call c4 low: run by tool
        tool/started c4 reads
        tool/result c4 ok "f4: lines 1 to 1 of 1\n1\t4\n"
        iteration/end 4
        iteration/start 5 (5 since a person acted)
        request/sent r5
        assistant/message r5 c5=read_file {"path":"f5"} tool-calls
        tool/call c5 low: run by tool
        tool/started c5 reads
        tool/result c5 ok "f5: lines 1 to 1 of 1\n1\t5\n"
        iteration/end 5
        iteration/start 6 (6 since a person acted)
        request/sent r6
        assistant/message r6 c6=read_file {"path":"f6"} tool-calls
        tool/call c6 low: run by tool
        tool/started c6 reads
        tool/result c6 ok "f6: lines 1 to 1 of 1\n1\t6\n"
        iteration/end 6
        iteration/start 7 (7 since a person acted)
        request/sent r7
        assistant/message r7 c7=read_file {"path":"f7"} tool-calls
        tool/call c7 low: run by tool
        tool/started c7 reads
        tool/result c7 ok "f7: lines 1 to 1 of 1\n1\t7\n" + "[BUDGET: iteration 7/10, 3 left. Start to bring the work together.]"
        iteration/end 7
        iteration/start 8 (8 since a person acted)
        request/sent r8
        assistant/message r8 c8=read_file {"path":"f8"} tool-calls
        tool/call c8 low: run by tool
        tool/started c8 reads
        tool/result c8 ok "f8: lines 1 to 1 of 1\n1\t8\n"
        iteration/end 8
        iteration/start 9 (9 since a person acted)
        request/sent r9
        assistant/message r9 c9=read_file {"path":"f9"} tool-calls
        tool/call c9 low: run by tool
        tool/started c9 reads
        tool/result c9 ok "f9: lines 1 to 1 of 1\n1\t9\n" + "[BUDGET WARNING: iteration 9/10, 1 left. Give your final answer.]"
        iteration/end 9
        iteration/start 10 (10 since a person acted)
        request/sent r10 tools off
        assistant/chunk r10 text "I go on. "
        assistant/message r10 "I go on. " c10=read_file {"path":"f10"} c11=write_file {"content":"x","path":"g"} tool-calls
        tool/result c10 rejected (budget) "It did not run: this was the last permitted answer of the turn and tools were off. Answer in words."
        tool/result c11 rejected (budget) "It did not run: this was the last permitted answer of the turn and tools were off. Answer in words."
        iteration/end 10
        turn/end max-iterations
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r11
        assistant/message r11 c12=read_file {"path":"f11"} tool-calls
        tool/call c12 low: run by tool
        tool/started c12 reads
        tool/result c12 ok "f11: lines 1 to 1 of 1\n1\t11\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r12
        assistant/chunk r12 text "All read."
        assistant/message r12 "All read." stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_decision_and_a_steering_message_begin_the_count_anew() {
    let limits = Limits { max_iterations: 3, ..Limits::default() };
    let answers = [
        reads("f1"),
        writes("g", "x"),
        reads("f2"),
        writes("g2", "x"),
        reads("f3"),
        reads("f4"),
        say("Three since you answered."),
    ];
    let script = files().limits(limits).model(answers).acts([send("go"), approve(2), reject(4)]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"f1"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "f1: lines 1 to 1 of 1\n1\t1\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"x","path":"g"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Create g: 1 line"
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create g
        tool/result c2 ok [g created] "Created g: 1 line."
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/message r3 c3=read_file {"path":"f2"} tool-calls
        tool/call c3 low: run by tool
        tool/started c3 reads
        tool/result c3 ok "f2: lines 1 to 1 of 1\n1\t2\n"
        iteration/end 3
        iteration/start 4 (2 since a person acted)
        request/sent r4
        assistant/message r4 c4=write_file {"content":"x","path":"g2"} tool-calls
        tool/call c4 medium: ask
        approval/requested c4 medium "Create g2: 1 line"
        > rejects c4
        approval/decided c4 rejected by user
        tool/result c4 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 4
        iteration/start 5 (1 since a person acted)
        request/sent r5
        assistant/message r5 c5=read_file {"path":"f3"} tool-calls
        tool/call c5 low: run by tool
        tool/started c5 reads
        tool/result c5 ok "f3: lines 1 to 1 of 1\n1\t3\n"
        iteration/end 5
        iteration/start 6 (2 since a person acted)
        request/sent r6
        assistant/message r6 c6=read_file {"path":"f4"} tool-calls
        tool/call c6 low: run by tool
        tool/started c6 reads
        tool/result c6 ok "f4: lines 1 to 1 of 1\n1\t4\n"
        iteration/end 6
        iteration/start 7 (3 since a person acted)
        request/sent r7 tools off
        assistant/chunk r7 text "Three since you answered."
        assistant/message r7 "Three since you answered." stop
        iteration/end 7
        turn/end max-iterations
    "#]],
    );
}

#[test]
fn one_permitted_call_is_an_answer_in_words() {
    let limits = Limits { max_iterations: 1, ..Limits::default() };
    let script = files().limits(limits).model([say("Hello."), say("Once more.")]).acts([send("hi"), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "hi" (NextTurn)
        user/message next-turn "hi"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1 tools off
        assistant/chunk r1 text "Hello."
        assistant/message r1 "Hello." stop
        iteration/end 1
        turn/end max-iterations
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2 tools off
        assistant/chunk r2 text "Once more."
        assistant/message r2 "Once more." stop
        iteration/end 1
        turn/end max-iterations
    "#]],
    );
}

#[test]
fn limits_can_be_set_and_a_message_begins_the_count_anew() {
    let limits = Limits { max_iterations: 2, ..Limits::default() };
    let script = files().model([reads("f1"), say("One."), reads("f2"), say("Two."), say("Steered.")]).acts([
        send("a"),
        set_limits(limits),
        send("b"),
        steer("c"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "a" (NextTurn)
        user/message next-turn "a"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"f1"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "f1: lines 1 to 1 of 1\n1\t1\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "One."
        assistant/message r2 "One." stop
        iteration/end 2
        turn/end completed
        > sets the limits
        limits/set max 2 retries 3
        > sends "b" (NextTurn)
        user/message next-turn "b"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/message r3 c2=read_file {"path":"f2"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "f2: lines 1 to 1 of 1\n1\t2\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r4 tools off
        assistant/chunk r4 text "Two."
        assistant/message r4 "Two." stop
        iteration/end 2
        turn/end max-iterations
        > sends "c" (NextStep)
        user/message next-step "c"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "Steered."
        assistant/message r5 "Steered." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}
