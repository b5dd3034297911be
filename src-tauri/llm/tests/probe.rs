//! What a provider is asked about itself: models, windows, whether it works, and what runs on this machine.
//! Against a real HTTP server on loopback.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assent_llm::{Asked, Provider, ProviderConfig, discover_at};
use assent_protocol::known::ModelFacts;
use assent_protocol::view::{FailureKind, Protocol};
use assent_testkit::fake_server::{FakeServer, Reply, Script};

fn server(script: &str) -> FakeServer {
    FakeServer::start(Script::parse(script).unwrap()).unwrap()
}

fn provider_at(base_url: &str) -> Provider {
    Provider::new(ProviderConfig::new(Protocol::ChatCompletions, base_url)).unwrap()
}

#[tokio::test]
async fn models_are_listed_with_their_windows() {
    let server = server(r#"{ "models": ["tiny", { "id": "big", "max_model_len": 65536 }] }"#);
    let models = provider_at(&server.base_url()).models().await.unwrap();
    let listed: Vec<_> = models.iter().map(|model| (model.id.as_str(), model.facts.window)).collect();
    assert_eq!(listed, [("tiny", None), ("big", Some(65_536))]);
}

#[tokio::test]
async fn a_window_comes_from_where_each_server_says_it() {
    let ollama =
        server(r#"{ "documents": { "/api/ps": { "models": [{ "name": "tiny:latest", "context_length": 4096 }] } } }"#);
    assert_eq!(provider_at(&ollama.base_url()).told("tiny").await.window, Some(4096));

    let llama = server(
        r#"{ "models": [{ "id": "any", "max_model_len": 65536 }],
             "documents": { "/props": { "default_generation_settings": { "n_ctx": 8192 }, "modalities": { "vision": true } } } }"#,
    );
    let told = provider_at(&llama.base_url()).told("any").await;
    assert_eq!((told.window, told.images), (Some(8192), Some(true)), "what is loaded counts before what is possible");

    let vllm = server(r#"{ "models": [{ "id": "tiny", "max_model_len": 32768 }] }"#);
    let provider = provider_at(&vllm.base_url());
    assert_eq!(provider.told("tiny").await.window, Some(32_768));
    assert_eq!(provider.told("other").await, ModelFacts::default(), "unknown stays unknown");
}

#[tokio::test]
async fn test_says_what_it_tried() {
    let good = server(r#"{ "models": ["tiny"] }"#);
    let report = provider_at(&good.root()).test(None).await;
    assert!(report.works);
    assert_eq!(report.tried[0].asked, Asked::List);
    assert_eq!(report.tried[0].address, format!("{}/v1/models", good.root()));

    // No list, but an answer.
    let mute = server("{}");
    let report = provider_at(&mute.root()).test(Some("tiny")).await;
    assert!(report.works);
    let tried: Vec<(Asked, &str)> =
        report.tried.iter().map(|attempt| (attempt.asked, attempt.address.as_str())).collect();
    let root = mute.root();
    assert_eq!(
        tried,
        [
            (Asked::List, &*format!("{root}/v1/models")),
            (Asked::List, &*format!("{root}/models")),
            (Asked::Word, &*format!("{root}/v1/chat/completions"))
        ]
    );
    assert_eq!(mute.violations(), Vec::<String>::new());

    mute.push(Reply::plain(400, &[], r#"{"error":{"message":"no such model"}}"#));
    let report = provider_at(&mute.base_url()).test(Some("tiny")).await;
    assert!(!report.works);
    let last = report.tried.last().unwrap().failure.as_ref().unwrap();
    assert_eq!(last.failure, FailureKind::BadRequest);
    assert!(last.message.contains("no such model"));

    let gone = mute.base_url();
    drop(mute);
    let report = provider_at(&gone).test(Some("tiny")).await;
    assert!(!report.works);
    assert_eq!(report.tried.len(), 1, "nobody there is nobody there");
}

#[tokio::test]
async fn servers_on_this_machine_are_found_by_their_lists() {
    let (one, page, two) = (
        server(r#"{ "models": ["a", "b"] }"#),
        server(r#"{ "documents": { "/v1/models": { "hello": "I am something else" } } }"#),
        server(r#"{ "models": [] }"#),
    );
    let gone = server("{}");
    let gone_url = gone.base_url();
    drop(gone);
    let (one_url, page_url, two_url) = (one.base_url(), page.base_url(), two.base_url());
    let places = [("One", one_url.as_str()), ("Page", &page_url), ("Gone", &gone_url), ("Two", &two_url)];
    let found = discover_at(&places).await;
    let names: Vec<_> = found.iter().map(|server| (server.name.as_str(), server.models.len())).collect();
    assert_eq!(names, [("One", 2), ("Two", 0)]);
}
