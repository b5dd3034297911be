//! A place to try the binary in: data folder, workspace with git, fake model server; and ways to run it there.
//! Nothing waits without a deadline, and nothing waits for time to pass.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assent_testkit::fake_server::{FakeServer, Script};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take before a test fails.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The key that must never be found anywhere.
pub const KEY: &str = "sk-canary-5e1f0c77a2";

/// Folders and a server of one test.
pub struct Place {
    root: TempDir,
    memory: Option<TempDir>,
    pub home: PathBuf,
    pub workspace: PathBuf,
    pub server: FakeServer,
}

/// How a run of the binary ended.
#[derive(Debug)]
pub struct Ran {
    /// None: a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A running binary, killed when dropped.
pub struct Running {
    child: Child,
    out: Option<std::thread::JoinHandle<String>>,
    err: Option<std::thread::JoinHandle<String>>,
    so_far: std::sync::Arc<std::sync::Mutex<Vec<u8>>>,
}

impl Place {
    /// A server that does what it is told.
    pub fn new() -> Self {
        Self::with(Script::default())
    }

    /// The same with the data folder in memory, if the machine has such a place: there many starts are quick. What a
    /// killed process wrote is there as well; only a power failure would be another matter.
    pub fn in_memory() -> Self {
        let mut place = Self::new();
        let memory = Path::new("/dev/shm");
        if memory.is_dir() {
            let folder = tempfile::Builder::new().prefix("assent-test-").tempdir_in(memory).unwrap();
            place.home = folder.path().join("data");
            place.memory = Some(folder);
        }
        place
    }

    /// A server with a script.
    pub fn with(script: Script) -> Self {
        let root = tempfile::Builder::new().prefix("助手 place").tempdir().unwrap();
        let real = std::fs::canonicalize(root.path()).unwrap();
        let (home, workspace) = (real.join("data"), real.join("项目 one"));
        std::fs::create_dir(&workspace).unwrap();
        std::fs::create_dir(real.join("user")).unwrap();
        Self { root, memory: None, home, workspace, server: FakeServer::start(script).unwrap() }
    }

    /// The same with a git repository that has one commit.
    pub fn with_git() -> Self {
        let place = Self::new();
        place.write("kept.txt", "one\ntwo\n");
        place.git(&["init", "-q", "-b", "main"]);
        place.git(&["add", "."]);
        place.git(&["commit", "-q", "-m", "first"]);
        place
    }

    /// Beside home and workspace.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A number that was not given before.
    pub fn pauses(&self) -> usize {
        std::fs::read_dir(self.root.path()).unwrap().count()
    }

