//! Streams as servers really send them, seen from the command line: texts and calls in the log, failures in words.
//! Every split of every byte is tested with the wire format.

use assent_testkit::fake_server::{Call, Reply, Script, Step};
use serde_json::{Value, json};

use crate::facts::{of_kind, results};
use crate::support::{Place, Ran, text};

fn answer_to(reply: Reply) -> (Place, Ran) {
    let place = Place::with_git();
    place.server.push(reply);
    let ran = place.exec("say go on", &[]);
    place.check();
    (place, ran)
}

fn proposed(ran: &Ran) -> Vec<(String, String)> {
    let events = ran.events();
    let messages = of_kind(&events, "assistant/message");
    let calls = messages.iter().flat_map(|message| message["calls"].as_array().unwrap().clone());
    calls.map(|call| (text(&call, "name").to_owned(), text(&call, "arguments").to_owned())).collect()
}

fn delta(delta: Value) -> Step {
    Step::delta(&delta)
}

fn finish(reason: &str) -> Step {
    Step::event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
}

#[test]
fn p71_line_ends_of_all_kinds_give_the_same_events() {
    let events = [
        r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ];
    for end in ["\n", "\r\n", "\r"] {
        let steps = events.iter().flat_map(|event| {
            // Cut between the two characters of a line end.
            let whole = format!("data: {event}{end}{end}");
            let at = whole.len() - end.len();
            [
                Step::Raw(whole.as_bytes()[..at + end.len() / 2].to_vec()),
                Step::Raw(whole.as_bytes()[at + end.len() / 2..].to_vec()),
            ]
        });
        let (_, ran) = answer_to(Reply::steps(steps.filter(|step| *step != Step::Raw(Vec::new()))));
        assert_eq!((ran.code, ran.answer().as_str()), (Some(0), "ab"), "{end:?}");
    }
}

#[test]
fn p72_characters_cut_at_every_byte_stay_whole() {
    let whole = [delta(json!({ "content": "你好🙂" })), finish("stop"), Step::data("[DONE]")];
    let steps = whole.into_iter().flat_map(|step| match step {
        Step::Raw(bytes) => bytes.into_iter().map(|byte| Step::Raw(vec![byte])).collect(),
        other => vec![other],
    });
    let (place, ran) = answer_to(Reply::steps(steps));
    assert_eq!(ran.answer(), "你好🙂");
    assert!(!place.run(&["log", &ran.conversation()]).out.contains('\u{FFFD}'));
}

#[test]
fn p73_comments_and_missing_spaces_are_nothing() {
    let raw = ": ping\n\n:\n\n: PROCESSING\n\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"fine\"}}]}\n\n: x\n\ndata:{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata:[DONE]\n\n";
    let (_, ran) = answer_to(Reply::steps([Step::Raw(raw.into())]));
    assert_eq!((ran.code, ran.answer().as_str()), (Some(0), "fine"));
}

#[test]
fn p74_two_calls_with_one_index_are_two_calls() {
    let call = |id: &str, path: &str| {
        delta(json!({ "tool_calls": [{ "index": 0, "id": id, "type": "function",
            "function": { "name": "read_file", "arguments": json!({ "path": path }).to_string() } }] }))
    };
    let (place, ran) = answer_to(Reply::steps([
        call("x", "kept.txt"),
        call("y", "none.txt"),
        finish("tool_calls"),
        Step::data("[DONE]"),
    ]));
    let expected = ["kept.txt", "none.txt"].map(|path| ("read_file".to_owned(), json!({ "path": path }).to_string()));
    assert_eq!(proposed(&ran), expected);
    let outcomes: Vec<Value> = results(&ran.events()).iter().map(|event| event["outcome"].clone()).collect();
    assert_eq!(outcomes, ["ok", "error"]);
    place.check();
}

