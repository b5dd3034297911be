//! Images and PDFs beside messages (part 3): sent where the model takes them, refused or named where it doesn't.
//! What each wire format makes of them is tested in `llm`.

use assent_protocol::settings::Limits;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{
    at, attaching, check, check_on_both, gate, open, refused, reject_and_send, request, restart, say, script, send,
    withdraw,
};
use expect_test::expect;

use crate::{reads, writes};

const PNG: (&str, &[u8]) = ("/home/me/a.png", b"\x89PNG\r\n\x1a\nx");
const PDF: (&str, &[u8]) = ("b.pdf", b"%PDF-1.7\n");

#[test]
fn an_image_and_a_pdf_go_to_the_model_and_stay_in_the_history() {
    let script = script()
        .seeing(&["a"])
        .file("a", "A\n")
        .model([reads("a"), say("a picture"), say("still there")])
        .acts([attaching(send("look"), &[PNG, PDF]), restart(), send("and now?"), request(3)]);
    check_on_both(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look" with a.png (image/png) with b.pdf (application/pdf)
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
        assistant/chunk r2 text "a picture"
        assistant/message r2 "a picture" stop
        iteration/end 2
        turn/end completed
        > restart
        > sends "and now?" (NextTurn)
        user/message next-turn "and now?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "still there"
        assistant/message r3 "still there" stop
        iteration/end 1
        turn/end completed
        = {"content":[{"image_url":{"url":"data:image/png;base64,iVBORw0KGgp4"},"type":"image_url"},{"file":{"file_data":"data:application/pdf;base64,JVBERi0xLjcK","filename":"b.pdf"},"type":"file"},{"text":"look","type":"text"}],"role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\":\"a\"}","name":"read_file"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"a: lines 1 to 1 of 1\n1\tA\n","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"a picture","role":"assistant"}
        = {"content":"and now?","role":"user"}
    "#]],
    );
}

#[test]
fn a_message_may_be_nothing_but_an_image() {
    let script =
        script().seeing(&["a"]).model([say("a picture")]).acts([attaching(send(""), &[PNG]), request(1)]).whole();
    check(
        script,
        expect![[r#"
        conversation/created ROOT
        model/set a window 128000
        mode/set ask
        limits/set max 10 retries 3
        > sends "" (NextTurn)
        prompt/set
        tools/set 15 tools, 9 reading
        title/set "a.png" by tool
        user/message next-turn "" with a.png (image/png)
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "a picture"
        assistant/message r1 "a picture" stop
        iteration/end 1
        turn/end completed
        = {"content":[{"image_url":{"url":"data:image/png;base64,iVBORw0KGgp4"},"type":"image_url"},{"text":"(no text)","type":"text"}],"role":"user"}
    "#]],
    );
}

#[test]
fn a_model_that_takes_none_is_not_asked_and_nothing_is_recorded() {
    let script = script().model([]).acts([attaching(send("look"), &[PNG]), attaching(send("read"), &[PDF])]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        ! Invalid: a takes no images: remove a.png, or choose another model
        > sends "read" (NextTurn)
        ! Invalid: a takes no PDFs: remove b.pdf, or choose another model
    "#]],
    );
}

#[test]
fn a_fallback_that_takes_none_reads_their_names_in_their_place() {
    let script = script()
        .paused()
        .seeing(&["a"])
        .limits(Limits { retries: 0, ..Limits::default() })
        .model([refused(FailureKind::Server, "busy"), say("a picture")])
        .fallback("b", [say("I see nothing")])
        .acts([attaching(send("look"), &[PNG, PDF]), send("and you?"), request(2), request(3)]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look" with a.png (image/png) with b.pdf (application/pdf)
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        request/failed r1 attempt 1 server "the server has a problem (HTTP 503): busy"
        provider/switched a gives way to b after attempt 1: server
        request/sent r2
        assistant/chunk r2 text "I see nothing"
        assistant/message r2 "I see nothing" stop
        iteration/end 1
        turn/end completed
        > sends "and you?" (NextTurn)
        user/message next-turn "and you?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "a picture"
        assistant/message r3 "a picture" stop
        iteration/end 1
        turn/end completed
        = {"content":"look\n\n[image a.png: left out, this model takes no images]\n\n[PDF b.pdf: left out, this model takes no PDFs]","role":"user"}
        = {"content":[{"image_url":{"url":"data:image/png;base64,iVBORw0KGgp4"},"type":"image_url"},{"file":{"file_data":"data:application/pdf;base64,JVBERi0xLjcK","filename":"b.pdf"},"type":"file"},{"text":"look","type":"text"}],"role":"user"}
        = {"content":"I see nothing","role":"assistant"}
        = {"content":"and you?","role":"user"}
    "#]],
    );
}

#[test]
fn a_queued_message_keeps_its_own_and_one_that_is_taken_back_takes_them_along() {
    let script = script().seeing(&["a"]).model([gate("g").say("first"), say("second")]).acts([
        send("x"),
        at("g"),
        attaching(send("later"), &[PNG]),
        attaching(send("never"), &[PDF]),
        withdraw(2),
        open("g"),
        request(2),
    ]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        > at "g"
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        > sends "later" (NextTurn)
        queue/edited i1 added next-turn "later" with a.png (image/png)
        > sends "never" (NextTurn)
        queue/edited i2 added next-turn "never" with b.pdf (application/pdf)
        > withdraws i2
        queue/edited i2 withdrawn
        > open "g"
        assistant/chunk r1 text "first"
        assistant/message r1 "first" stop
        iteration/end 1
        turn/end completed
        queue/taken i1
        user/message next-turn "later" with a.png (image/png)
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "second"
        assistant/message r2 "second" stop
        iteration/end 1
        turn/end completed
        = {"content":"x","role":"user"}
        = {"content":"first","role":"assistant"}
        = {"content":[{"image_url":{"url":"data:image/png;base64,iVBORw0KGgp4"},"type":"image_url"},{"text":"later","type":"text"}],"role":"user"}
    "#]],
    );
}

#[test]
fn a_rejection_takes_none() {
    let script = script().seeing(&["a"]).model([writes("a", "A"), say("as you like")]).acts([
        send("x"),
        attaching(reject_and_send("no"), &[PNG]),
        reject_and_send("no"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "x" (NextTurn)
        user/message next-turn "x"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"A","path":"a"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a: 1 line"
        > rejects and sends "no"
        ! Invalid: a rejection takes no attachments: send them afterwards
        > rejects and sends "no"
        approval/decided c1 rejected by user "no"
        tool/result c1 rejected (user) "It did not run: the user rejected it, with this note:\n```\nno\n```\nFollow the note; don't send the same call again."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "as you like"
        assistant/message r2 "as you like" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn twenty_are_enough() {
    let many: Vec<_> = vec![PNG; 21];
    let script = script().seeing(&["a"]).model([]).acts([attaching(send("look"), &many)]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        ! Invalid: a message takes 20 attachments at most, these are 21
    "#]],
    );
}