    pub fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let mut command = Command::new("git");
        command.args(identity).args(arguments).current_dir(&self.workspace);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(command.status().unwrap().success(), "git {arguments:?}");
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.workspace.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A file's text; none where there is no file.
    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.workspace.join(path)).ok()
    }

    /// The binary with an environment of its own.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assent"));
        command.args(arguments).current_dir(&self.workspace).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("SHLVL", "1").env("LANG", "C.UTF-8");
        command.env("HOME", self.beside("user")).env("ASSENT_HOME", &self.home).env("ASSENT_API_KEY", KEY);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Running::start(&mut self.command(arguments)).end()
    }

    /// Arguments of `exec` in the workspace with the fake server.
    pub fn exec_arguments<'a>(&'a self, prompt: &'a str, url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let workspace = self.workspace.to_str().unwrap();
        let mut arguments =
            vec!["exec", prompt, "--workspace", workspace, "--base-url", url, "--model", "tiny", "--json"];
        arguments.extend(more);
        arguments
    }

    /// `exec` in a new conversation.
    pub fn exec(&self, prompt: &str, more: &[&str]) -> Ran {
        self.run(&self.exec_arguments(prompt, &self.server.base_url(), more))
    }

    /// `exec` that goes on in a conversation with what it keeps.
    pub fn go_on(&self, conversation: &str, prompt: &str, more: &[&str]) -> Ran {
        self.run(&[&["exec", prompt, "--conversation", conversation, "--json"], more].concat())
    }

    /// Starts `exec` in a new conversation.
    pub fn start(&self, prompt: &str, more: &[&str]) -> Running {
        Running::start(&mut self.command(&self.exec_arguments(prompt, &self.server.base_url(), more)))
    }

    /// The log of a conversation.
    pub fn log(&self, conversation: &str) -> Vec<Value> {
        let ran = self.run(&["log", conversation, "--json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.lines()
    }

    /// What waits for a person.
    pub fn approvals(&self) -> Vec<Value> {
        let ran = self.run(&["approvals", "--json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    /// The only thing that waits.
    pub fn only_approval(&self) -> Value {
        let mut pending = self.approvals();
        assert_eq!(pending.len(), 1, "{pending:?}");
        pending.remove(0)
    }

    /// Approves what is shown.
    pub fn approve(&self, pending: &Value) -> Ran {
        self.run(&["approve", text(pending, "call"), "--digest", text(pending, "digest"), "--json"])
    }

    /// Approves with a pause.
    pub fn approve_command(&self, pending: &Value) -> Command {
        self.command(&["approve", text(pending, "call"), "--digest", text(pending, "digest"), "--json"])
    }

    /// The log has to be in order, and the server must have found nothing wrong.
    pub fn check(&self) {
        let ran = self.run(&["verify", "--json"]);
        assert_eq!((ran.code, ran.out.trim()), (Some(0), "[]"), "{ran:?}");
        assert_eq!(self.server.violations(), Vec::<String>::new());
    }

    /// Names of everything in the workspace, sorted; folders end with a slash, the insides of `.git` are left out.
    pub fn tree(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.workspace, &mut |path, is_folder| {
            let name = path.strip_prefix(&self.workspace).unwrap().to_str().unwrap().to_owned();
            if name == ".git" || name.starts_with(".git/") {
                return;
            }
            found.push(if is_folder { format!("{name}/") } else { name });
        });
        found.sort();
        found
    }
}

impl Ran {
    /// Standard output as JSON lines.
    pub fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    }

    /// Events without the last line.
    pub fn events(&self) -> Vec<Value> {
        let mut lines = self.lines();
        assert_eq!(lines.pop().map(|last| last["kind"].clone()), Some(Value::from("exit")), "{self:?}");
        lines
    }

    /// Exit code, and the reason in the last line.
    pub fn end(&self) -> (i32, String) {
        let last = self.lines().pop().unwrap_or_default();
        assert_eq!(last["kind"], "exit", "{self:?}");
        (self.code.unwrap_or(-1), text(&last, "reason").to_owned())
    }

    /// The conversation in the last line.
    pub fn conversation(&self) -> String {
        text(&self.lines().pop().unwrap_or_default(), "conversation").to_owned()
    }

    /// The last answer's text.
    pub fn answer(&self) -> String {
        let events = self.events();
        let last = events.iter().rfind(|event| event["kind"] == "assistant/message");
        last.map(|message| text(message, "text").to_owned()).unwrap_or_default()
    }
}

impl Running {
    /// Starts a command and reads what it prints.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let so_far = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let out = child.stdout.take().map(|out| gather(out, so_far.clone()));
        let err = child.stderr.take().map(|err| gather(err, std::sync::Arc::default()));
        Self { child, out, err, so_far }
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Whether it has ended.
    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until its output holds these words.
    pub fn until_printed(&mut self, words: &str) {
        until(&format!("{words:?} is printed"), || {
            let so_far = String::from_utf8_lossy(&self.so_far.lock().unwrap()).into_owned();
            let is_there = so_far.contains(words);
            assert!(is_there || !self.is_over(), "it ended before it printed {words:?}: {so_far}");
            is_there
        });
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ran {
        until("the program ends", || self.is_over());
        let code = self.child.wait().unwrap().code();
        let joined = |reader: Option<std::thread::JoinHandle<String>>| reader.map(|reader| reader.join().unwrap());
        let (out, err) = (joined(self.out.take()), joined(self.err.take()));
        Ran { code, out: out.unwrap_or_default(), err: err.unwrap_or_default() }
    }

    /// Ends it with a signal that it can't do anything about.
    pub fn kill(self, signal: Signal) -> Ran {
        self.signal(signal);
        let ran = self.end();
        assert_eq!(ran.code, None, "a signal ended it: {ran:?}");
        ran
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn gather(
    mut stream: impl std::io::Read + Send + 'static,
    so_far: std::sync::Arc<std::sync::Mutex<Vec<u8>>>,
) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut piece = [0; 8192];
        while let Ok(read @ 1..) = stream.read(&mut piece) {
            so_far.lock().unwrap().extend_from_slice(&piece[..read]);
        }
        String::from_utf8_lossy(&so_far.lock().unwrap()).into_owned()
    })
}

/// Waits for a condition.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < end, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A field that is text.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("no text {field} in {value}"))
}

/// Calls `see` for everything below a folder, links not followed.
pub fn walk(folder: &Path, see: &mut impl FnMut(&Path, bool)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let is_folder = entry.file_type().unwrap().is_dir();
        see(&entry.path(), is_folder);
        if is_folder {
            walk(&entry.path(), see);
        }
    }
}

/// Files below a folder that hold these bytes.
pub fn holding(folder: &Path, needle: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(folder, &mut |path, is_folder| {
        let mut bytes = Vec::new();
        let is_file = !is_folder && path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        let is_read = is_file && std::fs::File::open(path).is_ok_and(|mut file| file.read_to_end(&mut bytes).is_ok());
        if is_read && bytes.windows(needle.len()).any(|window| window == needle.as_bytes()) {
            found.push(path.to_owned());
        }
    });
    found
}
