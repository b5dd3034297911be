//! The checks find what they are for, and nothing in a good request.
//! No network.

use serde_json::json;

use super::*;

fn request(dialect: Dialect, body: &Value) -> Recorded {
    Recorded {
        path: String::new(),
        dialect,
        authorization: None,
        api_key: None,
        version: Some("2023-06-01".to_owned()),
        headers: Vec::new(),
        body: body.to_string(),
    }
}

fn check(messages: Value) -> Vec<String> {
    let body = json!({ "model": "m", "messages": messages });
    violations(&request(Dialect::ChatCompletions, &body), None, 10_000)
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
    let check = |body: &Value, key: Option<&str>, limit: usize| {
        let authorization = key.map(|key| format!("Bearer {key}"));
        violations(&Recorded { authorization, ..request(Dialect::ChatCompletions, body) }, None, limit)
    };
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "my key is sk-12345" }] });
    assert_eq!(check(&body, Some("sk-12345"), 10_000), ["the key stands in the body"]);
    assert!(check(&body, None, 10)[0].contains("are allowed"));
    let tool = |name: &str| json!({ "type": "function", "function": { "name": name } });
    let unsorted =
        json!({ "model": "m", "tools": [tool("b"), tool("a")], "messages": [{ "role": "user", "content": "u" }] });
    assert!(check(&unsorted, None, 10_000)[0].contains("not sorted"));
    let lonely = json!({ "model": "m", "tool_choice": "none", "messages": [{ "role": "user", "content": "u" }] });
    assert_eq!(check(&lonely, None, 10_000), ["tool_choice without tools"]);
}

#[test]
fn a_key_in_the_wrong_header_and_a_missing_version_are_found() {
    let body = json!({ "model": "m", "max_tokens": 1, "messages": [{ "role": "user", "content": [said("u")] }] });
    let good = request(Dialect::AnthropicMessages, &body);
    let keyed = |authorization: Option<&str>, api_key: Option<&str>| Recorded {
        authorization: authorization.map(str::to_owned),
        api_key: api_key.map(str::to_owned),
        ..good.clone()
    };
    assert_eq!(violations(&keyed(None, Some("sk-1")), None, 10_000), Vec::<String>::new());
    assert!(violations(&keyed(Some("Bearer sk-1"), None), None, 10_000)[0].contains("x-api-key"));
    assert!(violations(&Recorded { version: None, ..good }, None, 10_000)[0].contains("anthropic-version"));
}

fn said(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[test]
fn faults_of_messages_are_found() {
    let check = |messages: Value, more: Value| {
        let mut body = json!({ "model": "m", "max_tokens": 10, "messages": messages });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        violations(&request(Dialect::AnthropicMessages, &body), Some(7), 100_000)
    };
    let user = json!({ "role": "user", "content": [said("u")] });
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
    let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "r" });
    let of = |role: &str, blocks: &[Value]| json!({ "role": role, "content": blocks });
    let thinking = json!({ "type": "thinking", "thinking": "t", "signature": super::super::dialect::seal(7, "t") });
    let good = json!([
        user,
        of("assistant", &[thinking.clone(), said("x"), call("a"), call("b")]),
        of("user", &[result("b"), result("a"), said("go on")])
    ]);
    assert_eq!(check(good, json!({})), Vec::<String>::new());

    let mut changed = thinking.clone();
    changed["thinking"] = "other".into();
    let faults = [
        (json!([of("assistant", &[said("x")]), user]), "after"),
        (json!([user, user]), "after"),
        (json!([user, of("assistant", &[said("x")])]), "the model's own"),
        (json!([user, of("assistant", &[call("a"), call("b")]), of("user", &[result("a")])]), "have no result"),
        (json!([user, of("assistant", &[call("a")]), of("user", &[said("x"), result("a")])]), "behind a text"),
        (json!([user, of("assistant", &[said("x")]), of("user", &[result("a")])]), "no call before it"),
        (json!([of("user", &[said("  ")])]), "an empty text"),
        (json!([user, of("assistant", &[changed, said("x")]), user]), "isn't of this server"),
        (json!([user, of("assistant", &[thinking]), user]), "ends with thinking"),
        (json!([user, of("assistant", &[call("a b")]), of("user", &[result("a b")])]), "malformed"),
    ];
    for (messages, words) in faults {
        let found = check(messages.clone(), json!({}));
        assert!(found.iter().any(|violation| violation.contains(words)), "{words}: {found:?} in {messages}");
    }
    let marked = |text: &str| json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } });
    let many = json!([of("user", &[marked("a"), marked("b"), marked("c"), marked("d"), marked("e")])]);
    assert!(check(many, json!({}))[0].contains("5 blocks"));
    let tool = json!({ "name": "f", "input_schema": {} });
    assert!(check(json!([user]), json!({ "tools": [tool], "tool_choice": "none" }))[0].contains("no object"));
    assert!(check(json!([user]), json!({ "max_tokens": null }))[0].contains("max_tokens"));
}

#[test]
fn faults_of_an_input_are_found() {
    let check = |input: Value| {
        let body = json!({ "model": "m", "store": false, "input": input });
        violations(&request(Dialect::Responses, &body), Some(7), 100_000)
    };
    let user = json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "u" }] });
    let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
    let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "o" });
    let sealed = super::super::dialect::seal(7, "rs_1 t");
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "t" }], "encrypted_content": sealed });
    let good = json!([user, reasoning, call("a"), call("b"), output("a"), output("b")]);
    assert_eq!(check(good), Vec::<String>::new());

    let mut bare = reasoning.clone();
    bare["encrypted_content"] = Value::Null;
    let mut changed = reasoning.clone();
    changed["summary"][0]["text"] = "other".into();
    let mut kept = call("a");
    kept["id"] = "fc_1".into();
    let empty = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "" }] });
    let faults = [
        (json!([]), "no input"),
        (json!([user, call("a")]), "have no output"),
        (json!([user, output("a")]), "no open call"),
        (json!([user, call("a"), user, output("a")]), "came before the output"),
        (json!([user, call("a"), output("a"), reasoning, user]), "without the item"),
        (json!([user, bare, call("a"), output("a")]), "encrypted content, which nobody"),
        (json!([user, changed, call("a"), output("a")]), "isn't of this server"),
        (json!([user, kept, output("a")]), "doesn't keep"),
        (json!([user, empty, user]), "without text"),
        (json!([user, call(&"x".repeat(65)), output(&"x".repeat(65))]), "too long"),
    ];
    for (input, words) in faults {
        let found = check(input.clone());
        assert!(found.iter().any(|violation| violation.contains(words)), "{words}: {found:?} in {input}");
    }
    let stored = json!({ "model": "m", "input": [user] });
    assert!(violations(&request(Dialect::Responses, &stored), None, 10_000)[0].contains("store"));
}
