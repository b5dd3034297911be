//! The tests' workspace, and the way of a changing call through it as in production: assessed, decided on by its card,
//! prepared, claimed, carried out; and taken back.
//! It fakes nothing but the person's yes and the store's commit.

#[cfg(target_os = "linux")]
pub mod filter;

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs;
use std::sync::Mutex;

use assent_policy::{Claimed, Cleared, Reversal};
use assent_protocol::assessment::Assessment;
use assent_protocol::file_note::FileNote;
use assent_protocol::ids::{CallId, ConversationId, Sha};
use assent_protocol::permission::{Answer, Decider};
use assent_protocol::preview::{FileDiff, Preview};
use assent_protocol::tool::{FileEffect, FileState};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{RevertRefusal, revert};
use crate::fixture::{CANARY, Fixture, map};
use crate::tool::{Looking, Prepared, Refusal, Running, Tool, ToolOutput};

pub const CALL: &str = "0199b2b0-7c1e-7000-8000-000000000001";

pub(crate) struct Bench {
    fixture: Fixture,
    seen: Mutex<HashMap<String, Sha>>,
    kept: Mutex<HashMap<Sha, Vec<u8>>>,
    conversation: ConversationId,
}

impl std::ops::Deref for Bench {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.fixture
    }
}

/// A call that was approved, with all that its way needs.
pub(crate) struct Approved<'a> {
    bench: &'a Bench,
    tool: &'a dyn Tool,
    call: CallId,
    cleared: Cleared,
    pub assessment: Assessment,
}

impl Bench {
    pub fn new() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }

    pub fn at(base: tempfile::TempDir) -> Self {
        Self {
            fixture: Fixture::at(base),
            seen: Mutex::default(),
            kept: Mutex::default(),
            conversation: ConversationId::new("c"),
        }
    }

    /// A file that the model has read.
    pub fn known(&self, path: &str, content: impl AsRef<[u8]>) {
        self.write(path, content);
        self.see(path);
    }

    pub fn see(&self, path: &str) {
        self.seen.lock().unwrap().insert(path.to_owned(), Sha::of(&self.read(path)));
    }

    pub fn knows(&self, path: &str, hash: Sha) {
        self.seen.lock().unwrap().insert(path.to_owned(), hash);
    }

    pub fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.root.join(path)).unwrap()
    }

    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.read(path)).unwrap()
    }

    pub fn exists(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    /// Every path below the root, sorted, the trash's ignore file aside.
    pub fn listing(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                }
                found.push(entry.path().strip_prefix(&self.root).unwrap().to_str().unwrap().to_owned());
            }
        }
        found.sort();
        found
    }

    /// Nothing outside of the workspace changed.
    pub fn out_is_untouched(&self) {
        let names: Vec<_> = fs::read_dir(&self.out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["canary.txt"]);
        assert_eq!(fs::read_to_string(self.out.join("canary.txt")).unwrap(), CANARY);
    }

    pub fn no_temporary_is_left(&self) {
        let left: Vec<_> = self.listing().into_iter().filter(|path| path.contains(".tmp")).collect();
        assert!(left.is_empty(), "{left:?}");
    }

    fn looking<'a>(&'a self, call: &'a CallId, seen: &'a (dyn Fn(&str) -> Option<Sha> + Sync)) -> Looking<'a> {
        Looking {
            workspace: &self.workspace,
            call,
            seen,
            secret_allowed: &|_| false,
            repository_allowed: &|_| false,
            last: None,
            command_timeout_s: 60,
        }
    }

    pub fn assess(&self, tool: &dyn Tool, arguments: Value) -> Result<Assessment, Refusal> {
        let call = CallId::new(CALL);
        tool.assess(&map(arguments), &self.looking(&call, &|path| self.last_seen(path)))
    }

    pub fn refusal(&self, tool: &dyn Tool, arguments: Value) -> String {
        self.assess(tool, arguments).expect_err("it should be refused").words
    }

    fn last_seen(&self, path: &str) -> Option<Sha> {
        self.seen.lock().unwrap().get(path).copied()
    }

    /// The call, assessed and approved by its card.
    pub fn approve<'a>(&'a self, tool: &'a dyn Tool, arguments: Value) -> Result<Approved<'a>, Refusal> {
        self.approve_as(CALL, tool, arguments)
    }

    pub fn approve_as<'a>(&'a self, call: &str, tool: &'a dyn Tool, arguments: Value) -> Result<Approved<'a>, Refusal> {
        let (call, arguments) = (CallId::new(call), map(arguments));
        let seen = |path: &str| self.last_seen(path);
        let assessment = tool.assess(&arguments, &self.looking(&call, &seen))?;
        let subject = assent_policy::Subject {
            conversation: &self.conversation,
            call: &call,
            tool: tool.spec().name,
            version: tool.spec().version,
            workspace: self.workspace.identity(),
            arguments: &arguments,
            assessment: &assessment,
        };
        let card = subject.card().digest;
        let cleared = Cleared::by_decision(&subject, Answer::Approved, Decider::User, card).unwrap();
        Ok(Approved { bench: self, tool, call, cleared, assessment })
    }

    /// The whole way of an approved call.
    pub fn run(&self, tool: &dyn Tool, arguments: Value) -> ToolOutput {
        self.run_as(CALL, tool, arguments)
    }

    pub fn run_as(&self, call: &str, tool: &dyn Tool, arguments: Value) -> ToolOutput {
        match self.approve_as(call, tool, arguments) {
            Ok(approved) => approved.run(),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }

    pub fn revert(&self, effects: &[FileEffect]) -> Result<Vec<FileEffect>, RevertRefusal> {
        let kept = |hash: Sha| self.kept.lock().unwrap().get(&hash).cloned();
        revert(&Reversal::asked_by_person(CallId::new(CALL)), &self.workspace, effects, &kept)
    }
}

