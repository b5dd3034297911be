//! Tests of sums: by day, model, purpose and conversation, with what is unknown counted apart.
//! Costs are made elsewhere.

use assent_protocol::event::{Payload, Purpose};
use assent_protocol::ids::RequestId;
use assent_protocol::usage::{UsageTotals, UsedModel};
use assent_protocol::view::Usage;
use rusqlite::Connection;

use crate::migrate::steps;
use crate::table::requests::tests::{failed, sent, used};
use crate::tests::{append, begin, check_whole, id};
use crate::{Durability, Store};

const HOUR: i64 = 3_600_000;

fn append_at(store: &Store, conversation: &str, at: i64, payloads: Vec<Payload>) {
    store.append(&id(conversation), at, payloads, Durability::Light, Vec::new()).wait().unwrap();
}

fn totals(requests: u64, unknown: (u64, u64), input: Option<u64>, cost_micros: Option<u64>) -> UsageTotals {
    let output = input.map(|_| requests - unknown.0);
    let usage = Usage { input, output, ..Usage::default() };
    UsageTotals { requests, uncounted: unknown.0, unpriced: unknown.1, usage, cost_micros }
}

fn named(model: &str) -> UsedModel {
    UsedModel { provider: "local".to_owned(), model: model.to_owned() }
}

/// Two conversations over two days: priced and unpriced answers, one failure, one still on its way.
fn two_days() -> Store {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    begin(&store, "b");
    append_at(&store, "a", HOUR, vec![sent("1", 1, "m"), used("1", 10, None, Some(7))]);
    append_at(&store, "a", 2 * HOUR, vec![sent("2", 1, "m"), failed("2"), sent("3", 1, "m"), used("3", 5, None, None)]);
    append_at(&store, "b", 30 * HOUR, vec![sent("4", 1, "n"), used("4", 100, None, Some(900)), sent("5", 1, "n")]);
    store
}

#[test]
fn sums_by_day_model_purpose_and_conversation() {
    let store = two_days();
    let report = store.usage(&[0, 24 * HOUR, 48 * HOUR]).unwrap();
    let of_a = totals(3, (1, 2), Some(15), Some(7));
    let of_b = totals(1, (0, 0), Some(100), Some(900));
    assert_eq!(report.total, totals(4, (1, 2), Some(115), Some(907)));
    let days: Vec<_> = report.days.iter().map(|one| (one.day, one.model.clone(), one.totals)).collect();
    assert_eq!(days, [(0, named("m"), of_a), (1, named("n"), of_b)]);
    let models: Vec<_> = report.models.iter().map(|one| (one.model.clone(), one.totals)).collect();
    assert_eq!(models, [(named("n"), of_b), (named("m"), of_a)], "the dearest first");
    let purposes: Vec<_> = report.purposes.iter().map(|one| (one.purpose, one.totals)).collect();
    assert_eq!(purposes, [(Purpose::Chat, report.total)]);
    let conversations: Vec<_> = report.conversations.iter().map(|one| (one.conversation.clone(), one.totals)).collect();
    assert_eq!(conversations, [(id("b"), of_b), (id("a"), of_a)]);
    assert_eq!(report.purged, UsageTotals::default());
    assert_eq!(store.usage_of(&id("a")).unwrap(), of_a);
    check_whole(&store);
}

#[test]
fn a_day_begins_where_it_is_said_to_and_the_span_ends_before_its_last_bound() {
    let store = two_days();
    let days = |bounds: &[i64]| -> Vec<(u32, u64)> {
        store.usage(bounds).unwrap().days.iter().map(|one| (one.day, one.totals.requests)).collect()
    };
    assert_eq!(days(&[HOUR, 2 * HOUR, 30 * HOUR]), [(0, 1), (1, 2)]);
    assert_eq!(days(&[HOUR + 1, 30 * HOUR + 1]), [(0, 2), (0, 1)], "one day, two models");
    assert_eq!(days(&[31 * HOUR, 40 * HOUR]), []);
    assert_eq!(days(&[5]), []);
    assert_eq!(days(&[]), []);
}

