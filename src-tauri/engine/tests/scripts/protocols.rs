//! One conversation that moves between the protocols and back (part 3): what one model has to get back goes to that model
//! alone, and every server finds each request in order.
//! What a protocol looks like is told where it is spoken.

use assent_protocol::settings::Limits;
use assent_protocol::view::Protocol;
use assent_testkit::fake_server::{Call, Dialect, Reply};
use assent_testkit::stage::{asked, check_over_http, choose, script, send};
use expect_test::expect;

fn thinks_and_reads(thought: &str, path: &str) -> Reply {
    let arguments = format!(r#"{{"path":"{path}"}}"#);
    Reply::answer(thought, "I look.", &[Call { id: Some("same".to_owned()), name: "read_file".to_owned(), arguments }])
}

fn overloaded(dialect: Dialect) -> Reply {
    Reply::plain(529, &[], &dialect.error(529, "Overloaded").to_string())
}

#[test]
fn a_conversation_moves_between_the_protocols_and_back_in_the_middle_of_a_tool_loop() {
    let script = script()
        .file("1", "one\n")
        .file("2", "two\n")
        .file("3", "three\n")
        .file("4", "four\n")
        .limits(Limits { retries: 0, ..Limits::default() })
        .speaks("responses", Protocol::Responses)
        .speaks("messages", Protocol::AnthropicMessages)
        .fallback("chat", [])
        .served([
            thinks_and_reads("Of responses.", "1"),
            Reply::say("one"),
            thinks_and_reads("Of messages.", "2"),
            overloaded(Dialect::AnthropicMessages),
            thinks_and_reads("Of chat.", "3"),
            Reply::say("three"),
            thinks_and_reads("Of messages again.", "4"),
            Reply::say("four"),
            Reply::say("five"),
            Reply::say("six"),
        ])
        .acts([
            choose("responses"),
            send("a"),
            asked(),
            choose("messages"),
            send("b"),
            asked(),
            send("c"),
            asked(),
            choose("responses"),
            send("d"),
            asked(),
            choose("messages"),
            send("e"),
            asked(),
        ]);
    check_over_http(
        script,
        expect![[r#"
        > picks responses
        > sends "a" (NextTurn)
        user/message next-turn "a"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 reasoning "Of responses."
        assistant/chunk r1 text "I look."
        assistant/message r1 "I look." c1=read_file {"path":"1"} tool-calls
        usage/recorded r1
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "1: lines 1 to 1 of 1\n1\tone\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "one"
        assistant/message r2 "one" stop
        usage/recorded r2
        iteration/end 2
        turn/end completed
        = asked /v1/responses responses: user(input_text)
        = asked /v1/responses responses: user(input_text) reasoning assistant(output_text) function_call function_call_output
        > picks messages
        model/set messages window 128000
        > sends "b" (NextTurn)
        user/message next-turn "b"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 reasoning "Of messages."
        assistant/chunk r3 text "I look."
        assistant/message r3 "I look." c2=read_file {"path":"2"} tool-calls
        usage/recorded r3
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "2: lines 1 to 1 of 1\n1\ttwo\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r4
        request/failed r4 attempt 1 server "the server has a problem (HTTP 529): Overloaded"
        provider/switched messages gives way to chat after attempt 1: server
        request/sent r5
        assistant/chunk r5 reasoning "Of chat."
        assistant/chunk r5 text "I look."
        assistant/message r5 "I look." c3=read_file {"path":"3"} tool-calls
        usage/recorded r5
        tool/call c3 low: run by tool
        tool/started c3 reads
        tool/result c3 ok "3: lines 1 to 1 of 1\n1\tthree\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r6
        assistant/chunk r6 text "three"
        assistant/message r6 "three" stop
        usage/recorded r6
        iteration/end 3
        turn/end completed
        = asked /v1/messages messages: user(text) assistant(text tool_use) user(tool_result) assistant(text) user(text)
        = asked /v1/messages messages: user(text) assistant(text tool_use) user(tool_result) assistant(text) user(text) assistant(thinking text tool_use) user(tool_result)
        = asked /v1/chat/completions chat: system(text) user(text) assistant(text tool_calls) tool(text) assistant(text) user(text) assistant(text tool_calls) tool(text)
        = asked /v1/chat/completions chat: system(text) user(text) assistant(text tool_calls) tool(text) assistant(text) user(text) assistant(text tool_calls) tool(text) assistant(text tool_calls) tool(text)
        > sends "c" (NextTurn)
        user/message next-turn "c"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r7
        assistant/chunk r7 reasoning "Of messages again."
        assistant/chunk r7 text "I look."
        assistant/message r7 "I look." c4=read_file {"path":"4"} tool-calls
        usage/recorded r7
        tool/call c4 low: run by tool
        tool/started c4 reads
        tool/result c4 ok "4: lines 1 to 1 of 1\n1\tfour\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r8
        assistant/chunk r8 text "four"
        assistant/message r8 "four" stop
        usage/recorded r8
        iteration/end 2
        turn/end completed
        = asked /v1/messages messages: user(text) assistant(text tool_use) user(tool_result) assistant(text) user(text) assistant(thinking text tool_use) user(tool_result) assistant(text tool_use) user(tool_result) assistant(text) user(text)
        = asked /v1/messages messages: user(text) assistant(text tool_use) user(tool_result) assistant(text) user(text) assistant(thinking text tool_use) user(tool_result) assistant(text tool_use) user(tool_result) assistant(text) user(text) assistant(thinking text tool_use) user(tool_result)
        > picks responses
        model/set responses window 128000
        > sends "d" (NextTurn)
        user/message next-turn "d"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        assistant/chunk r9 text "five"
        assistant/message r9 "five" stop
        usage/recorded r9
        iteration/end 1
        turn/end completed
        = asked /v1/responses responses: user(input_text) reasoning assistant(output_text) function_call function_call_output assistant(output_text) user(input_text) assistant(output_text) function_call function_call_output assistant(output_text) function_call function_call_output assistant(output_text) user(input_text) assistant(output_text) function_call function_call_output assistant(output_text) user(input_text)
        > picks messages
        model/set messages window 128000
        > sends "e" (NextTurn)
        user/message next-turn "e"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "six"
        assistant/message r10 "six" stop
        usage/recorded r10
        iteration/end 1
        turn/end completed
        = asked /v1/messages messages: user(text) assistant(text tool_use) user(tool_result) assistant(text) user(text) assistant(thinking text tool_use) user(tool_result) assistant(text tool_use) user(tool_result) assistant(text) user(text) assistant(thinking text tool_use) user(tool_result) assistant(text) user(text) assistant(text) user(text)
    "#]],
    );
}
