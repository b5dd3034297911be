//! Where words go: results to stdout, complaints to stderr, a closed pipe to nowhere.
//! Nothing here decides what is said.

use std::io::Write as _;

use assent_protocol::event::Event;
use assent_protocol::ids::CallId;
use serde_json::{Value, json};

/// Writes a line to stderr, safe for a terminal: much of what goes wrong is told in the words of a server.
pub fn complain(words: &str) {
    // Nobody is left to be told that stderr is closed.
    let _ = writeln!(std::io::stderr().lock(), "assent: {}", plain(words));
}

/// Writes text to stdout; false when nobody reads any more.
pub fn out(text: &str) -> bool {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_ok()
}

/// Writes raw bytes to stdout.
pub fn bytes(bytes: &[u8]) -> bool {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).is_ok()
}

/// Writes one event as a line of JSON.
pub fn event(event: &Event) -> bool {
    match serde_json::to_string(event) {
        Ok(line) => out(&format!("{line}\n")),
        Err(error) => {
            complain(&format!("an event can't be written: {error}"));
            true
        }
    }
}

/// Writes an event of a sub-agent as a line of JSON, with the call that it works for as `agent_of`.
pub fn nested(event: &Event, call: &CallId) -> bool {
    let mut line = json!(event);
    line["agent_of"] = json!(call);
    value(&line)
}

/// Writes any JSON value as a line.
pub fn value(value: &Value) -> bool {
    out(&format!("{value}\n"))
}

/// Writes the last line of a JSON run.
pub fn exit(reason: &str, conversation: Option<&str>) -> bool {
    value(&json!({ "kind": "exit", "reason": reason, "conversation": conversation }))
}

/// Text from outside made safe for a terminal: control characters become visible.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => character.to_string(),
            hidden if assent_engine::is_invisible(hidden) => format!("<U+{:04X}>", u32::from(hidden)),
            other => other.to_string(),
        })
        .collect()
}
