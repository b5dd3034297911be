//! The two clients as programs: `assent exec`, and the bare client that this program has in itself.
//! What they are asked comes from the fake server's script.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use assent_testkit::fake_server::FakeServer;

/// A client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// The release binary named by `ASSENT_BIN`.
    Assent,
    /// The least that a client can do.
    Bare,
}

/// Both, in the order in which each round takes them.
pub const BOTH: [Client; 2] = [Client::Bare, Client::Assent];

impl Client {
    /// The command for one prompt. `data` is the client's own: a folder for Assent, a database for the bare one.
    pub fn command(self, server: &FakeServer, workspace: &Path, data: &Path) -> Command {
        match self {
            Self::Assent => {
                let binary = std::env::var_os("ASSENT_BIN").map(PathBuf::from);
                let mut command = Command::new(binary.expect("ASSENT_BIN names the release binary of `assent`"));
                command.args(["exec", "go on", "--model", "m", "--context", "100000000", "--max-iterations", "1000"]);
                command.args(["--base-url", &server.base_url(), "--workspace"]).arg(workspace);
                command.env("ASSENT_HOME", data);
                command
            }
            Self::Bare => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.arg("bare").arg(server.base_url()).arg(workspace).arg(data);
                command
            }
        }
    }
}

/// The protocols, as `exec` calls them, and where each is asked.
pub const PROTOCOLS: [(&str, &str); 3] = [
    ("chat-completions", "/v1/chat/completions"),
    ("responses", "/v1/responses"),
    ("anthropic-messages", "/v1/messages"),
];

/// From the end of each reply to the arrival of the request after it.
pub fn gaps(server: &FakeServer) -> Vec<Duration> {
    if let Some(wrong) = server.violations().first() {
        panic!("a request was wrong: {wrong}");
    }
    let times = server.times();
    let pairs = times.iter().zip(times.iter().skip(1));
    pairs.map(|(before, after)| after.arrived.saturating_duration_since(before.ended.unwrap())).collect()
}
