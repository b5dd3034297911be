//! A workspace on disk for tests, and calls that are cleared as in production.
//! It fakes nothing but the yes of a person.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use assent_policy::{Cleared, Considered, Subject, decide};
use assent_protocol::assessment::Assessment;
use assent_protocol::ids::{CallId, ConversationId, Sha};
use assent_protocol::permission::{Answer, Decider, Mode, Tier};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput};
use crate::workspace::Workspace;

/// Content of the one file outside.
pub(crate) const CANARY: &str = "CANARY-OUT";

/// A workspace `app` with a folder `out` beside it that holds a canary.
pub(crate) struct Fixture {
    _base: tempfile::TempDir,
    pub root: PathBuf,
    pub out: PathBuf,
    pub workspace: Workspace,
    pub allowed: Vec<String>,
    pub seen: HashMap<String, Sha>,
}

impl Fixture {
    pub fn new() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }

    pub fn at(base: tempfile::TempDir) -> Self {
        let folder = dunce::canonicalize(base.path()).unwrap();
        let (root, out) = (folder.join("app"), folder.join("out"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&out).unwrap();
        fs::write(out.join("canary.txt"), CANARY).unwrap();
        let workspace = Workspace::open(&root, &[]).unwrap();
        Self { _base: base, root, out, workspace, allowed: Vec::new(), seen: HashMap::new() }
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[cfg(unix)]
    pub fn link(&self, target: impl AsRef<std::path::Path>, at: &str) {
        std::os::unix::fs::symlink(target, self.root.join(at)).unwrap();
    }

    #[cfg(unix)]
    pub fn pipe(&self, at: &str) {
        let path = self.root.join(at);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, rustix::fs::Mode::from_raw_mode(0o600), 0).unwrap();
    }

    /// Content of a file, opened as tools do.
    pub fn content(&self, path: &str) -> Result<Vec<u8>, Refusal> {
        let place = self.workspace.place(path)?;
        self.workspace.read(&place, 1 << 20).map(|file| file.bytes)
    }

    /// Why a file isn't read.
    pub fn refusal(&self, path: &str) -> String {
        self.content(path).expect_err("it should be refused").words
    }

    pub fn looking<T>(&self, then: impl FnOnce(&Looking<'_>) -> T) -> T {
        then(&Looking {
            workspace: &self.workspace,
            call: &CallId::new("call"),
            seen: &|path| self.seen.get(path).copied(),
            secret_allowed: &|path| self.allowed.iter().any(|allowed| allowed == path),
            repository_allowed: &|folder| self.allowed.iter().any(|allowed| allowed == folder),
            last: None,
            command_timeout_s: 60,
        })
    }

    pub fn assess(&self, tool: &Arc<dyn Tool>, arguments: Value) -> Result<Assessment, Refusal> {
        self.looking(|looking| tool.assess(&map(arguments), looking))
    }

    /// Clears a call: by the verdict where it runs by itself, else by an approval of its card.
    pub fn clear(&self, tool: &Arc<dyn Tool>, arguments: Value) -> Result<Cleared, Refusal> {
        let arguments = map(arguments);
        let assessment = self.looking(|looking| tool.assess(&arguments, looking))?;
        let name = tool.spec().name;
        let considered =
            Considered { tool: name, arguments: &arguments, assessment: &assessment, mode: Mode::Ask, rules: &[] };
        let subject = Subject {
            conversation: &ConversationId::new("conversation"),
            call: &CallId::new("call"),
            tool: name,
            version: tool.spec().version,
            workspace: self.workspace.identity(),
            arguments: &arguments,
            assessment: &assessment,
        };
        Ok(if assessment.tier == Tier::Low {
            Cleared::by_verdict(&subject, &decide(&considered)).unwrap()
        } else {
            Cleared::by_decision(&subject, Answer::Approved, Decider::User, subject.card().digest).unwrap()
        })
    }

    /// Reads on a clearance that was given before.
    pub fn read(&self, tool: &Arc<dyn Tool>, cleared: &Cleared) -> ToolOutput {
        let cancel = CancellationToken::new();
        self.looking(|looking| {
            tool.read(cleared, &Running { looking: *looking, cancel: &cancel, live: &|_, _| (), spool: &|| None })
        })
    }

    /// Assesses, clears and reads; the output, or the words of a refusal.
    pub fn run(&self, tool: &Arc<dyn Tool>, arguments: Value) -> Result<ToolOutput, String> {
        let cleared = self.clear(tool, arguments).map_err(|refusal| refusal.words)?;
        Ok(self.read(tool, &cleared))
    }

    pub fn text(&self, tool: &Arc<dyn Tool>, arguments: Value) -> String {
        String::from_utf8(self.run(tool, arguments).unwrap().full).unwrap()
    }
}

pub(crate) fn map(arguments: Value) -> Map<String, Value> {
    arguments.as_object().unwrap().clone()
}
