//! The one trait of tools, and what passes in and out of it.
//! It holds no tool: each stands in a file of its own and is listed in `registry`.

use std::borrow::Cow;
use std::io::Write;

use assent_policy::{Claimed, Cleared};
use assent_protocol::assessment::{Assessment, LastRun};
use assent_protocol::ids::{CallId, Sha};
use assent_protocol::permission::Tier;
use assent_protocol::tool::{Brief, Cause, FileEffect, FileState, Intent, Outcome};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::arguments::Parameters;
use crate::workspace::Workspace;

/// One tool. All methods block; the engine calls them off its own thread.
pub trait Tool: Send + Sync {
    /// Name, description, schema, tier.
    fn spec(&self) -> &ToolSpec;

    /// Says what the call would do. Changes nothing; a refusal is final for these arguments and this state of the
    /// workspace, and its words go to the model.
    fn assess(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal>;

    /// Executes a read-only call. Called only when the assessment said `read_only`.
    fn read(&self, cleared: &Cleared, _running: &Running<'_>) -> ToolOutput {
        ToolOutput::error(format!("{} does not read", cleared.tool))
    }

    /// Checks the preconditions again and writes down what is about to happen. Changes nothing.
    fn prepare(&self, cleared: &Cleared, _looking: &Looking<'_>) -> Result<Prepared, Refusal> {
        Err(Refusal::new(format!("{} changes nothing", cleared.tool)))
    }

    /// Carries out a claimed call; checks the preconditions once more through the handle that it uses.
    fn change(&self, claimed: &Claimed, _prepared: &Prepared, _running: &Running<'_>) -> ToolOutput {
        ToolOutput::error(format!("{} changes nothing", claimed.tool))
    }
}

/// What is fixed about a tool.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// Name as the model calls it.
    pub name: &'static str,
    /// Raised whenever the tool's behaviour changes, so that old approvals don't fit any more.
    pub version: u32,
    /// One or two sentences for the model.
    pub description: &'static str,
    /// JSON schema of the arguments, from the Rust argument type.
    pub parameters: Parameters,
    /// Lowest tier that any call of it has.
    pub tier: Tier,
    /// Most conversations never use it: it is not offered by name but found with `find_tools` and called with `call_tool`.
    pub rare: bool,
}

/// What an assessment may look at.
#[derive(Clone, Copy)]
pub struct Looking<'a> {
    /// The opened workspace.
    pub workspace: &'a Workspace,
    /// The call that is assessed.
    pub call: &'a CallId,
    /// Hash of the content of a path (links resolved) that the model saw last in this conversation, by reading or
    /// writing it.
    pub seen: &'a (dyn Fn(&str) -> Option<Sha> + Sync),
    /// Whether this file, likely secret, was already allowed to be read in this conversation.
    pub secret_allowed: &'a (dyn Fn(&str) -> bool + Sync),
    /// Whether this repository outside of the workspace was allowed to be read in this conversation.
    pub repository_allowed: &'a (dyn Fn(&str) -> bool + Sync),
    /// How the same call (by canonical arguments) ended last time in this conversation.
    pub last: Option<LastRun>,
    /// Time limit of commands in seconds where the call names none.
    pub command_timeout_s: u32,
}

/// What an execution may use.
#[derive(Clone, Copy)]
pub struct Running<'a> {
    /// As for the assessment.
    pub looking: Looking<'a>,
    /// Set by a stop; long work looks at it often and ends within a second.
    pub cancel: &'a CancellationToken,
    /// Takes output as it comes, for the card; the whole of it is returned as well.
    pub live: Live<'a>,
    /// Opens the place where a long output is kept while it comes.
    pub spool: OpenSpool<'a>,
}

/// Takes output: where it begins in the whole, in bytes, and the bytes. It may leave some out before them.
pub type Live<'a> = &'a (dyn Fn(u64, &[u8]) + Sync);

/// Opens a place that takes the whole of one output, from its beginning, as it comes; none: there is no such place. To be
/// called at most once.
pub type OpenSpool<'a> = &'a (dyn Fn() -> Option<Box<dyn Write + Send>> + Sync);

/// A tool's no, in words that the model can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Refusal {
    /// For the model.
    pub words: String,
    /// Why, for the log.
    pub cause: Cause,
}

impl Refusal {
    /// The tool itself refuses.
    pub fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), cause: Cause::Refused }
    }

    /// The arguments don't fit the schema.
    pub fn bad_arguments(words: impl Into<String>) -> Self {
        Self { words: words.into(), cause: Cause::BadArguments }
    }
}

/// What a claim records before the effect.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What is about to happen.
    pub intent: Intent,
    /// The state of each touched file before it.
    pub before: Vec<FileState>,
    /// Old contents to be kept before anything changes, for Revert; named by their hash.
    pub keep: Vec<Vec<u8>>,
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    /// The outcome.
    pub outcome: Outcome,
    /// Why, where it is not plain success or failure.
    pub cause: Option<Cause>,
    /// The whole output, kept once by its hash.
    pub full: Vec<u8>,
    /// Whether the whole of `full` went to the spool.
    pub spooled: bool,
    /// A line behind the output that only the model gets: how it ended.
    pub closing: Option<String>,
    /// The result in a few words.
    pub brief: Brief,
    /// What happened to files.
    pub effects: Vec<FileEffect>,
    /// Files whose content the model has now seen (whole or in part), with the hash of the whole.
    pub seen: Vec<FileState>,
}

impl ToolOutput {
    /// Success with text.
    pub fn ok(full: impl Into<Vec<u8>>, brief: Brief) -> Self {
        Self {
            outcome: Outcome::Ok,
            cause: None,
            full: full.into(),
            spooled: false,
            closing: None,
            brief,
            effects: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// Failure in words for the model.
    pub fn error(words: impl Into<String>) -> Self {
        Self { outcome: Outcome::Error, ..Self::ok(words.into(), Brief::Done) }
    }

    /// Refused at the last moment: nothing happened.
    pub fn refused(refusal: Refusal) -> Self {
        Self { outcome: Outcome::Rejected, cause: Some(refusal.cause), ..Self::ok(refusal.words, Brief::Done) }
    }

    /// Ended by a stop.
    pub fn stopped(full: impl Into<Vec<u8>>) -> Self {
        Self { outcome: Outcome::Stopped, cause: Some(Cause::Stop), ..Self::ok(full, Brief::Done) }
    }

    /// What the model gets: the output as text with the line behind it, as `shorten` makes it. `full` is as it was
    /// afterwards; while it is shortened the line stands in it, so that megabytes needn't be copied.
    pub fn shown(&mut self, shorten: impl FnOnce(&str) -> String) -> String {
        let Some(closing) = &self.closing else { return shorten(&text_of(&self.full)) };
        let length = self.full.len();
        if length == 0 {
            self.full.extend_from_slice(b"(no output)");
        }
        if !self.full.ends_with(b"\n") {
            self.full.push(b'\n');
        }
        self.full.extend_from_slice(closing.as_bytes());
        let shown = shorten(&text_of(&self.full));
        self.full.truncate(length);
        shown
    }
}

/// Output as text. The whole is checked at once first: replacing what is no UTF-8 goes byte by byte.
fn text_of(output: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(output) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(output),
    }
}
