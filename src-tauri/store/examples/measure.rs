//! Measures the store on this machine and prints a figure a line: `cargo run --release -p assent-store --example measure`.
//! It checks nothing; budgets are held by whoever reads the figures.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measuring program prints, and stops where it fails")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use assent_policy::{Cleared, Subject};
use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::event::{
    AssistantMessage, Delivery, Part, Payload, ProposedCall, ToolCall, ToolResult, TurnCause,
};
use assent_protocol::ids::{BootId, CallId, ConversationId, MessageId, RequestId};
use assent_protocol::permission::{Answer, Decider, Scope, Tier, Verdict};
use assent_protocol::preview::Preview;
use assent_protocol::tool::{Brief, FileState, Intent, Outcome, Stored};
use assent_protocol::view::FailureKind;
use assent_store::{Among, ClaimRecord, Decision, Durability, Search, Store};
use serde_json::{Map, Value};

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let (store, _) = Store::open(folder.path()).unwrap();
    println!("open, new: {:?}", begun.elapsed());
    let conversation = ConversationId::new("0190b5a0-0000-7000-8000-000000000001");
    begin(&store, &conversation);

    let text = "some streamed words ".repeat(20);
    print("light append, round trip", 5000, || {
        append(&store, &conversation, vec![chunk(&text)], Durability::Light);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    print("light append, round trip from async", 5000, || {
        runtime.block_on(store.append(&conversation, 1, vec![chunk(&text)], Durability::Light, Vec::new())).unwrap();
    });
    print("full append, round trip", 500, || {
        append(&store, &conversation, vec![chunk(&text)], Durability::Full);
    });
    let mut number = 0;
    let mut spent = [Duration::ZERO; 2];
    for _ in 0..300 {
        number += 1;
        let (decided, claimed) = decide_and_claim(&store, &conversation, &format!("call-{number}"), &runtime);
        spent[0] += decided;
        spent[1] += claimed;
    }
    println!("decision: {:?}", spent[0] / 300);
    println!("claim: {:?}", spent[1] / 300);
    print("10,000 light appends, queued at once", 1, || {
        let replies: Vec<_> = (0..10_000)
            .map(|_| store.append(&conversation, 1, vec![chunk(&text)], Durability::Light, Vec::new()))
            .collect();
        replies.into_iter().for_each(|reply| drop(reply.wait().unwrap()));
    });

    search(&store);
    fold(&store, "0190b5a0-0000-7000-8000-000000000002", 10);
    fold(&store, "0190b5a0-0000-7000-8000-000000000003", 0);
    print("row", 2000, || drop(store.row(&conversation).unwrap()));
    print("rows", 2000, || drop(store.rows().unwrap()));
    print(&format!("verify of {} bytes", store.size().unwrap()), 1, || assert!(store.verify().unwrap().is_empty()));
    let begun = Instant::now();
    drop(store);
    println!("close: {:?}", begun.elapsed());
    let begun = Instant::now();
    let (store, _) = Store::open(folder.path()).unwrap();
    println!("open, closed in order: {:?}", begun.elapsed());
    drop(store);
    let database = folder.path().join("assent.db");
    std::fs::write(folder.path().join("lock"), "killed\nhistory").unwrap();
    let begun = Instant::now();
    let (_store, _) = Store::open(folder.path()).unwrap();
    println!("open, after a kill ({} bytes): {:?}", database.metadata().unwrap().len(), begun.elapsed());
}

fn print(what: &str, times: u32, mut work: impl FnMut()) {
    let (begun, spent) = (Instant::now(), processor_time());
    for _ in 0..times {
        work();
    }
    println!("{what}: {:?}, processor {:?}", begun.elapsed() / times, (processor_time() - spent) / times);
}

/// What all threads together have computed so far: on a busy machine a better figure than the time that passed.
/// Zero where the system doesn't tell (anywhere but on Linux).
fn processor_time() -> Duration {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let of_thread = |thread: std::fs::DirEntry| -> Option<u64> {
        std::fs::read_to_string(thread.path().join("schedstat")).ok()?.split(' ').next()?.parse().ok()
    };
    Duration::from_nanos(threads.flatten().filter_map(of_thread).sum())
}

/// Folds 40,000 events, of which `chunks` of each dozen or so are settled chunks.
fn fold(store: &Store, name: &str, chunks: usize) {
    let conversation = ConversationId::new(name);
    begin(store, &conversation);
    let text = "an answer of the usual length, some lines of it ".repeat(12);
    let mut replies = Vec::new();
    let mut made = 2;
    while made < 40_000 {
        let call = format!("{name}-{made}");
        let mut payloads = vec![Payload::IterationStart { since_human: 1, in_turn: 1 }];
        payloads.extend((0..chunks).map(|_| chunk(&text[..200])));
        payloads.push(message(&call, &text));
        payloads.push(result(&call, &text));
        payloads.push(Payload::IterationEnd { in_turn: 1 });
        made += payloads.len();
        replies.push(store.append(&conversation, 1, payloads, Durability::Light, Vec::new()));
    }
    replies.into_iter().for_each(|reply| drop(reply.wait().unwrap()));
    drop(store.fold_events(&conversation).unwrap());
    let left = store.fold_events(&conversation).unwrap().len();
    print(&format!("events to fold, {left} of {made} (the others are settled chunks)"), 5, || {
        drop(store.fold_events(&conversation).unwrap());
    });
    print("newest page of 50 messages", 200, || drop(store.newest(&conversation, 50).unwrap()));
}

/// What indexing adds to an append, and what searching among 40,000 answers of 1,200 characters takes.
fn search(store: &Store) {
    let conversation = ConversationId::new("0190b5a0-0000-7000-8000-000000000004");
    begin(store, &conversation);
    let mut seed = 1;
    // A discarded answer is stored like a message and isn't indexed.
    let discarded = |text: String| Payload::AssistantDiscarded {
        request: RequestId::new("r"),
        failure: FailureKind::Disconnected,
        message: String::new(),
        text,
    };
    for durability in [Durability::Light, Durability::Full] {
        let times = if durability == Durability::Full { 300 } else { 2000 };
        print(&format!("{durability:?} append of 1,200 characters, not indexed"), times, || {
            append(store, &conversation, vec![discarded(words(&mut seed))], durability);
        });
        let mut number = 0;
        print(&format!("{durability:?} append of 1,200 characters, indexed"), times, || {
            number += 1;
            let message = message(&format!("{durability:?} {number}"), &words(&mut seed));
            append(store, &conversation, vec![message], durability);
        });
    }
    let size = store.size().unwrap();
    let replies: Vec<_> = (0..40_000)
        .map(|number| {
            let message = message(&format!("more {number}"), &words(&mut seed));
            store.append(&conversation, 1, vec![message], Durability::Light, Vec::new())
        })
        .collect();
    replies.into_iter().for_each(|reply| drop(reply.wait().unwrap()));
    println!("40,000 answers with their index: {} bytes", store.size().unwrap() - size);
    for query in ["ka", "mo ka", "rumo teka", "rumoteka", "数据", "数", "\"数据 mo\""] {
        print(&format!("search for {query}"), 5, || {
            let search = Search { query: query.to_owned(), any: false, among: Among::All, limit: 30, now: 2 };
            drop(store.search(search).unwrap());
        });
    }
}

/// Some 1,200 characters of invented words, one in ten Chinese, rare ones and frequent ones as in a language.
fn words(seed: &mut u64) -> String {
    const SYLLABLES: [&str; 16] =
        ["ka", "mo", "ru", "ri", "te", "sa", "no", "li", "ve", "do", "pa", "shi", "en", "or", "ul", "ga"];
    let mut next = |below: u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % below
    };
    let mut text = String::new();
    while text.len() < 1200 {
        if next(10) == 0 {
            for _ in 0..=next(6) {
                let rank = next(3000) * next(3000) / 3000;
                text.extend(char::from_u32(0x4E00 + u32::try_from(rank).unwrap()));
            }
            text.push_str(if next(2) == 0 { "数据" } else { "，" });
        } else {
            // One of 20,000, the first of them much more often than the last.
            let mut rank = next(20_000) * next(20_000) / 20_000;
            while rank > 0 {
                text.push_str(SYLLABLES[usize::try_from(rank % 16).unwrap()]);
                rank /= 16;
            }
        }
        text.push(' ');
    }
    text
}

