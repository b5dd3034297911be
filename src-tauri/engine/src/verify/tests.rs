//! What a check of a whole history finds beyond the store's own: requests that aren't what they were.
//! Cards and requests that are as they were are checked after every script.

use assent_llm::PRACTICE;
use assent_protocol::event::{Delivery, Purpose, TurnCause};
use assent_protocol::ids::{MessageId, RequestId};
use assent_protocol::permission::Mode;
use assent_protocol::settings::{KeyPlace, Limits, ModelChoice};
use assent_protocol::view::{Protocol, ToolChoice};
use assent_store::{Durability, Store};
use assent_tools::Registry;

use super::*;
use crate::models::tests::Variables;
use crate::{Beginning, Clock, Host, HostError, ModelSource, Note, Parts};

fn sent(number: u32, builder: &str, digest: Sha) -> Payload {
    Payload::RequestSent(RequestSent {
        request: RequestId::new(format!("r{number}")),
        attempt: 1,
        purpose: Purpose::Chat,
        provider: PRACTICE.to_owned(),
        model: PRACTICE.to_owned(),
        protocol: Protocol::Practice,
        builder: builder.to_owned(),
        tool_choice: ToolChoice::Auto,
        digest,
        bytes: 0,
        prefix: 0,
        stable: 0,
        characters: 0,
        estimate: 0,
        choice: None,
        shorter: false,
    })
}

async fn found(requests: impl IntoIterator<Item = Payload>) -> Vec<String> {
    found_by(Arc::new(Variables(&[])), Engine::practice_model(), requests).await
}

async fn found_by(
    host: Arc<dyn Host>,
    choice: ModelChoice,
    requests: impl IntoIterator<Item = Payload>,
) -> Vec<String> {
    let parts = Parts {
        store: Store::memory().unwrap(),
        home: None,
        host,
        models: ModelSource::providers(),
        registry: Registry::standard(),
        clock: Clock::system(),
    };
    let store = parts.store.clone();
    let engine = Engine::with(parts).await.unwrap();
    let beginning = Beginning {
        project: None,
        workspace: None,
        choice,
        fallbacks: Vec::new(),
        mode: Mode::Ask,
        limits: Limits::default(),
    };
    let id = engine.begin(beginning).await.unwrap();
    let said = Payload::UserMessage {
        message: MessageId::new("m"),
        text: "help".into(),
        delivery: Delivery::NextTurn,
        context: None,
        attachments: Vec::new(),
    };
    let mut payloads = vec![
        said,
        Payload::TurnStart { cause: TurnCause::Message },
        Payload::IterationStart { since_human: 1, in_turn: 1 },
    ];
    payloads.extend(requests);
    store.append(&id, 0, payloads, Durability::Light, Vec::new()).await.unwrap();
    engine.verify().unwrap().into_iter().map(|difference| difference.message).collect()
}

#[tokio::test]
async fn a_request_that_is_another_one_is_found() {
    let wrong = Sha::of(b"something else");
    assert_eq!(found([sent(1, "practice/1", wrong)]).await, ["request 1 is another one when it is computed again"]);
    assert!(found([sent(1, "practice/0", wrong)]).await.is_empty(), "another version made it");
}

/// A keychain that nobody opens.
struct Locked;

impl Host for Locked {
    fn label(&self) -> &'static str {
        "test"
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn secret(&self, _name: &str) -> Result<Option<String>, HostError> {
        Err(HostError("the keychain is locked".to_owned()))
    }

    fn keep_secret(&self, _name: &str, _secret: Option<&str>) -> Result<KeyPlace, HostError> {
        Err(HostError("the keychain is locked".to_owned()))
    }

    fn secret_place(&self, _name: &str) -> KeyPlace {
        KeyPlace::Nowhere
    }

    fn notify(&self, _note: Note) {}
}

#[tokio::test]
async fn no_key_is_needed_to_compute_a_request_again() {
    let choice = ModelChoice {
        base_url: "https://example.com/v1".to_owned(),
        protocol: Protocol::ChatCompletions,
        ..Engine::practice_model()
    };
    let requests = [sent(1, "chat-completions/0", Sha::of(b"of another version"))];
    assert!(found_by(Arc::new(Locked), choice, requests).await.is_empty());
}
