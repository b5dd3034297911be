//! `session_search` (part 4): what the model is told of earlier conversations, and what it never is.
//! What is found by which words is tested with the store.

use assent_testkit::stage::{Answer, Script, call, check, delete, on, restart, say, send};
use expect_test::expect;
use serde_json::json;

fn script() -> Script {
    assent_testkit::stage::script().with_all_tools()
}

fn looks_for(query: &str) -> Answer {
    call("session_search", json!({ "query": query }))
}

#[test]
fn the_model_finds_what_was_said_in_another_conversation_and_not_in_its_own() {
    let played = script()
        .conversation("a", [say("数据库连接池的大小是 20。")])
        .conversation("b", [looks_for("数据库"), looks_for("数据库 大小"), say("twenty")])
        .acts([on("a", send("连接池多大?")), restart(), on("b", send("数据库怎么配置的?"))]);
    check(
        played,
        expect![[r#"
        > sends "连接池多大?" (NextTurn)
        user/message next-turn "连接池多大?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "数据库连接池的大小是 20。"
        assistant/message r1 "数据库连接池的大小是 20。" stop
        iteration/end 1
        turn/end completed
        > restart
        b > sends "数据库怎么配置的?" (NextTurn)
        b user/message next-turn "数据库怎么配置的?"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/message r2 c1=session_search {"query":"数据库"} tool-calls
        b tool/call c1 low: run by tool
        b tool/started c1 reads
        b tool/result c1 ok "连接池多大? (2026-11-30, conversation 00000000-0000-7000-8000-000000000001)\nassistant: 数据库连接池的大小是 20。\n"
        b iteration/end 1
        b iteration/start 2 (2 since a person acted)
        b request/sent r3
        b assistant/message r3 c2=session_search {"query":"数据库 大小"} tool-calls
        b tool/call c2 low: run by tool
        b tool/started c2 reads
        b tool/result c2 ok "连接池多大? (2026-11-30, conversation 00000000-0000-7000-8000-000000000001)\nassistant: 数据库连接池的大小是 20。\n"
        b iteration/end 2
        b iteration/start 3 (3 since a person acted)
        b request/sent r4
        b assistant/chunk r4 text "twenty"
        b assistant/message r4 "twenty" stop
        b iteration/end 3
        b turn/end completed
    "#]],
    );
}

#[test]
fn where_no_message_has_all_words_those_with_any_are_told() {
    let played = script()
        .conversation("a", [say("retry only before the first byte")])
        .conversation("b", [say("the loop ends")])
        .conversation("c", [looks_for("retry loop"), looks_for("\"retry loop\""), say("well")])
        .acts([on("a", send("x")), on("b", send("y")), on("c", send("find it"))]);
    check(
        played,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "retry only before the first byte"
        assistant/message r1 "retry only before the first byte" stop
        iteration/end 1
        turn/end completed
        b > sends "y" (NextTurn)
        b user/message next-turn "y"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/chunk r2 text "the loop ends"
        b assistant/message r2 "the loop ends" stop
        b iteration/end 1
        b turn/end completed
        c > sends "find it" (NextTurn)
        c user/message next-turn "find it"
        c turn/start message
        c iteration/start 1 (1 since a person acted)
        c request/sent r3
        c assistant/message r3 c1=session_search {"query":"retry loop"} tool-calls
        c tool/call c1 low: run by tool
        c tool/started c1 reads
        c tool/result c1 ok "y (2026-11-30, conversation 00000000-0000-7000-8000-000000000002)\nassistant: the…82 more…stant: retry only before the first byte\n"
        c iteration/end 1
        c iteration/start 2 (2 since a person acted)
        c request/sent r4
        c assistant/message r4 c2=session_search {"query":"\"retry loop\""} tool-calls
        c tool/call c2 low: run by tool
        c tool/started c2 reads
        c tool/result c2 ok "Nothing in earlier conversations of this project fits \"\\\"retry loop\\\"\".\n"
        c iteration/end 2
        c iteration/start 3 (3 since a person acted)
        c request/sent r5
        c assistant/chunk r5 text "well"
        c assistant/message r5 "well" stop
        c iteration/end 3
        c turn/end completed
    "#]],
    );
}

#[test]
fn a_deleted_conversation_is_silent() {
    let played = script()
        .conversation("a", [say("retry only before the first byte")])
        .conversation("b", [looks_for("retry"), say("nothing")])
        .acts([on("a", send("x")), on("a", delete()), on("b", send("find it"))]);
    check(
        played,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "retry only before the first byte"
        assistant/message r1 "retry only before the first byte" stop
        iteration/end 1
        turn/end completed
        > deletes the conversation
        b > sends "find it" (NextTurn)
        b user/message next-turn "find it"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/message r2 c1=session_search {"query":"retry"} tool-calls
        b tool/call c1 low: run by tool
        b tool/started c1 reads
        b tool/result c1 ok "Nothing in earlier conversations of this project fits \"retry\".\n"
        b iteration/end 1
        b iteration/start 2 (2 since a person acted)
        b request/sent r3
        b assistant/chunk r3 text "nothing"
        b assistant/message r3 "nothing" stop
        b iteration/end 2
        b turn/end completed
    "#]],
    );
}

#[test]
fn a_search_has_strict_arguments() {
    let played = script()
        .model([
            call("session_search", json!({ "query": " " })),
            call("session_search", json!({ "query": "x", "limit": 0 })),
            call("session_search", json!({ "query": "x", "everywhere": true })),
            call("session_search", json!({ "query": "\" OR * ( NEAR(" })),
            say("well"),
        ])
        .acts([send("x")]);
    check(
        played,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=session_search {"query":" "} tool-calls
        tool/call c1 no tier: refuse by tool "`query` is empty" (bad-arguments)
        tool/result c1 error (bad-arguments) "`query` is empty"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=session_search {"limit":0,"query":"x"} tool-calls
        tool/call c2 no tier: refuse by tool "`limit` is 1 to 50, not 0" (bad-arguments)
        tool/result c2 error (bad-arguments) "`limit` is 1 to 50, not 0"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=session_search {"everywhere":true,"query":"x"} tool-calls
        tool/call c3 no tier: refuse by tool "`everywhere` is unknown; there are `limit`, `query`" (bad-arguments)
        tool/result c3 error (bad-arguments) "`everywhere` is unknown; there are `limit`, `query`"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/message r4 c4=session_search {"query":"\" OR * ( NEAR("} tool-calls
        tool/call c4 low: run by tool
        tool/started c4 reads
        tool/result c4 ok "Nothing in earlier conversations of this project fits \"\\\" OR * ( NEAR(\".\n"
        iteration/end 4
        iteration/start 5 (5 since a person acted)
        request/sent r5
        assistant/chunk r5 text "well"
        assistant/message r5 "well" stop
        iteration/end 5
        turn/end completed
    "#]],
    );
}