#[test]
fn p75_interleaved_pieces_are_put_together() {
    let piece = |index: u32, id: Option<&str>, name: &str, arguments: &str| {
        let mut call = json!({ "index": index, "function": { "arguments": arguments } });
        if let Some(id) = id {
            call["id"] = json!(id);
            call["function"]["name"] = json!(name);
        }
        delta(json!({ "tool_calls": [call] }))
    };
    let steps = [
        piece(0, Some("a"), "read_file", ""),
        piece(1, Some("b"), "file_info", ""),
        piece(0, None, "", r#"{"pa"#),
        piece(1, None, "", r#"{"path":"#),
        piece(0, None, "", r#"th":"kept.txt"}"#),
        piece(1, None, "", r#""kept.txt"}"#),
        finish("tool_calls"),
        Step::data("[DONE]"),
    ];
    let (_, ran) = answer_to(Reply::steps(steps));
    let expected = ["read_file", "file_info"].map(|name| (name.to_owned(), r#"{"path":"kept.txt"}"#.to_owned()));
    assert_eq!(proposed(&ran), expected);
}

#[test]
fn p76_a_finish_that_comes_twice_proposes_once() {
    let mut reply = Reply::call(&[("read_file", json!({ "path": "kept.txt" }))]);
    reply.steps.pop();
    reply.steps.extend([finish("tool_calls"), finish("tool_calls"), Step::data("[DONE]")]);
    let (_, ran) = answer_to(reply);
    assert_eq!(proposed(&ran).len(), 1);
    assert_eq!(of_kind(&ran.events(), "tool/result").len(), 1);
}

#[test]
fn p77_arguments_that_were_cut_propose_nothing_that_runs() {
    for reason in ["length", "stop", "tool_calls"] {
        let call =
            Call { id: None, name: "write_file".into(), arguments: r#"{"path":"cut.txt","content":"half of"#.into() };
        let mut reply = Reply::answer("", "", &[call]);
        reply.steps.pop();
        reply.steps.extend([finish(reason), Step::data("[DONE]")]);
        let (place, ran) = answer_to(reply);
        assert_eq!(place.approvals(), Vec::<Value>::new(), "{reason}");
        assert_eq!(place.read("cut.txt"), None);
        let events = ran.events();
        assert_eq!(of_kind(&events, "tool/started").len(), 0, "{reason}");
        let told = place.server.requests().pop().unwrap().body;
        assert!(told.contains("smaller"), "{reason}: the model is told: {told}");
    }
}

#[test]
fn p78_an_error_in_the_middle_of_a_200_is_an_error() {
    for raw in [
        "data: {\"error\":{\"message\":\"overloaded today\"}}\n\n",
        "event: error\ndata: {\"message\":\"overloaded today\"}\n\n",
    ] {
        let (_, ran) = answer_to(Reply::steps([delta(json!({ "content": "so far" })), Step::Raw(raw.into())]));
        assert_eq!(ran.end(), (1, "error".to_owned()), "{raw}");
        assert!(ran.err.contains("overloaded today"), "{}", ran.err);
        assert_eq!(text(of_kind(&ran.events(), "assistant/discarded")[0], "text"), "so far");
    }
}

#[test]
fn p79_a_web_page_is_quoted_and_not_asked_again() {
    let page = "<!doctype html><title>Welcome to the router</title>";
    let (place, ran) = answer_to(Reply::plain(200, &[("content-type", "text/html")], page));
    assert_eq!(ran.end(), (1, "error".to_owned()));
    assert!(ran.err.contains("Welcome to the router"), "{}", ran.err);
    assert_eq!(place.server.requests().len(), 1);
}

#[test]
fn p80_an_end_without_a_finish_proposes_nothing() {
    let mut reply = Reply::call(&[("write_file", json!({ "path": "a.txt", "content": "a" }))]);
    reply.steps.pop();
    let (place, ran) = answer_to(reply);
    assert_eq!(ran.end(), (1, "error".to_owned()));
    assert_eq!((proposed(&ran), place.approvals()), (Vec::new(), Vec::new()));
}

#[test]
fn p81_after_the_first_call_was_shown_nothing_is_asked_again() {
    let reads = |arguments: &str| Step::Call(Call { id: None, name: "read_file".into(), arguments: arguments.into() });
    let (place, ran) = answer_to(Reply::steps([reads(r#"{"path":"kept.txt"}"#), reads(r#"{"pa"#), Step::Cut]));
    assert_eq!(ran.end(), (1, "error".to_owned()));
    assert_eq!((place.server.requests().len(), proposed(&ran).len()), (1, 0));
    place.server.push(Reply::say("well"));
    assert_eq!(place.go_on(&ran.conversation(), "try again", &[]).answer(), "well");
    place.check();
}

#[test]
fn calls_that_are_no_calls_are_answered_in_words() {
    let script = Script::default();
    let place = Place::with(script);
    let odd = [
        ("nosuch", "{}"),
        ("read_file", "not json"),
        ("read_file", r#"{"path":"a","path":"b"}"#),
        ("read_file", r#"{"bogus":1}"#),
    ];
    let calls: Vec<Call> = odd
        .iter()
        .map(|(name, arguments)| Call { id: None, name: (*name).to_owned(), arguments: (*arguments).to_owned() })
        .collect();
    place.server.push(Reply::answer("", "", &calls));
    let ran = place.exec("say done", &[]);
    assert_eq!(ran.code, Some(0));
    let events = ran.events();
    let results = results(&events);
    assert_eq!(results.len(), 4);
    assert!(results.iter().all(|result| result["outcome"] == "error"), "{results:?}");
    assert!(text(&results[0], "shown").contains("no tool named"));
    place.check();
}