fn begin(store: &Store, conversation: &ConversationId) {
    let payloads = vec![
        Payload::ConversationCreated {
            project: None,
            workspace: Some("/srv/project".to_owned()),
            fork: None,
            parent: None,
        },
        Payload::UserMessage {
            message: MessageId::new("m"),
            text: Arc::from("hello"),
            delivery: Delivery::NextTurn,
            context: None,
            attachments: Vec::new(),
            skills: Vec::new(),
        },
        Payload::TurnStart { cause: TurnCause::Message },
    ];
    drop(store.create_conversation(conversation, 1, payloads, Vec::new()).wait().unwrap());
}

fn append(store: &Store, conversation: &ConversationId, payloads: Vec<Payload>, durability: Durability) {
    drop(store.append(conversation, 1, payloads, durability, Vec::new()).wait().unwrap());
}

fn chunk(text: &str) -> Payload {
    Payload::AssistantChunk { request: RequestId::new("r"), part: Part::Text, offset: 0, text: text.to_owned() }
}

fn message(call: &str, text: &str) -> Payload {
    let proposed = ProposedCall {
        call: CallId::new(call),
        provider_id: Some("call_0".to_owned()),
        name: "write_file".to_owned(),
        arguments: r#"{"path":"notes.md","content":"hello"}"#.to_owned(),
    };
    Payload::AssistantMessage(AssistantMessage {
        message: MessageId::new(call),
        request: RequestId::new("r"),
        text: Arc::from(text),
        reasoning: Arc::from(""),
        calls: vec![proposed],
        finish: None,
        partial: false,
        items: Vec::new(),
    })
}

