//! What the options of `exec` do, and what of it a conversation keeps.
//! Their spelling is tested with the parser.

use std::net::TcpStream;

use assent_testkit::fake_server::{FakeServer, Recorded, Reply, Script};
use serde_json::{Value, json};

use crate::facts::{of_kind, results};
use crate::support::{KEY, Place, Running, text};

fn last_choice(events: &[Value]) -> Value {
    of_kind(events, "model/set").last().unwrap()["choice"].clone()
}

#[test]
fn a_conversation_keeps_address_protocol_model_and_window() {
    let place = Place::new();
    let ran = place.exec("say one", &["--context", "12345", "--protocol", "chat-completions"]);
    let conversation = ran.conversation();
    let first = last_choice(&ran.events());
    assert_eq!(first["base_url"], place.server.base_url());
    assert_eq!(
        (&first["window"], &first["model"], &first["protocol"]),
        (&json!(12345), &json!("tiny"), &json!("chat-completions"))
    );
    assert_eq!(place.go_on(&conversation, "say two", &[]).answer(), "two");
    // The same address and model once more: nothing is set anew, the window stays.
    let url = place.server.base_url();
    let more = ["--base-url", &url, "--model", "tiny", "--workspace", place.workspace.to_str().unwrap()];
    assert_eq!(place.go_on(&conversation, "say three", &more).answer(), "three");
    assert_eq!(of_kind(&place.log(&conversation), "model/set").len(), 1);
    // Another model on the same server, then another server.
    assert_eq!(place.go_on(&conversation, "say four", &["--model", "other"]).answer(), "four");
    let choice = last_choice(&place.log(&conversation));
    assert_eq!(
        (&choice["model"], &choice["base_url"], &choice["window"]),
        (&json!("other"), &json!(url), &json!(12345))
    );
    let second = FakeServer::start(Script::default()).unwrap();
    let ran = place.go_on(&conversation, "say five", &["--base-url", &second.base_url(), "--context", "777"]);
    assert_eq!(ran.answer(), "five");
    let choice = last_choice(&place.log(&conversation));
    assert_eq!((&choice["window"], second.requests().len()), (&json!(777), 1));
    let models: Vec<Value> = place.server.bodies().iter().map(|body| body["model"].clone()).collect();
    assert_eq!(models, ["tiny", "tiny", "tiny", "other"]);
    assert_eq!(second.violations(), Vec::<String>::new());
    place.check();
}

#[test]
fn the_users_window_beats_what_the_server_says() {
    let script =
        r#"{ "models": ["tiny"], "documents": { "/props": { "default_generation_settings": { "n_ctx": 4096 } } } }"#;
    let place = Place::with(Script::parse(script).unwrap());
    let ran = place.exec("say one", &["--context", "50000"]);
    place.go_on(&ran.conversation(), "say two", &["--context", "60000"]);
    assert_eq!(last_choice(&place.log(&ran.conversation()))["window"], 60000);
}

#[test]
fn what_a_server_on_this_machine_says_of_its_window_counts_and_is_warned_of() {
    let script = r#"{ "documents": { "/api/ps": { "models": [{ "model": "tiny", "context_length": 4096 }] } } }"#;
    let place = Place::with(Script::parse(script).unwrap());
    let ran = place.exec("say one", &[]);
    assert_eq!(last_choice(&ran.events())["window"], 4096);
    assert!(ran.err.contains("4096 tokens") && ran.err.contains("OLLAMA_CONTEXT_LENGTH"), "{}", ran.err);
    assert_eq!(place.server.violations(), Vec::<String>::new());
}

