//! The fake server as a program, driven over its socket as a window's tests drive it.
//! What it says to a provider is tested with the provider.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use assent_testkit::fake_server::{Script, Step};
use serde_json::Value;

struct Running {
    program: Child,
    port: u16,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_assent-fake-server"))
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { program, port: line.trim().parse().unwrap() }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut socket = self.connect();
        send(&mut socket, method, path, body);
        socket.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }

    fn json(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, "");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

fn send(socket: &mut TcpStream, method: &str, path: &str, body: &str) {
    let length = body.len();
    let request = format!("{method} {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{body}");
    socket.write_all(request.as_bytes()).unwrap();
}

/// Reads until what has come ends with `end`.
fn read_until(socket: &mut TcpStream, end: &str) {
    let mut got = Vec::new();
    while !got.ends_with(end.as_bytes()) {
        let mut byte = [0];
        socket.read_exact(&mut byte).unwrap();
        got.push(byte[0]);
    }
}

const HELLO: &str = r#"{"model":"m","messages":[{"role":"user","content":"say hello"}]}"#;

#[test]
fn it_prints_its_port_and_obeys() {
    let server = Running::start(&[]);
    let answer = server.ask("POST", "/v1/chat/completions", HELLO);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("hello") && answer.contains("[DONE]"), "{answer}");
    assert_eq!(server.json("/__requests")[0]["body"]["messages"][0]["content"], "say hello");
    assert_eq!(server.json("/__violations"), Value::Array(Vec::new()));
    server.ask("POST", "/v1/chat/completions", r#"{"model":"m","messages":[]}"#);
    assert_eq!(server.json("/__violations")[0], "request 2: no messages");
}

#[test]
fn a_script_is_played_and_its_gates_are_opened_from_outside() {
    let server = Running::start(&[]);
    let script = r#"{
        "replies": [{ "steps": [{ "raw": "data: a\n\n" }, { "gate": "go" }, { "hex": "62" }, "end"] }],
        "rules": [{ "when": "hello", "reply": { "status": 503, "headers": { "retry-after": "1" }, "body": "busy" } }] }"#;
    assert!(server.ask("POST", "/__script", script).starts_with("HTTP/1.1 200"));

    let mut socket = server.connect();
    send(&mut socket, "POST", "/v1/chat/completions", HELLO);
    read_until(&mut socket, "data: a\n\n\r\n");
    assert!(server.ask("POST", "/__release/go", "").starts_with("HTTP/1.1 200"));
    read_until(&mut socket, "1\r\nb\r\n0\r\n\r\n");

    let answer = server.ask("POST", "/v1/chat/completions", HELLO);
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1") && answer.ends_with("busy"));
    assert!(server.ask("POST", "/__script", "{\"x\":1}").contains("field x"));
}

#[test]
fn scripts_are_read_strictly() {
    let script = Script::parse(
        r#"{ "replies": [ { "say": "a b", "calls": [{ "name": "f", "arguments": { "x": 1 } }], "pace_us": 5, "gate": "g" },
                          { "tokens": 10, "per_write": 5, "finish": "length" } ] }"#,
    )
    .unwrap();
    assert_eq!((script.replies[0].pace_us, script.replies[0].gate.as_deref()), (5, Some("g")));
    assert!(script.replies[1].steps.contains(&Step::Tokens { count: 10, per_write: 5 }));
    for wrong in [
        "[]",
        "{",
        r#"{"replies":[{"sya":"a"}]}"#,
        r#"{"replies":[{"steps":["jump"]}]}"#,
        r#"{"replies":[{"steps":[{"hex":"0"}]}]}"#,
    ] {
        assert!(Script::parse(wrong).is_err(), "{wrong}");
    }
}
