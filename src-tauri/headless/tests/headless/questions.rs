//! Questions and sub-agents in a terminal: what waits is listed, answered by another process once, and what a sub-agent does is
//! marked as its own.

use assent_testkit::fake_server::{Reply, Script};
use serde_json::json;

use crate::facts::of_kind;
use crate::support::{Place, text};

const ASK: &str = r#"call ask_user with {"question":"Which one?","options":["a","b"]} then say done"#;

#[test]
fn a_question_waits_is_listed_and_is_answered_once() {
    let place = Place::new();
    let ran = place.exec(ASK, &[]);
    assert_eq!(ran.end(), (3, "waiting".to_owned()));
    assert!(ran.err.contains("waiting for an answer: Which one?") && ran.err.contains("  - b"), "{}", ran.err);
    let [row] = &place.approvals()[..] else { panic!("one thing waits") };
    assert_eq!(
        (text(row, "tool"), text(row, "question"), &row["options"]),
        ("ask_user", "Which one?", &json!(["a", "b"]))
    );
    let call = text(row, "call").to_owned();
    let answered = place.run(&["answer", &call, "b", "--json"]);
    assert_eq!(answered.end(), (0, "completed".to_owned()));
    let log = place.log(&ran.conversation());
    assert_eq!(of_kind(&log, "question/answered")[0]["answer"], "b");
    let late = place.run(&["answer", &call, "a", "--json"]);
    assert_eq!(late.code, Some(1));
    assert!(late.err.contains("that question isn't open") && late.err.contains("The user answered:"), "{}", late.err);
    assert_eq!(place.log(&ran.conversation()), log, "nothing changed");
    place.check();
}

#[test]
fn what_a_sub_agent_does_is_printed_as_its_own_and_its_log_is_another_one() {
    let place = Place::with(Script::of([
        Reply::call(&[("dispatch_agent", json!({ "task": "look" }))]),
        Reply::call(&[("read_file", json!({ "path": "kept.txt" }))]),
        Reply::say("it is there"),
        Reply::say("the agent looked"),
    ]));
    place.write("kept.txt", "kept\n");
    let ran = place.exec("have it looked at", &[]);
    assert_eq!(ran.end(), (0, "completed".to_owned()));
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let started = lines.iter().find(|line| line["kind"] == "agent/started").unwrap();
    let nested: Vec<_> = lines.iter().filter(|line| !line["agent_of"].is_null()).collect();
    assert!(nested.iter().all(|line| line["agent_of"] == started["call"] && line["conversation"] == started["agent"]));
    let kinds: Vec<&str> = nested.iter().map(|line| text(line, "kind")).collect();
    assert!(kinds.contains(&"tool/call") && kinds.contains(&"tool/result"), "{kinds:?}");
    let agent = text(started, "agent");
    let log = place.log(agent);
    assert_eq!(of_kind(&log, "user/message")[0]["text"], "look");
    assert_eq!(of_kind(&log, "mode/set")[0]["mode"], "plan");
    let replayed = place.run(&["replay", agent, "--request", "1"]);
    assert_eq!(replayed.code, Some(0));
    let refused = place.go_on(agent, "say more", &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    let plain = place.run(&["log", &ran.conversation()]);
    assert_eq!(plain.code, Some(0));
    place.check();
}
