//! What waits, and deciding it from another process: shape, single winner, exact card.
//! What a card shows for each tool is tested with the tools.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::facts::{calls, of_kind};
use crate::pause::Pause;
use crate::support::{Place, Ran, Running, text};

const WRITE: &str = r#"call write_file with {"path":"a.txt","content":"new\n"}"#;

/// Everything that must not change when a decision is refused.
fn state(place: &Place, conversation: &str) -> (Vec<Value>, Vec<Value>, Vec<String>) {
    (place.log(conversation), place.approvals(), place.tree())
}

#[test]
fn the_list_has_its_shape_and_its_digest_is_the_cards() {
    let place = Place::with_git();
    let command = format!("echo {} # 末尾", "x".repeat(60_000));
    let order = json!({ "command": command });
    let prompt = format!("{WRITE} and run_command with {order} and delete_file with {}", json!({ "path": "kept.txt" }));
    let ran = place.exec(&prompt, &[]);
    assert_eq!(ran.code, Some(3));
    let pending = place.approvals();
    let fields: Vec<BTreeSet<&str>> =
        pending.iter().map(|row| row.as_object().unwrap().keys().map(String::as_str).collect()).collect();
    let expected = BTreeSet::from(["call", "conversation", "tool", "tier", "reason", "digest", "preview"]);
    assert_eq!(fields, [expected.clone(), expected.clone(), expected]);
    let tools: Vec<(&str, &str)> = pending.iter().map(|row| (text(row, "tool"), text(row, "tier"))).collect();
    assert_eq!(tools, [("write_file", "medium"), ("run_command", "high"), ("delete_file", "high")]);
    let log = place.log(&ran.conversation());
    for (row, requested) in pending.iter().zip(of_kind(&log, "approval/requested")) {
        assert_eq!(text(row, "conversation"), ran.conversation());
        assert_eq!((&row["call"], &row["digest"]), (&requested["call"], &requested["card"]["digest"]));
    }
    assert!(text(&pending[0], "preview").contains("+new"), "{}", pending[0]["preview"]);
    assert!(text(&pending[1], "preview").contains(&command), "the preview is whole");
    assert!(text(&pending[2], "preview").contains("-two"), "{}", pending[2]["preview"]);
    assert_eq!(text(&pending[0], "reason"), "Create a.txt: 1 line");
    let plain = place.run(&["approvals"]);
    assert!(plain.out.contains("Create a.txt") && plain.out.contains(text(&pending[0], "digest")));
    place.check();
}

#[test]
fn approving_goes_on_with_the_turn_and_prints_it() {
    let place = Place::new();
    let ran = place.exec(&format!("{WRITE} then say written"), &[]);
    let before = place.log(&ran.conversation()).len();
    let went_on = place.approve(&place.only_approval());
    assert_eq!(went_on.end(), (0, "completed".to_owned()));
    assert_eq!(went_on.answer(), "written");
    assert_eq!(place.read("a.txt").unwrap(), "new\n");
    let log = place.log(&ran.conversation());
    assert_eq!(went_on.events(), log[before..], "every event of this run is printed, and no other");
    assert_eq!(went_on.events()[0]["kind"], "approval/decided");
    place.check();
}

#[test]
fn a_note_reaches_the_model_in_a_fence() {
    let place = Place::new();
    place.exec(&format!("{WRITE} then say sorry"), &[]);
    let pending = place.only_approval();
    let ran = place.run(&["reject", text(&pending, "call"), "--note", "用 b.txt ``` instead", "--json"]);
    assert_eq!(ran.end(), (0, "completed".to_owned()));
    assert_eq!(place.tree(), Vec::<String>::new());
    let told = place.server.bodies().pop().unwrap();
    let result = text(&told["messages"][3], "content").to_owned();
    assert!(result.contains("It did not run") && result.contains("````\n用 b.txt ``` instead\n````"), "{result}");
    place.check();
}

