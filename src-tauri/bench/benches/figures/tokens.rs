//! How far the estimate of a request's tokens is off, beside the counts of real tokenizers: a conversation for each sort of
//! text, held by the engine over this repository's own files, with answers that tell the real count of each request.
//! What providers make of tools and roles is not known: tools count as they are sent, and a message some tokens more.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use assent_protocol::event::Payload;
use assent_testkit::fake_server::{Call, FakeServer, Reply, Script, Step};
use assent_tools::Registry;
use serde_json::{Value, json};
use tiktoken::CoreBpe;

use crate::room::{Room, block_on};
use crate::table::{Aim, Row, median};

/// Vocabularies of models that are asked today; the first and the last are older, and know little Chinese.
const VOCABULARIES: [&str; 9] =
    ["cl100k_base", "o200k_base", "llama3", "deepseek_v3", "qwen2", "kimi_k2", "glm5", "minimax_m2", "mistral_v3"];
/// Tokens of a message beside its words: its role, and where it begins and ends.
const MARKS: u64 = 4;
/// Rounds of the figure that is a time.
const ROUNDS: usize = 9;
/// Characters that a person or the model says at a time.
const SAID: usize = 1_500;

const ENGLISH: [&str; 7] = [
    "docs/guide/first-steps.md",
    "docs/ARCHITECTURE.md",
    "docs/decisions/0005-no-shell-parser.md",
    "docs/guide/providers.md",
    "CONTRIBUTING.md",
    "docs/guide/models.md",
    "CHANGELOG.md",
];
const CODE: [&str; 7] = [
    "src-tauri/session/src/history.rs",
    "ui/src/chat/chat.test.ts",
    "ui/src/chat/Composer.svelte",
    "src-tauri/tools/src/symbols.rs",
    "scripts/setup.mjs",
    "ui/src/controls/floating.css",
    "src-tauri/engine/src/replay.rs",
];
const JSON: [&str; 6] = [
    "ui/src/locales/en.json",
    "package.json",
    "src-tauri/llm/data/models.json",
    "tauri.conf.json",
    "src-tauri/desktop/capabilities/main.json",
    "package-lock.json",
];

/// Takes the figures: the worst estimate of a conversation from its second request on, beside the first one.
pub fn measure() -> Vec<Row> {
    let mixed = || {
        let others = [english, code, json].map(|sort| sort().into_iter().take(2));
        chinese().into_iter().take(2).chain(others.into_iter().flatten()).collect()
    };
    let sorts: [(&str, Vec<File>); 5] = [
        ("English prose", english()),
        ("Chinese prose", chinese()),
        ("source code", code()),
        ("JSON", json()),
        ("all of these", mixed()),
    ];
    let mut rows = vec![weighing(&sorts)];
    rows.extend(sorts.iter().flat_map(|(name, files)| of_sort(name, files)));
    rows
}

/// What an estimate takes, beside a real count.
fn weighing(sorts: &[(&str, Vec<File>)]) -> Row {
    let texts = || sorts.iter().flat_map(|(_, files)| files.iter().map(|(_, text)| text.as_str()));
    let kilobytes = texts().map(str::len).sum::<usize>() as f64 / 1e3;
    let vocabulary = tiktoken::get_encoding("o200k_base").unwrap();
    let micros = |count: &dyn Fn(&str) -> f64| {
        let round = || {
            let began = Instant::now();
            black_box(texts().map(count).sum::<f64>());
            began.elapsed()
        };
        median((0..ROUNDS).map(|_| round())).as_secs_f64() * 1e6 / kilobytes
    };
    Row {
        figure: "estimating 1 kB of text, beside counting it with o200k_base".to_owned(),
        ours: micros(&assent_session::weigh),
        other: Some(micros(&|text| vocabulary.count(text) as f64)),
        unit: "µs",
        aim: Aim::Below(10.0),
    }
}

/// A file of a conversation's workspace: name and text.
type File = (String, String);

fn english() -> Vec<File> {
    ENGLISH.map(ours).into()
}

fn code() -> Vec<File> {
    CODE.map(ours).into()
}

fn json() -> Vec<File> {
    JSON.map(ours).into()
}

