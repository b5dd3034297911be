//! A canary key through whole sessions, for every wire format and every place a key comes from: afterwards every byte that
//! was written, printed or sent elsewhere is looked through for it. How single errors are told is tested in `secrets`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use assent_testkit::fake_server::{FakeServer, Reply, Script, Step};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{Place, Ran, Running, walk};

/// A key with letters that JSON and addresses write differently.
const CANARY: &str = r#"sk-canary/5e1f+0c77"a2=b9"#;
/// A variable whose name says nothing of a key.
const VARIABLE: &str = "WORD_FOR_THE_MODEL";
/// The wire formats.
const PROTOCOLS: [&str; 3] = ["chat-completions", "responses", "anthropic-messages"];
/// The file that may hold the key, because only its owner can read it.
const KEY_FILE: &str = "keys.json";

/// Where the key comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    /// `ASSENT_API_KEY`, for an address on the command line.
    CommandLine,
    /// An environment variable that a configured provider names.
    Variable,
    /// The owner-only file.
    File,
}

/// One session and all that came of it.
struct Session {
    place: Place,
    protocol: &'static str,
    source: Source,
    /// Takes over when the first server refuses the key.
    second: FakeServer,
    /// Where the first server redirects to.
    elsewhere: FakeServer,
    ran: Vec<Ran>,
}

impl Session {
    fn new(protocol: &'static str, source: Source) -> Self {
        let start = || FakeServer::start(Script::default()).unwrap();
        let mut session =
            Self { place: Place::new(), protocol, source, second: start(), elsewhere: start(), ran: Vec::new() };
        // Makes the data folder.
        session.run(&["verify"]);
        session.configure();
        session
    }

