//! What a check of a whole history finds beyond the store's own: requests that aren't what they were.
//! Cards and requests that are as they were are checked after every script.

use assent_llm::PRACTICE;
use assent_protocol::event::{Delivery, Purpose, TurnCause};
use assent_protocol::ids::{MessageId, RequestId};
use assent_protocol::permission::Mode;
use assent_protocol::settings::Limits;
use assent_protocol::view::{Protocol, ToolChoice};
use assent_store::{Durability, Store};
use assent_tools::Registry;

use super::*;
use crate::models::tests::Variables;
use crate::{Beginning, Clock, ModelSource, Parts};

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
        characters: 0,
        estimate: 0,
    })
}

async fn found(requests: impl IntoIterator<Item = Payload>) -> Vec<String> {
    let parts = Parts {
        store: Store::memory().unwrap(),
        home: None,
        host: Arc::new(Variables(&[])),
        models: ModelSource::providers(),
        registry: Registry::standard(),
        clock: Clock::system(),
    };
    let store = parts.store.clone();
    let engine = Engine::with(parts).await.unwrap();
    let beginning = Beginning {
        project: None,
        workspace: None,
        choice: Engine::practice_model(),
        mode: Mode::Ask,
        limits: Limits::default(),
    };
    let id = engine.begin(beginning).await.unwrap();
    let said = Payload::UserMessage {
        message: MessageId::new("m"),
        text: "help".into(),
        delivery: Delivery::NextTurn,
        context: None,
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
