//! A long conversation in a small window, over HTTP: five hundred turns with reads, and the summaries that they need.
//! Every request is checked by the server; how much the log and the process grew is printed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "figures are printed for whoever reads them")]

use std::path::Path;
use std::sync::Arc;

use assent_engine::{Beginning, Clock, Engine, ModelSource, Parts};
use assent_protocol::event::{Delivery, EndReason, Payload, Purpose};
use assent_protocol::permission::Mode;
use assent_protocol::request::Request;
use assent_protocol::settings::{Limits, ModelChoice};
use assent_protocol::signal::Signal;
use assent_protocol::view::Protocol;
use assent_store::Store;
use assent_testkit::fake_server::{FakeServer, Script};
use assent_testkit::stage::Nobody;
use assent_tools::Registry;

const TURNS: usize = 500;
/// Turns between two looks at sizes.
const STRETCH: usize = 100;
/// Tokens of the model's window.
const WINDOW: u64 = 12_000;

fn choice(server: &FakeServer) -> ModelChoice {
    ModelChoice {
        provider: None,
        label: "soak".to_owned(),
        base_url: server.base_url(),
        protocol: Protocol::ChatCompletions,
        model: "m".to_owned(),
        window: WINDOW,
        coefficient: 0.35,
        tools: true,
        echo_reasoning: false,
        empty_text: false,
        without_encrypted: false,
        found: false,
        output_limit: None,
        images: false,
        documents: false,
        price: None,
    }
}

/// What a person says: every other time something has to be read first, and every third time it is said in Chinese.
fn words(turn: usize) -> String {
    let padding = if turn.is_multiple_of(3) {
        "请继续看下一部分，并记下要点。".repeat(6)
    } else {
        "Please go on with it. ".repeat(8)
    };
    match turn % 2 {
        0 => format!(
            r#"call read_file with {{"path":"book","offset":{},"limit":12}} then say Read. {padding}"#,
            turn % 300 + 1
        ),
        _ => format!("say Answer number {turn}. {padding}"),
    }
}

/// Memory of this process in kilobytes; none: this system doesn't tell.
fn resident_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[test]
fn five_hundred_turns_in_a_small_window() {
    let base = tempfile::tempdir().unwrap();
    let (home, root) = (base.path().join("home"), base.path().join("root"));
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("book"), "The quick brown fox jumps over the lazy dog.\n".repeat(400)).unwrap();
    let server = FakeServer::start(Script::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(soak(&home, &root, &server));
    assert_eq!(server.violations(), Vec::<String>::new());
}

async fn soak(home: &Path, root: &Path, server: &FakeServer) {
    let (store, _) = Store::open(home).unwrap();
    let parts = Parts {
        store: store.clone(),
        home: Some(home.to_owned()),
        host: Arc::new(Nobody::default()),
        models: ModelSource::providers(),
        registry: Registry::standard(),
        clock: Clock::system(),
    };
    let engine = Engine::with(parts).await.unwrap();
    let beginning = Beginning {
        project: None,
        workspace: Some(root.canonicalize().unwrap().to_string_lossy().into_owned()),
        choice: choice(server),
        fallbacks: Vec::new(),
        mode: Mode::Ask,
        limits: Limits::default(),
    };
    let conversation = engine.begin(beginning).await.unwrap();
    let mut signals = engine.subscribe();
    let (mut sizes, mut memory) = (vec![store.size().unwrap()], Vec::new());
    let mut summaries = 0;
    for turn in 1..=TURNS {
        let (conversation, text) = (conversation.clone(), words(turn));
        let send =
            Request::Send { conversation, text, delivery: Delivery::NextTurn, reject: false, attachments: Vec::new() };
        engine.handle(send).await.unwrap();
        'turn: loop {
            for signal in signals.next().await {
                let Signal::Recorded { event } = signal else { continue };
                match event.payload {
                    Payload::CompactionEnd { tokens_before, tokens_after, .. } => {
                        assert!(tokens_after < tokens_before, "a summary that saves nothing");
                        summaries += 1;
                    }
                    Payload::CompactionFailed { message, .. } => panic!("turn {turn}: {message}"),
                    Payload::RequestSent(sent) if sent.purpose == Purpose::Chat => {
                        assert!(sent.estimate < WINDOW, "turn {turn}: {} tokens", sent.estimate);
                    }
                    Payload::TurnEnd { reason, message, .. } => {
                        assert_eq!(reason, EndReason::Completed, "turn {turn}: {message:?}");
                        break 'turn;
                    }
                    _ => {}
                }
            }
        }
        if turn % STRETCH == 0 {
            sizes.push(store.size().unwrap());
            memory.extend(resident_kb());
        }
    }
    let grown: Vec<u64> = sizes.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) / STRETCH as u64).collect();
    println!(
        "{summaries} summaries; bytes of log a turn, by hundred turns: {grown:?}; resident kB after each: {memory:?}"
    );
    assert!(summaries >= 10, "{summaries} summaries in {TURNS} turns");
    let (first, last) = (grown[1], grown[grown.len() - 1]);
    assert!(last <= first * 3 / 2, "the log grows faster and faster: {grown:?}");
    let kept: usize = server.requests().iter().map(|request| request.body.len()).sum();
    if let [_, second, .., end] = memory.as_slice() {
        let own = end.saturating_sub(*second).saturating_sub(kept as u64 / 1024);
        assert!(own < 40 * 1024, "memory grew by {own} kB beside what the server keeps: {memory:?}");
    }
    assert_eq!(engine.verify().unwrap(), Vec::new());
}