    /// Writes what a person would have said in the settings.
    fn configure(&self) {
        let provider = |id: &str, server: &FakeServer, variable: Option<&str>| {
            json!({ "id": id, "name": id, "base_url": server.base_url(), "protocol": self.protocol, "models": [id],
                "key_variable": variable, "window": null })
        };
        let choice = |id: &str, server: &FakeServer| {
            json!({ "provider": id, "label": id, "base_url": server.base_url(), "protocol": self.protocol, "model": id,
                "window": 128_000, "coefficient": 0.35, "tools": true })
        };
        let variable = Some(VARIABLE).filter(|_| self.source == Source::Variable);
        let settings = json!({
            "providers": [provider("first", &self.place.server, variable), provider("second", &self.second, None)],
            "model": choice("first", &self.place.server),
            "fallbacks": [choice("second", &self.second)],
        });
        let database = Connection::open(self.place.home.join("assent.db")).unwrap();
        let put = "INSERT INTO settings (name, body) VALUES ('settings', ?1)";
        assert_eq!(database.execute(put, [settings.to_string()]).unwrap(), 1);
        if self.source == Source::File {
            let keys = self.place.home.join(KEY_FILE);
            std::fs::write(&keys, json!({ self.place.server.root(): CANARY }).to_string()).unwrap();
            std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command.env_remove("ASSENT_API_KEY");
        match self.source {
            Source::CommandLine => command.env("ASSENT_API_KEY", CANARY),
            Source::Variable => command.env(VARIABLE, CANARY),
            Source::File => &mut command,
        };
        command
    }

    fn run(&mut self, arguments: &[&str]) -> &Ran {
        let ran = Running::start(&mut self.command(arguments)).end();
        self.ran.push(ran);
        self.ran.last().unwrap()
    }

    /// Begins the conversation; the address is on the command line or in the settings.
    fn begin(&mut self, prompt: &str) -> String {
        let (workspace, url) = (self.place.workspace.to_str().unwrap().to_owned(), self.place.server.base_url());
        let mut arguments = vec!["exec", prompt, "--workspace", &workspace, "--json"];
        if self.source == Source::CommandLine {
            arguments.extend(["--base-url", &url, "--model", "first", "--protocol", self.protocol]);
        }
        let ran = self.run(&arguments);
        assert_eq!(ran.end(), (0, "completed".to_owned()));
        ran.conversation()
    }

    /// Says something in the conversation, and how that ends.
    fn go_on(&mut self, conversation: &str, prompt: &str) -> (i32, String) {
        self.run(&["exec", prompt, "--conversation", conversation, "--json"]).end()
    }

    /// A whole answer in the session's wire format: words, or one call.
    fn answer(&self, words: &str, call: Option<(&str, Value)>) -> Reply {
        match self.protocol {
            "chat-completions" => call.map_or_else(|| Reply::say(words), |call| Reply::call(&[call])),
            "responses" => Reply::steps(responses(words, call).iter().map(Step::event)),
            _ => Reply::steps(anthropic(words, call).iter().map(Step::event)),
        }
    }

    /// Everything that can happen to a key in a session.
    fn play(&mut self) {
        let quoting = |form: &str| json!({ "error": { "message": format!("Incorrect API key: {form}.") } }).to_string();
        let json_headers = [("content-type", "application/json")];
        let server = &self.place.server;
        server.push(self.answer("hello", None));
        let conversation = self.begin("say hello");

        let env = json!({ "command": "env; cat /proc/self/environ /proc/$PPID/environ" });
        self.place.server.push(self.answer("", Some(("run_command", env))));
        self.place.server.push(self.answer("looked", None));
        assert_eq!(self.go_on(&conversation, "look around"), (3, "waiting".to_owned()));
        let pending = self.run(&["approvals", "--json"]).lines().remove(0).as_array().unwrap().clone();
        let (call, digest) = (pending[0]["call"].as_str().unwrap(), pending[0]["digest"].as_str().unwrap());
        assert_eq!(self.run(&["approve", call, "--digest", digest, "--json"]).end(), (0, "completed".to_owned()));
        assert!(self.ran.last().unwrap().out.contains("PAGER=cat"), "the command saw an environment");

        self.place.server.push(Reply::plain(401, &json_headers, &quoting(CANARY)));
        self.second.push(self.answer("the second", None));
        let refused = self.go_on(&conversation, "wrong key");
        let has_second = self.source != Source::CommandLine;
        assert_eq!(refused.1, if has_second { "completed" } else { "error" });

        let page = format!("<html><p>{CANARY}</p><a href='?key={}'>{}</a>", percent(CANARY), json!(CANARY));
        self.place.server.push(Reply::plain(400, &[("content-type", "text/html")], &page));
        assert_eq!(self.go_on(&conversation, "an error page"), (1, "error".to_owned()));
        let target = format!("{}/v1?key={}", self.elsewhere.root(), percent(CANARY));
        self.place.server.push(Reply::plain(302, &[("location", &target)], CANARY));
        assert_eq!(self.go_on(&conversation, "a redirect"), (1, "error".to_owned()));
        let error = json!({ "type": "error", "error": { "type": "invalid_request_error", "message": CANARY } });
        self.place.server.push(Reply::steps([Step::event(&error)]));
        assert_eq!(self.go_on(&conversation, "an error in the stream"), (1, "error".to_owned()));

        self.run(&["log", &conversation]);
        let log = self.run(&["log", &conversation, "--json"]).lines();
        let sent = log.iter().filter(|event| event["kind"] == "request/sent").count();
        assert_eq!(sent, self.place.server.requests().len() + self.second.requests().len());
        for number in 1..=sent {
            let number = number.to_string();
            assert_eq!(self.run(&["replay", &conversation, "--request", &number, "--json"]).code, Some(0));
        }
        self.run(&["export", &conversation, "--format", "md"]);
        self.run(&["export", &conversation, "--format", "json"]);
        self.run(&["usage", "--json"]);
        let verified = self.run(&["verify", "--json"]);
        assert_eq!((verified.code, verified.out.trim()), (Some(0), "[]"));
    }

    /// The first server got the key, in one header of every request and nowhere else of it.
    fn check_sent(&self) {
        let requests = self.place.server.requests();
        assert_eq!(requests.len(), 7);
        let expected = match self.protocol {
            "anthropic-messages" => ("x-api-key".to_owned(), CANARY.to_owned()),
            _ => ("authorization".to_owned(), format!("Bearer {CANARY}")),
        };
        for request in &requests {
            let holding: Vec<_> = request.headers.iter().filter(|(_, value)| holds(value.as_bytes())).collect();
            assert_eq!(holding, [&expected]);
            assert!(!holds(request.path.as_bytes()) && !holds(request.body.as_bytes()), "{}", request.path);
        }
        assert_eq!(self.place.server.violations(), Vec::<String>::new());
    }

    /// What other servers got, what was printed, and every file but the one that is for keys.
    fn check_nothing_else(&self) {
        let at = format!("{} {:?}", self.protocol, self.source);
        assert_eq!(self.elsewhere.connections(), 0, "{at}: a redirect is not followed");
        assert_eq!(self.second.requests().len(), usize::from(self.source != Source::CommandLine), "{at}");
        for request in self.second.requests() {
            let all: Vec<_> =
                request.headers.iter().map(|(_, value)| value).chain([&request.path, &request.body]).collect();
            assert!(all.iter().all(|text| !holds(text.as_bytes())), "{at}: sent to another server");
            assert!(request.headers.iter().all(|(name, _)| name != "authorization" && name != "x-api-key"), "{at}");
        }
        for ran in &self.ran {
            assert!(!holds(ran.out.as_bytes()) && !holds(ran.err.as_bytes()), "{at}: printed: {ran:?}");
        }
        let (mut files, mut found) = (0, Vec::<PathBuf>::new());
        for folder in [self.place.home.clone(), self.place.workspace.clone(), self.place.beside("user")] {
            walk(&folder, &mut |path, is_folder| {
                if is_folder || path.ends_with(KEY_FILE) {
                    return;
                }
                files += 1;
                if holds(&std::fs::read(path).unwrap()) {
                    found.push(path.to_owned());
                }
            });
        }
        assert!(files > 1, "there was something to look through");
        assert_eq!(found, Vec::<PathBuf>::new(), "{at}");
    }
}

/// An answer in the format of OpenAI's Responses.
fn responses(words: &str, call: Option<(&str, Value)>) -> Vec<Value> {
    let item = match call {
        Some((name, arguments)) => json!({ "type": "function_call", "id": "fc_1", "call_id": "call_a", "name": name,
            "arguments": arguments.to_string() }),
        None => json!({ "type": "message", "id": "msg_1", "content": [{ "type": "output_text", "text": words }] }),
    };
    let mut events = vec![json!({ "type": "response.created", "response": { "status": "in_progress", "output": [] } })];
    if item["type"] == "message" {
        let added = json!({ "type": "message", "id": "msg_1", "content": [] });
        events.push(json!({ "type": "response.output_item.added", "output_index": 0, "item": added }));
        let delta = "response.output_text.delta";
        events.push(json!({ "type": delta, "output_index": 0, "item_id": "msg_1", "delta": words }));
    } else {
        events.push(json!({ "type": "response.output_item.added", "output_index": 0, "item": item }));
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": 0, "item": item }));
    let usage = json!({ "input_tokens": 12, "output_tokens": 3 });
    let response = json!({ "object": "response", "status": "completed", "output": [item], "usage": usage });
    events.push(json!({ "type": "response.completed", "response": response }));
    events
}

/// An answer in the format of Anthropic's Messages.
fn anthropic(words: &str, call: Option<(&str, Value)>) -> Vec<Value> {
    let (block, delta, reason) = match call {
        Some((name, arguments)) => (
            json!({ "type": "tool_use", "id": "toolu_1", "name": name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": arguments.to_string() }),
            "tool_use",
        ),
        None => (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": words }), "end_turn"),
    };
    let usage = json!({ "input_tokens": 12, "output_tokens": 1 });
    vec![
        json!({ "type": "message_start", "message": { "type": "message", "content": [], "usage": usage } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 3 } }),
        json!({ "type": "message_stop" }),
    ]
}

/// Whether bytes hold the key as it is, in base64, percent-encoded or escaped as in JSON.
fn holds(bytes: &[u8]) -> bool {
    let has = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    let plain = has(bytes, CANARY.as_bytes()) || base64_parts(CANARY).iter().any(|part| has(bytes, part.as_bytes()));
    // Escapes may stand in escapes: an event's text within a line of JSON.
    let (once, decoded) = (unescaped(bytes), percent_decoded(bytes));
    plain || [&unescaped(&once), &once, &decoded].iter().any(|bytes| has(bytes, CANARY.as_bytes()))
}

/// What every base64 text that holds the key somewhere has in it: by the key's place among the groups of three bytes.
fn base64_parts(key: &str) -> [String; 3] {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    [0, 1, 2].map(|skipped| {
        let groups = key.as_bytes()[skipped..].chunks_exact(3);
        groups
            .flat_map(|group| {
                let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
                [18, 12, 6, 0].map(|shift| char::from(LETTERS[(bits >> shift & 63) as usize]))
            })
            .collect()
    })
}

fn percent(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Percent-encoding taken back; what is none stays.
fn percent_decoded(bytes: &[u8]) -> Vec<u8> {
    let hex = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(hex) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    decoded
}

/// JSON's escapes of ASCII taken back; what is none stays.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let escape = bytes.get(at + 1).copied().filter(|_| bytes[at] == b'\\');
        let code = bytes.get(at + 2..at + 6).filter(|_| escape == Some(b'u'));
        let code = code.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (escape, code) {
            (_, Some(letter)) => {
                plain.push(letter);
                at += 6;
            }
            (Some(letter @ (b'"' | b'\\' | b'/')), None) => {
                plain.push(letter);
                at += 2;
            }
            _ => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    plain
}

#[test]
fn p69_a_canary_is_found_in_every_form() {
    let in_json = json!({ "a": json!({ "b": CANARY }).to_string() }).to_string();
    let solidus = json!(CANARY).to_string().replace('/', "\\/").replace('+', "\\u002b");
    for text in [CANARY.to_owned(), percent(CANARY), json!(CANARY).to_string(), in_json, solidus] {
        assert!(holds(format!("before {text} behind").as_bytes()), "{text}");
    }
    // "sk-canary/5e1f+0c77\"a2=b9" with none, one and two letters before it, as any encoder writes it.
    for text in [
        "c2stY2FuYXJ5LzVlMWYrMGM3NyJhMj1iOQ==",
        "eHNrLWNhbmFyeS81ZTFmKzBjNzciYTI9Yjk=",
        "eHhzay1jYW5hcnkvNWUxZiswYzc3ImEyPWI5",
    ] {
        assert!(holds(text.as_bytes()), "{text}");
    }
    assert!(!holds(b"sk-canary/5e1f and nothing more"));
}

#[test]
fn p69_no_byte_of_a_session_holds_the_key_but_one_header() {
    for protocol in PROTOCOLS {
        for source in [Source::CommandLine, Source::Variable, Source::File] {
            let mut session = Session::new(protocol, source);
            session.play();
            session.check_sent();
            session.check_nothing_else();
        }
    }
}
