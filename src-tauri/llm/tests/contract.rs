//! Every protocol against a server that speaks it over HTTP and checks each request: what a conversation needs of it, and
//! how its vendor says no.
//! What bytes can hold is told by transcripts; what all protocols have in common, by the tests of providers.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use assent_llm::{Provider, ProviderConfig, Secret};
use assent_protocol::ids::CallId;
use assent_protocol::view::{FailureKind, FinishReason, ModelView, Protocol, ProviderItem, ViewCall, ViewMessage};
use assent_testkit::fake_server::{Call, Dialect, FakeServer, Reply, Script, Step};
use serde_json::{Value, json};
use support::{Got, KEY, ask, ask_view, of, view};

/// A protocol, its place, its dialect, and how its vendors say that a prompt is too long: status and body.
struct Wire {
    protocol: Protocol,
    dialect: Dialect,
    path: &'static str,
    too_long: &'static [(u16, &'static str)],
}

const WIRES: [Wire; 3] = [
    Wire {
        protocol: Protocol::ChatCompletions,
        dialect: Dialect::ChatCompletions,
        path: "/v1/chat/completions",
        too_long: &[
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":4096}}"#,
            ),
            (400, r#"{"error":{"code":"1261","message":"Prompt 超长"}}"#),
        ],
    },
    Wire {
        protocol: Protocol::Responses,
        dialect: Dialect::Responses,
        path: "/v1/responses",
        too_long: &[(
            400,
            r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}"#,
        )],
    },
    Wire {
        protocol: Protocol::AnthropicMessages,
        dialect: Dialect::AnthropicMessages,
        path: "/v1/messages",
        too_long: &[
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}"#,
            ),
            (
                413,
                r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
            ),
        ],
    },
];

impl Wire {
    fn refusal(&self, status: u16, words: &str) -> Reply {
        Reply::plain(status, &[("content-type", "application/json")], &self.dialect.error(status, words).to_string())
    }

    async fn ask_for(&self, reply: Reply) -> Got {
        let server = FakeServer::start(Script::of([reply])).unwrap();
        ask(&of(self.protocol, &server.base_url())).await
    }
}

fn user(text: &str) -> Arc<ViewMessage> {
    Arc::new(ViewMessage::user(text))
}

