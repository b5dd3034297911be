//! Answers that fail in the middle, or aren't answers (2.3, part 3): discarded, kept as evidence, never asked for twice by
//! itself. Failures before the first byte are told in `retry`.

use assent_protocol::view::FailureKind;
use assent_testkit::fake_server::{Reply, Step};
use assent_testkit::stage::{
    at, beats, check, check_on_both, check_over_http, go_on, keep, nothing, open, pass, refused, say, script, send,
    snapshot, standing, until,
};
use expect_test::expect;
use serde_json::json;

use crate::{More as _, reads};

#[test]
fn p81_a_broken_stream_is_discarded_and_not_asked_for_again() {
    let script = script()
        .file("a", "A\n")
        .model([say("I will read ").reads("a").breaks(FailureKind::Disconnected), reads("a"), say("A")])
        .acts([send("read"), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "read" (NextTurn)
        user/message next-turn "read"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "I will read "
        assistant/discarded r1 disconnected "I will read "
        iteration/end 1
        turn/end error "the connection broke off"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/message r2 c1=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r3
        assistant/chunk r3 text "A"
        assistant/message r3 "A" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn what_arrived_can_be_kept_once() {
    let script = script().model([say("One, two, ").breaks(FailureKind::IdleTimeout), say("three.")]).acts([
        send("count"),
        keep(),
        keep(),
        send("go on"),
        keep(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "count" (NextTurn)
        user/message next-turn "count"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One, two, "
        assistant/discarded r1 idle-timeout "One, two, "
        iteration/end 1
        turn/end error "the connection broke off"
        > keeps the text
        assistant/message r1 "One, two, " unfinished partial
        > keeps the text
        ! Invalid: there is no text to keep, or the conversation went on
        > sends "go on" (NextTurn)
        user/message next-turn "go on"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "three."
        assistant/message r2 "three." stop
        iteration/end 1
        turn/end completed
        > keeps the text
        ! Invalid: there is no text to keep, or the conversation went on
    "#]],
    );
}

#[test]
fn when_the_conversation_went_on_there_is_nothing_to_keep() {
    let script = script()
        .model([say("One, ").breaks(FailureKind::Disconnected), refused(FailureKind::BadRequest, "no")])
        .acts([send("count"), send("go on"), keep()]);
    check(
        script,
        expect![[r#"
        > sends "count" (NextTurn)
        user/message next-turn "count"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One, "
        assistant/discarded r1 disconnected "One, "
        iteration/end 1
        turn/end error "the connection broke off"
        > sends "go on" (NextTurn)
        user/message next-turn "go on"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        request/failed r2 attempt 1 bad-request "the request was refused (HTTP 400): no"
        iteration/end 1
        turn/end error "the request was refused (HTTP 400): no"
        > keeps the text
        ! Invalid: there is no text to keep, or the conversation went on
    "#]],
    );
}

#[test]
fn after_a_retry_there_is_nothing_to_keep() {
    let script = script().model([say("One, ").breaks(FailureKind::Disconnected), say("One, two.")]).acts([
        send("count"),
        go_on(),
        keep(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "count" (NextTurn)
        user/message next-turn "count"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One, "
        assistant/discarded r1 disconnected "One, "
        iteration/end 1
        turn/end error "the connection broke off"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "One, two."
        assistant/message r2 "One, two." stop
        iteration/end 1
        turn/end completed
        > keeps the text
        ! Invalid: there is no text to keep, or the conversation went on
    "#]],
    );
}

#[test]
fn a_stream_that_breaks_before_any_text_leaves_nothing_to_keep() {
    let script =
        script().model([nothing().breaks(FailureKind::Disconnected), say("here")]).acts([send("x"), keep(), go_on()]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/discarded r1 disconnected ""
        iteration/end 1
        turn/end error "the connection broke off"
        > keeps the text
        ! Invalid: there is no text to keep, or the conversation went on
        > continues
        turn/start continue
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
fn a_refused_request_ends_the_turn_in_the_providers_words() {
    let script = script()
        .model([
            refused(FailureKind::BadRequest, "the model is on holiday"),
            refused(FailureKind::Unauthorized, "no such key"),
            refused(FailureKind::Forbidden, "not for you"),
            refused(FailureKind::NotFound, "no such model"),
            say("back"),
        ])
        .acts([send("a"), go_on(), go_on(), go_on(), go_on()]);
    check_on_both(
        script,
        expect![[r#"
        > sends "a" (NextTurn)
        user/message next-turn "a"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 bad-request "the request was refused (HTTP 400): the model is on holiday"
        iteration/end 1
        turn/end error "the request was refused (HTTP 400): the model is on holiday"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        request/failed r2 attempt 1 unauthorized "the key is missing or wrong (HTTP 401): no such key"
        iteration/end 1
        turn/end error "the key is missing or wrong (HTTP 401): no such key"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r3
        request/failed r3 attempt 1 forbidden "access is refused (HTTP 403): not for you"
        iteration/end 1
        turn/end error "access is refused (HTTP 403): not for you"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r4
        request/failed r4 attempt 1 not-found "there is no such endpoint or model (HTTP 404): no such model"
        iteration/end 1
        turn/end error "there is no such endpoint or model (HTTP 404): no such model"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "back"
        assistant/message r5 "back" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn text_before_a_gate_is_in_the_log_within_a_moment() {
    let script = script().model([say("One, ").gate("g").say("two."), say("2")]).acts([
        send("count"),
        at("g"),
        standing(),
        send("2"),
        open("g"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "count" (NextTurn)
        > at "g"
        user/message next-turn "count"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One, "
        = writing
        > sends "2" (NextTurn)
        queue/edited i1 added next-turn "2"
        > open "g"
        assistant/chunk r1 text "two."
        assistant/message r1 "One, two." stop
        iteration/end 1
        turn/end completed
        queue/taken i1
        user/message next-turn "2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "2"
        assistant/message r2 "2" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p78_an_error_inside_a_stream_is_a_failure_in_its_words() {
    let error = json!({ "error": { "message": "out of memory", "code": 500 } });
    let script = script()
        .served([
            Reply::steps([Step::delta(&json!({ "content": "I " })), Step::event(&error)]),
            Reply::steps([Step::Raw(b"event: error\ndata: {\"message\":\"overloaded\"}\n\n".to_vec())]),
            Reply::say("here"),
        ])
        .acts([send("x"), go_on(), go_on()]);
    check_over_http(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "I "
        assistant/discarded r1 in-stream "I "
        iteration/end 1
        turn/end error "the provider reports an error: out of memory"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/discarded r2 in-stream ""
        iteration/end 1
        turn/end error "the provider reports an error: overloaded"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "here"
        assistant/message r3 "here" stop
        usage/recorded r3
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p79_a_web_page_is_no_stream_and_is_asked_for_once() {
    let page = Reply::plain(200, &[("content-type", "text/html")], "<html><body>Sign in</body></html>");
    let script =
        script().served([page, Reply::plain(200, &[], ""), Reply::say("here")]).acts([send("x"), go_on(), go_on()]);
    check_over_http(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/discarded r1 not-a-stream ""
        iteration/end 1
        turn/end error "not a stream: the server sent a web page: <html><body>Sign in</body></html>"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/discarded r2 not-a-stream ""
        iteration/end 1
        turn/end error "the answer was empty"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "here"
        assistant/message r3 "here" stop
        usage/recorded r3
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p80_the_end_without_a_finish_after_a_whole_call_proposes_nothing() {
    let whole = json!([{ "index": 0, "id": "x", "type": "function",
        "function": { "name": "write_file", "arguments": "{\"path\":\"a\",\"content\":\"x\"}" } }]);
    let script = script()
        .served([Reply::steps([Step::delta(&json!({ "tool_calls": whole }))]), Reply::say("again")])
        .acts([send("write"), go_on()]);
    check_over_http(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/discarded r1 disconnected ""
        iteration/end 1
        turn/end error "the answer broke off before its end"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "again"
        assistant/message r2 "again" stop
        usage/recorded r2
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p81_a_connection_lost_after_a_call_was_shown_is_not_tried_again() {
    let begun = json!([{ "index": 0, "id": "x", "type": "function",
        "function": { "name": "write_file", "arguments": "{\"path\":\"a\"," } }]);
    let script = script()
        .served([
            Reply::steps([
                Step::delta(&json!({ "content": "I write. " })),
                Step::delta(&json!({ "tool_calls": begun })),
                Step::Cut,
            ]),
            Reply::say("again"),
        ])
        .acts([send("write"), go_on()]);
    check_over_http(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "I write. "
        assistant/discarded r1 disconnected "I write. "
        iteration/end 1
        turn/end error "the connection broke off: unexpected EOF during chunk size line"
        > continues
        turn/start continue
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "again"
        assistant/message r2 "again" stop
        usage/recorded r2
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn p74_p75_p76_calls_over_the_wire_are_run_in_order_and_once() {
    let part = |index: u32, id: Option<&str>, name: Option<&str>, arguments: &str| {
        let mut call = json!({ "index": index, "function": { "arguments": arguments } });
        if let (Some(id), Some(name)) = (id, name) {
            call["id"] = json!(id);
            call["type"] = json!("function");
            call["function"]["name"] = json!(name);
        }
        Step::delta(&json!({ "tool_calls": [call] }))
    };
    let finish = || Step::event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }));
    let done = || Step::data("[DONE]");
    let script = script()
        .file("a", "A\n")
        .file("b", "B\n")
        .file("c", "C\n")
        .file("d", "D\n")
        .served([
            Reply::steps([
                part(0, Some("one"), Some("read_file"), "{\"path\":\"a\"}"),
                part(0, Some("two"), Some("read_file"), "{\"path\":\"b\"}"),
                finish(),
                finish(),
                done(),
            ]),
            Reply::steps([
                part(0, Some("one"), Some("read_file"), ""),
                part(1, Some("two"), Some("read_file"), "{\"pa"),
                part(0, None, None, "{\"path\":\"c\"}"),
                part(1, None, None, "th\":\"d\"}"),
                finish(),
                done(),
            ]),
            Reply::say("read"),
        ])
        .acts([send("read")]);
    check_over_http(
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
        assistant/message r2 c3=read_file {"path":"c"} c4=read_file {"path":"d"} tool-calls
        tool/call c3 low: run by tool
        tool/call c4 low: run by tool
        tool/started c3 reads
        tool/started c4 reads
        tool/result c3 ok "c: lines 1 to 1 of 1\n1\tC\n"
        tool/result c4 ok "d: lines 1 to 1 of 1\n1\tD\n"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/chunk r3 text "read"
        assistant/message r3 "read" stop
        usage/recorded r3
        iteration/end 3
        turn/end completed
    "#]],
    );
}

#[test]
fn a_window_that_opens_in_the_middle_has_all_of_it() {
    let script = script().model([say("One, 二, ").gate("g").say("three.")]).acts([
        send("count"),
        at("g"),
        snapshot(),
        open("g"),
        snapshot(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "count" (NextTurn)
        > at "g"
        user/message next-turn "count"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One, 二, "
        = snapshot with 1 chunks, live: Text from 0 "One, 二, ", writing
        > open "g"
        assistant/chunk r1 text "three."
        assistant/message r1 "One, 二, three." stop
        iteration/end 1
        turn/end completed
        = snapshot with 0 chunks, live: idle
    "#]],
    );
}

#[test]
fn the_phase_is_said_at_changes_and_every_ten_seconds() {
    let script = script().paused().model([nothing().think("Hm. ").gate("h").say("One").gate("g").say(", two")]).acts([
        send("count"),
        at("h"),
        standing(),
        pass(250),
        until("assistant/chunk"),
        pass(11_000),
        beats(),
        pass(11_000),
        beats(),
        open("h"),
        at("g"),
        standing(),
        open("g"),
        pass(60_000),
        beats(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "count" (NextTurn)
        > at "h"
        user/message next-turn "count"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        = thinking
        > 250 ms pass
        assistant/chunk r1 reasoning "Hm. "
        > 11000 ms pass
        = said again 1 times
        > 11000 ms pass
        = said again 1 times
        > open "h"
        > at "g"
        = writing
        > open "g"
        assistant/chunk r1 text "One, two"
        assistant/message r1 "One, two" stop
        iteration/end 1
        turn/end completed
        > 60000 ms pass
        = said again 0 times
    "#]],
    );
}