#[test]
fn what_nobody_told_is_no_zero() {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", vec![sent("1", 1, "m"), failed("1")]);
    let sum = store.usage_of(&id("a")).unwrap();
    assert_eq!(sum, UsageTotals { requests: 1, uncounted: 1, unpriced: 1, ..UsageTotals::default() });
    assert_eq!(store.usage_of(&id("nobody")).unwrap(), UsageTotals::default());
}

#[test]
fn the_newest_requests_come_first() {
    let store = two_days();
    let of_a = store.usage_requests(&id("a"), 2).unwrap();
    let seen: Vec<_> = of_a.iter().map(|one| (one.request.as_str(), one.usage.input, one.cost_micros)).collect();
    assert_eq!(seen, [("3", Some(5), None), ("2", None, None)]);
    assert_eq!((of_a[0].ended_at, &of_a[0].model), (2 * HOUR, &named("m")));
    assert_eq!(store.usage_requests(&id("b"), 9).unwrap().len(), 1, "what is on its way isn't there yet");
}

#[test]
fn money_stays_known_when_its_conversation_is_purged() {
    let store = two_days();
    let bounds = [0, 24 * HOUR, 48 * HOUR];
    let before = store.usage(&bounds).unwrap();
    store.delete(&id("a"), 1).wait().unwrap();
    let hidden = store.usage(&bounds).unwrap();
    assert_eq!(hidden.total, before.total);
    assert_eq!(hidden.conversations.iter().map(|one| one.deleted).collect::<Vec<_>>(), [false, true]);
    store.purge(2).wait().unwrap();
    let after = store.usage(&bounds).unwrap();
    assert_eq!((after.total, after.days, after.models), (before.total, before.days, before.models));
    assert_eq!(after.conversations.iter().map(|one| one.conversation.clone()).collect::<Vec<_>>(), [id("b")]);
    assert_eq!(after.purged, totals(3, (1, 2), Some(15), Some(7)));
    check_whole(&store);
    begin(&store, "c");
    append_at(&store, "c", HOUR + 1, vec![sent("6", 1, "m"), used("6", 1, Some(2), None)]);
    store.delete(&id("c"), 1).wait().unwrap();
    store.purge(2).wait().unwrap();
    let usage = Usage { input: Some(16), output: Some(3), reasoning: Some(2), ..Usage::default() };
    let both = UsageTotals { requests: 4, uncounted: 1, unpriced: 3, usage, cost_micros: Some(7) };
    assert_eq!(store.usage(&bounds).unwrap().purged, both, "a slot that is there already grows");
}

#[test]
fn an_older_history_is_summed_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let old: Vec<_> = steps().into_iter().filter(|step| step.version == 1).collect();
    drop(Store::open_with(folder.path(), &old, false).unwrap());
    let sent = sent("1", 1, "m");
    let discarded = Payload::AssistantDiscarded {
        request: RequestId::new("1"),
        failure: assent_protocol::view::FailureKind::Disconnected,
        message: String::new(),
        text: String::new(),
    };
    let created = Payload::ConversationCreated { project: None, workspace: None, fork: None, parent: None };
    let connection = Connection::open(folder.path().join("assent.db")).unwrap();
    for (seq, (at, payload)) in [(1, created), (2, sent), (3, discarded.clone()), (4, discarded)].iter().enumerate() {
        connection
            .execute(
                "INSERT INTO events VALUES ('a', ?1, ?2, ?3, ?4)",
                rusqlite::params![seq as i64 + 1, at, payload.kind(), payload.encode()],
            )
            .unwrap();
    }
    connection
        .execute_batch(
            "INSERT INTO conversations (id, seq, settled, created_at, updated_at) VALUES ('a', 4, 4, 1, 4);
             INSERT INTO requests (request, conversation, seq, purpose, provider, model) VALUES
                 ('1', 'a', 2, 'chat', 'local', 'm');",
        )
        .unwrap();
    connection.execute("UPDATE requests SET digest = ?1", [assent_protocol::ids::Sha::of(b"m").to_string()]).unwrap();
    drop(connection);
    let (store, opening) = Store::open(folder.path()).unwrap();
    assert_eq!(opening.migrated_from, Some(1));
    assert_eq!(store.usage_requests(&id("a"), 9).unwrap()[0].ended_at, 3, "it ended when it ended first");
    check_whole(&store);
}
