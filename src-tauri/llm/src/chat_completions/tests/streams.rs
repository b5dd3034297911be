//! Streams that end well, with every habit of servers that is known; each is cut at every byte.
//! No network.

use assent_protocol::view::{FinishReason, Usage};

use super::*;

#[test]
fn text_and_usage_at_the_end() {
    let stream = events(&[
        &delta(r#"{"role":"assistant","content":""}"#),
        &delta(r#"{"content":"Hel"}"#),
        &delta(r#"{"content":"lo"}"#),
        &finish("stop"),
        r#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":2}}}"#,
        "[DONE]",
    ]);
    let outcome = read(&stream);
    assert_eq!(outcome.text, "Hello");
    let finish = outcome.finish.unwrap();
    assert_eq!(finish.reason, FinishReason::Stop);
    let usage = Usage { input: Some(40), output: Some(7), cache_read: Some(60), cache_write: None, reasoning: Some(2) };
    assert_eq!(finish.usage, Some(usage));
}

#[test]
fn usage_comes_in_many_places() {
    let text = delta(r#"{"content":"a"}"#);
    let usage = r#"{"prompt_tokens":10,"completion_tokens":2,"prompt_cache_hit_tokens":4}"#;
    let in_choice = format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop","usage":{usage}}}]}}"#);
    let with_finish = format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop"}}],"usage":{usage}}}"#);
    let alone = format!(r#"{{"usage":{usage}}}"#);
    let x_groq = format!(
        r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop"}}],"x_groq":{{"id":"r","usage":{usage}}}}}"#
    );
    let growing =
        r#"{"choices":[{"index":0,"delta":{"content":""}}],"usage":{"prompt_tokens":10,"completion_tokens":1}}"#;
    for chunks in [
        vec![text.as_str(), &in_choice, "[DONE]"],
        vec![&text, &with_finish, "[DONE]"],
        vec![&text, &finish("stop"), &alone, "[DONE]"],
        vec![&text, &x_groq],
        vec![growing, &text, &finish("stop"), &alone],
    ] {
        let usage = read(&events(&chunks)).finish.unwrap().usage.unwrap();
        assert_eq!((usage.input, usage.output, usage.cache_read), (Some(6), Some(2), Some(4)), "{chunks:?}");
    }
    let none = read(&events(&[&text, &finish("stop"), r#"{"choices":[],"usage":null}"#, "[DONE]"]));
    assert_eq!(none.finish.unwrap().usage, None, "absent is not zero");
}

#[test]
fn p72_text_cut_at_every_byte() {
    let outcome = read(&stream(&[r#"{"content":"你好🙂"}"#], "stop"));
    assert_eq!(outcome.text, "你好🙂");
}

#[test]
fn p73_comments_and_missing_spaces_between_chunks() {
    let text = delta(r#"{"content":"a"}"#);
    let stream = format!(": ping\n\n:\n\ndata:{text}\n\n: PROCESSING\n\ndata: ping\n\ndata:{}\n\n", finish("stop"));
    assert_eq!(read(&stream).text, "a");
}

#[test]
fn p74_two_calls_at_one_index() {
    let outcome = read(&stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"1\"}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"read_file","arguments":"{\"path\":\"2\"}"}}]}"#,
        ],
        "tool_calls",
    ));
    assert_eq!(outcome.calls(), [("read_file", r#"{"path":"1"}"#), ("read_file", r#"{"path":"2"}"#)]);
}

#[test]
fn p75_interleaved_pieces_with_the_id_only_on_the_first() {
    let outcome = read(&stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":1,"id":"b","function":{"name":"g","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":"{\"b\""}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":":2}"}},{"index":0,"function":{"arguments":":1}"}}]}"#,
        ],
        "tool_calls",
    ));
    assert_eq!(outcome.calls(), [("f", r#"{"a":1}"#), ("g", r#"{"b":2}"#)]);
}

#[test]
fn p76_a_finish_said_twice_proposes_once() {
    let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}"#;
    let second = format!(
        r#"{{"choices":[{{"index":0,"delta":{call},"finish_reason":"tool_calls"}}],"usage":{{"prompt_tokens":3,"completion_tokens":1}}}}"#
    );
    let outcome = read(&events(&[&delta(call), &finish("tool_calls"), &second, "[DONE]"]));
    assert_eq!(outcome.calls(), [("f", "{}")]);
    assert_eq!(outcome.finish.unwrap().usage.unwrap().input, Some(3));
}

#[test]
fn p77_cut_arguments_stay_cut() {
    let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"write_file","arguments":"{\"path\":\"a\",\"cont"}}]}"#;
    for (word, reason) in
        [("length", FinishReason::Length), ("stop", FinishReason::ToolCalls), ("tool_calls", FinishReason::ToolCalls)]
    {
        let outcome = read(&stream(&[call], word));
        assert_eq!(outcome.calls(), [("write_file", r#"{"path":"a","cont"#)], "nothing is mended");
        assert_eq!(outcome.finish.unwrap().reason, reason);
    }
}

/// What it is, the `tool_calls` of each delta, and name and arguments of the calls that are meant.
type Shape = (&'static str, &'static [&'static str], Meant);
type Meant = &'static [(&'static str, &'static str)];

const ONE: Meant = &[("read_file", r#"{"path":"a"}"#)];
const TWO: Meant = &[("f", r#"{"n":1}"#), ("g", r#"{"n":2}"#)];
const TWINS: Meant = &[("f", r#"{"n":1}"#), ("f", r#"{"n":2}"#)];

/// Calls as servers write them.
const SHAPES: &[Shape] = &[
    (
        "whole at once",
        &[r#"[{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]"#],
        ONE,
    ),
    (
        "object instead of text",
        &[r#"[{"index":0,"id":"x","function":{"name":"read_file","arguments":{"path":"a"}}}]"#],
        ONE,
    ),
    (
        "no index, no id",
        &[
            r#"[{"function":{"name":"read_file","arguments":"{\"path\""}}]"#,
            r#"[{"function":{"arguments":":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "index as text",
        &[
            r#"[{"index":"0","id":"x","function":{"name":"read_file","arguments":"{\"path\""}}]"#,
            r#"[{"index":"0","function":{"arguments":":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "index from one, null id",
        &[
            r#"[{"index":1,"id":null,"function":{"name":"read_file","arguments":"{\"path\""}}]"#,
            r#"[{"index":1,"id":null,"function":{"name":null,"arguments":":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "index comes later",
        &[
            r#"[{"id":"x","function":{"name":"read_file","arguments":""}}]"#,
            r#"[{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "id comes later",
        &[
            r#"[{"index":0,"function":{"name":"read_file","arguments":""}}]"#,
            r#"[{"index":0,"id":"x","function":{"arguments":"{\"path\":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "id in every delta",
        &[
            r#"[{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\""}}]"#,
            r#"[{"index":0,"id":"x","function":{"arguments":":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "id and name in every delta",
        &[
            r#"[{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\""}}]"#,
            r#"[{"index":0,"id":"x","function":{"name":"read_file","arguments":":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "name in every delta, nothing else",
        &[
            r#"[{"function":{"name":"read_file","arguments":"{\"path\""}}]"#,
            r#"[{"function":{"name":"read_file","arguments":":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "name in pieces",
        &[
            r#"[{"index":0,"id":"x","function":{"name":"read_"}}]"#,
            r#"[{"index":0,"function":{"name":"file"}}]"#,
            r#"[{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "name repeated before arguments",
        &[
            r#"[{"index":0,"id":"x","function":{"name":"read_file"}}]"#,
            r#"[{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]"#,
        ],
        ONE,
    ),
    (
        "empty arguments",
        &[r#"[{"index":0,"id":"x","function":{"name":"git_status","arguments":""}}]"#],
        &[("git_status", "")],
    ),
    (
        "null arguments",
        &[r#"[{"index":0,"id":"x","function":{"name":"git_status","arguments":null}}]"#],
        &[("git_status", "")],
    ),
    (
        "no arguments",
        &[r#"[{"index":0,"id":"x","type":"function","function":{"name":"git_status"}}]"#],
        &[("git_status", "")],
    ),
    (
        "two without index in one delta",
        &[
            r#"[{"id":"x","function":{"name":"f","arguments":"{\"n\":1}"}},{"id":"y","function":{"name":"g","arguments":"{\"n\":2}"}}]"#,
        ],
        TWO,
    ),
    (
        "two without index and id in one delta",
        &[r#"[{"function":{"name":"f","arguments":"{\"n\":1}"}},{"function":{"name":"g","arguments":"{\"n\":2}"}}]"#],
        TWO,
    ),
    (
        "two without index and id, one after the other",
        &[
            r#"[{"function":{"name":"f","arguments":"{\"n\":1}"}}]"#,
            r#"[{"function":{"name":"g","arguments":"{\"n\":2}"}}]"#,
        ],
        TWO,
    ),
    (
        "twins without index and id",
        &[
            r#"[{"function":{"name":"f","arguments":"{\"n\":1}"}}]"#,
            r#"[{"function":{"name":"f","arguments":"{\"n\":2}"}}]"#,
        ],
        TWINS,
    ),
    (
        "one id for all, indices apart",
        &[
            r#"[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"n\":1}"}}]"#,
            r#"[{"index":1,"id":"x","function":{"name":"g","arguments":"{\"n\":2}"}}]"#,
        ],
        TWO,
    ),
    (
        "one id for all, indices apart, pieces",
        &[
            r#"[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"n\""}}]"#,
            r#"[{"index":1,"id":"x","function":{"name":"g","arguments":"{\"n\""}}]"#,
            r#"[{"index":0,"id":"x","function":{"arguments":":1}"}}]"#,
            r#"[{"index":1,"id":"x","function":{"arguments":":2}"}}]"#,
        ],
        TWO,
    ),
    (
        "one id and one index for all",
        &[
            r#"[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"n\":1}"}}]"#,
            r#"[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"n\":2}"}}]"#,
        ],
        TWINS,
    ),
    (
        "one index, new id, pieces",
        &[
            r#"[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"n\""}}]"#,
            r#"[{"index":0,"function":{"arguments":":1}"}}]"#,
            r#"[{"index":0,"id":"y","function":{"name":"g","arguments":""}}]"#,
            r#"[{"index":0,"function":{"arguments":"{\"n\":2}"}}]"#,
        ],
        TWO,
    ),
    (
        "one index, no id, whole calls",
        &[
            r#"[{"index":0,"function":{"name":"f","arguments":"{\"n\":1}"}}]"#,
            r#"[{"index":0,"function":{"name":"g","arguments":"{\"n\":2}"}}]"#,
        ],
        TWO,
    ),
    (
        "null calls, empty pieces",
        &[
            "null",
            "[]",
            r#"[{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]"#,
            r#"[{"index":0,"id":"","function":{"name":"","arguments":""}}]"#,
        ],
        ONE,
    ),
];

#[test]
fn calls_in_every_known_shape() {
    for (name, deltas, expected) in SHAPES {
        let deltas: Vec<String> = deltas.iter().map(|calls| format!(r#"{{"tool_calls":{calls}}}"#)).collect();
        let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
        let outcome = read(&stream(&deltas, "tool_calls"));
        assert_eq!(outcome.calls(), *expected, "{name}");
        assert_eq!(outcome.finish.unwrap().reason, FinishReason::ToolCalls, "{name}");
    }
}

#[test]
fn the_old_function_call_beside_tool_calls_is_read_over() {
    let outcome = read(&stream(
        &[
            r#"{"function_call":{"name":"f","arguments":"{}"},"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}"#,
        ],
        "function_call",
    ));
    assert_eq!(outcome.calls(), [("f", "{}")]);
}

#[test]
fn what_is_attached_to_a_call_is_kept() {
    let outcome = read(&stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s="}}}]}"#,
        ],
        "stop",
    ));
    let items = outcome.finish.unwrap().items;
    assert_eq!(items[0].json, r#"{"call":0,"extra_content":{"google":{"thought_signature":"s="}}}"#);
}

#[test]
fn finish_words_of_many() {
    for (word, reason) in [
        ("stop", FinishReason::Stop),
        ("end", FinishReason::Stop),
        ("eos", FinishReason::Stop),
        ("STOP", FinishReason::Stop),
        ("tool_calls", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("MAX_TOKENS", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("sensitive", FinishReason::ContentFilter),
    ] {
        let outcome = read(&stream(&[r#"{"content":"a"}"#], word));
        assert_eq!(outcome.finish.unwrap().reason, reason, "{word}");
    }
    let call = r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}"#;
    assert_eq!(read(&stream(&[call], "stop")).finish.unwrap().reason, FinishReason::ToolCalls);
}

#[test]
fn a_null_finish_and_done_is_a_finish() {
    let outcome = read(&events(&[&delta(r#"{"content":"a"}"#), "[DONE]"]));
    assert_eq!((outcome.text.as_str(), outcome.finish.unwrap().reason), ("a", FinishReason::Stop));
}

#[test]
fn a_finish_and_the_end_of_the_stream_is_a_finish() {
    let stream = events(&[&delta(r#"{"content":"a"}"#), &finish("stop")]);
    assert!(read(&stream).finish.is_some());
    assert!(read(stream.trim_end()).finish.is_some(), "also without the last empty line");
}

#[test]
fn reasoning_is_told_apart() {
    for inner in [
        r#"{"reasoning_content":"hm","content":null}"#,
        r#"{"reasoning":"hm"}"#,
        r#"{"reasoning":"hm","reasoning_content":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}"#,
        r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}"#,
    ] {
        let outcome = read(&stream(&[inner, r#"{"content":[{"type":"text","text":"so"}]}"#], "stop"));
        assert_eq!((outcome.reasoning.as_str(), outcome.text.as_str()), ("hm", "so"), "{inner}");
    }
}

#[test]
fn a_refusal_has_its_words() {
    let outcome = read(&stream(&[r#"{"refusal":"I can't "}"#, r#"{"refusal":"do that."}"#], "stop"));
    let finish = outcome.finish.unwrap();
    assert_eq!(finish.reason, FinishReason::Refusal);
    assert_eq!(finish.words.as_deref(), Some("I can't do that."));
}

#[test]
fn only_the_first_choice_is_read() {
    let second = r#"{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"stop"}]}"#;
    assert_eq!(read(&events(&[second, &delta(r#"{"content":"a"}"#), &finish("stop"), "[DONE]"])).text, "a");
}

#[test]
fn a_whole_completion_instead_of_a_stream() {
    let outcome = read(
        "\n{\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"你好\",\"tool_calls\":[{\"id\":\"x\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}",
    );
    assert_eq!(outcome.text, "你好");
    assert_eq!(outcome.calls(), [("f", "{}")]);
}

#[test]
fn doubled_fields_and_broken_characters_are_read_all_the_same() {
    let doubled = r#"{"choices":[{"index":0,"delta":{"content":"a","content":"b"}}]}"#;
    assert_eq!(read(&events(&[doubled, &finish("stop")])).text, "b");
    let mut bytes = b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xffb\"}}]}\n\n".to_vec();
    bytes.extend_from_slice(events(&[&finish("stop")]).as_bytes());
    assert_eq!(read_portions([&bytes[..]]).text, "a\u{fffd}b");
}
