//! What becomes a title, and that a start asks for none. When one is asked for and what wins is tested by scripts.

use assent_protocol::event::{AssistantMessage, Delivery, EndReason, TurnCause};
use assent_protocol::ids::MessageId;
use assent_protocol::permission::Mode;
use assent_protocol::settings::{KeyPlace, Limits};
use assent_protocol::view::{FinishReason, Protocol, ToolChoice};
use assent_store::Store;
use assent_tools::Registry;

use super::*;
use crate::{Beginning, Clock, Engine, Host, HostError, ModelSource, Note, Parts};

/// A window that shows titles.
struct Window;

impl Host for Window {
    fn label(&self) -> &'static str {
        "test"
    }

    fn secret(&self, _name: &str) -> Result<Option<String>, HostError> {
        Ok(None)
    }

    fn keep_secret(&self, _name: &str, _secret: Option<&str>) -> Result<KeyPlace, HostError> {
        Ok(KeyPlace::Nowhere)
    }

    fn secret_place(&self, _name: &str) -> KeyPlace {
        KeyPlace::Nowhere
    }

    fn names_conversations(&self) -> bool {
        true
    }

    fn notify(&self, _note: Note) {}
}

async fn engine_on(store: &Store) -> Engine {
    let parts = Parts {
        store: store.clone(),
        home: None,
        host: Arc::new(Window),
        models: ModelSource::providers(),
        registry: Registry::standard(),
        clock: Clock::system(),
    };
    Engine::with(parts).await.unwrap()
}

/// What a first exchange leaves in the log up to its answer.
fn answered(choice: &ModelChoice) -> Vec<Payload> {
    let request = RequestId::new("r");
    let sent = Payload::RequestSent(assent_protocol::event::RequestSent {
        request: request.clone(),
        attempt: 1,
        purpose: Purpose::Chat,
        provider: choice.label.clone(),
        model: choice.model.clone(),
        protocol: choice.protocol,
        builder: String::new(),
        tool_choice: ToolChoice::Auto,
        digest: assent_protocol::ids::Sha::of(b""),
        bytes: 0,
        prefix: 0,
        stable: 0,
        characters: 0,
        estimate: 0,
        choice: None,
        shorter: false,
    });
    let answer = Payload::AssistantMessage(AssistantMessage {
        message: MessageId::new("a"),
        request,
        text: "Hello.".into(),
        reasoning: "".into(),
        calls: Vec::new(),
        finish: Some(FinishReason::Stop),
        partial: false,
        items: Vec::new(),
    });
    let said = Payload::UserMessage {
        message: MessageId::new("m"),
        text: "hi".into(),
        delivery: Delivery::NextTurn,
        context: None,
        attachments: Vec::new(),
        skills: Vec::new(),
    };
    let begun = Payload::IterationStart { since_human: 1, in_turn: 1 };
    vec![said, Payload::TurnStart { cause: TurnCause::Message }, begun, sent, answer]
}

#[tokio::test]
async fn a_start_that_finds_a_turn_over_asks_no_model_for_a_title() {
    let store = Store::memory().unwrap();
    let choice = ModelChoice {
        base_url: "http://127.0.0.1:9/v1".to_owned(),
        protocol: Protocol::ChatCompletions,
        ..Engine::practice_model()
    };
    let beginning = Beginning {
        project: None,
        workspace: None,
        choice: choice.clone(),
        fallbacks: Vec::new(),
        mode: Mode::Ask,
        limits: Limits::default(),
    };
    let id = engine_on(&store).await.begin(beginning).await.unwrap();
    store.append(&id, 0, answered(&choice), Durability::Light, Vec::new()).await.unwrap();
    let _started = engine_on(&store).await;
    let events = store.fold_events(&id).unwrap();
    let is_end = |payload: &Payload| matches!(payload, Payload::TurnEnd { reason: EndReason::Completed, .. });
    assert!(events.iter().any(|event| is_end(&event.payload)), "the start says that it was over");
    let requests = events.iter().filter(|event| matches!(event.payload, Payload::RequestSent(_))).count();
    assert_eq!(requests, 1);
}

#[test]
fn a_title_is_the_line_without_what_stands_around_it() {
    assert_eq!(title_of("\n\"Sort the invoices.\"\n\nIt is about…").as_deref(), Some("Sort the invoices"));
    assert_eq!(title_of("# **整理发票**").as_deref(), Some("整理发票"));
    assert_eq!(title_of("《整理发票。》\n").as_deref(), Some("整理发票"));
    assert_eq!(title_of(" \n…").as_deref(), Some("…"));
    assert_eq!(title_of("\"\"\n"), None);
    assert_eq!(title_of("\u{200b}\n\u{202e}\"Invoices\"\u{200b}\n").as_deref(), Some("Invoices"));
    assert_eq!(title_of(&format!("{}{}", "长".repeat(80), "\u{200b}".repeat(9))), Some("长".repeat(80)));
    assert_eq!(title_of(&"长".repeat(200)).map(|title| title.chars().count()), Some(LONGEST + 1));
}