#[test]
fn attached_files_go_along_where_the_model_takes_them_and_are_refused_in_words_where_it_does_not() {
    let script = r#"{ "models": ["tiny"], "documents": { "/props": { "modalities": { "vision": true } } } }"#;
    let place = Place::with(Script::parse(script).unwrap());
    let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), &vec![7; 400_000]].concat();
    let [png, pdf, words] = ["a.png", "b.pdf", "c.txt"].map(|name| place.beside(name));
    std::fs::write(&png, &picture).unwrap();
    std::fs::write(&pdf, b"%PDF-1.7\n").unwrap();
    std::fs::write(&words, b"words").unwrap();
    let attach = |file: &std::path::Path| place.exec("say one", &["--attach", file.to_str().unwrap()]);
    place.server.push(Reply::say("a picture"));
    let ran = attach(&png);
    assert_eq!((ran.code, ran.answer().as_str()), (Some(0), "a picture"));
    let events = ran.events();
    let said = &of_kind(&events, "user/message")[0]["attachments"][0];
    assert_eq!((&said["name"], &said["media_type"]), (&json!("a.png"), &json!("image/png")));
    let content = place.server.bodies()[0]["messages"][1]["content"].clone();
    let address = content[0]["image_url"]["url"].as_str().unwrap();
    assert!(address.starts_with("data:image/png;base64,iVBORw0KGgoHBwcH"), "{}", &address[..60]);
    for (file, why) in [
        (&pdf, "tiny takes no PDFs"),
        (&words, "c.txt can't be attached"),
        (&place.beside("nowhere.png"), "nowhere.png can't be read"),
    ] {
        let refused = attach(file);
        assert_eq!(refused.code, Some(2), "{}", refused.err);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
    assert_eq!((place.server.requests().len(), place.server.violations()), (1, Vec::new()));
    place.check();
}

#[test]
fn a_small_window_is_warned_of_once_and_not_in_the_events() {
    let place = Place::new();
    let small = place.exec("say one", &["--context", "4096"]);
    assert_eq!(small.err.lines().count(), 1, "{}", small.err);
    assert!(small.err.contains("4096 tokens") && small.err.contains("OLLAMA_CONTEXT_LENGTH"), "{}", small.err);
    assert_eq!(place.go_on(&small.conversation(), "say two", &[]).err, "");
    assert_eq!(place.go_on(&small.conversation(), "say three", &["--context", "16000"]).err, "");
    assert_eq!(place.exec("say four", &[]).err, "");
    place.check();
}

#[test]
fn the_window_limits_what_is_sent() {
    let place = Place::new();
    place.write("long.txt", &"some words that fill a line\n".repeat(2000));
    let longest = |window: &str| {
        let before = place.server.requests().len();
        for from in 0..8 {
            let read = json!({ "path": "long.txt", "offset": from * 200 + 1, "limit": 200 });
            place.server.push(Reply::call(&[("read_file", read)]));
        }
        place.server.push(Reply::say("done"));
        assert_eq!(place.exec("read it all", &["--context", window]).code, Some(0));
        place.server.requests()[before..].iter().map(|request| request.body.len()).max().unwrap()
    };
    let (wide, narrow) = (longest("100000"), longest("8000"));
    println!("longest body: {wide} bytes with a window of 100,000 tokens, {narrow} with one of 8,000");
    assert!(narrow < wide / 2, "{narrow} of {wide}");
    place.check();
}

