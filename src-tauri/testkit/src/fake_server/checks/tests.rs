//! The checks find what they are for, and nothing in a good request.
//! No network.

use serde_json::json;

use super::*;

fn check(messages: Value) -> Vec<String> {
    of_body(&json!({ "model": "m", "messages": messages }).to_string(), true)
}

fn call(id: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": arguments } })
}

#[test]
fn a_good_request_has_no_violations() {
    let messages = json!([
        { "role": "system", "content": "s" },
        { "role": "user", "content": "u" },
        { "role": "assistant", "content": null, "tool_calls": [call("a", "{}"), call("b", "{\"x\":1}")] },
        { "role": "tool", "tool_call_id": "a", "content": "1" },
        { "role": "tool", "tool_call_id": "b", "content": "2" },
        { "role": "user", "content": "steer" },
        { "role": "assistant", "content": "done" },
        { "role": "user", "content": "more" },
    ]);
    assert_eq!(check(messages), Vec::<String>::new());
}

#[test]
fn every_fault_is_found() {
    let user = json!({ "role": "user", "content": "u" });
    let two = json!({ "role": "assistant", "content": null, "tool_calls": [call("a", "{}"), call("b", "{}")] });
    let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "r" });
    let faults = [
        (json!([user, user]), "user after"),
        (json!([user, { "role": "assistant", "content": "x" }]), "the last message"),
        (json!([user, two, result("a")]), "have no result"),
        (json!([user, two, result("b"), result("a")]), "belongs"),
        (json!([user, two, result("a"), user]), "before the result"),
        (json!([user, two, result("a"), result("b"), result("b")]), "no open call"),
        (
            json!([user, { "role": "assistant", "content": null, "tool_calls": [call("a", "[]")] }, result("a")]),
            "no JSON object",
        ),
        (
            json!([user, { "role": "assistant", "content": null, "tool_calls": [call("a", "{}"), call("a", "{}")] }, result("a"), result("a")]),
            "was there before",
        ),
        (json!([user, { "role": "assistant", "content": "" }, user]), "neither content nor calls"),
        (json!([user, { "role": "system", "content": "s" }, user]), "system after"),
        (json!([]), "no messages"),
    ];
    for (messages, words) in faults {
        let found = check(messages.clone());
        assert!(found.iter().any(|violation| violation.contains(words)), "{words}: {found:?} in {messages}");
    }
}

#[test]
fn key_size_and_tools_are_checked() {
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "my key is sk-12345" }] }).to_string();
    let request = |path: &str, header: (&str, &str)| Recorded {
        path: path.to_owned(),
        authorization: Some(header.1.to_owned()).filter(|_| header.0 == "authorization"),
        headers: vec![(header.0.to_owned(), header.1.to_owned())],
        body: body.clone(),
    };
    for (path, header) in [
        ("/v1/chat/completions", ("authorization", "Bearer sk-12345")),
        ("/v1/messages?beta=true", ("x-api-key", "sk-12345")),
    ] {
        assert_eq!(of_request(&request(path, header), 10_000), ["the key stands in the body"]);
        assert!(of_request(&request(path, header), 10)[0].contains("are allowed"));
    }
    assert_eq!(of_request(&request("/v1/responses", ("accept", "x")), 10_000), Vec::<String>::new());
    let tool = |name: &str| json!({ "type": "function", "function": { "name": name } });
    let unsorted =
        json!({ "model": "m", "tools": [tool("b"), tool("a")], "messages": [{ "role": "user", "content": "u" }] });
    assert!(of_body(&unsorted.to_string(), true)[0].contains("not sorted"));
    let lonely = json!({ "model": "m", "tool_choice": "none", "messages": [{ "role": "user", "content": "u" }] });
    assert_eq!(of_body(&lonely.to_string(), true), ["tool_choice without tools"]);
}