#[test]
fn what_is_not_pending_cannot_be_decided() {
    let place = Place::new();
    let ran = place.exec(&format!("{WRITE} then say done"), &[]);
    let pending = place.only_approval();
    assert_eq!(place.approve(&pending).code, Some(0));
    let before = state(&place, &ran.conversation());
    let (call, digest) = (text(&pending, "call"), text(&pending, "digest"));
    for arguments in [
        &["approve", call, "--digest", digest, "--json"][..],
        &["approve", call, "--digest", digest],
        &["reject", call, "--json"],
        &["approve", "01900000-0000-7000-8000-000000000000", "--digest", digest],
        &["reject", "01900000-0000-7000-8000-000000000000"],
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, Some(1), "{arguments:?}: {ran:?}");
        assert!(ran.err.starts_with("assent: "), "{ran:?}");
    }
    assert_eq!(state(&place, &ran.conversation()), before);
    place.check();
}

#[test]
fn a_decision_names_the_card() {
    let place = Place::new();
    let other = r#"call write_file with {"path":"b.txt","content":"b"}"#;
    let ran = place.exec(WRITE, &[]);
    place.exec(other, &[]);
    let pending = place.approvals();
    let before = state(&place, &ran.conversation());
    let digest = text(&pending[0], "digest");
    let last = if digest.ends_with('0') { "1" } else { "0" };
    let flipped = format!("{}{last}", &digest[..63]);
    for wrong in [&flipped, text(&pending[1], "digest"), "", "00", "yes", &digest[..63], &format!("{digest}0")] {
        let ran = place.run(&["approve", text(&pending[0], "call"), "--digest", wrong, "--json"]);
        assert_eq!(ran.end(), (1, "error".to_owned()), "{wrong:?}");
    }
    assert_eq!(state(&place, &ran.conversation()), before);
    assert_eq!(place.tree(), Vec::<String>::new());
    place.check();
}

