//! Scripts played on a whole engine: what the model says, what the person does, and the log that comes of it.
//! The stage itself is `testkit`'s; each file here is about one part of the spec.

mod adapts;
mod agents;
mod anew;
mod approval;
mod attachments;
mod compaction;
mod fallback;
mod forks;
mod import;
mod inbox;
mod iterations;
mod limits;
mod memory;
mod money;
mod order;
mod pairing;
mod permission;
mod protocols;
mod questions;
mod queue;
mod random;
mod rare;
mod restart;
mod retry;
mod rules;
mod search;
mod skills;
mod slots;
mod stop;
mod storage;
mod streams;
mod titles;
mod todo;
mod tools_off;
mod trace;
mod window;

use assent_testkit::stage::{Answer, Script, call, nothing, script};
use serde_json::json;

/// A script whose commands really run.
fn with_commands() -> Script {
    script().supervisor(env!("CARGO_BIN_EXE_assent-engine-trial"))
}

fn reads(path: &str) -> Answer {
    call("read_file", json!({ "path": path }))
}

fn writes(path: &str, content: &str) -> Answer {
    call("write_file", json!({ "path": path, "content": content }))
}

fn runs(command: &str) -> Answer {
    call("run_command", json!({ "command": command }))
}

/// More calls in the same answer.
trait More {
    fn reads(self, path: &str) -> Self;
    fn writes(self, path: &str, content: &str) -> Self;
    fn runs(self, command: &str) -> Self;
}

impl More for Answer {
    fn reads(self, path: &str) -> Self {
        self.call("read_file", json!({ "path": path }))
    }

    fn writes(self, path: &str, content: &str) -> Self {
        self.call("write_file", json!({ "path": path, "content": content }))
    }

    fn runs(self, command: &str) -> Self {
        self.call("run_command", json!({ "command": command }))
    }
}

/// A call with the provider's own id and raw argument text.
fn raw(id: &str, name: &str, arguments: &str) -> Answer {
    nothing().call_text(Some(id), name, arguments)
}
