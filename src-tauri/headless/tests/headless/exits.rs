//! Every exit code of `exec`, `approve` and `reject`, and the reason in the last line.
//! What the other commands print is tested beside this file.

use assent_testkit::fake_server::{Reply, Script, Step};
use rustix::process::Signal;

use crate::facts::of_kind;
use crate::pause::Pause;
use crate::support::{Place, Running, text};

/// Runs `exec` and says how it ended.
fn end_of(prompt: &str, more: &[&str]) -> (i32, String) {
    let place = Place::new();
    let end = place.exec(prompt, more).end();
    place.check();
    end
}

fn is(code: i32, reason: &str) -> (i32, String) {
    (code, reason.to_owned())
}

#[test]
fn a_completed_turn_ends_with_0() {
    assert_eq!(end_of("say hello", &[]), is(0, "completed"));
}

#[test]
fn a_failed_turn_ends_with_1() {
    assert_eq!(end_of("fail 400 no", &[]), is(1, "error"));
    assert_eq!(end_of("cut after 3 tokens", &[]), is(1, "error"));
}

#[test]
fn what_cannot_begin_ends_with_1() {
    let place = Place::new();
    for arguments in [
        &["exec", "hi", "--workspace", "/does/not/exist", "--model", "practice", "--json"][..],
        &["exec", "hi", "--workspace", "/", "--model", "practice", "--json"],
        &["exec", "hi", "--conversation", "none", "--json"],
        &["approve", "none", "--digest", "00", "--json"],
        &["reject", "none", "--json"],
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.end(), is(1, "error"), "{arguments:?}");
        assert!(ran.err.starts_with("assent: "), "{ran:?}");
    }
    for arguments in [
        &["log", "none"][..],
        &["log", "none", "--json"],
        &["replay", "none", "--request", "1"],
        &["export", "none", "--format", "md"],
        &["export", "none", "--format", "json"],
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(ran.err.contains("there is no conversation none"), "{ran:?}");
    }
}

#[test]
fn a_command_line_without_sense_ends_with_2() {
    let place = Place::new();
    let workspace = place.workspace.to_str().unwrap();
    for arguments in [
        &[][..],
        &["dance"],
        &["exec"],
        &["exec", "hi"],
        &["exec", "hi", "--workspace", workspace, "--mode", "yolo"],
        &["exec", "hi", "--workspace", workspace, "--base-url", "http://127.0.0.1:1/v1"],
        &["exec", "hi", "--workspace", workspace, "--context", "0"],
        &["exec", "hi", "--workspace", "", "--model", "practice"],
        &["approve", "x"],
        &["replay", "x"],
        &["export", "x", "--format", "pdf"],
        &["approvals", "--workspace", workspace],
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}: {ran:?}");
        assert!(ran.err.starts_with("assent: "), "{ran:?}");
    }
    assert_eq!(place.run(&["--help"]).code, Some(0));
    assert!(place.run(&["--version"]).out.starts_with("assent "));
}

#[test]
fn with_json_the_last_line_says_how_it_ended_whatever_went_wrong() {
    let place = Place::new();
    let workspace = place.workspace.to_str().unwrap();
    for arguments in [
        &["exec", "--json"][..],
        &["exec", "hi", "--workspace", workspace, "--bogus", "--json"],
        &["exec", "hi", "--workspace", workspace, "--base-url", "http://127.0.0.1:1/v1", "--json"],
        &["approve", "x", "--json"],
        &["reject", "--json"],
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.end(), is(2, "usage"), "{arguments:?}");
        assert_eq!(ran.out.lines().count(), 1, "{arguments:?}");
    }
    // A data folder that can't be opened.
    let closed = Place::new();
    std::fs::write(&closed.home, "a file").unwrap();
    for arguments in [
        &["exec", "hi", "--workspace", workspace, "--model", "practice", "--json"][..],
        &["approve", "x", "--digest", "y", "--json"],
        &["reject", "x", "--json"],
    ] {
        assert_eq!(closed.run(arguments).end(), is(1, "error"), "{arguments:?}");
    }
}

