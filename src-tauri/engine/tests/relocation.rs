//! A project whose folder is another one from now on: what runs next in its conversations runs there.
//! Over HTTP, with conversations that were at work before.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;

use assent_engine::{Beginning, Engine, Subscription};
use assent_protocol::event::{Delivery, Payload};
use assent_protocol::ids::ConversationId;
use assent_protocol::permission::Mode;
use assent_protocol::request::Request;
use assent_protocol::settings::{Limits, ModelChoice};
use assent_protocol::signal::Signal;
use assent_protocol::view::Protocol;
use assent_testkit::fake_server::{FakeServer, Script};
use assent_testkit::stage::Nobody;

/// Has the model read the note; what it was shown.
async fn read_note(engine: &Engine, signals: &mut Subscription, conversation: &ConversationId) -> String {
    let text = r#"call read_file with {"path":"note"} then say Read."#.to_owned();
    let (delivery, conversation) = (Delivery::NextTurn, conversation.clone());
    let send = Request::Send { conversation, text, delivery, reject: false, attachments: Vec::new() };
    engine.handle(send).await.unwrap();
    let mut shown = None;
    loop {
        for signal in signals.next().await {
            let Signal::Recorded { event } = signal else { continue };
            match event.payload {
                Payload::ToolResult(result) => shown = Some(result.shown.to_string()),
                Payload::TurnEnd { .. } => return shown.unwrap(),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn a_project_that_is_elsewhere_is_read_there_by_the_next_call() {
    let base = tempfile::tempdir().unwrap();
    for place in ["old", "new"] {
        std::fs::create_dir(base.path().join(place)).unwrap();
        std::fs::write(base.path().join(place).join("note"), format!("in the {place} folder\n")).unwrap();
    }
    let at = |place: &str| base.path().join(place).to_str().unwrap().to_owned();
    let server = FakeServer::start(Script::default()).unwrap();
    let home = base.path().join("home");
    let engine = Engine::open(Path::new(&home), Arc::new(Nobody::default())).await.unwrap();
    let project = engine.open_folder(&at("old"), false).await.unwrap();
    let (base_url, protocol) = (server.base_url(), Protocol::ChatCompletions);
    let choice = ModelChoice { base_url, protocol, model: "m".to_owned(), ..Engine::practice_model() };
    let beginning = Beginning {
        project: Some(project.id.clone()),
        workspace: Some(project.folder),
        choice,
        fallbacks: Vec::new(),
        mode: Mode::Ask,
        limits: Limits::default(),
    };
    let conversation = engine.begin(beginning).await.unwrap();
    let mut signals = engine.subscribe();
    let shown = read_note(&engine, &mut signals, &conversation).await;
    assert!(shown.contains("in the old folder"), "{shown}");
    engine.handle(Request::LocateProject { project: project.id, path: at("new") }).await.unwrap();
    let shown = read_note(&engine, &mut signals, &conversation).await;
    assert!(shown.contains("in the new folder"), "{shown}");
    assert_eq!(server.violations(), Vec::<String>::new());
}
