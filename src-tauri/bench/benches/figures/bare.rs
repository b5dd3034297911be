//! The bare client: one thread, one connection, a history that is serialised once and only appended to, one durable row a
//! step. It checks nothing, asks nobody, and keeps nothing that could be read again.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The tools it offers.
const TOOLS: &str = r#"[{"type":"function","function":{"name":"read_file","description":"Read a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}},{"type":"function","function":{"name":"run_command","description":"Run a shell command.","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}]"#;

/// Bytes of a result that the model gets.
const SHOWN: usize = 30_000;

/// `bare BASE-URL WORKSPACE DATABASE`: one prompt, to the end.
pub fn run(words: &[String]) {
    let [url, workspace, database] = words else { panic!("bare BASE-URL WORKSPACE DATABASE") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(converse(&format!("{url}/chat/completions"), Path::new(workspace), Path::new(database)));
}

/// An answer as far as it matters.
#[derive(Default)]
struct Answer {
    text: String,
    calls: Vec<Call>,
}

#[derive(Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

async fn converse(url: &str, workspace: &Path, database: &Path) {
    let database = open(database);
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).tcp_nodelay(true).build().unwrap();
    let system = json!({ "role": "system", "content": "You work in a folder." });
    let user = json!({ "role": "user", "content": "go on" });
    let mut history = format!(r#"{{"model":"m","stream":true,"tools":{TOOLS},"messages":[{system},{user}"#);
    loop {
        let request = client.post(url).header("content-type", "application/json").body(format!("{history}]}}"));
        let mut answer = read(request.send().await.unwrap().error_for_status().unwrap()).await;
        let before = history.len();
        append(&mut history, &mut answer, workspace);
        let mut insert = database.prepare_cached("INSERT INTO step (text) VALUES (?1)").unwrap();
        insert.execute([&history[before..]]).unwrap();
        if answer.calls.is_empty() {
            std::io::stdout().write_all(answer.text.as_bytes()).unwrap();
            return;
        }
    }
}

fn open(path: &Path) -> rusqlite::Connection {
    let database = rusqlite::Connection::open(path).unwrap();
    database.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    database.pragma_update(None, "synchronous", "FULL").unwrap();
    let table = "CREATE TABLE IF NOT EXISTS step (number INTEGER PRIMARY KEY, text TEXT NOT NULL)";
    database.execute_batch(table).unwrap();
    database
}

async fn read(mut response: reqwest::Response) -> Answer {
    let mut answer = Answer::default();
    let mut rest = Vec::new();
    while let Some(bytes) = response.chunk().await.unwrap() {
        rest.extend_from_slice(&bytes);
        let Some(end) = rest.iter().rposition(|byte| *byte == b'\n') else { continue };
        for line in rest[..end].split(|byte| *byte == b'\n') {
            if let Some(data) = line.strip_prefix(b"data: ")
                && data != b"[DONE]"
            {
                take(&mut answer, &serde_json::from_slice(data).unwrap());
            }
        }
        rest.drain(..=end);
    }
    answer
}

fn take(answer: &mut Answer, event: &Value) {
    let delta = &event["choices"][0]["delta"];
    if let Some(text) = delta["content"].as_str() {
        answer.text.push_str(text);
    }
    for part in delta["tool_calls"].as_array().into_iter().flatten() {
        let index = part["index"].as_u64().unwrap_or(0) as usize;
        if answer.calls.len() <= index {
            answer.calls.resize_with(index + 1, Call::default);
        }
        let call = &mut answer.calls[index];
        call.name.push_str(part["function"]["name"].as_str().unwrap_or_default());
        call.arguments.push_str(part["function"]["arguments"].as_str().unwrap_or_default());
    }
}

fn append(history: &mut String, answer: &mut Answer, workspace: &Path) {
    // The server may repeat its ids; a history must not.
    for (index, call) in answer.calls.iter_mut().enumerate() {
        call.id = format!("{}_{index}", history.len());
    }
    let calls: Vec<Value> = answer
        .calls
        .iter()
        .map(|call| json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": call.arguments } }))
        .collect();
    let mut message = json!({ "role": "assistant", "content": answer.text });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    history.push_str(&format!(",{message}"));
    for call in &answer.calls {
        let result = json!({ "role": "tool", "tool_call_id": call.id, "content": execute(call, workspace) });
        history.push_str(&format!(",{result}"));
    }
}

fn execute(call: &Call, workspace: &Path) -> String {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
    let mut result = match call.name.as_str() {
        "read_file" => std::fs::read(workspace.join(arguments["path"].as_str().unwrap())).unwrap(),
        "run_command" => {
            let command = arguments["command"].as_str().unwrap();
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", command]).current_dir(workspace).stdin(Stdio::null());
            shell.output().unwrap().stdout
        }
        other => panic!("no tool {other}"),
    };
    result.truncate(SHOWN);
    String::from_utf8(result).unwrap()
}