fn reads() -> Call {
    Call { id: None, name: "read_file".to_owned(), arguments: r#"{"path":"a"}"#.to_owned() }
}

/// The question with one tool, and what was said after it.
fn with_tool(more: Vec<Arc<ViewMessage>>) -> ModelView {
    let tools = json!([{ "name": "read_file", "description": "Reads.", "parameters": { "type": "object" } }]);
    let mut view = view();
    view.tools = tools.to_string().into();
    view.messages.extend(more);
    view
}

/// An answer as the log keeps it, with ids of our own, and the result of its call.
fn kept(got: &Got, items: Vec<ProviderItem>) -> Vec<Arc<ViewMessage>> {
    let call = CallId::new("0192-aa");
    let calls = got.finish().calls.iter().map(|finished| ViewCall {
        call: call.clone(),
        name: finished.name.clone(),
        arguments: finished.arguments.clone(),
    });
    let said = ViewMessage::Assistant {
        text: got.text.clone(),
        reasoning: got.reasoning.clone(),
        calls: calls.collect(),
        items,
    };
    let result = ViewMessage::ToolResult { call, name: "read_file".to_owned(), text: "x".to_owned() };
    vec![Arc::new(said), Arc::new(result)]
}

#[tokio::test]
async fn words_come_and_are_counted() {
    for wire in &WIRES {
        let server = FakeServer::start(Script::of([Reply::say("Good day, 你好🙂")])).unwrap();
        let got = ask(&of(wire.protocol, &server.base_url())).await;
        assert_eq!((got.text.as_str(), got.finish().reason), ("Good day, 你好🙂", FinishReason::Stop), "{}", wire.path);
        let usage = got.finish().usage.unwrap();
        assert!(usage.input == Some(1) && usage.output > Some(2), "{}: {usage:?}", wire.path);
        assert_eq!(server.requests()[0].path, wire.path);
        assert_eq!(server.violations(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn reasoning_goes_back_with_the_result_of_the_call_that_it_led_to() {
    for wire in &WIRES {
        let think = Reply::answer("Look at it first.", "I look.", &[reads()]);
        let server = FakeServer::start(Script::of([think, Reply::say("It says x.")])).unwrap();
        let provider = of(wire.protocol, &server.base_url());
        let first = ask_view(&provider, with_tool(Vec::new())).await;
        assert_eq!((first.reasoning.as_str(), first.finish().reason), ("Look at it first.", FinishReason::ToolCalls));
        assert!(first.finish().calls[0].provider_id.is_some());

        let second = ask_view(&provider, with_tool(kept(&first, first.finish().items.clone()))).await;
        assert_eq!(second.text, "It says x.", "{}", wire.path);
        assert_eq!(server.violations(), Vec::<String>::new(), "{}", wire.path);
        let body = &server.requests()[1].body;
        let goes_back = wire.dialect != Dialect::ChatCompletions;
        assert_eq!(body.contains("seal"), goes_back, "signed and encrypted reasoning is needed again: {body}");
        assert!(body.contains("call_0192aa"), "ids are ours: {body}");
    }
}

#[tokio::test]
async fn reasoning_of_another_protocol_stays_away() {
    for (wire, other) in WIRES.iter().flat_map(|wire| WIRES.iter().map(move |other| (wire, other))) {
        let think = Reply::answer("Look at it first.", "", &[reads()]);
        let theirs = FakeServer::start(Script::of([think])).unwrap();
        let first = ask_view(&of(other.protocol, &theirs.base_url()), with_tool(Vec::new())).await;
        let server = FakeServer::start(Script::of([Reply::say("It says x.")])).unwrap();
        let items = first.finish().items.iter().filter(|item| item.protocol != wire.protocol).cloned().collect();
        ask_view(&of(wire.protocol, &server.base_url()), with_tool(kept(&first, items))).await;
        assert_eq!(server.violations(), Vec::<String>::new(), "{} after {}", wire.path, other.path);
        assert!(!server.requests()[0].body.contains("seal"), "{} after {}", wire.path, other.path);
    }
}

#[tokio::test]
async fn a_server_that_is_busy_says_how_long_and_answers_later() {
    for wire in &WIRES {
        let busy = wire.refusal(429, "slow down");
        let busy = Reply { headers: vec![("retry-after".to_owned(), "3".to_owned())], ..busy };
        let server = FakeServer::start(Script::of([busy, Reply::say("now")])).unwrap();
        let provider = of(wire.protocol, &server.base_url());
        let first = ask(&provider).await;
        let failure = first.failure();
        assert_eq!((failure.failure, failure.retry_after_ms), (FailureKind::RateLimited, Some(3000)), "{}", wire.path);
        assert!(failure.message.contains("slow down") && !failure.opened, "{}", failure.message);
        assert_eq!(ask(&provider).await.text, "now", "{}", wire.path);
    }
}

#[tokio::test]
async fn p78_an_error_inside_of_an_answer_has_the_vendors_words() {
    for wire in &WIRES {
        let data = wire.dialect.error(529, "Overloaded, try later");
        let error = match wire.dialect {
            Dialect::ChatCompletions => format!("data: {data}\n\n"),
            Dialect::Responses => {
                let response = json!({ "object": "response", "status": "failed", "error": data["error"] });
                format!(
                    "event: response.failed\ndata: {}\n\n",
                    json!({ "type": "response.failed", "response": response })
                )
            }
            Dialect::AnthropicMessages => format!("event: error\ndata: {data}\n\n"),
        };
        let got = wire.ask_for(Reply::steps([Step::Say("So far ".to_owned()), Step::Raw(error.into_bytes())])).await;
        let failure = got.failure();
        assert_eq!((failure.failure, failure.opened), (FailureKind::InStream, true), "{}", wire.path);
        assert!(failure.message.contains("Overloaded, try later"), "{}: {}", wire.path, failure.message);
        assert_eq!(got.text, "So far ", "{}", wire.path);
    }
}

#[tokio::test]
async fn p79_p80_p81_a_page_and_answers_that_break_off_are_none() {
    for wire in &WIRES {
        let page = wire.ask_for(Reply::plain(200, &[("content-type", "text/html")], "<html>Sign in</html>")).await;
        assert_eq!(page.failure().failure, FailureKind::NotAStream, "{}", wire.path);
        assert!(page.failure().message.contains("<html>Sign in</html>"), "{}", wire.path);
        for end in [vec![Step::Cut], vec![]] {
            let steps = [vec![Step::Say("I look.".to_owned()), Step::Call(reads())], end].concat();
            let server = FakeServer::start(Script::of([Reply::steps(steps), Reply::say("second")])).unwrap();
            let got = ask(&of(wire.protocol, &server.base_url())).await;
            let failure = got.failure();
            assert_eq!((failure.failure, failure.opened), (FailureKind::Disconnected, true), "{}", wire.path);
            assert_eq!((got.text.as_str(), server.requests().len()), ("I look.", 1), "{}: asked once", wire.path);
        }
    }
}

#[tokio::test]
async fn a_wrong_key_and_an_unknown_model_are_told_apart() {
    for wire in &WIRES {
        for (status, words, kind) in [
            (401, "invalid x-api-key", FailureKind::Unauthorized),
            (403, "not for your organisation", FailureKind::Forbidden),
            (404, "model: tiny", FailureKind::NotFound),
            (529, "Overloaded", FailureKind::Server),
        ] {
            let got = wire.ask_for(wire.refusal(status, words)).await;
            let failure = got.failure();
            assert_eq!((failure.failure, failure.status), (kind, Some(status)), "{}", wire.path);
            assert!(failure.message.contains(words), "{}: {}", wire.path, failure.message);
        }
    }
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_known_in_each_vendors_words() {
    for wire in &WIRES {
        for (status, body) in wire.too_long {
            let got = wire.ask_for(Reply::plain(*status, &[], body)).await;
            assert_eq!(got.failure().failure, FailureKind::ContextTooLong, "{}: {body}", wire.path);
        }
    }
}

#[tokio::test]
async fn a_key_goes_into_the_header_of_its_protocol_and_no_other() {
    for wire in &WIRES {
        let server = FakeServer::start(Script::default()).unwrap();
        let key = Secret::bound(KEY.to_owned(), &server.base_url()).unwrap();
        let config = ProviderConfig { key: Some(key), ..ProviderConfig::new(wire.protocol, server.base_url()) };
        assert_eq!(ask(&Provider::new(config).unwrap()).await.text, "You said: hi", "{}", wire.path);
        let request = &server.requests()[0];
        let bearer = Some(format!("Bearer {KEY}"));
        let expected = match wire.dialect {
            Dialect::AnthropicMessages => (None, Some(KEY.to_owned()), Some("2023-06-01".to_owned())),
            Dialect::ChatCompletions | Dialect::Responses => (bearer, None, None),
        };
        let sent = (request.authorization.clone(), request.api_key.clone(), request.version.clone());
        assert_eq!(sent, expected, "{}", wire.path);
        assert_eq!(server.violations(), Vec::<String>::new(), "{}", wire.path);
    }
}

#[tokio::test]
async fn base_urls_work_with_and_without_v1_and_with_the_endpoint() {
    for wire in &WIRES {
        for form in ["", "/", "/v1", "/v1/", wire.path, &format!("{}/", wire.path)] {
            let server = FakeServer::start(Script::default()).unwrap();
            let got = ask(&of(wire.protocol, &format!("{}{form}", server.root()))).await;
            assert_eq!((got.text.as_str(), server.requests()[0].path.as_str()), ("You said: hi", wire.path), "{form}");
        }
    }
}

#[tokio::test]
async fn a_long_history_of_calls_is_one_that_every_vendor_takes() {
    for wire in &WIRES {
        let prompt = r#"call read_file with {"path":"a"} and call read_file with {"path":"b"} then call read_file with {"path":"c"} then say done"#;
        let server = FakeServer::start(Script::default()).unwrap();
        let provider = of(wire.protocol, &server.base_url());
        let mut view = with_tool(Vec::new());
        view.messages = vec![user(prompt)];
        let mut calls = 0;
        loop {
            let got = ask_view(&provider, view.clone()).await;
            let finished = &got.finish().calls;
            if finished.is_empty() {
                assert_eq!(got.text, "done", "{}", wire.path);
                break;
            }
            let ids: Vec<CallId> = (calls..calls + finished.len()).map(|n| CallId::new(format!("0192-{n}"))).collect();
            calls += finished.len();
            let said = finished.iter().zip(&ids).map(|(call, id)| ViewCall {
                call: id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            });
            view.messages.push(Arc::new(ViewMessage::Assistant {
                text: got.text.clone(),
                reasoning: got.reasoning.clone(),
                calls: said.collect(),
                items: got.finish().items.clone(),
            }));
            let results = ids.into_iter().map(|call| {
                Arc::new(ViewMessage::ToolResult { call, name: "read_file".to_owned(), text: "x".to_owned() })
            });
            view.messages.extend(results);
        }
        assert_eq!(server.violations(), Vec::<String>::new(), "{}", wire.path);
        let last: Value = serde_json::from_str(&server.requests().last().unwrap().body).unwrap();
        assert_eq!(last["model"], "tiny");
    }
}
