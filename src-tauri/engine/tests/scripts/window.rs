//! The window (part 4): what is left out when space is short, what never is, and what a provider's "too long" does.
//! The requests' sizes are checked in each of these scripts, beside what is checked after every one.

use assent_protocol::settings::Limits;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{self, Answer, Script, check, go_on, refused, say, send};
use expect_test::expect;

use crate::reads;

/// A script in which nothing is summarised: what these are about is the net below that.
fn script() -> Script {
    stage::script().limits(Limits { compact: false, ..Limits::default() })
}

/// A folder with `count` files of `lines` lines each.
fn books(count: usize, lines: usize) -> Script {
    let text = "The quick brown fox jumps over the lazy dog.\n".repeat(lines);
    (1..=count).fold(script(), |script, number| script.file(&format!("book{number}"), &text))
}

fn read_each(count: usize) -> Vec<Answer> {
    (1..=count).map(|number| reads(&format!("book{number}"))).collect()
}

#[test]
fn old_results_are_pruned_first_and_the_turns_message_stays() {
    let mut answers = read_each(8);
    answers.push(say("All read."));
    let script = books(8, 139).window(16_000).model(answers).acts([send("read all the books")]);
    check(
        script,
        expect![[r#"
            > sends "read all the books" (NextTurn)
            user/message next-turn "read all the books"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=read_file {"path":"book1"} tool-calls
            tool/call c1 low: run by tool
            tool/started c1 reads
            tool/result c1 ok "book1: lines 1 to 139 of 139\n1\tThe quick brown fox jumps over the lazy dog.\n2\tTh…6612 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/message r2 c2=read_file {"path":"book2"} tool-calls
            tool/call c2 low: run by tool
            tool/started c2 reads
            tool/result c2 ok "book2: lines 1 to 139 of 139\n1\tThe quick brown fox jumps over the lazy dog.\n2\tTh…6612 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 2
            iteration/start 3 (3 since a person acted)
            request/sent r3
            assistant/message r3 c3=read_file {"path":"book3"} tool-calls
            tool/call c3 low: run by tool
            tool/started c3 reads
            tool/result c3 ok "book3: lines 1 to 139 of 139\n1\tThe quick brown fox jumps over the lazy dog.\n2\tTh…6612 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 3
            iteration/start 4 (4 since a person acted)
            request/sent r4
            assistant/message r4 c4=read_file {"path":"book4"} tool-calls
            tool/call c4 low: run by tool
            tool/started c4 reads
            tool/result c4 ok "book4: lines 1 to 139 of 139\n1\tThe quick brown fox jumps over the lazy dog.\n2\tTh…6612 more…uick brown fox jumps over the lazy dog.\n" + "[CONTEXT: 82 % of the space is used. Read in smaller pieces and keep to what matters: earlier results will soon be left out or summarised.]"
            iteration/end 4
            iteration/start 5 (5 since a person acted)
            request/sent r5
            assistant/message r5 c5=read_file {"path":"book5"} tool-calls
            tool/call c5 low: run by tool
            tool/started c5 reads
            tool/result c5 ok "book5: lines 1 to 139 of 139\n1\tThe quick brown fox jumps over the lazy dog.\n2\tTh…6612 more…uick brown fox jumps over the lazy dog.\n" + "[CONTEXT: 98 % of the space is used. Read in smaller pieces and keep to what matters: earlier results will soon be left out or summarised.]"
            iteration/end 5
            iteration/start 6 (6 since a person acted)
            request/sent r6
            assistant/message r6 c6=read_file {"path":"book6"} tool-calls
            tool/call c6 low: run by tool
            tool/started c6 reads
            tool/result c6 ok "book6: lines 1 to 139 of 139\n1\tThe quick brown fox jumps over the lazy dog.\n2\tTh…6612 more…uick brown fox jumps over the lazy dog.\n" + "[CONTEXT: 100 % of the space is used. Read in smaller pieces and keep to what matters: earlier results will soon be left out or summarised.]"
            iteration/end 6
            window/moved pruned [c1 c2 c3]
            iteration/start 7 (7 since a person acted)
            request/sent r7
            assistant/message r7 c7=read_file {"path":"book7"} tool-calls
            tool/call c7 low: run by tool
            tool/started c7 reads
            tool/result c7 ok "book7: lines 1 to 139 of 139\n1\tThe quick brown fox jumps over the lazy dog.\n2\tTh…6612 more…uick brown fox jumps over the lazy dog.\n" + "[BUDGET: iteration 7/10, 3 left. Start to bring the work together.]\n[CONTEXT: 84…87 more…ts will soon be left out or summarised.]"
            iteration/end 7
            iteration/start 8 (8 since a person acted)
            request/sent r8
            assistant/message r8 c8=read_file {"path":"book8"} tool-calls
            tool/call c8 low: run by tool
            tool/started c8 reads
            tool/result c8 ok "book8: lines 1 to 139 of 139\n1\tThe quick brown fox jumps over the lazy dog.\n2\tTh…6612 more…uick brown fox jumps over the lazy dog.\n" + "[CONTEXT: 100 % of the space is used. Read in smaller pieces and keep to what matters: earlier results will soon be left out or summarised.]"
            iteration/end 8
            window/moved pruned [c4 c5]
            iteration/start 9 (9 since a person acted)
            request/sent r9
            assistant/chunk r9 text "All read."
            assistant/message r9 "All read." stop
            iteration/end 9
            turn/end completed
        "#]],
    );
}

#[test]
fn old_groups_are_left_out_when_pruning_is_not_enough() {
    let long = "A long answer about nothing in particular. ".repeat(74);
    let answers: Vec<Answer> = (0..14).map(|_| say(&long)).collect();
    let acts: Vec<_> = (1..=14).map(|number| send(&format!("question {number}"))).collect();
    check(
        script().window(16_000).model(answers).acts(acts),
        expect![[r#"
        > sends "question 1" (NextTurn)
        user/message next-turn "question 1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r1 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 2" (NextTurn)
        user/message next-turn "question 2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r2 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 3" (NextTurn)
        user/message next-turn "question 3"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r3 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 4" (NextTurn)
        user/message next-turn "question 4"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r4 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 5" (NextTurn)
        user/message next-turn "question 5"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r5 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 6" (NextTurn)
        user/message next-turn "question 6"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r6
        assistant/chunk r6 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r6 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 7" (NextTurn)
        user/message next-turn "question 7"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r7
        assistant/chunk r7 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r7 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        assistant/chunk r9 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r9 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 10" (NextTurn)
        user/message next-turn "question 10"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r10 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 11" (NextTurn)
        user/message next-turn "question 11"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r11
        assistant/chunk r11 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r11 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 12" (NextTurn)
        user/message next-turn "question 12"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r12
        assistant/chunk r12 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r12 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 13" (NextTurn)
        user/message next-turn "question 13"
        turn/start message
        window/moved pruned []
        iteration/start 1 (1 since a person acted)
        request/sent r13
        assistant/chunk r13 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r13 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 14" (NextTurn)
        user/message next-turn "question 14"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r14
        assistant/chunk r14 text "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. "
        assistant/message r14 "A long answer about nothing in particular. A long answer about nothing in partic…3062 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn too_long_makes_the_view_smaller_and_asks_twice_more() {
    let too_long = || refused(FailureKind::ContextTooLong, "maximum context length is 4096 tokens");
    let mut answers = read_each(4);
    answers.extend([too_long(), say("Short enough.")]);
    check(
        books(4, 60).model(answers).acts([send("read")]),
        expect![[r#"
        > sends "read" (NextTurn)
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"book1"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "book1: lines 1 to 60 of 60\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …2778 more…uick brown fox jumps over the lazy dog.\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=read_file {"path":"book2"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "book2: lines 1 to 60 of 60\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …2778 more…uick brown fox jumps over the lazy dog.\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=read_file {"path":"book3"} tool-calls
        tool/call c3 low: run by tool
        tool/started c3 reads
        tool/result c3 ok "book3: lines 1 to 60 of 60\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …2778 more…uick brown fox jumps over the lazy dog.\n"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/message r4 c4=read_file {"path":"book4"} tool-calls
        tool/call c4 low: run by tool
        tool/started c4 reads
        tool/result c4 ok "book4: lines 1 to 60 of 60\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …2778 more…uick brown fox jumps over the lazy dog.\n"
        iteration/end 4
        iteration/start 5 (5 since a person acted)
        request/sent r5
        request/failed r5 attempt 1 context-too-long "the request is too large (HTTP 413): maximum context length is 4096 tokens"
        window/moved pruned [c1 c2 c3 c4]
        request/sent r6 attempt 2
        assistant/chunk r6 text "Short enough."
        assistant/message r6 "Short enough." stop
        iteration/end 5
        turn/end completed
    "#]],
    );
}

#[test]
fn too_long_three_times_is_a_clear_error() {
    let too_long = || refused(FailureKind::ContextTooLong, "maximum context length is 4096 tokens");
    let long = "A long answer about nothing in particular. ".repeat(85);
    let mut answers: Vec<Answer> = (0..20).map(|_| say(&long)).collect();
    answers.extend([too_long(), too_long(), too_long(), say("here")]);
    let mut acts: Vec<_> = (1..=21).map(|number| send(&format!("question {number}"))).collect();
    acts.push(go_on());
    check(
        script().model(answers).acts(acts),
        expect![[r#"
        > sends "question 1" (NextTurn)
        user/message next-turn "question 1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r1 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 2" (NextTurn)
        user/message next-turn "question 2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r2 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 3" (NextTurn)
        user/message next-turn "question 3"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r3 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 4" (NextTurn)
        user/message next-turn "question 4"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r4 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 5" (NextTurn)
        user/message next-turn "question 5"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r5 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 6" (NextTurn)
        user/message next-turn "question 6"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r6
        assistant/chunk r6 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r6 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 7" (NextTurn)
        user/message next-turn "question 7"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r7
        assistant/chunk r7 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r7 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        assistant/chunk r9 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r9 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 10" (NextTurn)
        user/message next-turn "question 10"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r10 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 11" (NextTurn)
        user/message next-turn "question 11"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r11
        assistant/chunk r11 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r11 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 12" (NextTurn)
        user/message next-turn "question 12"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r12
        assistant/chunk r12 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r12 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 13" (NextTurn)
        user/message next-turn "question 13"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r13
        assistant/chunk r13 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r13 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 14" (NextTurn)
        user/message next-turn "question 14"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r14
        assistant/chunk r14 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r14 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 15" (NextTurn)
        user/message next-turn "question 15"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r15
        assistant/chunk r15 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r15 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 16" (NextTurn)
        user/message next-turn "question 16"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r16
        assistant/chunk r16 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r16 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 17" (NextTurn)
        user/message next-turn "question 17"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r17
        assistant/chunk r17 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r17 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 18" (NextTurn)
        user/message next-turn "question 18"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r18
        assistant/chunk r18 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r18 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 19" (NextTurn)
        user/message next-turn "question 19"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r19
        assistant/chunk r19 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r19 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 20" (NextTurn)
        user/message next-turn "question 20"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r20
        assistant/chunk r20 text "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. "
        assistant/message r20 "A long answer about nothing in particular. A long answer about nothing in partic…3535 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 21" (NextTurn)
        user/message next-turn "question 21"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r21
        request/failed r21 attempt 1 context-too-long "the request is too large (HTTP 413): maximum context length is 4096 tokens"
        window/moved pruned []
        request/sent r22 attempt 2
        request/failed r22 attempt 2 context-too-long "the request is too large (HTTP 413): maximum context length is 4096 tokens"
        window/moved pruned [] cut to 2000 characters cut to 2000 characters cut to 2000 characters
        request/sent r23 attempt 3
        request/failed r23 attempt 3 context-too-long "the request is too large (HTTP 413): maximum context length is 4096 tokens"
        iteration/end 1
        turn/end error "the request is too large (HTTP 413): maximum context length is 4096 tokens"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r24
        assistant/chunk r24 text "here"
        assistant/message r24 "here" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn too_long_with_nothing_to_leave_out_is_a_clear_error() {
    let script =
        script().model([refused(FailureKind::ContextTooLong, "too long"), say("here")]).acts([send("x"), send("y")]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 context-too-long "the request is too large (HTTP 413): too long"
        iteration/end 1
        turn/end error "the conversation is too long for the model, and nothing more of it can be left out"
        > sends "y" (NextTurn)
        user/message next-turn "y"
        turn/start message
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
fn a_message_that_is_too_large_by_itself_is_sent_by_its_ends() {
    let long = format!("Begin. {}End.", "middle of it all ".repeat(1_127));
    let script =
        script().without_folder().window(4_000).model([say("read"), say("and?")]).acts([send(&long), send("go on")]);
    check(
        script,
        expect![[r#"
            > sends "Begin. middle of it all middle of it all middle of it all middle of it all middl…19050 more…l middle of it all middle of it all End." (NextTurn)
            user/message next-turn "Begin. middle of it all middle of it all middle of it all middle of it all middl…19050 more…l middle of it all middle of it all End."
            turn/start message
            window/moved pruned [] cut to 7712 characters
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/chunk r1 text "read"
            assistant/message r1 "read" stop
            iteration/end 1
            turn/end completed
            > sends "go on" (NextTurn)
            user/message next-turn "go on"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r2
            assistant/chunk r2 text "and?"
            assistant/message r2 "and?" stop
            iteration/end 1
            turn/end completed
        "#]],
    );
}