#[test]
fn max_iterations_counts_from_each_human_act_and_turns_tools_off_last() {
    let place = Place::new();
    let look = |number: usize| format!(r#"call file_info with {{"path":"{number}"}}"#);
    let prompt = (1..9).map(look).collect::<Vec<_>>().join(" then ");
    let ran = place.exec(&prompt, &["--max-iterations", "4"]);
    assert_eq!(ran.code, Some(4));
    let choices: Vec<Value> = place.server.bodies().iter().map(|body| body["tool_choice"].clone()).collect();
    assert_eq!(choices, [Value::Null, Value::Null, Value::Null, json!("none")]);
    assert!(place.server.bodies().iter().all(|body| body["tools"].is_array()), "the prefix stays");
    assert_eq!(place.go_on(&ran.conversation(), &prompt, &[]).code, Some(4), "it is kept");
    assert_eq!(place.server.requests().len(), 8);
    place.check();
}

#[test]
fn modes_do_what_they_say() {
    let place = Place::new();
    let write = r#"call write_file with {"path":"a.txt","content":"a"} and delete_file with {"path":"b.txt"}"#;
    for (mode, code, outcomes, is_written) in
        [("plan", 0, ["rejected", "rejected"], false), ("auto", 0, ["ok", "rejected"], true)]
    {
        place.write("b.txt", "b");
        let ran = place.exec(write, &["--mode", mode]);
        assert_eq!(ran.code, Some(code), "{mode}");
        let found: Vec<Value> = results(&ran.events()).iter().map(|event| event["outcome"].clone()).collect();
        assert_eq!(found, outcomes, "{mode}");
        assert_eq!(place.read("a.txt").is_some(), is_written, "{mode}");
        assert_eq!(place.read("b.txt").unwrap(), "b");
    }
    let asked = place.exec(r#"call write_file with {"path":"c.txt","content":"c"}"#, &[]);
    assert_eq!((asked.code, text(of_kind(&asked.events(), "mode/set")[0], "mode")), (Some(3), "ask"));
    place.check();
}

#[test]
fn a_relative_folder_and_a_link_to_it_are_the_same_workspace() {
    let place = Place::new();
    std::os::unix::fs::symlink(&place.workspace, place.beside("link")).unwrap();
    let url = place.server.base_url();
    let link = place.beside("link");
    let given = [".", "../项目 one", link.to_str().unwrap()];
    let roots = given.map(|folder| {
        let arguments = ["exec", "say hi", "--workspace", folder, "--base-url", &url, "--model", "tiny", "--json"];
        let ran = place.run(&arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let again = place.go_on(&ran.conversation(), "say again", &["--workspace", folder]);
        assert_eq!(again.code, Some(0), "{again:?}");
        text(&ran.events()[0], "workspace").to_owned()
    });
    assert_eq!(roots, [const { "" }; 3].map(|_| place.workspace.to_str().unwrap().to_owned()));
}

#[test]
fn another_folder_than_the_conversations_is_a_mistake() {
    let place = Place::new();
    let ran = place.exec("say one", &[]);
    let before = place.log(&ran.conversation());
    let elsewhere = place.beside("user");
    let wrong = place.go_on(&ran.conversation(), "say two", &["--workspace", elsewhere.to_str().unwrap()]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.err.contains("works in the folder"), "{}", wrong.err);
    assert_eq!(place.log(&ran.conversation()), before);
}

#[test]
fn without_a_model_the_practice_model_answers_and_says_so() {
    let place = Place::with_git();
    let workspace = place.workspace.to_str().unwrap();
    // On a machine with a model server of its own that one is found, which is as it should be.
    let has_server = [1234, 8000, 8080, 11434].iter().any(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok());
    let ran = place.run(&["exec", "read kept.txt", "--workspace", workspace, "--json"]);
    if has_server {
        println!("a model server runs here: the practice model isn't the usual one");
        return;
    }
    assert_eq!(ran.end(), (0, "completed".to_owned()));
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(ran.err.contains("practice model"), "{}", ran.err);
    assert_eq!(last_choice(&ran.events())["protocol"], "practice");
}

#[test]
fn a_model_that_nobody_offers_is_an_error_and_not_the_practice_model() {
    let place = Place::new();
    let workspace = place.workspace.to_str().unwrap();
    if [1234, 8000, 8080, 11434].iter().any(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok()) {
        println!("a model server runs here, and is asked for any model");
        return;
    }
    let ran = place.run(&["exec", "say hi", "--workspace", workspace, "--model", "grand", "--json"]);
    assert_eq!(ran.end(), (1, "error".to_owned()));
    assert_eq!(ran.events(), Vec::<Value>::new());
    assert!(ran.err.contains("grand") && ran.err.contains("--base-url"), "{}", ran.err);
}

#[test]
fn a_model_without_tools_gets_a_chat_without_them() {
    let place = Place::new();
    let words = r#"{"error":{"message":"registry/tiny does not support tools"}}"#;
    place.server.push(Reply::plain(400, &[], words));
    place.server.push(Reply::say("only words"));
    let ran = place.exec("say hi", &[]);
    assert_eq!((ran.end(), ran.answer().as_str()), ((0, "completed".to_owned()), "only words"));
    let events = ran.events();
    let failed = of_kind(&events, "request/failed");
    assert!(text(failed[0], "message").contains("goes on without tools"), "{failed:?}");
    assert_eq!(place.go_on(&ran.conversation(), "say on", &[]).answer(), "on");
    let offered: Vec<bool> = place.server.bodies().iter().map(|body| body.get("tools").is_some()).collect();
    assert_eq!(offered, [true, false, false]);
    for number in 1..=3 {
        let replayed = place.run(&["replay", &ran.conversation(), "--request", &number.to_string()]);
        assert_eq!((replayed.code, replayed.out), (Some(0), place.server.requests()[number - 1].body.clone()));
    }
    let verified = place.run(&["verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn a_folder_that_is_gone_is_an_error_and_what_waits_stays() {
    let place = Place::new();
    let ran = place.exec(r#"call write_file with {"path":"a.txt","content":"a"}"#, &[]);
    let pending = place.only_approval();
    let (away, workspace) = (place.beside("away"), place.workspace.to_str().unwrap());
    std::fs::rename(&place.workspace, &away).unwrap();
    let conversation = ran.conversation();
    for arguments in [
        &["approve", text(&pending, "call"), "--digest", text(&pending, "digest"), "--json"][..],
        &["exec", "say on", "--conversation", &conversation, "--json"],
        &["exec", "say on", "--conversation", &conversation, "--workspace", workspace, "--json"],
    ] {
        let ran = Running::start(place.command(arguments).current_dir(&away)).end();
        assert_eq!(ran.end(), (1, "error".to_owned()), "{arguments:?}");
        assert!(ran.err.contains("can't be opened"), "{}", ran.err);
    }
    std::fs::rename(&away, &place.workspace).unwrap();
    assert_eq!(place.only_approval(), pending);
    assert_eq!(place.approve(&pending).code, Some(0));
    assert_eq!(place.read("a.txt").unwrap(), "a");
    place.check();
}

#[test]
fn every_protocol_is_spoken_from_the_first_word_to_the_last() {
    let prompt = r#"call read_file with {"path":"a.txt"} then call file_info with {"path":"a.txt"} then say done"#;
    for (protocol, path) in [
        ("chat-completions", "/v1/chat/completions"),
        ("responses", "/v1/responses"),
        ("anthropic-messages", "/v1/messages"),
    ] {
        let place = Place::new();
        place.write("a.txt", "one\n");
        for url in [place.server.base_url(), place.server.root(), format!("{}{path}", place.server.root())] {
            let ran = place.run(&place.exec_arguments(prompt, &url, &["--protocol", protocol]));
            assert_eq!((ran.code, ran.answer().as_str()), (Some(0), "done"), "{protocol} at {url}: {ran:?}");
            assert_eq!(results(&ran.events()).len(), 2, "{protocol}");
        }
        let requests = place.server.requests();
        assert!(requests.len() == 9 && requests.iter().all(|request| request.path == path), "{requests:?}");
        let is_keyed = |request: &Recorded| match protocol {
            "anthropic-messages" => request.api_key.as_deref() == Some(KEY),
            _ => request.authorization == Some(format!("Bearer {KEY}")),
        };
        assert!(requests.iter().all(is_keyed), "{requests:?}");
        place.check();
    }
}
