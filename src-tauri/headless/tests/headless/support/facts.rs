//! What a log says of calls, read from its JSON lines alone.
//! It checks what must hold of every log; what a test is about stands in the test.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::text;

/// One call as the log tells it.
#[derive(Debug, Default)]
pub struct Call {
    pub name: String,
    pub arguments: Value,
    pub requested: Vec<Value>,
    pub decided: Vec<Value>,
    pub started: Vec<Value>,
    pub results: Vec<Value>,
}

impl Call {
    /// How it ended; none: it did not.
    pub fn outcome(&self) -> Option<&str> {
        self.results.last().map(|result| text(result, "outcome"))
    }
}

/// Events of a kind.
pub fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["kind"] == kind).collect()
}

/// All calls, by id. Panics where a log holds what no log may: gaps, results or starts without a call or twice, two
/// decisions on one card, a start without an approval of the card that was shown last.
pub fn calls(events: &[Value]) -> BTreeMap<String, Call> {
    let mut calls: BTreeMap<String, Call> = BTreeMap::new();
    for (position, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], position as u64 + 1, "a gap before {event}");
        let kind = text(event, "kind");
        if kind == "assistant/message" {
            for proposed in event["calls"].as_array().unwrap() {
                let call = Call {
                    name: text(proposed, "name").to_owned(),
                    arguments: serde_json::from_str(text(proposed, "arguments")).unwrap_or_default(),
                    ..Call::default()
                };
                assert!(calls.insert(text(proposed, "call").to_owned(), call).is_none(), "proposed twice: {event}");
            }
            continue;
        }
        if !["approval/requested", "approval/decided", "tool/started", "tool/result"].contains(&kind) {
            continue;
        }
        let call = calls.get_mut(text(event, "call")).unwrap_or_else(|| panic!("nobody proposed {event}"));
        assert!(call.results.is_empty(), "after its result: {event}");
        match kind {
            "approval/requested" => call.requested.push(event.clone()),
            "approval/decided" => {
                let shown = &call.requested.last().unwrap()["card"]["digest"];
                assert_eq!(event["card"], *shown, "another card was decided on: {event}");
                call.decided.push(event.clone());
            }
            "tool/started" => {
                assert!(call.started.is_empty(), "started twice: {event}");
                let last = call.decided.last().map(|decided| (&decided["answer"], &decided["card"]));
                let shown = call.requested.last().map(|requested| &requested["card"]["digest"]);
                let is_approved = last.map(|(answer, card)| (answer.as_str(), Some(card)));
                assert!(shown.is_none() || is_approved == Some((Some("approved"), shown)), "not approved: {event}");
                call.started.push(event.clone());
            }
            _ => call.results.push(event.clone()),
        }
    }
    calls
}

/// Results in the order of their calls.
pub fn results(events: &[Value]) -> Vec<Value> {
    let messages = of_kind(events, "assistant/message").into_iter();
    let ids = messages.flat_map(|message| message["calls"].as_array().unwrap().clone());
    let mut found = calls(events);
    ids.filter_map(|proposed| found.get_mut(text(&proposed, "call")).and_then(|call| call.results.pop())).collect()
}

/// Every call has its one result, or waits for a person; and what waits in the log waits on the screen.
pub fn check_pairs(events: &[Value], pending: &[Value]) {
    let shown: Vec<&str> = pending.iter().map(|row| text(row, "call")).collect();
    for (id, call) in calls(events) {
        assert!(
            call.results.len() == 1 || shown.contains(&id.as_str()),
            "{id} has no result and doesn't wait: {call:?}"
        );
        assert!(call.results.is_empty() || !shown.contains(&id.as_str()), "{id} is done and waits: {call:?}");
    }
}
