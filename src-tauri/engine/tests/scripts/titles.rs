//! Titles of a model's making: after the first exchange, once, and never over a person's own.
//! What a title is made of is tested where it is made.

use assent_protocol::view::FailureKind;
use assent_testkit::stage::{at, check, open, refused, rename, request, restart, say, script, send};
use expect_test::expect;

#[test]
fn a_model_names_the_conversation_after_the_first_exchange() {
    let model = [say("你好！我能帮你整理发票。"), say("《整理发票》"), say("好的。")];
    let acts = [send("请帮我整理发票"), request(2), send("谢谢")];
    check(
        script().without_folder().named().model(model).acts(acts),
        expect![[r#"
        > sends "请帮我整理发票" (NextTurn)
        user/message next-turn "请帮我整理发票"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "你好！我能帮你整理发票。"
        assistant/message r1 "你好！我能帮你整理发票。" stop
        iteration/end 1
        turn/end completed
        request/sent r2 for title
        title/set "整理发票" by tool
        usage/recorded r2 , output unknown
        = {"content":"<user>\n请帮我整理发票\n</user>\n<assistant>\n你好！我能帮你整理发票。\n</assistant>","role":"user"}
        > sends "谢谢" (NextTurn)
        user/message next-turn "谢谢"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "好的。"
        assistant/message r3 "好的。" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_persons_own_title_stays() {
    let model = [say("Hello."), say("A ").gate("g").say("greeting")];
    let acts = [send("hi"), at("g"), rename("Mine"), open("g")];
    check(
        script().without_folder().named().model(model).acts(acts),
        expect![[r#"
        > sends "hi" (NextTurn)
        > at "g"
        user/message next-turn "hi"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "Hello."
        assistant/message r1 "Hello." stop
        iteration/end 1
        turn/end completed
        request/sent r2 for title
        > names it "Mine"
        title/set "Mine" by user
        > open "g"
        usage/recorded r2 , output unknown
    "#]],
    );
}

#[test]
fn no_model_is_asked_where_a_person_gave_a_title() {
    let model = [say("Hello.")];
    check(
        script().without_folder().named().model(model).acts([rename("Mine"), send("hi")]),
        expect![[r#"
        > names it "Mine"
        > sends "hi" (NextTurn)
        user/message next-turn "hi"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "Hello."
        assistant/message r1 "Hello." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_model_that_fails_is_followed_by_the_fallback() {
    let model = [say("Hello."), refused(FailureKind::Server, "busy")];
    let script = script().without_folder().named().model(model).fallback("second", [say("A greeting.")]);
    check(
        script.acts([send("hi")]),
        expect![[r#"
        > sends "hi" (NextTurn)
        user/message next-turn "hi"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "Hello."
        assistant/message r1 "Hello." stop
        iteration/end 1
        turn/end completed
        request/sent r2 for title
        request/failed r2 attempt 1 server "the server has a problem (HTTP 503): busy"
        request/sent r3 for title
        title/set "A greeting" by tool
        usage/recorded r3 , output unknown
    "#]],
    );
}

#[test]
fn the_next_turn_does_not_wait_for_it() {
    let model = [say("Hello."), say("A ").gate("g").say("greeting"), say("Fine.")];
    let acts = [send("hi"), at("g"), send("how are you?"), open("g")];
    check(
        script().without_folder().named().model(model).acts(acts),
        expect![[r#"
        > sends "hi" (NextTurn)
        > at "g"
        user/message next-turn "hi"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "Hello."
        assistant/message r1 "Hello." stop
        iteration/end 1
        turn/end completed
        request/sent r2 for title
        > sends "how are you?" (NextTurn)
        user/message next-turn "how are you?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "Fine."
        assistant/message r3 "Fine." stop
        iteration/end 1
        turn/end completed
        > open "g"
        title/set "A greeting" by tool
        usage/recorded r2 , output unknown
    "#]],
    );
}

#[test]
fn a_kill_leaves_the_first_line_as_the_title() {
    let model = [say("Hello."), say("A ").gate("g").say("greeting"), say("Fine.")];
    let acts = [send("hi"), at("g"), restart(), send("how are you?")];
    check(
        script().without_folder().named().model(model).acts(acts),
        expect![[r#"
        > sends "hi" (NextTurn)
        > at "g"
        user/message next-turn "hi"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "Hello."
        assistant/message r1 "Hello." stop
        iteration/end 1
        turn/end completed
        request/sent r2 for title
        > restart
        > sends "how are you?" (NextTurn)
        request/failed r2 attempt 1 disconnected "the program was interrupted while the answer was coming"
        user/message next-turn "how are you?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "Fine."
        assistant/message r3 "Fine." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}
