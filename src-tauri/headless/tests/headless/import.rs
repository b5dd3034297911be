//! `assent import`: a conversation leaves one machine as a file and goes on at another one.
//! What it leaves behind is tested with the engine, what is no log with the store.

use serde_json::Value;

use crate::support::{Place, text};

/// A conversation that read and wrote, as a file, and the id that it has there.
fn exported(from: &Place) -> (String, String) {
    let prompt = r#"call read_file with {"path":"kept.txt"} then call write_file with {"path":"a.txt","content":"a"}"#;
    let conversation = from.exec(prompt, &[]).conversation();
    from.approve(&from.only_approval());
    let export = from.run(&["export", &conversation, "--format", "json"]);
    assert_eq!(export.code, Some(0), "{export:?}");
    let file = from.beside("conversation.json");
    std::fs::write(&file, &export.out).unwrap();
    (file.to_str().unwrap().to_owned(), conversation)
}

#[test]
fn a_conversation_goes_on_at_another_machine() {
    let (from, to) = (Place::with_git(), Place::new());
    let (file, there) = exported(&from);
    let workspace = to.workspace.to_str().unwrap();
    let ran = to.run(&["import", &file, "--workspace", workspace, "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let row: Value = serde_json::from_str(&ran.out).unwrap();
    let here = text(&row, "conversation").to_owned();
    assert_ne!(here, there);
    assert_eq!(row["workspace"], workspace);
    assert_eq!(to.read("a.txt"), None, "nothing is done again");

    let url = to.server.base_url();
    let ran = to.go_on(&here, "say still here", &["--base-url", &url, "--model", "tiny"]);
    assert_eq!(ran.end(), (0, "completed".to_owned()), "{ran:?}");
    let request = to.server.requests().pop().unwrap();
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let said: Vec<&str> = messages.iter().filter_map(|message| message["content"].as_str()).collect();
    assert!(said.iter().any(|text| text.contains("one\n")), "what was read there: {said:?}");
    assert!(said[0].contains(workspace) && !said[0].contains(from.workspace.to_str().unwrap()), "{}", said[0]);
    assert_eq!(said.last(), Some(&"say still here"));

    for number in ["1", "2", "3"] {
        let (before, after) = (["replay", &there, "--request", number], ["replay", &here, "--request", number]);
        let (before, after) = (from.run(&before), to.run(&after));
        assert_eq!((before.code, &before.out), (Some(0), &after.out), "request {number} is the same here: {after:?}");
    }
    // What was said there is found here, in the conversation that goes on.
    let hits: Vec<Value> = serde_json::from_str(&to.run(&["search", "read_file", "--json"]).out).unwrap();
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit["conversation"] == here.as_str()), "{hits:?}");
    assert_eq!(to.run(&["verify"]).code, Some(0));
    assert_eq!(to.run(&["approvals", "--json"]).out, "[]\n");
    to.check();
    from.check();
}

#[test]
fn a_file_that_is_none_is_refused_and_leaves_nothing() {
    let (from, to) = (Place::with_git(), Place::new());
    let (file, _) = exported(&from);
    let text = std::fs::read_to_string(&file).unwrap();
    let broken = to.beside("broken.json");
    for (content, words) in [
        ("# notes\n".to_owned(), "no exported conversation"),
        (text.replace("\"kind\":\"approval/decided\"", "\"kind\":\"approval/dreamt\""), "a newer one wrote it"),
        (text.replacen("\"seq\":3,", "\"seq\":4,", 1), "it comes after event 2"),
        (
            text.lines().filter(|line| !line.contains("\"kind\":\"content\"")).collect::<Vec<_>>().join("\n"),
            "is missing",
        ),
    ] {
        std::fs::write(&broken, content).unwrap();
        let ran = to.run(&["import", broken.to_str().unwrap(), "--json"]);
        assert_eq!(ran.code, Some(1), "{words}: {ran:?}");
        assert!(ran.err.contains(words), "{words}: {ran:?}");
    }
    let ran = to.run(&["import", to.beside("nothing.json").to_str().unwrap()]);
    assert!(ran.code == Some(1) && ran.err.contains("can't be read"), "{ran:?}");
    assert_eq!(to.run(&["search", "call"]).out, "Nothing is found.\n");
    assert_eq!(to.run(&["verify"]).code, Some(0));
    // In the folder that it came from the whole file is a second way on.
    let ran = from.run(&["import", &file]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 1), "{ran:?}");
    let log = from.run(&["log", ran.out.trim(), "--json"]);
    assert!(log.out.contains("tool/result"), "{log:?}");
    assert_eq!(from.run(&["verify"]).code, Some(0));
}
