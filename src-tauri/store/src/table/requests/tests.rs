//! Tests of requests: how they were sent last, and sums of what they used.
//! Bodies are recomputed elsewhere.

use assent_protocol::event::{Payload, Purpose, RequestSent};
use assent_protocol::ids::RequestId;
use assent_protocol::view::{Protocol, ToolChoice, Usage};

use crate::Store;
use crate::table::requests::{SentRequest, UsageSum};
use crate::tests::{append, begin, check_whole, id};
use assent_protocol::ids::Sha;

fn sent(request: &str, attempt: u32, model: &str) -> Payload {
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
    })
}

fn used(request: &str, input: u64, reasoning: Option<u64>, cost_micros: Option<u64>) -> Payload {
    Payload::UsageRecorded {
        request: RequestId::new(request),
        purpose: Purpose::Chat,
        usage: Usage { input: Some(input), output: Some(1), reasoning, ..Usage::default() },
        cost_micros,
        coefficient: 0.35,
    }
}

#[test]
fn usage_is_summed_by_conversation_and_model() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    append(
        &store,
        "a",
        vec![sent("1", 1, "m"), used("1", 10, None, None), sent("2", 1, "m"), used("2", 5, Some(3), Some(7))],
    );
    append(&store, "a", vec![sent("3", 1, "n"), used("3", 1, None, None), sent("4", 1, "never answered")]);
    append(&store, "b", vec![sent("5", 1, "m"), used("5", 100, None, None)]);
    let sum = |name: &str, model: &str, requests, input, reasoning, cost_micros| UsageSum {
        conversation: id(name),
        model: model.to_owned(),
        requests,
        usage: Usage { input: Some(input), output: Some(requests), reasoning, ..Usage::default() },
        cost_micros,
    };
    let of_a = vec![sum("a", "m", 2, 15, Some(3), Some(7)), sum("a", "n", 1, 1, None, None)];
    assert_eq!(store.usage(Some(&id("a"))).unwrap(), of_a);
    let all = [of_a, vec![sum("b", "m", 1, 100, None, None)]].concat();
    assert_eq!(store.usage(None).unwrap(), all);
    check_whole(&store);
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
fn usage_without_a_request_is_counted_too() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![used("title", 9, None, None)]);
    let sums = store.usage(Some(&id("a"))).unwrap();
    assert_eq!((sums.len(), sums[0].usage.input), (1, Some(9)));
    assert_eq!(store.requests(&id("a")).unwrap(), Vec::new());
    check_whole(&store);
}