fn result(call: &str, text: &str) -> Payload {
    Payload::ToolResult(ToolResult {
        call: CallId::new(call),
        outcome: Outcome::Ok,
        cause: None,
        shown: Arc::from(text),
        output: None,
        brief: Brief::Done,
        duration_ms: 7,
        effects: Vec::new(),
        seen: Vec::new(),
        note: None,
        rules: Vec::new(),
        recovered: false,
    })
}

/// Shows a card, decides on it, claims it and ends it; returns how long decision and claim took.
fn decide_and_claim(
    store: &Store,
    conversation: &ConversationId,
    name: &str,
    runtime: &tokio::runtime::Runtime,
) -> (Duration, Duration) {
    let call = CallId::new(name);
    let touches = vec![FileState { path: "notes.md".to_owned(), hash: None }];
    let assessment = Assessment {
        tier: Tier::Medium,
        read_only: false,
        touches: touches.clone(),
        preview: Preview::Read { path: "notes.md".to_owned(), bytes: 5 },
        reason: Reason::Create { path: "notes.md".to_owned(), lines: 1 },
        reach: Reach::default(),
        argv: None,
    };
    let arguments: Map<String, Value> = [("path", "notes.md"), ("content", "hello")]
        .map(|(key, value)| (key.to_owned(), value.into()))
        .into_iter()
        .collect();
    let subject = Subject {
        conversation,
        call: &call,
        tool: "write_file",
        version: 1,
        workspace: "/srv/project",
        arguments: &arguments,
        assessment: &assessment,
    };
    let card = subject.card();
    let judged = Payload::ToolCall(ToolCall {
        call: call.clone(),
        name: "write_file".to_owned(),
        arguments: "{}".to_owned(),
        tier: Some(Tier::Medium),
        read_only: false,
        verdict: Verdict::Ask,
        cause: None,
        digest: Some(subject.call_digest()),
        paths: vec!["notes.md".to_owned()],
        target: "notes.md".to_owned(),
        preview: None,
    });
    let asked = Payload::ApprovalRequested { call: call.clone(), card: Box::new(card.clone()), again: None };
    append(store, conversation, vec![message(name, "x"), judged, asked], Durability::Full);
    let begun = Instant::now();
    let decision = Decision {
        call: call.clone(),
        card: card.digest,
        answer: Answer::Approved,
        by: Decider::User,
        scope: Scope::Once,
        note: None,
        at: 1,
    };
    store.decide(decision).wait().unwrap();
    let decided = begun.elapsed();
    let cleared = Cleared::by_decision(&subject, Answer::Approved, Decider::User, card.digest).unwrap();
    let intent = Intent::Write { path: "notes.md".to_owned(), before: None, after: Stored::of(b"hello").hash };
    let record = ClaimRecord { at: 1, boot: BootId::new("boot"), intent, before: touches, keep: Vec::new() };
    let begun = Instant::now();
    runtime.block_on(store.claim(cleared, record)).unwrap();
    let claimed = begun.elapsed();
    append(store, conversation, vec![result(name, "done")], Durability::Light);
    (decided, claimed)
}