/// The Chinese README, and the window's words in pieces.
fn chinese() -> Vec<File> {
    let catalogue: Value = serde_json::from_str(&ours("ui/src/locales/zh-CN.json").1).unwrap();
    let words: Vec<&str> = catalogue.as_object().unwrap().values().filter_map(Value::as_str).collect();
    let pieces = words.chunks(120).enumerate().map(|(number, words)| (format!("{number}.txt"), words.join("\n")));
    std::iter::once(ours("README.zh-CN.md")).chain(pieces).collect()
}

/// A file of this repository, under a name without folders.
fn ours(path: &str) -> File {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    (path.replace('/', "-"), std::fs::read_to_string(root.join(path)).unwrap())
}

fn of_sort(sort: &str, files: &[File]) -> Vec<Row> {
    // What is asked does not depend on what the answers count, so the requests are there to be counted beforehand.
    let requests: Vec<Value> = converse(files, None).0;
    let row = |vocabulary: &&str| {
        let vocabulary: &'static CoreBpe = tiktoken::get_encoding(vocabulary).unwrap();
        let real: Vec<u64> = requests.iter().map(|request| count(vocabulary, request)).collect();
        let (_, estimates) = converse(files, Some(&real));
        let off = |(estimate, real): (&u64, &u64)| (*estimate as f64 / *real as f64 - 1.0).abs() * 100.0;
        let off: Vec<f64> = estimates.iter().zip(&real).map(off).collect();
        (off[0], off[1..].iter().copied().fold(0.0, f64::max))
    };
    let rows = VOCABULARIES.iter().map(|vocabulary| {
        let (first, later) = row(vocabulary);
        let figure = format!("{sort}, {vocabulary}: how far an estimate is off after an answer, beside the first");
        Row { figure, ours: later, other: Some(first), unit: "%", aim: Aim::Below(10.0) }
    });
    rows.collect()
}

/// A conversation in which each answer reads the next file; `told` is what the answers say they counted. Gives the
/// requests and the estimates that were recorded with them.
fn converse(files: &[File], told: Option<&[u64]>) -> (Vec<Value>, Vec<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    for (name, text) in files {
        std::fs::write(workspace.join(name), text).unwrap();
    }
    let said = |number: usize| -> String {
        let (_, text) = &files[number % files.len()];
        text.chars().skip(text.chars().count() / 2).take(SAID).collect()
    };
    let usage = |number: usize| told.map(|told| json!({ "prompt_tokens": told[number], "completion_tokens": 1 }));
    let read = |number: usize| {
        let arguments = json!({ "path": files[number].0 }).to_string();
        let call = Step::Call(Call { id: None, name: "read_file".to_owned(), arguments });
        Reply::steps([Step::Say(said(number)), call, Step::End { finish: None, usage: usage(number) }])
    };
    let last = Reply::steps([Step::Say("…".to_owned()), Step::End { finish: None, usage: usage(files.len()) }]);
    let server = FakeServer::start(Script::of((0..files.len()).map(read).chain([last]))).unwrap();
    let home = folder.path().join("home");
    block_on(async {
        let workspace = workspace.canonicalize().unwrap();
        let mut room = Room::open(&home, workspace, Registry::standard(), &server).await;
        room.send(&said(files.len() - 1)).await;
        room.until_end().await;
    });
    assert_eq!(server.violations(), Vec::<String>::new());
    let requests = server.requests().iter().map(|request| serde_json::from_str(&request.body).unwrap()).collect();
    (requests, estimates(&home))
}

fn estimates(home: &Path) -> Vec<u64> {
    let (store, _) = assent_store::Store::open(home).unwrap();
    let conversation = &store.rows().unwrap()[0].id;
    let events = store.fold_events(conversation).unwrap();
    let estimate = |payload: &Payload| match payload {
        Payload::RequestSent(sent) if sent.purpose.is_own() => Some(sent.estimate),
        _ => None,
    };
    events.iter().filter_map(|event| estimate(&event.payload)).collect()
}

/// Tokens of a request: all words that the model gets, the definitions of its tools, and the marks of messages.
fn count(vocabulary: &CoreBpe, request: &Value) -> u64 {
    let words = |value: &Value| value.as_str().map_or(0, |text| vocabulary.count(text) as u64);
    let message = |message: &Value| {
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        let called = calls.map(|call| words(&call["function"]["name"]) + words(&call["function"]["arguments"]));
        words(&message["content"]) + called.sum::<u64>() + MARKS
    };
    let messages = request["messages"].as_array().unwrap().iter().map(message).sum::<u64>();
    messages + words(&Value::String(request["tools"].to_string()))
}
