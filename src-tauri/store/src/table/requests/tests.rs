//! Tests of requests: how they were sent last, and the events of which other tests make sums.
//! Bodies are recomputed elsewhere.

use assent_protocol::event::{Payload, Purpose, RequestSent};
use assent_protocol::ids::RequestId;
use assent_protocol::view::{FailureKind, Protocol, ToolChoice, Usage};

use crate::Store;
use crate::table::requests::SentRequest;
use crate::tests::{append, begin, check_whole, id};
use assent_protocol::ids::Sha;

pub(crate) fn sent(request: &str, attempt: u32, model: &str) -> Payload {
    Payload::RequestSent(RequestSent {
        request: RequestId::new(request),
        attempt,
        purpose: Purpose::Chat,
        provider: "local".to_owned(),
        model: model.to_owned(),
        protocol: Protocol::ChatCompletions,
        builder: "1".to_owned(),
        tool_choice: ToolChoice::Auto,
        digest: Sha::of(model.as_bytes()),
        bytes: 1,
        prefix: 0,
        stable: 0,
        characters: 1,
        estimate: 1,
        choice: None,
        shorter: false,
    })
}

pub(crate) fn used(request: &str, input: u64, reasoning: Option<u64>, cost_micros: Option<u64>) -> Payload {
    Payload::UsageRecorded {
        request: RequestId::new(request),
        purpose: Purpose::Chat,
        usage: Usage { input: Some(input), output: Some(1), reasoning, ..Usage::default() },
        cost_micros,
        coefficient: 0.35,
    }
}

pub(crate) fn failed(request: &str) -> Payload {
    Payload::RequestFailed {
        request: RequestId::new(request),
        failure: FailureKind::Server,
        message: "HTTP 503".to_owned(),
        attempt: 1,
        retry_in_ms: None,
    }
}

#[test]
fn a_request_stands_as_it_was_sent_last() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![sent("1", 1, "m"), sent("1", 2, "n"), sent("2", 1, "m")]);
    let expected = [("1", 6, "n"), ("2", 7, "m")].map(|(request, seq, model)| SentRequest {
        request: RequestId::new(request),
        seq,
        provider: "local".to_owned(),
        model: model.to_owned(),
        digest: Sha::of(model.as_bytes()),
    });
    assert_eq!(store.requests(&id("a")).unwrap(), expected);
    check_whole(&store);
}

#[test]
fn a_request_that_was_never_sent_is_none() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![failed("1"), used("title", 9, None, None)]);
    assert_eq!(store.requests(&id("a")).unwrap(), Vec::new());
    assert_eq!(store.usage_of(&id("a")).unwrap().requests, 1);
    check_whole(&store);
}
