//! Providers against a real HTTP server on loopback: streams, limits, stops, failures, keys.
//! The wire format's habits are tested without a network, beside its code.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::time::{Duration, Instant};

use assent_llm::{Model as _, ModelItem, Provider, ProviderConfig, Secret, Timeouts};
use assent_protocol::view::{FailureKind, FinishReason, Protocol};
use assent_testkit::fake_server::{FakeServer, Reply, Script, Step};
use futures_util::StreamExt as _;
use serde_json::json;
use support::{Got, KEY, LONG, ask, ask_with, call, of};

fn provider_at(base_url: &str) -> Provider {
    of(Protocol::ChatCompletions, base_url)
}

async fn ask_for(reply: Reply) -> Got {
    let server = FakeServer::start(Script::of([reply])).unwrap();
    ask(&provider_at(&server.base_url())).await
}

fn done() -> [Step; 2] {
    [Step::event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] })), Step::data("[DONE]")]
}

fn text(words: &str) -> Step {
    Step::delta(&json!({ "content": words }))
}

#[tokio::test]
async fn an_answer_is_streamed_and_the_connection_kept() {
    let server = FakeServer::start(Script::default()).unwrap();
    let provider = provider_at(&server.base_url());
    for _ in 0..10 {
        let got = ask(&provider).await;
        assert_eq!(got.items[0], ModelItem::Opened);
        assert_eq!(got.text, "You said: hi");
        assert_eq!(got.finish().reason, FinishReason::Stop);
        assert!(got.finish().usage.is_some());
    }
    assert_eq!(server.connections(), 1, "one connection for all requests");
    assert_eq!(server.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn pieces_arrive_while_the_server_waits() {
    let gate = |name: &str| Step::Gate(name.to_owned());
    let steps = [vec![text("one"), gate("go"), text("two"), gate("on")], done().to_vec()].concat();
    let server = FakeServer::start(Script::of([Reply::steps(steps)])).unwrap();
    let provider = provider_at(&server.base_url());
    let mut stream = provider.stream(call(&provider, LONG));
    assert_eq!(stream.next().await, Some(vec![ModelItem::Opened]));
    assert_eq!(stream.next().await, Some(vec![ModelItem::Text("one".to_owned())]));
    server.until_waiting("go").await;
    server.release("go");
    assert_eq!(stream.next().await, Some(vec![ModelItem::Text("two".to_owned())]));
    server.release("on");
    let rest: Vec<Vec<ModelItem>> = stream.collect().await;
    assert!(matches!(rest.concat().last(), Some(ModelItem::Finished(_))), "{rest:?}");
}

#[tokio::test]
async fn what_comes_fast_is_taken_in_bounded_batches_and_stays_whole() {
    const TOKENS: usize = 5_000;
    for per_write in [1, 50] {
        let server = FakeServer::start(Script::of([Reply::tokens(TOKENS, per_write)])).unwrap();
        let provider = provider_at(&server.base_url());
        let batches: Vec<Vec<ModelItem>> = provider.stream(call(&provider, LONG)).collect().await;
        let texts = |items: &Vec<ModelItem>| -> String {
            items
                .iter()
                .filter_map(|item| if let ModelItem::Text(text) = item { Some(text.as_str()) } else { None })
                .collect()
        };
        let whole: String = (0..TOKENS).map(|number| format!("t{number} ")).collect();
        assert_eq!(batches.iter().map(texts).collect::<String>(), whole, "{per_write} a write");
        // 16 kB and a write more, in events of 75 bytes or more, of which the text is at most 6.
        let longest = batches.iter().map(|items| texts(items).len()).max().unwrap();
        assert!(longest < 6 * (24 << 10) / 75, "{longest} bytes in one batch");
        assert!(matches!(batches.concat().last(), Some(ModelItem::Finished(_))));
    }
}

#[tokio::test]
async fn base_urls_work_with_and_without_v1_and_with_the_endpoint() {
    for form in ["{root}", "{root}/", "{root}/v1", "{root}/v1/", "{root}/v1/chat/completions"] {
        let server = FakeServer::start(Script::default()).unwrap();
        let got = ask(&provider_at(&form.replace("{root}", &server.root()))).await;
        assert_eq!(got.text, "You said: hi", "{form}");
        assert_eq!(server.requests()[0].path, "/v1/chat/completions", "{form}");
    }
}

#[tokio::test]
async fn an_address_without_v1_is_tried_after_a_404_and_remembered() {
    let script = Script::of([Reply::plain(404, &[], "not here"), Reply::say("a"), Reply::say("b")]);
    let server = FakeServer::start(script).unwrap();
    let provider = provider_at(&server.root());
    assert_eq!((ask(&provider).await.text, ask(&provider).await.text), ("a".to_owned(), "b".to_owned()));
    let paths: Vec<String> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/v1/chat/completions", "/chat/completions", "/chat/completions"]);
}

#[tokio::test]
async fn failures_have_kinds_words_and_waits() {
    for (status, body, kind) in [
        (401, r#"{"error":{"message":"why so"}}"#, FailureKind::Unauthorized),
        (403, r#"{"error":{"message":"why so"}}"#, FailureKind::Forbidden),
        (404, r#"{"error":{"message":"why so"}}"#, FailureKind::NotFound),
        (413, "why so", FailureKind::ContextTooLong),
        (429, r#"{"error":"why so"}"#, FailureKind::RateLimited),
        (400, r#"{"detail":"why so"}"#, FailureKind::BadRequest),
        (503, "<h1>why so</h1>", FailureKind::Server),
        (400, r#"{"error":{"message":"why so: tiny does not support tools"}}"#, FailureKind::NoTools),
    ] {
        let got = ask_for(Reply::plain(status, &[("Retry-After", "7")], body)).await;
        let failure = got.failure();
        assert_eq!((failure.failure, failure.status), (kind, Some(status)));
        assert!(failure.message.contains("why so"), "{}", failure.message);
        assert_eq!((failure.retry_after_ms, failure.opened), (Some(7000), false));
        assert_eq!(got.items.len(), 1);
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let other = FakeServer::start(Script::default()).unwrap();
    let target = format!("{}/v1/chat/completions?key=secret", other.root());
    let got = ask_for(Reply::plain(307, &[("location", &target)], "")).await;
    let failure = got.failure();
    assert_eq!(failure.status, Some(307));
    assert!(failure.message.contains(&other.root()) && !failure.message.contains("secret"), "{}", failure.message);
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn nobody_there_is_a_connect_failure() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let got = ask(&provider_at(&format!("http://{address}/v1"))).await;
    assert_eq!(got.failure().failure, FailureKind::Connect);
    assert!(!got.failure().opened && got.failure().failure.is_retryable());
    assert!(got.failure().message.to_lowercase().contains("refused"), "{}", got.failure().message);
}

#[tokio::test]
async fn silence_before_the_first_byte_ends_the_wait() {
    let short = Timeouts { first_byte: Duration::from_millis(80), ..LONG };
    let server = FakeServer::start(Script::of([Reply::say("late").behind("never")])).unwrap();
    let got = ask_with(&provider_at(&server.base_url()), short).await;
    assert_eq!(got.failure().failure, FailureKind::FirstByteTimeout);
    assert!(!got.failure().opened);
    server.until_left(1).await;

    let hanging = FakeServer::start(Script::of([Reply::steps([Step::Hang])])).unwrap();
    let got = ask_with(&provider_at(&hanging.base_url()), short).await;
    assert_eq!((got.failure().failure, got.failure().opened), (FailureKind::FirstByteTimeout, true));
    hanging.until_left(1).await;
}

#[tokio::test]
async fn silence_in_the_middle_ends_the_answer() {
    let short = Timeouts { idle: Duration::from_millis(80), ..LONG };
    let server = FakeServer::start(Script::of([Reply::steps([text("a"), Step::Hang])])).unwrap();
    let got = ask_with(&provider_at(&server.base_url()), short).await;
    assert_eq!((got.failure().failure, got.failure().opened), (FailureKind::IdleTimeout, true));
    assert_eq!(got.text, "a");
    server.until_left(1).await;
}

fn pings(count: usize) -> impl Iterator<Item = Step> {
    (0..count).flat_map(|_| [Step::Raw(b": PROCESSING\n\n".to_vec()), Step::Pause(40)])
}

#[tokio::test]
async fn p73_pings_do_not_keep_an_answer_alive_that_stands_still() {
    let server = FakeServer::start(Script::of([Reply::steps([text("a")].into_iter().chain(pings(1000)))])).unwrap();
    let short = Timeouts { idle: Duration::from_millis(250), ..LONG };
    let got = ask_with(&provider_at(&server.base_url()), short).await;
    assert_eq!((got.failure().failure, got.text.as_str()), (FailureKind::IdleTimeout, "a"));
}

#[tokio::test]
async fn p73_pings_bridge_the_wait_for_an_answer() {
    let mut steps: Vec<Step> = pings(10).collect();
    steps.push(text("a"));
    steps.extend(pings(2));
    steps.extend(done());
    let short = Timeouts { first_byte: Duration::from_millis(250), idle: Duration::from_secs(20), ..LONG };
    let server = FakeServer::start(Script::of([Reply::steps(steps)])).unwrap();
    let got = ask_with(&provider_at(&server.base_url()), short).await;
    assert_eq!(got.text, "a");
    assert_eq!(got.finish().reason, FinishReason::Stop);
    assert!(got.items.contains(&ModelItem::Alive));
}

#[tokio::test]
async fn a_stop_closes_the_connection_at_once() {
    for steps in [vec![Step::Hang], vec![text("a"), Step::Hang]] {
        let waits_for = steps.len();
        let server = FakeServer::start(Script::of([Reply::steps(steps)])).unwrap();
        let provider = provider_at(&server.base_url());
        let call = call(&provider, LONG);
        let cancel = call.cancel.clone();
        let mut stream = provider.stream(call);
        for _ in 0..waits_for {
            stream.next().await.unwrap();
        }
        let before = Instant::now();
        cancel.cancel();
        let last = stream.next().await.unwrap();
        assert!(matches!(&last[..], [ModelItem::Failed(failure)] if failure.failure == FailureKind::Stopped));
        server.until_left(1).await;
        assert!(before.elapsed() < Duration::from_secs(2));
        assert_eq!(stream.next().await, None);
    }
}

#[tokio::test]
async fn a_stop_before_the_answer_and_a_dropped_stream_close_it_too() {
    let server = FakeServer::start(Script::of([Reply::say("a").behind("x"), Reply::steps([Step::Hang])])).unwrap();
    let provider = provider_at(&server.base_url());
    let call_one = call(&provider, LONG);
    let cancel = call_one.cancel.clone();
    let mut stream = provider.stream(call_one);
    let (last, ()) = tokio::join!(stream.next(), async {
        server.until_waiting("x").await;
        cancel.cancel();
    });
    assert!(
        matches!(&last.unwrap()[..], [ModelItem::Failed(failure)] if failure.failure == FailureKind::Stopped && !failure.opened)
    );
    server.until_left(1).await;

    let mut dropped = provider.stream(call(&provider, LONG));
    assert_eq!(dropped.next().await, Some(vec![ModelItem::Opened]));
    drop(dropped);
    server.until_left(2).await;
}

#[tokio::test]
async fn the_end_is_not_waited_for_after_a_finish() {
    let finish = done()[0].clone();
    let usage = Step::event(&json!({ "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 1 } }));
    for (steps, has_usage) in [
        (vec![text("a"), finish.clone(), done()[1].clone(), Step::Hang], false),
        (vec![text("a"), finish.clone(), usage, Step::Hang], true),
        (vec![text("a"), finish.clone(), Step::Hang], false),
        (vec![text("a"), finish, Step::Cut], false),
    ] {
        let before = Instant::now();
        let got = ask_for(Reply::steps(steps)).await;
        assert_eq!(got.finish().usage.is_some(), has_usage);
        assert!(before.elapsed() < Duration::from_secs(5), "a terminal event ends the stream");
    }
}

#[tokio::test]
async fn p79_a_page_and_p80_a_cut_over_the_network() {
    let page = ask_for(Reply::plain(200, &[("content-type", "text/html")], "<html>Sign in</html>")).await;
    assert_eq!(page.failure().failure, FailureKind::NotAStream);
    assert!(page.failure().message.contains("<html>Sign in</html>") && page.failure().opened);

    let call = json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{}" } }] });
    for end in [vec![Step::Cut], vec![]] {
        let steps = [vec![Step::delta(&call)], end].concat();
        let got = ask_for(Reply::steps(steps)).await;
        assert_eq!(got.failure().failure, FailureKind::Disconnected);
    }
}

#[tokio::test]
async fn p81_nothing_is_asked_twice_after_the_first_byte() {
    let call = json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{" } }] });
    let script = Script::of([Reply::steps([Step::delta(&call), Step::Cut]), Reply::say("second")]);
    let server = FakeServer::start(script).unwrap();
    let got = ask(&provider_at(&server.base_url())).await;
    assert!(got.failure().opened, "so that nobody retries");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn p69_a_key_is_in_the_header_and_nowhere_else() {
    let echo = format!(r#"{{"error":{{"message":"bad key {KEY} in Bearer {KEY}"}}}}"#);
    let in_stream = json!({ "error": { "message": format!("{}{KEY}", "x".repeat(290)) } });
    let server = FakeServer::start(Script::of([
        Reply::plain(404, &[], &echo),
        Reply::plain(401, &[], &format!("{}{KEY}", "y".repeat(290))),
        Reply::plain(302, &[("location", &format!("http://x.example/?key={KEY}"))], ""),
        Reply::steps([Step::event(&in_stream)]),
        Reply::plain(200, &[], &format!("<html>{KEY}")),
        Reply::steps([Step::Hang]),
        Reply::steps([text("a"), Step::Cut]),
    ]))
    .unwrap();
    let base_url = format!("{}?key={KEY}", server.base_url());
    let config = ProviderConfig {
        key: Some(Secret::bound(KEY.to_owned(), &base_url).unwrap()),
        ..ProviderConfig::new(Protocol::ChatCompletions, &base_url)
    };
    let provider = Provider::new(config).unwrap();
    let short = Timeouts { first_byte: Duration::from_millis(80), ..LONG };
    for _ in 0..7 {
        let got = ask_with(&provider, if server.requests().len() == 5 { short } else { LONG }).await;
        let failure = got.failure();
        let shown = format!("{failure} {failure:?} {provider:?}");
        assert!(!shown.contains("canary") && !shown.contains("sk-"), "{shown}");
    }
    let report = provider.test(Some("tiny")).await;
    assert!(!format!("{report:?}").contains("canary"));

    let gone = server.requests();
    drop(server);
    let refused = ask(&provider).await;
    assert!(!format!("{:?}", refused.failure()).contains("canary"), "{:?}", refused.failure());
    for request in gone {
        assert_eq!(request.authorization.as_deref(), Some(format!("Bearer {KEY}").as_str()));
        assert!(!request.body.contains("canary"));
    }
}
