//! Answers that tell what a model needs or refuses (part 3): what follows is said, learned, and asked again at once.
//! Which words mean what is tested with the wire formats.

use assent_protocol::view::FailureKind;
use assent_testkit::fake_server::{Call, Reply};
use assent_testkit::stage::{check, check_over_http, refused, say, script, send};
use expect_test::expect;
use serde_json::json;

use crate::reads;

#[test]
fn reasoning_is_sent_back_to_a_model_that_wants_it_and_that_is_remembered() {
    let wants =
        r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API."}}"#;
    let read = || Call { id: None, name: "read_file".to_owned(), arguments: json!({ "path": "a" }).to_string() };
    let thinking = || Reply::answer("I look.", "", &[read()]);
    let script = script()
        .file("a", "A\n")
        .served([
            thinking(),
            Reply::plain(400, &[("content-type", "application/json")], wants),
            Reply::say("A"),
            thinking(),
            Reply::say("still A"),
        ])
        .acts([send("x"), send("y")]);
    check_over_http(
        script,
        expect![[r#"
            > sends "x" (NextTurn)
            user/message next-turn "x"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/chunk r1 reasoning "I look."
            assistant/message r1 c1=read_file {"path":"a"} tool-calls
            usage/recorded r1
            tool/call c1 low: run by tool
            tool/started c1 reads
            tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            request/failed r2 attempt 1 wants-reasoning "the request was refused (HTTP 400): The `reasoning_content` in the thinking mode…47 more…in with the reasoning of earlier answers", again in 0 ms
            model/set a window 128000 learned
            request/sent r3 attempt 2
            assistant/chunk r3 text "A"
            assistant/message r3 "A" stop
            usage/recorded r3
            iteration/end 2
            turn/end completed
            > sends "y" (NextTurn)
            user/message next-turn "y"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r4
            assistant/chunk r4 reasoning "I look."
            assistant/message r4 c2=read_file {"path":"a"} tool-calls
            usage/recorded r4
            tool/call c2 low: run by tool
            tool/started c2 reads
            tool/result c2 ok "a: lines 1 to 1 of 1\n1\tA\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r5
            assistant/chunk r5 text "still A"
            assistant/message r5 "still A" stop
            usage/recorded r5
            iteration/end 2
            turn/end completed
        "#]],
    );
}

#[test]
fn what_a_model_wants_and_refuses_in_turn_is_not_tried_for_ever() {
    let wants = || refused(FailureKind::WantsReasoning, "reasoning_content is missing");
    let refuses = || refused(FailureKind::RefusesReasoning, "reasoning_content is unsupported");
    let script = script()
        .file("a", "A\n")
        .model([reads("a"), wants(), refuses(), wants(), refuses(), wants(), refuses()])
        .acts([send("x")]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
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
        request/failed r2 attempt 1 wants-reasoning "the request was refused (HTTP 400): reasoning_content is missing. It is sent again with the reasoning of earlier answers", again in 0 ms
        model/set a window 128000 learned
        request/sent r3 attempt 2
        request/failed r3 attempt 2 refuses-reasoning "the request was refused (HTTP 400): reasoning_content is unsupported. It is sent again without the reasoning of earlier answers", again in 0 ms
        model/set a window 128000 learned
        request/sent r4 attempt 3
        request/failed r4 attempt 3 wants-reasoning "the request was refused (HTTP 400): reasoning_content is missing. It is sent again with the reasoning of earlier answers", again in 0 ms
        model/set a window 128000 learned
        request/sent r5 attempt 4
        request/failed r5 attempt 4 refuses-reasoning "the request was refused (HTTP 400): reasoning_content is unsupported. It is sent again without the reasoning of earlier answers", again in 0 ms
        model/set a window 128000 learned
        request/sent r6 attempt 5
        request/failed r6 attempt 5 wants-reasoning "the request was refused (HTTP 400): reasoning_content is missing. It is sent again with the reasoning of earlier answers", again in 0 ms
        model/set a window 128000 learned
        request/sent r7 attempt 6
        request/failed r7 attempt 6 refuses-reasoning "the request was refused (HTTP 400): reasoning_content is unsupported"
        iteration/end 2
        turn/end error "the request was refused (HTTP 400): reasoning_content is unsupported"
    "#]],
    );
}

#[test]
fn reasoning_that_a_model_can_not_encrypt_is_no_longer_asked_for() {
    let script = script()
        .model([
            refused(FailureKind::NoEncryptedReasoning, "Encrypted content is not supported with this model."),
            say("hi"),
            say("ho"),
        ])
        .acts([send("x"), send("y")]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 no-encrypted-reasoning "the request was refused (HTTP 400): Encrypted content is not supported with this model. It is sent again without asking for reasoning", again in 0 ms
        model/set a window 128000 learned
        request/sent r2 attempt 2
        assistant/chunk r2 text "hi"
        assistant/message r2 "hi" stop
        iteration/end 1
        turn/end completed
        > sends "y" (NextTurn)
        user/message next-turn "y"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "ho"
        assistant/message r3 "ho" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn what_was_learned_already_is_a_refusal_like_any_other() {
    let twice = || refused(FailureKind::NoEncryptedReasoning, "Encrypted content is not supported with this model.");
    check(
        script().model([twice(), twice()]).acts([send("x")]),
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 no-encrypted-reasoning "the request was refused (HTTP 400): Encrypted content is not supported with this model. It is sent again without asking for reasoning", again in 0 ms
        model/set a window 128000 learned
        request/sent r2 attempt 2
        request/failed r2 attempt 2 no-encrypted-reasoning "the request was refused (HTTP 400): Encrypted content is not supported with this model."
        iteration/end 1
        turn/end error "the request was refused (HTTP 400): Encrypted content is not supported with this model."
    "#]],
    );
}