#[test]
fn what_goes_wrong_in_a_conversation_is_said_of_it() {
    let place = Place::new();
    let ran = place.exec(r#"call write_file with {"path":"a.txt","content":"a"}"#, &[]);
    let pending = place.only_approval();
    let wrong = "0".repeat(64);
    let refused = place.run(&["approve", text(&pending, "call"), "--digest", &wrong, "--json"]);
    assert_eq!((refused.end(), refused.conversation()), (is(1, "error"), ran.conversation()));
    assert_eq!(place.approve(&pending).end(), is(0, "completed"));
    let late = place.approve(&pending);
    assert_eq!((late.end(), late.conversation()), (is(1, "error"), ran.conversation()));
    assert!(late.err.contains("already finished") && late.err.contains("Created a.txt"), "{}", late.err);
    let elsewhere = place.beside("user");
    let lost = place.go_on(&ran.conversation(), "say on", &["--workspace", elsewhere.to_str().unwrap()]);
    assert_eq!((lost.end(), lost.conversation()), (is(2, "usage"), ran.conversation()));
    place.check();
}

#[test]
fn p53_nobody_is_there_to_ask_so_it_waits_and_ends_with_3() {
    let place = Place::new();
    let ran = place.exec(r#"call write_file with {"path":"a.txt","content":"a"}"#, &[]);
    assert_eq!(ran.end(), is(3, "waiting"));
    assert_eq!(place.read("a.txt"), None);
    let pending = place.only_approval();
    for words in [text(&pending, "call"), text(&pending, "digest"), "Create a.txt"] {
        assert!(ran.err.contains(words), "{words} isn't reported: {}", ran.err);
    }
    place.check();
}

#[test]
fn the_last_permitted_call_ends_with_4() {
    let look = |path: &str| format!(r#"call file_info with {{"path":"{path}"}}"#);
    let prompt = [look("a"), look("b"), look("c"), look("d")].join(" then ");
    assert_eq!(end_of(&prompt, &["--max-iterations", "3"]), is(4, "max-iterations"));
}

#[test]
fn a_stopped_turn_ends_with_5_and_keeps_its_text() {
    let place = Place::new();
    let mut running = place.start("hang after 3 tokens", &[]);
    running.until_printed("assistant/chunk");
    running.signal(Signal::INT);
    let ran = running.end();
    assert_eq!(ran.end(), is(5, "stopped"));
    let log = place.log(&ran.conversation());
    let message = of_kind(&log, "assistant/message")[0].clone();
    assert_eq!((text(&message, "text"), message["partial"].as_bool()), ("t0 t1 t2 ", Some(true)));
    assert_eq!(of_kind(&log, "turn/stop").len(), 1);
    // What was kept is part of what the model sees.
    assert_eq!(place.go_on(&ran.conversation(), "say on", &[]).end(), is(0, "completed"));
    assert_eq!(place.server.bodies()[1]["messages"][2]["content"], "t0 t1 t2 ");
    place.check();
}

#[test]
fn being_asked_to_end_stops_the_turn() {
    let place = Place::new();
    let mut running = place.start("hang after 3 tokens", &[]);
    running.until_printed("assistant/chunk");
    running.signal(Signal::TERM);
    let ran = running.end();
    assert_eq!(ran.end(), is(5, "stopped"));
    assert_eq!(place.log(&ran.conversation()).len(), ran.events().len());
    place.check();
}

#[test]
fn going_round_in_circles_ends_with_6() {
    let again = r#"call list_directory with {"path":""}"#;
    assert_eq!(end_of(&[again; 6].join(" then "), &[]), is(6, "blocked"));
}

#[test]
fn three_rejections_in_a_row_end_with_6() {
    let place = Place::new();
    let write = |path: &str| format!(r#"call write_file with {{"path":"{path}","content":"x"}}"#);
    assert_eq!(place.exec(&["a", "b", "c"].map(write).join(" then "), &[]).end(), is(3, "waiting"));
    for expected in [is(3, "waiting"), is(3, "waiting"), is(6, "blocked")] {
        let ran = place.run(&["reject", text(&place.only_approval(), "call"), "--json"]);
        assert_eq!(ran.end(), expected);
    }
    assert_eq!(place.tree(), Vec::<String>::new());
    place.check();
}

#[test]
fn a_refusal_ends_with_1_in_the_models_own_words() {
    let refused = [
        Step::delta(&serde_json::json!({ "refusal": "Not that." })),
        Step::data(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#),
    ];
    let place = Place::with(Script::of([Reply::steps(refused)]));
    let ran = place.exec("tell me", &[]);
    assert_eq!(ran.end(), is(1, "error"));
    assert!(ran.err.contains("Not that."), "{}", ran.err);
    place.check();
}

#[test]
fn an_output_limit_ends_with_7() {
    let script = Script::parse(r#"{"replies":[{"say":"cut short","finish":"length"}]}"#).unwrap();
    let place = Place::with(script);
    let ran = place.exec("tell me", &[]);
    assert_eq!(ran.end(), is(7, "max-tokens"));
    assert_eq!(ran.answer(), "cut short");
    place.check();
}

#[test]
fn a_second_interrupt_quits_with_8_and_the_next_start_settles() {
    let place = Place::new();
    place.exec(r#"call run_command with {"command":"echo once >> count.txt"}"#, &[]);
    let mut command = place.approve_command(&place.only_approval());
    // The command has run and its result can't be written: so the first interrupt can't end the turn.
    let mut pause = Pause::at("after-effect", &place, &mut command);
    let mut running = Running::start(&mut command);
    pause.until_reached(&mut running);
    running.signal(Signal::INT);
    running.until_printed("turn/stop");
    running.signal(Signal::INT);
    let ran = running.end();
    assert_eq!(ran.end(), is(8, "interrupted"));
    let log = place.log(&ran.conversation());
    assert_eq!(text(of_kind(&log, "tool/result")[0], "outcome"), "unknown");
    assert_eq!(text(of_kind(&log, "turn/end")[0], "reason"), "stopped");
    assert_eq!(place.read("count.txt").unwrap(), "once\n");
    place.check();
}

#[test]
fn approve_and_reject_end_as_exec_does() {
    let place = Place::with(Script::default());
    let write = r#"call write_file with {"path":"a.txt","content":"a\n"}"#;
    let ran = place.exec(&format!("{write} then fail 400 no"), &[]);
    assert_eq!(ran.end(), is(3, "waiting"));
    assert_eq!(place.approve(&place.only_approval()).end(), is(1, "error"));
    assert_eq!(place.read("a.txt").unwrap(), "a\n");
    place.server.push(Reply::say("fine"));
    let again = r#"call write_file with {"path":"b.txt","content":"b"} then say sorry"#;
    place.server.push(Reply::call(&[("delete_file", serde_json::json!({ "path": "a.txt" }))]));
    // The pushed answers come first: one ends this turn, the other asks in the next one.
    assert_eq!(place.exec(again, &[]).end(), is(0, "completed"));
    assert_eq!(place.exec("say sorry then say sorry", &[]).end(), is(3, "waiting"));
    let ran = place.run(&["reject", text(&place.only_approval(), "call"), "--note", "keep it", "--json"]);
    assert_eq!(ran.end(), is(0, "completed"));
    assert_eq!(place.read("a.txt").unwrap(), "a\n");
    let told = place.server.requests().pop().unwrap().body;
    assert!(told.contains("keep it") && told.contains("did not run"), "{told}");
    place.check();
}