#[test]
fn of_several_each_is_decided_by_itself() {
    let place = Place::new();
    let write = |name: &str| format!(r#"write_file with {{"path":"{name}","content":"{name}"}}"#);
    let ran = place.exec(&format!("call {} and {} and {} then say all", write("a"), write("b"), write("c")), &[]);
    let pending = place.approvals();
    assert_eq!(pending.len(), 3);
    // Out of order: the third waits for those before it, approved as it is.
    let third = place.approve(&pending[2]);
    assert_eq!(third.end(), (3, "waiting".to_owned()));
    assert_eq!(place.tree(), Vec::<String>::new());
    // That start was followed by another one: what was approved and not run asks again.
    let pending = place.approvals();
    assert_eq!(pending.len(), 3, "{pending:?}");
    let again = of_kind(&place.log(&ran.conversation()), "approval/requested").pop().unwrap().clone();
    assert_eq!(again["again"], "approved-before-restart");
    assert_eq!(place.run(&["reject", text(&pending[1], "call"), "--json"]).code, Some(3));
    assert_eq!(place.approve(&pending[0]).code, Some(3));
    assert_eq!(place.approve(&pending[2]).end(), (0, "completed".to_owned()));
    assert_eq!(place.tree(), ["a", "c"]);
    let outcomes: Vec<Option<String>> =
        calls(&place.log(&ran.conversation())).values().map(|call| call.outcome().map(str::to_owned)).collect();
    assert_eq!(outcomes, ["ok", "rejected", "ok"].map(|outcome| Some(outcome.to_owned())));
    place.check();
}

#[test]
fn p48_two_approvals_at_the_same_moment_run_it_once() {
    let place = Place::new();
    for _ in 0..5 {
        let ran = place.exec(r#"call run_command with {"command":"echo ran >> count.txt"}"#, &[]);
        let pending = place.only_approval();
        let both = [0, 1].map(|_| Running::start(&mut place.approve_command(&pending)));
        let ends: Vec<Ran> = both.into_iter().map(Running::end).collect();
        let won = ends.iter().filter(|ran| ran.code == Some(0)).count();
        let lost = ends.iter().filter(|ran| ran.code == Some(1)).count();
        assert_eq!((won, lost), (1, 1), "{ends:?}");
        let log = place.log(&ran.conversation());
        assert_eq!(of_kind(&log, "approval/decided").len(), 1);
        assert_eq!(calls(&log).values().map(|call| call.started.len()).sum::<usize>(), 1);
    }
    assert_eq!(place.read("count.txt").unwrap(), "ran\n".repeat(5));
    place.check();
}

#[test]
fn p10_a_script_that_changes_between_decision_and_claim_does_not_run() {
    let place = Place::with_git();
    place.write("build.sh", "echo shown > made.txt\n");
    let ran = place.exec(r#"call run_command with {"command":"sh build.sh"}"#, &[]);
    for point in ["after-decision", "before-claim"] {
        let pending = place.only_approval();
        let mut command = place.approve_command(&pending);
        let mut pause = Pause::at(point, &place, &mut command);
        let mut running = Running::start(&mut command);
        pause.until_reached(&mut running);
        place.write("build.sh", &format!("echo {point} > made.txt\n"));
        pause.go_on();
        let went_on = running.end();
        let is_told = point == "before-claim";
        if is_told {
            // It was claimed as it stood; the tool looks once more through the handle that it uses.
            let log = place.log(&ran.conversation());
            let call = calls(&log).into_values().next().unwrap();
            assert_eq!(call.outcome(), Some("rejected"), "{went_on:?}");
        } else {
            assert_eq!(went_on.end(), (3, "waiting".to_owned()));
            let requested = of_kind(&place.log(&ran.conversation()), "approval/requested").pop().unwrap().clone();
            assert_eq!(requested["again"], "changed");
            assert_ne!(place.only_approval()["digest"], pending["digest"]);
        }
        assert_eq!(place.read("made.txt"), None, "{point}");
    }
    place.check();
}

#[test]
fn p10_a_script_that_changes_between_two_processes_needs_a_new_decision() {
    let place = Place::with_git();
    place.write("build.sh", "echo shown > made.txt\n");
    place.exec(r#"call run_command with {"command":"sh build.sh"}"#, &[]);
    let pending = place.only_approval();
    place.write("build.sh", "echo other > made.txt\n");
    let ran = place.approve(&pending);
    assert_eq!(ran.end(), (1, "error".to_owned()));
    assert!(ran.err.contains("redrawn"), "{}", ran.err);
    assert_eq!(place.read("made.txt"), None);
    assert_eq!(place.approve(&place.only_approval()).code, Some(0));
    assert_eq!(place.read("made.txt").unwrap(), "other\n");
    place.check();
}

#[test]
fn p44_a_file_that_changes_after_the_card_is_not_overwritten() {
    let place = Place::with_git();
    let prompt =
        r#"call read_file with {"path":"kept.txt"} then call write_file with {"path":"kept.txt","content":"mine\n"}"#;
    for (point, is_before_decision) in [("", true), ("after-decision", false), ("after-claim", false)] {
        place.write("kept.txt", "one\ntwo\n");
        let ran = place.exec(prompt, &[]);
        let pending = place.only_approval();
        let mut command = place.approve_command(&pending);
        if is_before_decision {
            place.write("kept.txt", "theirs\n");
            assert_eq!(Running::start(&mut command).end().code, Some(1));
        } else {
            let mut pause = Pause::at(point, &place, &mut command);
            let mut running = Running::start(&mut command);
            pause.until_reached(&mut running);
            place.write("kept.txt", "theirs\n");
            pause.go_on();
            running.end();
        }
        assert_eq!(place.read("kept.txt").unwrap(), "theirs\n", "{point}");
        let result = of_kind(&place.log(&ran.conversation()), "tool/result").pop().unwrap().clone();
        assert_eq!(result["outcome"], "rejected", "{point}: {result}");
        let told = text(&result, "shown");
        assert!(told.contains("changed") && told.contains("sha256"), "the new hash is given: {told}");
        assert_eq!(place.approvals(), Vec::<Value>::new());
    }
    place.check();
}

#[test]
fn an_approved_call_that_waits_for_another_says_that_it_did_not_run() {
    let place = Place::new();
    let write = |path: &str| format!(r#"write_file with {{"path":"{path}","content":"x\n"}}"#);
    place.exec(&format!("call {} and {} then say done", write("a.txt"), write("b.txt")), &[]);
    let pending = place.approvals();
    let early = place.approve(&pending[1]);
    assert_eq!(early.end(), (3, "waiting".to_owned()));
    assert!(early.err.contains("not run yet"), "{}", early.err);
    let first = place.approve(&pending[0]);
    assert_eq!(first.end(), (3, "waiting".to_owned()));
    assert!(!first.err.contains("not run yet"), "{}", first.err);
    assert_eq!(place.tree(), ["a.txt"]);
    assert_eq!(place.approve(&place.only_approval()).end(), (0, "completed".to_owned()));
    assert_eq!(place.tree(), ["a.txt", "b.txt"]);
    place.check();
}