impl Approved<'_> {
    pub fn prepare(&self) -> Result<Prepared, Refusal> {
        let prepared =
            self.tool.prepare(&self.cleared, &self.bench.looking(&self.call, &|path| self.bench.last_seen(path)))?;
        let mut kept = self.bench.kept.lock().unwrap();
        prepared.keep.iter().for_each(|content| drop(kept.insert(Sha::of(content), content.clone())));
        Ok(prepared)
    }

    pub fn change(&self, prepared: &Prepared) -> ToolOutput {
        self.change_unless(prepared, &CancellationToken::new())
    }

    pub fn change_unless(&self, prepared: &Prepared, cancel: &CancellationToken) -> ToolOutput {
        let claimed = Claimed::commit(self.cleared.clone(), |_| Ok::<u32, Infallible>(1)).unwrap();
        let seen = |path: &str| self.bench.last_seen(path);
        let running =
            Running { looking: self.bench.looking(&self.call, &seen), cancel, live: &|_, _| {}, spool: &|| None };
        let output = self.tool.change(&claimed, prepared, &running);
        for FileState { path, hash } in &output.seen {
            self.bench.seen.lock().unwrap().insert(path.clone(), hash.unwrap());
        }
        output
    }

    pub fn run(&self) -> ToolOutput {
        match self.prepare() {
            Ok(prepared) => self.change(&prepared),
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

pub fn words(output: &ToolOutput) -> String {
    String::from_utf8(output.full.clone()).unwrap()
}

/// What a card says of its one file, in English.
pub fn note_lines(assessment: &Assessment) -> Vec<String> {
    diff(assessment).notes.iter().map(FileNote::line).collect()
}

/// The one file of a card's diff.
pub fn diff(assessment: &Assessment) -> &FileDiff {
    match &assessment.preview {
        Preview::Diff { files } => &files[0],
        other => panic!("not a diff: {other:?}"),
    }
}
