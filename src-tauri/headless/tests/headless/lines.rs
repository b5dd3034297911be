//! The lines of `--json`: flat objects whose envelope nobody reuses, the same in `exec`, `log` and `export`.
//! What the events mean is tested with the engine.

use std::collections::{BTreeMap, BTreeSet};

use assent_protocol::canonical::parse_arguments;
use assent_protocol::event::KINDS;
use assent_testkit::fake_server::{Reply, Script};
use rustix::process::Signal;
use serde_json::Value;

use crate::facts::of_kind;
use crate::support::{Place, Ran, text};

const ENVELOPE: [&str; 4] = ["conversation", "seq", "at", "kind"];

/// Checks lines one by one; collects the names of each kind's payload.
fn check_lines(lines: &str, conversation: &str, names: &mut BTreeMap<String, BTreeSet<String>>) {
    for line in lines.lines().filter(|line| !line.contains(r#""agent_of":"#)) {
        // This reader refuses a name that occurs twice in one object, at any depth.
        let event = parse_arguments(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(event["conversation"], conversation);
        assert!(event["seq"].as_u64().is_some_and(|seq| seq > 0) && event["at"].as_i64().is_some_and(|at| at > 0));
        let kind = event["kind"].as_str().unwrap();
        assert!(KINDS.contains(&kind), "{kind} is no kind");
        assert_eq!(event.keys().take(4).count(), 4);
        let payload = event.keys().filter(|name| !ENVELOPE.contains(&name.as_str())).cloned();
        names.entry(kind.to_owned()).or_default().extend(payload);
    }
}

fn body_lines(ran: &Ran) -> &str {
    let end = ran.out.trim_end().rfind('\n').map_or(0, |end| end + 1);
    &ran.out[..end]
}

/// A question, answered by another process; and a sub-agent.
fn ask_and_dispatch(place: &Place, take: &mut impl FnMut(Ran, &str) -> String) {
    let asked = take(place.exec(r#"call ask_user with {"question":"Which one?"} then say done"#, &[]), "waiting");
    let call = of_kind(&place.log(&asked), "question/asked")[0]["call"].as_str().unwrap().to_owned();
    take(place.run(&["answer", &call, "this one", "--json"]), "completed");
    place.server.push(Reply::call(&[("dispatch_agent", serde_json::json!({ "task": "look" }))]));
    place.server.push(Reply::call(&[("read_file", serde_json::json!({ "path": "kept.txt" }))]));
    place.server.push(Reply::say("it is there"));
    place.server.push(Reply::say("the agent looked"));
    take(place.exec("have it looked at", &[]), "completed");
}

/// What is exported is one document with an element a line, and among them are the log's events as they are.
fn check_export(place: &Place, conversation: &str, log: Vec<Value>) {
    let export = place.run(&["export", conversation, "--format", "json"]);
    let whole: Vec<Value> = serde_json::from_str(&export.out).unwrap();
    assert_eq!(export.out.lines().count(), whole.len() + 2);
    let is_own = |element: &Value| element.get("seq").is_some() && element["conversation"] == conversation;
    assert_eq!(whole.iter().filter(|element| is_own(element)).cloned().collect::<Vec<_>>(), log);
    assert_eq!(whole.last().unwrap()["kind"], "export");
}

#[test]
fn every_kind_is_a_flat_object_and_the_last_line_says_how_it_ended() {
    let place = Place::with_git();
    let mut seen = BTreeMap::new();
    let mut conversations = Vec::new();
    let mut take = |ran: Ran, reason: &str| {
        assert_eq!(ran.end().1, reason, "{ran:?}");
        let conversation = ran.conversation();
        check_lines(body_lines(&ran), &conversation, &mut seen);
        let last = ran.out.lines().last().unwrap();
        let fields: Vec<String> = parse_arguments(last).unwrap().keys().cloned().collect();
        assert_eq!(BTreeSet::from_iter(fields), BTreeSet::from(["conversation", "kind", "reason"].map(str::to_owned)));
        conversations.push(conversation.clone());
        conversation
    };
    // Reads and, in between, answers that fail before and after their first byte.
    place.server.push(Reply::plain(429, &[("retry-after", "0")], "slow down"));
    let read = r#"think 3 tokens then call read_file with {"path":"kept.txt"} then say hello"#;
    place.server.push(Reply::answer("hm ", "Let me see. ", &[]));
    take(place.exec("look", &[]), "completed");
    take(place.exec(&read["think 3 tokens then ".len()..], &[]), "completed");
    take(place.exec("cut after 3 tokens", &[]), "error");
    // Waiting, a message meanwhile, a decision; then that message's own turn.
    let write = r#"call write_file with {"path":"a.txt","content":"a"}"#;
    let waiting = take(place.exec(write, &["--mode", "ask", "--max-iterations", "7"]), "waiting");
    take(place.go_on(&waiting, "say later", &["--mode", "plan", "--max-iterations", "8"]), "waiting");
    take(
        place.go_on(&waiting, "say much later", &["--mode", "ask", "--model", "other", "--context", "9000"]),
        "waiting",
    );
    let ran = place.approve(&place.only_approval());
    assert_eq!(ran.answer(), "much later");
    take(ran, "completed");
    // A stop.
    let mut running = place.start("hang after 3 tokens", &[]);
    running.until_printed("assistant/chunk");
    running.signal(Signal::INT);
    take(running.end(), "stopped");
    ask_and_dispatch(&place, &mut take);
    // A window that is too small for what was read.
    place.write("long.txt", &"many words in a line\n".repeat(400));
    for from in 1..7 {
        let read = serde_json::json!({ "path": "long.txt", "offset": from, "limit": 300 });
        place.server.push(Reply::call(&[("read_file", read)]));
    }
    place.server.push(Reply::say("read"));
    take(place.exec("read it", &["--context", "8000"]), "completed");
    // A conversation that has become long.
    let words = "many words in a line ".repeat(70);
    let long = take(place.exec(&format!("say fine {words}"), &["--context", "8000"]), "completed");
    for _ in 0..8 {
        take(place.go_on(&long, &format!("say fine {words}"), &["--context", "8000"]), "completed");
    }

    for conversation in BTreeSet::from_iter(conversations) {
        let log = place.run(&["log", &conversation, "--json"]);
        check_lines(&log.out, &conversation, &mut seen);
        check_export(&place, &conversation, log.lines());
        let plain = place.run(&["log", &conversation]);
        assert_eq!(plain.out.lines().count(), log.out.lines().count());
    }
    let missing: Vec<&str> = KINDS.iter().copied().filter(|kind| !seen.contains_key(*kind)).collect();
    println!("{} of {} kinds seen; not in a terminal: {missing:?}", seen.len(), KINDS.len());
    let of_windows = [
        "conversation/archived",
        "fallbacks/set",
        "provider/switched",
        "memory/set",
        "rule/revoked",
        "tool/resolved",
        "effect/reverted",
        "compaction/failed",
    ];
    assert_eq!(missing, of_windows);
    place.check();
}

#[test]
fn exec_prints_what_the_log_holds() {
    let place = Place::with_git();
    let ran = place.exec(r#"call git_status with {} and list_directory with {"path":""} then say done"#, &[]);
    assert_eq!(ran.end(), (0, "completed".to_owned()));
    let log = place.run(&["log", &ran.conversation(), "--json"]);
    assert_eq!(body_lines(&ran), log.out);
    let second = place.go_on(&ran.conversation(), "say again", &["--mode", "plan"]);
    let longer = place.run(&["log", &ran.conversation(), "--json"]);
    assert_eq!(format!("{}{}", log.out, body_lines(&second)), longer.out, "each run prints exactly what it added");
}

#[test]
fn without_json_the_words_and_the_calls_are_printed() {
    let place = Place::with_git();
    let url = place.server.base_url();
    let prompt = r#"call read_file with {"path":"kept.txt"} and read_file with {"path":"none"} then say It is fine."#;
    let workspace = place.workspace.to_str().unwrap();
    let ran = place.run(&["exec", prompt, "--workspace", workspace, "--base-url", &url, "--model", "tiny"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("· read_file kept.txt\n") && ran.out.ends_with("It is fine.\n"), "{}", ran.out);
}

#[test]
fn a_wait_before_another_attempt_is_no_part_of_the_answer() {
    let place = Place::with(Script::of([Reply::plain(503, &[("retry-after", "0")], "busy"), Reply::say("here")]));
    let url = place.server.base_url();
    let workspace = place.workspace.to_str().unwrap();
    let ran = place.run(&["exec", "hi", "--workspace", workspace, "--base-url", &url, "--model", "tiny"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "here\n"));
    assert!(ran.err.contains("busy"), "{}", ran.err);
}

#[test]
fn markdown_holds_messages_calls_and_results() {
    let place = Place::with_git();
    let ran = place.exec(r#"call read_file with {"path":"kept.txt"} then say 读完了"#, &[]);
    let markdown = place.run(&["export", &ran.conversation(), "--format", "md"]).out;
    for words in ["## User", "## Assistant", "读完了", "### read_file", "kept.txt", "two", "*Turn ended: Completed*"]
    {
        assert!(markdown.contains(words), "{words} isn't in {markdown}");
    }
}

#[test]
fn what_the_model_says_cannot_steer_a_terminal() {
    let place = Place::with(Script::of([Reply::say("red \u{1b}[31mtext\u{7} \u{202e}backwards")]));
    let url = place.server.base_url();
    let workspace = place.workspace.to_str().unwrap();
    let ran = place.run(&["exec", "hi", "--workspace", workspace, "--base-url", &url, "--model", "tiny"]);
    assert_eq!(ran.out, "red <U+001B>[31mtext<U+0007> <U+202E>backwards\n");
}

#[test]
fn the_practice_model_answers_without_a_network() {
    let place = Place::with_git();
    let workspace = place.workspace.to_str().unwrap();
    let ran = place.run(&["exec", "read kept.txt", "--workspace", workspace, "--model", "practice", "--json"]);
    assert_eq!(ran.end(), (0, "completed".to_owned()));
    assert!(ran.events().iter().any(|event| event["kind"] == "tool/result" && text(event, "shown").contains("two")));
    assert_eq!(place.server.connections(), 0);
}
