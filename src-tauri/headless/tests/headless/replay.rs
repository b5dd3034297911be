//! `replay`: the very bytes that the server received, recomputed from the log; and that each request begins the next.
//! What stands in a body is tested with the wire formats.

use assent_testkit::fake_server::{Reply, Step};
use rusqlite::Connection;
use rustix::process::Signal;
use serde_json::json;

use crate::facts::of_kind;
use crate::support::{Place, Running, until};

/// Replays every request of a conversation and compares it with what the server received, in order.
fn compare_all(place: &Place, conversation: &str) -> usize {
    let received = place.server.requests();
    let sent = of_kind(&place.log(conversation), "request/sent").len();
    assert_eq!(sent, received.len());
    for (position, request) in received.iter().enumerate() {
        let ran = place.run(&["replay", conversation, "--request", &(position + 1).to_string()]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "request {}", position + 1);
        assert_eq!(ran.out, request.body, "request {}", position + 1);
    }
    sent
}

#[test]
fn every_request_is_replayed_byte_for_byte() {
    let place = Place::with_git();
    place.server.push(Reply::plain(429, &[("retry-after", "0")], "slow down"));
    let write = r#"call write_file with {"path":"新 file.txt","content":"\u4f60\ud83d\ude42\n"}"#;
    let read = r#"call read_file with {"path":"kept.txt"} and grep with {"pattern":"o"}"#;
    let ran = place.exec(&format!("{read} then {write} then call git_status with {{}} then say ok"), &[]);
    let conversation = ran.conversation();
    assert_eq!(place.approve(&place.only_approval()).code, Some(0));
    // From here on the server plays a script: after an answer that broke off two messages are one.
    // Other model, window, mode, an answer that broke off, a stop: whatever a body may depend on.
    place.server.push(Reply::steps([Step::Tokens { count: 2, per_write: 1 }, Step::Cut]));
    assert_eq!(place.go_on(&conversation, "one", &["--model", "other"]).code, Some(1));
    place.server.push(Reply::steps([Step::Tokens { count: 2, per_write: 1 }, Step::Hang]));
    let mut running = Running::start(&mut place.command(&[
        "exec",
        "two",
        "--conversation",
        &conversation,
        "--context",
        "9000",
        "--json",
    ]));
    running.until_printed("assistant/chunk");
    running.signal(Signal::INT);
    assert_eq!(running.end().code, Some(5));
    place.server.push(Reply::call(&[("delete_file", json!({ "path": "kept.txt" }))]));
    place.server.push(Reply::say("well"));
    assert_eq!(place.go_on(&conversation, "three", &["--mode", "auto"]).code, Some(0));
    // Killed while a request is on its way.
    place.server.push(Reply::say("never").behind("nowhere"));
    let count = place.server.requests().len();
    let running = Running::start(&mut place.command(&[
        "exec",
        "four",
        "--conversation",
        &conversation,
        "--mode",
        "ask",
        "--json",
    ]));
    until("the request arrives", || place.server.requests().len() > count);
    running.kill(Signal::KILL);
    place.server.push(Reply::call(&[("rename_file", json!({ "from": "kept.txt", "to": "b/c.txt" }))]));
    place.server.push(Reply::say("bye"));
    assert_eq!(place.go_on(&conversation, "five", &[]).code, Some(3));
    assert_eq!(place.approve(&place.only_approval()).code, Some(0));
    println!("{} requests replayed", compare_all(&place, &conversation));
    place.check();
}

#[test]
fn a_request_begins_the_next() {
    let place = Place::with_git();
    let look = |number: usize| format!(r#"call file_info with {{"path":"{number}"}}"#);
    let prompt = (1..12).map(look).collect::<Vec<_>>().join(" then ") + " then say done";
    // With a window given, the server isn't asked for it.
    let ran = place.exec(&prompt, &["--max-iterations", "20", "--context", "128000"]);
    assert_eq!(ran.end(), (0, "completed".to_owned()));
    let bodies: Vec<String> = place.server.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies.len(), 12);
    let sent = ran.events();
    let sent = of_kind(&sent, "request/sent");
    for (position, pair) in bodies.windows(2).enumerate() {
        let common = pair[0].bytes().zip(pair[1].bytes()).take_while(|(one, next)| one == next).count();
        // All but the end of the list and what stands behind it.
        let end = pair[0].rfind("}]").unwrap() + 1;
        assert!(common >= end, "request {}: {common} of {} bytes", position + 2, pair[0].len());
        let recorded = sent[position + 1]["prefix"].as_u64().unwrap() as usize;
        assert!(recorded <= common && recorded >= end - 1, "{recorded} recorded, {common} equal");
    }
    compare_all(&place, &ran.conversation());
    // No helper calls: the conversation's own requests are all that the server ever saw.
    assert_eq!(place.server.connections(), 1);
    place.check();
}

#[test]
fn a_request_that_does_not_exist_is_an_error() {
    let place = Place::new();
    let ran = place.exec("say hi", &[]);
    let missing = place.run(&["replay", &ran.conversation(), "--request", "2"]);
    assert_eq!((missing.code, missing.out.as_str()), (Some(1), ""));
    assert!(missing.err.contains("no such request"), "{}", missing.err);
}

#[test]
fn what_differs_from_what_was_sent_is_said_and_another_builder_has_its_own_word() {
    let place = Place::new();
    let ran = place.exec("say hi", &[]);
    let forge = |change: &str| {
        let database = Connection::open(place.home.join("assent.db")).unwrap();
        let triggers: Vec<String> = database
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        for trigger in triggers {
            database.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
        }
        let changed = database
            .execute(&format!("UPDATE events SET body = json_set(body, {change}) WHERE kind = 'request/sent'"), []);
        assert_eq!(changed.unwrap(), 1);
    };
    let replay = || place.run(&["replay", &ran.conversation(), "--request", "1"]);
    let body = replay().out;
    forge(&format!("'$.digest', '{}'", "0".repeat(64)));
    let differs = replay();
    assert_eq!((differs.code, &differs.out), (Some(1), &body));
    assert!(differs.err.contains("digest differs"), "{}", differs.err);
    assert_eq!(place.run(&["verify"]).code, Some(1), "a forged log is found");
    forge("'$.builder', 'chat-completions/0'");
    let other = replay();
    assert_eq!((other.code, &other.out), (Some(1), &body));
    assert!(other.err.contains("other builder") && !other.err.contains("digest differs"), "{}", other.err);
}
