//! Cases about paths, special files and contents, through the whole program: what the model gets and what the files are.
//! Each is tested more closely with its tool.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::facts::{calls, of_kind, results};
use crate::support::{Place, Ran, text};

const CANARY: &str = "CANARY-OUT";

/// A place with a folder beside the workspace that nobody may touch.
fn with_canary() -> Place {
    let place = Place::with_git();
    std::fs::create_dir(place.beside("out")).unwrap();
    std::fs::write(place.beside("out/canary.txt"), CANARY).unwrap();
    place
}

/// Lets the model call these, all in one message, without a person.
fn call_all(place: &Place, calls: &[(&str, Value)], mode: &str) -> (Ran, Vec<Value>) {
    place.server.push(assent_testkit::fake_server::Reply::call(calls));
    let ran = place.exec("say done", &["--mode", mode]);
    let results = results(&ran.events());
    (ran, results)
}

/// Nothing outside was read into anything, or written.
fn check_outside(place: &Place, ran: &Ran) {
    assert!(!ran.out.contains(CANARY), "{}", ran.out);
    assert!(place.server.requests().iter().all(|request| !request.body.contains(CANARY)));
    assert_eq!(std::fs::read_to_string(place.beside("out/canary.txt")).unwrap(), CANARY);
    let names: Vec<_> =
        std::fs::read_dir(place.beside("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["canary.txt"]);
    place.check();
}

#[test]
fn p26_a_sibling_with_the_same_beginning_is_outside() {
    let place = with_canary();
    let sibling = format!("{}-old", place.workspace.display());
    std::fs::create_dir(&sibling).unwrap();
    std::fs::write(format!("{sibling}/x"), CANARY).unwrap();
    let name = std::path::Path::new(&sibling).file_name().unwrap().to_str().unwrap();
    let paths = [format!("{sibling}/x"), format!("../{name}/x"), format!("a/../../{name}/x")];
    let reads: Vec<(&str, Value)> = paths.iter().map(|path| ("read_file", json!({ "path": path }))).collect();
    let (ran, results) = call_all(&place, &reads, "ask");
    assert_eq!((ran.code, results.len()), (Some(0), 3));
    assert!(results.iter().all(|result| result["outcome"] != "ok"), "{results:?}");
    check_outside(&place, &ran);
}

#[test]
fn p27_a_link_to_the_outside_leads_nowhere() {
    let place = with_canary();
    symlink(place.beside("out/canary.txt"), place.workspace.join("l")).unwrap();
    symlink(place.beside("out"), place.workspace.join("d")).unwrap();
    let (ran, results) = call_all(
        &place,
        &[
            ("read_file", json!({ "path": "l" })),
            ("grep", json!({ "pattern": "CANARY" })),
            ("read_symbol", json!({ "path": "l" })),
            ("git_diff", json!({})),
            ("read_file", json!({ "path": "d/canary.txt" })),
            ("append_file", json!({ "path": "l", "content": "more" })),
            ("write_file", json!({ "path": "d/new/x", "content": "more" })),
            ("write_file", json!({ "path": "l", "content": "more" })),
        ],
        "auto",
    );
    assert_eq!(results.len(), 8, "{ran:?}");
    assert!(results[5..].iter().all(|result| result["outcome"] != "ok"), "{results:?}");
    check_outside(&place, &ran);
}

#[test]
fn p34_nothing_is_written_into_git() {
    let place = with_canary();
    let (ran, results) = call_all(
        &place,
        &[
            ("write_file", json!({ "path": ".git/hooks/pre-push", "content": "touch MARK" })),
            ("write_file", json!({ "path": "sub/.git/config", "content": "[core]" })),
            ("rename_file", json!({ "from": "kept.txt", "to": ".git/hooks/pre-commit" })),
            ("delete_file", json!({ "path": ".git" })),
        ],
        "ask",
    );
    assert_eq!(ran.end(), (0, "completed".to_owned()), "refused without asking anyone");
    assert!(results.iter().all(|result| result["outcome"] == "rejected"), "{results:?}");
    assert!(!place.workspace.join(".git/hooks/pre-push").exists() && !place.workspace.join("sub").exists());
    assert_eq!(place.tree(), ["kept.txt"]);
    check_outside(&place, &ran);
}

#[test]
fn p35_what_something_runs_later_is_high_and_refused_in_auto() {
    let place = with_canary();
    let paths =
        [".vscode/settings.json", "x.code-workspace", ".github/hooks/x.json", "AGENTS.md", ".mcp.json", "Makefile"];
    let writes: Vec<(&str, Value)> =
        paths.iter().map(|path| ("write_file", json!({ "path": path, "content": "{}" }))).collect();
    let (ran, results) = call_all(&place, &writes, "auto");
    assert_eq!(ran.code, Some(0));
    assert!(results.iter().all(|result| result["outcome"] == "rejected"), "{results:?}");
    assert_eq!(place.tree(), ["kept.txt"]);
    let (ran, _) = call_all(&place, &writes, "ask");
    assert_eq!(ran.code, Some(3));
    let tiers: Vec<Value> = place.approvals().iter().map(|row| row["tier"].clone()).collect();
    assert_eq!(tiers, [const { "high" }; 6]);
    check_outside(&place, &ran);
}

#[test]
fn p36_fifo_is_named_and_nothing_hangs() {
    let place = with_canary();
    assert!(std::process::Command::new("mkfifo").arg(place.workspace.join("pipe.rs")).status().unwrap().success());
    let began = Instant::now();
    let (ran, results) = call_all(
        &place,
        &[
            ("read_file", json!({ "path": "pipe.rs" })),
            ("grep", json!({ "pattern": "." })),
            ("read_symbol", json!({ "path": "pipe.rs" })),
            ("file_info", json!({ "path": "pipe.rs" })),
        ],
        "ask",
    );
    assert_eq!((ran.code, results.len()), (Some(0), 4));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert!(results.iter().all(|result| result["duration_ms"].as_u64().unwrap() < 2000), "{results:?}");
    for at in [0, 2] {
        assert!(text(&results[at], "shown").contains("not a regular file"), "{}", results[at]);
    }
    assert!(text(&results[1], "shown").contains("kept.txt"), "other hits are there: {}", results[1]);
    check_outside(&place, &ran);
}

#[test]
fn p37_links_to_devices_processes_and_sockets_are_refused() {
    let place = with_canary();
    let _socket = std::os::unix::net::UnixListener::bind(place.workspace.join("socket")).unwrap();
    symlink("/dev/zero", place.workspace.join("zero")).unwrap();
    symlink("/proc/self/environ", place.workspace.join("environ")).unwrap();
    let reads = ["zero", "environ", "socket"].map(|path| ("read_file", json!({ "path": path })));
    let (ran, results) = call_all(&place, &reads, "ask");
    assert_eq!((ran.code, results.len()), (Some(0), 3));
    assert!(results.iter().all(|result| result["outcome"] != "ok"), "{results:?}");
    assert!(!ran.out.contains("ASSENT_API_KEY"));
    check_outside(&place, &ran);
}

#[test]
fn p39_a_rename_never_replaces() {
    let place = with_canary();
    place.write("a", "from a");
    place.write("b", "from b");
    let (ran, results) = call_all(&place, &[("rename_file", json!({ "from": "a", "to": "b" }))], "ask");
    assert_eq!((ran.code, &results[0]["outcome"]), (Some(0), &json!("rejected")));
    // It appears only after the card.
    let (ran, _) = call_all(&place, &[("rename_file", json!({ "from": "a", "to": "c" }))], "ask");
    let pending = place.only_approval();
    place.write("c", "from c");
    assert_eq!(place.approve(&pending).code, Some(1));
    for (name, text) in [("a", "from a"), ("b", "from b"), ("c", "from c")] {
        assert_eq!(place.read(name).unwrap(), text);
    }
    check_outside(&place, &ran);
}

#[test]
fn p40_a_deleted_folder_takes_links_with_it_and_not_what_they_lead_to() {
    let place = with_canary();
    place.write("f/in.txt", "in");
    symlink(place.beside("out"), place.workspace.join("f/link")).unwrap();
    let (ran, _) = call_all(&place, &[("delete_file", json!({ "path": "f" }))], "ask");
    let pending = place.only_approval();
    assert!(text(&pending, "reason").contains("2 entries"), "{pending}");
    assert_eq!(place.approve(&pending).code, Some(0));
    assert!(!place.workspace.join("f").exists());
    let trash = place.tree().into_iter().filter(|name| name.ends_with("/f/link")).count();
    assert_eq!(trash, 1, "{:?}", place.tree());
    check_outside(&place, &ran);
}

#[test]
fn p41_to_p43_bytes_outside_an_edit_stay_as_they_are() {
    let place = with_canary();
    let files = [
        ("mixed.txt", &b"one\r\ntwo\nthree\rfour\r\n"[..], "two", "2", &b"one\r\n2\nthree\rfour\r\n"[..]),
        ("bom.txt", b"\xEF\xBB\xBFone\ntwo\n", "two", "2", b"\xEF\xBB\xBFone\n2\n"),
        ("odd.txt", b"\xC3\xA9\ntwo\n\xE9\n", "two", "2", b"\xC3\xA9\ntwo\n\xE9\n"),
    ];
    for (path, before, old, new, after) in files {
        std::fs::write(place.workspace.join(path), before).unwrap();
        place.server.push(assent_testkit::fake_server::Reply::call(&[("read_file", json!({ "path": path }))]));
        let edit = json!({ "path": path, "edits": [{ "old": old, "new": new }] });
        let (ran, _) = call_all(&place, &[("patch_file", edit)], "auto");
        assert_eq!(ran.code, Some(0));
        assert_eq!(std::fs::read(place.workspace.join(path)).unwrap(), after, "{path}");
    }
}

#[test]
fn p46_a_long_line_is_clipped_and_said_to_be() {
    let place = with_canary();
    place.write("long.txt", &format!("{}stats{}\nstats here\n", "零".repeat(100_000), "x".repeat(350_000)));
    let (ran, results) = call_all(&place, &[("grep", json!({ "pattern": "stats" }))], "ask");
    let shown = text(&results[0], "shown");
    assert!(shown.len() < 20_000 && shown.contains("stats here"), "{} bytes", shown.len());
    assert!(!shown.contains('\u{FFFD}'));
    check_outside(&place, &ran);
}

#[test]
fn p55_killed_while_it_waits_the_card_is_back_with_the_same_digest() {
    let place = Place::with_git();
    let ran = place.exec(r#"call write_file with {"path":"a.txt","content":"a\n"} then say done"#, &[]);
    let pending = place.only_approval();
    for _ in 0..3 {
        assert_eq!(place.only_approval(), pending, "a restart changes nothing");
    }
    assert_eq!(calls(&place.log(&ran.conversation())).values().next().unwrap().requested.len(), 1);
    assert_eq!(place.approve(&pending).end(), (0, "completed".to_owned()));
    assert_eq!(place.read("a.txt").unwrap(), "a\n");
    place.check();
}

#[test]
fn p52_turning_auto_on_decides_nothing_that_waits() {
    let place = Place::with_git();
    let ran = place.exec(r#"call run_command with {"command":"touch MARK"} then say well"#, &[]);
    let conversation = ran.conversation();
    let pending = place.only_approval();
    let queued = place.go_on(&conversation, "say later", &["--mode", "auto"]);
    assert_eq!(queued.end(), (3, "waiting".to_owned()));
    assert_eq!(place.only_approval()["digest"], pending["digest"]);
    // Approved all the same: the mode refuses what is High, and the model is told so.
    assert_eq!(place.approve(&place.only_approval()).end(), (0, "completed".to_owned()));
    let call = calls(&place.log(&conversation)).into_values().next().unwrap();
    assert_eq!((call.started.len(), call.outcome()), (0, Some("rejected")));
    assert!(text(&call.results[0], "shown").contains("auto mode"), "{call:?}");
    assert_eq!(place.read("MARK"), None);
    place.check();
}

#[test]
fn p57_killed_while_an_answer_comes_its_text_is_evidence_and_the_model_goes_on() {
    let place = Place::with_git();
    let mut running = place.start("hang after 3 tokens", &[]);
    running.until_printed("assistant/chunk");
    let conversation = {
        let printed = running.kill(rustix::process::Signal::KILL).out;
        let first: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
        text(&first, "conversation").to_owned()
    };
    let log = place.log(&conversation);
    assert_eq!(text(of_kind(&log, "assistant/discarded")[0], "text"), "t0 t1 t2 ");
    assert_eq!(text(of_kind(&log, "turn/end")[0], "reason"), "interrupted");
    assert_eq!(place.server.requests().len(), 1, "a restart asks no model");
    place.server.push(assent_testkit::fake_server::Reply::say("here again"));
    assert_eq!(place.go_on(&conversation, "go on", &[]).answer(), "here again");
    assert!(!place.server.requests()[1].body.contains("t0 t1"), "discarded text isn't sent");
    place.check();
}

#[test]
fn p92_what_failed_is_told_and_nothing_is_replaced() {
    let place = with_canary();
    place.write("target", "a file, no folder");
    place.write("one", "1");
    place.write("two", "2");
    let moves = ["one", "two"].map(|name| ("rename_file", json!({ "from": name, "to": "target" })));
    let into = [("write_file", json!({ "path": "target/x", "content": "x" }))];
    let (ran, results) = call_all(&place, &[&into[..], &moves[..]].concat(), "ask");
    assert_eq!((ran.code, results.len()), (Some(0), 3));
    assert!(results.iter().all(|result| result["outcome"] == "rejected"), "{results:?}");
    assert_eq!(place.tree(), ["kept.txt", "one", "target", "two"]);
    let told = place.server.requests().pop().unwrap().body;
    assert!(told.contains("target"), "{told}");
    check_outside(&place, &ran);
}

#[test]
fn p60_what_a_model_or_a_server_says_moves_nothing_in_a_terminal() {
    use assent_testkit::fake_server::Reply;

    let place = Place::new();
    place.server.push(Reply::call(&[("read\u{1b}[2J\u{202e}file", json!({ "path": "\u{9b}31m" }))]));
    place.server.push(Reply::plain(400, &[], "\u{1b}]0;another title\u{7}no such thing"));
    let url = place.server.base_url();
    let mut arguments = place.exec_arguments("look", &url, &[]);
    arguments.retain(|argument| *argument != "--json");
    let ran = place.run(&arguments);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("read<U+001B>[2J<U+202E>file"), "{ran:?}");
    assert!(ran.err.contains("no such thing"), "{ran:?}");
    let moves = |character: char| character != '\n' && (character.is_control() || character == '\u{202e}');
    assert!(!ran.out.contains(moves) && !ran.err.contains(moves), "{ran:?}");
}
