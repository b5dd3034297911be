//! Ids, circles, rejections in a row, and the one result that every call has (2.2).
//! The requests themselves are checked after every script by the fake server's own rules.

use assent_protocol::view::FinishReason;
use assent_testkit::stage::{
    approve, at, call, check, check_on_both, nothing, open, reject, reject_with, say, script, send, write_outside,
};
use expect_test::expect;
use serde_json::json;

use crate::{raw, reads, writes};

#[test]
fn p74_one_provider_id_twice_in_a_message_and_again_in_the_next() {
    let script = script()
        .file("a", "A\n")
        .file("b", "B\n")
        .model([
            raw("same", "read_file", r#"{"path":"a"}"#).call_text(Some("same"), "read_file", r#"{"path":"b"}"#),
            raw("same", "read_file", r#"{"path":"b"}"#),
            say("A B B"),
        ])
        .acts([send("read")]);
    check(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=read_file {"path":"b"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/started c1 reads
        tool/started c2 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        tool/result c2 ok "b: lines 1 to 1 of 1\n1\tB\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c3=read_file {"path":"b"} tool-calls
        tool/call c3 low: run by tool
        tool/started c3 reads
        tool/result c3 ok "b: lines 1 to 1 of 1\n1\tB\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/chunk r3 text "A B B"
        assistant/message r3 "A B B" stop
        iteration/end 3
        turn/end completed
    "#]],
    );
}

#[test]
fn the_third_same_call_is_not_run_and_the_third_refusal_ends_the_turn() {
    let script = script()
        .file("a", "A\n")
        .model([reads("a"), reads("a"), reads("a"), reads("a"), reads("a")])
        .acts([send("read")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        user/message next-turn "read"
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
        assistant/message r2 c2=read_file {"path":"a"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=read_file {"path":"a"} tool-calls
        tool/call c3 low: refuse by tool "It was not run again: the same call gave the same result twice in this turn and …48 more… something else, or say what is missing." (repeated)
        tool/result c3 rejected (repeated) "It was not run again: the same call gave the same result twice in this turn and …48 more… something else, or say what is missing."
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/message r4 c4=read_file {"path":"a"} tool-calls
        tool/call c4 low: refuse by tool "It was not run again: the same call gave the same result twice in this turn and …48 more… something else, or say what is missing." (repeated)
        tool/result c4 rejected (repeated) "It was not run again: the same call gave the same result twice in this turn and …48 more… something else, or say what is missing."
        iteration/end 4
        iteration/start 5 (5 since a person acted)
        request/sent r5
        assistant/message r5 c5=read_file {"path":"a"} tool-calls
        tool/call c5 low: refuse by tool "It was not run again: the same call gave the same result twice in this turn and …48 more… something else, or say what is missing." (repeated)
        tool/result c5 rejected (repeated) "It was not run again: the same call gave the same result twice in this turn and …48 more… something else, or say what is missing."
        iteration/end 5
        turn/end blocked "the same call was refused three times as a repetition"
    "#]],
    );
}

#[test]
fn a_change_in_between_makes_it_another_question() {
    let script = script()
        .file("a", "A\n")
        .holds(&["before read_file b"])
        .file("b", "B\n")
        .model([reads("a"), reads("a"), writes("c", "x\n"), reads("a"), reads("b"), reads("a"), say("A")])
        .acts([
            send("read"),
            approve(3),
            at("before read_file b"),
            write_outside("a", "other\n"),
            open("before read_file b"),
        ]);
    check(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        user/message next-turn "read"
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
        assistant/message r2 c2=read_file {"path":"a"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=write_file {"content":"x\n","path":"c"} tool-calls
        tool/call c3 medium: ask
        approval/requested c3 medium "Create c: 1 line"
        > approves c3
        > at "before read_file b"
        approval/decided c3 approved by user
        tool/started c3 attempt 1 create c
        tool/result c3 ok [c created] "Created c: 1 line."
        iteration/end 3
        iteration/start 4 (1 since a person acted)
        request/sent r4
        assistant/message r4 c4=read_file {"path":"a"} tool-calls
        tool/call c4 low: run by tool
        tool/started c4 reads
        tool/result c4 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 4
        iteration/start 5 (2 since a person acted)
        request/sent r5
        assistant/message r5 c5=read_file {"path":"b"} tool-calls
        tool/call c5 low: run by tool
        tool/started c5 reads
        > another program writes a
        > open "before read_file b"
        tool/result c5 ok "b: lines 1 to 1 of 1\n1\tB\n"
        iteration/end 5
        iteration/start 6 (3 since a person acted)
        request/sent r6
        assistant/message r6 c6=read_file {"path":"a"} tool-calls
        tool/call c6 low: run by tool
        tool/started c6 reads
        tool/result c6 ok "a: lines 1 to 1 of 1\n1\tother\n"
        iteration/end 6
        iteration/start 7 (4 since a person acted)
        request/sent r7
        assistant/chunk r7 text "A"
        assistant/message r7 "A" stop
        iteration/end 7
        turn/end completed
    "#]],
    );
}

#[test]
fn three_rejections_in_a_row_end_the_turn() {
    let script = script().model([writes("a", "1\n"), writes("a", "2\n"), writes("a", "3\n")]).acts([
        send("write"),
        reject(1),
        reject_with(2, "not ``` this"),
        reject(3),
    ]);
    check_on_both(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        > rejects c1
        approval/decided c1 rejected by user
        tool/result c1 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"2\n","path":"a"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Create a: 1 line"
        > rejects c2 "not ``` this"
        approval/decided c2 rejected by user "not ``` this"
        tool/result c2 rejected (user) "It did not run: the user rejected it, with this note:\n````\nnot ``` this\n````\nFollow the note; don't send the same call again."
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/message r3 c3=write_file {"content":"3\n","path":"a"} tool-calls
        tool/call c3 medium: ask
        approval/requested c3 medium "Create a: 1 line"
        > rejects c3
        approval/decided c3 rejected by user
        tool/result c3 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 3
        turn/end blocked "three rejections in a row"
    "#]],
    );
}

#[test]
fn a_call_that_was_rejected_is_not_asked_for_again_in_the_turn() {
    let script =
        script().model([writes("a", "1\n"), writes("a", "1\n"), say("Then not.")]).acts([send("write"), reject(1)]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        > rejects c1
        approval/decided c1 rejected by user
        tool/result c1 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"1\n","path":"a"} tool-calls
        tool/call c2 medium: refuse by tool "It did not run: the user already rejected exactly this call. Ask what is wanted instead." (user)
        tool/result c2 rejected (user) "It did not run: the user already rejected exactly this call. Ask what is wanted instead."
        iteration/end 2
        iteration/start 3 (2 since a person acted)
        request/sent r3
        assistant/chunk r3 text "Then not."
        assistant/message r3 "Then not." stop
        iteration/end 3
        turn/end completed
    "#]],
    );
}

#[test]
fn an_unknown_tool_bad_json_and_a_misfit_are_told_to_the_model() {
    let script = script()
        .file("a", "A\n")
        .model([
            call("fly", json!({ "to": "moon" })),
            raw("x", "read_file", r#"{"path":"#),
            raw("x", "read_file", r#"{"path":"a","path":"b"}"#),
            raw("x", "read_file", r#"["a"]"#),
            call("read_file", json!({ "path": 7 })),
            call("read_file", json!({ "path": "a", "colour": "red" })),
            raw("x", "list_directory", ""),
            say("I see."),
        ])
        .acts([send("try")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "try" (NextTurn)
        user/message next-turn "try"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=fly {"to":"moon"} tool-calls
        tool/call c1 no tier: refuse by tool "It did not run: there is no tool named \"fly\". Tools: append_file, delete_file, f…110 more…, run_command, search_files, write_file." (unknown-tool)
        tool/result c1 error (unknown-tool) "It did not run: there is no tool named \"fly\". Tools: append_file, delete_file, f…110 more…, run_command, search_files, write_file."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=read_file {"path": tool-calls
        tool/call c2 no tier: refuse by tool "It did not run: the arguments are not valid JSON: EOF while parsing a value at l…42 more… smaller arguments. They began: {\"path\":" (bad-arguments)
        tool/result c2 error (bad-arguments) "It did not run: the arguments are not valid JSON: EOF while parsing a value at l…42 more… smaller arguments. They began: {\"path\":"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=read_file {"path":"a","path":"b"} tool-calls
        tool/call c3 no tier: refuse by tool "It did not run: the arguments are not valid JSON: the key \"path\" stands twice at…60 more…nts. They began: {\"path\":\"a\",\"path\":\"b\"}" (bad-arguments)
        tool/result c3 error (bad-arguments) "It did not run: the arguments are not valid JSON: the key \"path\" stands twice at…60 more…nts. They began: {\"path\":\"a\",\"path\":\"b\"}"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/message r4 c4=read_file ["a"] tool-calls
        tool/call c4 no tier: refuse by tool "It did not run: the arguments must be a JSON object. If they were cut off, send smaller arguments. They began: [\"a\"]" (bad-arguments)
        tool/result c4 error (bad-arguments) "It did not run: the arguments must be a JSON object. If they were cut off, send smaller arguments. They began: [\"a\"]"
        iteration/end 4
        iteration/start 5 (5 since a person acted)
        request/sent r5
        assistant/message r5 c5=read_file {"path":7} tool-calls
        tool/call c5 no tier: refuse by tool "`path` must be a string, not 7" (bad-arguments)
        tool/result c5 error (bad-arguments) "`path` must be a string, not 7"
        iteration/end 5
        iteration/start 6 (6 since a person acted)
        request/sent r6
        assistant/message r6 c6=read_file {"colour":"red","path":"a"} tool-calls
        tool/call c6 no tier: refuse by tool "`colour` is unknown; there are `limit`, `offset`, `path`" (bad-arguments)
        tool/result c6 error (bad-arguments) "`colour` is unknown; there are `limit`, `offset`, `path`"
        iteration/end 6
        iteration/start 7 (7 since a person acted)
        request/sent r7
        assistant/message r7 c7=list_directory  tool-calls
        tool/call c7 low: run by tool
        tool/started c7 reads
        tool/result c7 ok ".: 0 folders, 1 other entry\na  2 B\n" + "[BUDGET: iteration 7/10, 3 left. Start to bring the work together.]"
        iteration/end 7
        iteration/start 8 (8 since a person acted)
        request/sent r8
        assistant/chunk r8 text "I see."
        assistant/message r8 "I see." stop
        iteration/end 8
        turn/end completed
    "#]],
    );
}

#[test]
fn p77_arguments_that_were_cut_off_are_not_proposed() {
    let cut = r#"{"path":"a","content":"the beg"#;
    let script = script()
        .model([
            raw("x", "write_file", cut).finish(FinishReason::Length),
            raw("x", "write_file", cut).finish(FinishReason::Stop),
            raw("x", "write_file", cut).finish(FinishReason::ToolCalls),
            say("Smaller then."),
        ])
        .acts([send("write")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"path":"a","content":"the beg length
        tool/result c1 error (bad-arguments) "It did not run: the arguments were cut off before they were complete. Send the call again with smaller arguments, for example in several steps."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"path":"a","content":"the beg tool-calls
        tool/call c2 no tier: refuse by tool "It did not run: the arguments are not valid JSON: EOF while parsing a string at …66 more…ey began: {\"path\":\"a\",\"content\":\"the beg" (bad-arguments)
        tool/result c2 error (bad-arguments) "It did not run: the arguments are not valid JSON: EOF while parsing a string at …66 more…ey began: {\"path\":\"a\",\"content\":\"the beg"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=write_file {"path":"a","content":"the beg tool-calls
        tool/call c3 no tier: refuse by tool "It did not run: the arguments are not valid JSON: EOF while parsing a string at …66 more…ey began: {\"path\":\"a\",\"content\":\"the beg" (bad-arguments)
        tool/result c3 error (bad-arguments) "It did not run: the arguments are not valid JSON: EOF while parsing a string at …66 more…ey began: {\"path\":\"a\",\"content\":\"the beg"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/chunk r4 text "Smaller then."
        assistant/message r4 "Smaller then." stop
        iteration/end 4
        turn/end completed
    "#]],
    );
}

#[test]
fn p77_a_length_stop_closes_calls_whose_arguments_look_whole() {
    let script =
        script().model([writes("a", "x\n").finish(FinishReason::Length), say("Again, smaller.")]).acts([send("write")]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"a"} length
        tool/result c1 error (bad-arguments) "It did not run: the arguments were cut off before they were complete. Send the call again with smaller arguments, for example in several steps."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "Again, smaller."
        assistant/message r2 "Again, smaller." stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn an_empty_answer_is_asked_for_again_and_then_the_turn_ends() {
    let script = script().model([nothing(), say("here"), nothing(), nothing()]).acts([send("a"), send("b")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "a" (NextTurn)
        user/message next-turn "a"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 stop
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "here"
        assistant/message r2 "here" stop
        iteration/end 2
        turn/end completed
        > sends "b" (NextTurn)
        user/message next-turn "b"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/message r3 stop
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r4
        assistant/message r4 stop
        iteration/end 2
        turn/end error "the model gave an empty answer twice"
    "#]],
    );
}

#[test]
fn an_answer_at_its_limit_ends_the_turn_as_such() {
    let script = script().model([say("A long sto").finish(FinishReason::Length)]).acts([send("tell")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "tell" (NextTurn)
        user/message next-turn "tell"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "A long sto"
        assistant/message r1 "A long sto" length
        iteration/end 1
        turn/end max-tokens
    "#]],
    );
}

#[test]
fn a_filter_and_a_refusal_are_errors_in_words() {
    let script = script()
        .model([say("I ").finish(FinishReason::ContentFilter), say("No.").finish(FinishReason::Refusal)])
        .acts([send("a"), send("b")]);
    check(
        script,
        expect![[r#"
        > sends "a" (NextTurn)
        user/message next-turn "a"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "I "
        assistant/message r1 "I " content-filter
        iteration/end 1
        turn/end error "the provider's content filter ended the answer"
        > sends "b" (NextTurn)
        user/message next-turn "b"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "No."
        assistant/message r2 "No." refusal
        iteration/end 1
        turn/end error "the model refused to answer: No."
    "#]],
    );
}

#[test]
fn a_tool_that_dies_leaves_an_unknown_outcome_and_a_living_session() {
    let script =
        script().dies("write_file").model([writes("a", "x\n"), say("I look first.")]).acts([send("write"), approve(1)]);
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
        tool/result c1 unknown (interrupted) "The tool failed in the middle of its work. Whether it had its effect is unknown: look before you repeat it."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "I look first."
        assistant/message r2 "I look first." stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}
