//! Bodies: what is in them, in which order, and that reusing one changes nothing.
//! No network.

use assent_protocol::ids::Sha;
use assent_protocol::view::{Protocol, ProviderItem};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::chat_completions::BodyForm;
use crate::model::Body;
use crate::testing::{any_step, check_prefixes, check_reuse};
use crate::wire_format::WireFormat as _;

fn form() -> BodyForm {
    BodyForm::new(false, false, true, &Map::new())
}

fn parsed(body: &Body) -> Value {
    serde_json::from_slice(&body.bytes).unwrap()
}

#[test]
fn a_body_says_it_all_in_a_fixed_order() {
    let messages = vec![
        user("read \"a\"\n"),
        assistant("", &[("0190-aa", "read_file", r#"{"path":"你"}"#)]),
        result("0190-aa", "1\tx"),
    ];
    let body = form().body(&view(messages), None);
    let expected = r#"{"model":"tiny","stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read_file","description":"Reads \"a\" file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"read \"a\"\n"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_0190aa","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"你\"}"}}]},{"role":"tool","tool_call_id":"call_0190aa","content":"1\tx"}]}"#;
    assert_eq!(std::str::from_utf8(&body.bytes).unwrap(), expected.replace("\t", "\\t"));
    assert_eq!(body.digest, Sha::of(&body.bytes));
    assert_eq!(body.shared_prefix, 0);
}

#[test]
fn a_message_with_nothing_but_calls_has_null_or_an_empty_text() {
    let messages = vec![user("a"), assistant("", &[("c-1", "read_file", "{}")]), result("c-1", "x"), user("b")];
    let null = form().body(&view(messages.clone()), None);
    assert_eq!(parsed(&null)["messages"][2]["content"], Value::Null);
    let empty = form().with_empty_text(true).body(&view(messages), Some(null));
    assert_eq!(parsed(&empty)["messages"][2]["content"], "");
}

#[test]
fn a_name_that_no_server_takes_is_sent_back_as_one_that_they_do() {
    let long = "x".repeat(80);
    for (given, sent) in [
        ("read_file", "read_file"),
        ("functions.read_file", "functions_read_file"),
        ("读 x", "__x"),
        ("", "unnamed"),
        (long.as_str(), &long[..64]),
    ] {
        let messages = vec![user("a"), assistant("", &[("c-1", given, "{}")]), result("c-1", "no such tool")];
        let body = parsed(&form().body(&view(messages), None));
        assert_eq!(body["messages"][2]["tool_calls"][0]["function"]["name"], sent, "{given:?}");
    }
}

#[test]
fn what_may_change_stands_at_the_very_end() {
    let mut view = view(vec![user("a")]);
    let auto = form().body(&view, None);
    view.tool_choice = ToolChoice::None;
    let none = form().body(&view, Some(auto.clone()));
    assert_eq!(&none.bytes[auto.bytes.len() - 1..], br#","tool_choice":"none"}"#);
    assert_eq!((none.shared_prefix, auto.stable), (auto.stable, auto.bytes.len() as u64 - 2));

    view.tools = "[]".into();
    let toolless = parsed(&form().body(&view, None));
    assert!(toolless.get("tools").is_none() && toolless.get("tool_choice").is_none());
}

#[test]
fn settings_change_what_is_sent() {
    let extra: Map<String, Value> =
        [("temperature".to_owned(), json!(0.5)), ("a\"b".to_owned(), json!([1]))].into_iter().collect();
    let extras_form = BodyForm::new(true, true, false, &extra);
    let mut messages = vec![user("a"), assistant("b", &[("c-1", "read_file", "{}")]), result("c-1", "")];
    messages[1] = Arc::new(match ViewMessage::clone(&messages[1]) {
        ViewMessage::Assistant { text, reasoning, calls, .. } => ViewMessage::Assistant {
            text,
            reasoning,
            calls,
            items: vec![
                ProviderItem {
                    protocol: Protocol::ChatCompletions,
                    json: r#"{"call":0,"extra_content":{"sig":"x"}}"#.to_owned(),
                },
                ProviderItem { protocol: Protocol::AnthropicMessages, json: "{}".to_owned() },
            ],
        },
        other => other,
    });
    let view = view(messages);
    let body = parsed(&extras_form.body(&view, None));
    assert_eq!(body["temperature"], 0.5);
    assert_eq!(body["a\"b"][0], 1);
    assert!(body.get("stream_options").is_none());
    assert_eq!(body["messages"][2]["reasoning_content"], "because");
    assert_eq!(body["messages"][2]["tool_calls"][0]["extra_content"]["sig"], "x");
    assert_eq!(body["messages"][3]["content"], "(no text)", "empty messages are refused by many");

    let plain = parsed(&form().body(&view, None));
    assert!(plain["messages"][2].get("reasoning_content").is_none());
    assert!(plain["messages"][2]["tool_calls"][0].get("extra_content").is_none());

    // A body made with other settings isn't continued.
    let switched = form().body(&view, Some(extras_form.body(&view, None)));
    assert_eq!(parsed(&switched), plain);
}

proptest! {
    #[test]
    fn a_body_is_the_same_with_and_without_the_one_before(
        steps in prop::collection::vec(any_step(), 1..12),
        echo: bool,
        shares_bytes: bool,
    ) {
        check_reuse(&BodyForm::new(echo, false, true, &Map::new()), steps, shares_bytes)?;
    }
}

#[test]
fn request_n_begins_request_n_plus_1() {
    check_prefixes(&form());
}

#[test]
fn a_joined_user_message_is_written_anew() {
    let first = form().body(&view(vec![user("a")]), None);
    let sealed = |body: &Body| body.history.as_ref().unwrap().sealed();
    assert_eq!(sealed(&first), 0, "the last user message stays open");
    let joined = form().body(&view(vec![user("a\n\nb")]), Some(first.clone()));
    let answered = form().body(&view(vec![user("a\n\nb"), assistant("c", &[])]), Some(joined.clone()));
    assert_eq!(sealed(&answered), 2);
    assert_eq!(parsed(&joined)["messages"][1]["content"], "a\n\nb");
    assert_eq!(joined.shared_prefix as usize, first.bytes.len() - 4, "up to the closing quote");
}

#[test]
fn a_history_that_was_changed_is_not_trusted() {
    let first = form().body(&view(vec![user("a"), assistant("b", &[]), user("c")]), None);
    let changed = view(vec![user("x"), assistant("b", &[]), user("c"), assistant("d", &[])]);
    let body = form().body(&changed, Some(first));
    assert_eq!(body.bytes, form().body(&changed, None).bytes, "although the epoch is the same");
}
