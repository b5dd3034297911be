//! What a conversation is in the middle of, and how it hears of its progress.
//! Nothing here survives the process: after a crash the log says what was under way.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assent_llm::{ModelFailure, ModelItem, ModelStream};
use assent_protocol::event::Part;
use assent_protocol::ids::{CallId, RequestId};
use assent_protocol::settings::ModelChoice;
use assent_protocol::view::{ToolChoice, Usage};
use assent_store::Spool;
use assent_tools::ToolOutput;
use futures_util::StreamExt as _;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::asking::Told;
use super::writing::Writing;
use crate::prompt::FolderRules;
use crate::slots::{Permit, Ticket};
use crate::targets::Hold;

/// Streamed text is written at least this often, or at [`CHUNK_BYTES`] (spec 2.1: about 250 ms or 4 KiB).
const CHUNK_EVERY: Duration = Duration::from_millis(250);
/// See [`CHUNK_EVERY`].
const CHUNK_BYTES: usize = 4096;

/// What is under way.
pub(super) enum Doing {
    /// Nothing: ask what is next.
    Nothing,
    /// Waiting for a free slot.
    Queued(Queued),
    /// A model answers.
    Answering(Box<Answering>),
    /// A model is asked for something on the side, and nothing else goes on meanwhile.
    Asking(Box<Asking>),
    /// Waiting before the next attempt.
    BackingOff(Instant),
    /// A call waits until others are done with its files. Behind a mutex only so that the conversation can be shared; it
    /// is never locked.
    Blocked(Mutex<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>>),
    /// Calls run.
    Running(Running),
}

/// A model is asked for something on the side.
pub(super) struct Asking {
    /// The request.
    pub request: RequestId,
    /// The model that is asked.
    pub choice: ModelChoice,
    /// Ends it.
    pub cancel: CancellationToken,
    /// Resolves with the answer. Behind a mutex only so that the conversation can be shared; it is never locked.
    pub told: Mutex<Telling>,
}

/// Resolves with an answer as a whole.
type Telling = Pin<Box<dyn Future<Output = Result<Told, ModelFailure>> + Send>>;

/// Waiting for a free slot.
pub(super) struct Queued {
    /// Resolves with the permit. Behind a mutex only so that the conversation can be shared; it is never locked.
    pub permit: Mutex<std::pin::Pin<Box<dyn Future<Output = Permit> + Send>>>,
    /// The place in the line.
    pub ticket: Arc<Ticket>,
    /// Changes whenever the line moves.
    pub moves: watch::Receiver<u64>,
    /// Whether tools may be called.
    pub tool_choice: ToolChoice,
}

/// A model answers.
pub(super) struct Answering {
    /// The request.
    pub request: RequestId,
    /// The model that was asked, with its prices then: the conversation's may be another one by the end.
    pub choice: ModelChoice,
    /// Its stream. Behind a mutex only so that the conversation can be shared; it is never locked.
    pub stream: Mutex<ModelStream>,
    /// Ends it.
    pub cancel: CancellationToken,
    /// Given back as soon as the stream ends.
    pub permit: Option<Permit>,
    /// Text so far.
    pub text: String,
    /// Reasoning so far.
    pub reasoning: String,
    /// Which part the newest bytes that aren't written yet belong to, and where they begin.
    pub unwritten: Option<(Part, usize)>,
    /// When they have to be written.
    pub write_at: Instant,
    /// Weight of what was sent, to learn from the real count.
    pub weight: f64,
    /// Calls that are being written.
    pub writing: Vec<Writing>,
    /// What the provider counted so far, for an answer that never finishes.
    pub told: Option<Usage>,
}

/// Calls run.
pub(super) struct Running {
    /// One task a call.
    pub tasks: JoinSet<Ended>,
    /// The calls that run, each with its task, for the case that one dies without a word.
    pub calls: Vec<(tokio::task::Id, CallId)>,
    /// Ends them.
    pub cancel: CancellationToken,
    /// Their output as it comes.
    pub output: mpsc::UnboundedReceiver<Printed>,
    /// Leave to change files, kept until the result is in the log: before that a claim on them would fail.
    pub hold: Option<Arc<Hold>>,
}

/// Output of a running call.
pub(super) struct Printed {
    /// Whose.
    pub call: CallId,
    /// Where it begins in the whole output, in bytes; what came before it may have been left out.
    pub offset: u64,
    /// The output.
    pub bytes: Vec<u8>,
}

/// A call that ended.
pub(super) struct Ended {
    /// Which.
    pub call: CallId,
    /// How.
    pub output: ToolOutput,
    /// The output, if it was long, where it was kept as it came.
    pub spool: Option<Spool>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Rules of folders that it was the first to touch.
    pub rules: Vec<FolderRules>,
}

/// News of what is under way.
pub(super) enum Progress {
    /// The slot is free.
    Permit(Permit, ToolChoice),
    /// The place in the line changed.
    Ahead(u32),
    /// Items of the stream; none: it ended without a last item.
    Items(Option<Vec<ModelItem>>),
    /// Streamed text has to be written.
    Write,
    /// What was asked on the side is answered.
    Told(Result<Told, ModelFailure>),
    /// The wait is over.
    Waited,
    /// The files that a call waited for are free.
    Freed,
    /// Output of a call.
    Output(Printed),
    /// A call ended.
    Ended(Ended),
    /// All calls ended.
    AllEnded,
    /// A call's task died without a word.
    Died(tokio::task::Id),
}

impl Doing {
    /// Waits for news. Safe to drop and call again.
    pub async fn progress(&mut self) -> Progress {
        match self {
            Self::Nothing => std::future::pending().await,
            Self::Queued(queued) => tokio::select! {
                permit = queued.permit.get_mut().unwrap_or_else(PoisonError::into_inner) => Progress::Permit(permit, queued.tool_choice),
                Ok(()) = queued.moves.changed() => Progress::Ahead(queued.ticket.ahead()),
            },
            Self::Answering(answering) => {
                let is_unwritten = answering.unwritten.is_some();
                tokio::select! {
                    biased;
                    items = answering.stream.get_mut().unwrap_or_else(PoisonError::into_inner).next() => Progress::Items(items),
                    () = tokio::time::sleep_until(answering.write_at), if is_unwritten => Progress::Write,
                }
            }
            Self::Asking(asking) => Progress::Told(asking.told.get_mut().unwrap_or_else(PoisonError::into_inner).await),
            Self::BackingOff(until) => {
                tokio::time::sleep_until(*until).await;
                Progress::Waited
            }
            Self::Blocked(free) => {
                free.get_mut().unwrap_or_else(PoisonError::into_inner).await;
                Progress::Freed
            }
            Self::Running(running) => running.progress().await,
        }
    }

    /// Ends whatever is under way. Calls that run are told to end and waited for: what they did is returned.
    pub async fn wind_up(&mut self) -> Vec<Ended> {
        self.cancel();
        let mut ended = Vec::new();
        if let Self::Running(running) = self {
            while let Some(one) = running.tasks.join_next().await {
                ended.extend(one.ok());
            }
        }
        *self = Self::Nothing;
        ended
    }

    /// Tells what is under way to end.
    pub fn cancel(&self) {
        match self {
            Self::Answering(answering) => answering.cancel.cancel(),
            Self::Asking(asking) => asking.cancel.cancel(),
            Self::Running(running) => running.cancel.cancel(),
            Self::Nothing | Self::Queued(_) | Self::BackingOff(_) | Self::Blocked(_) => {}
        }
    }
}

impl Running {
    async fn progress(&mut self) -> Progress {
        tokio::select! {
            biased;
            Some(printed) = self.output.recv() => Progress::Output(printed),
            ended = self.tasks.join_next() => match ended {
                Some(Ok(ended)) => Progress::Ended(ended),
                Some(Err(died)) => Progress::Died(died.id()),
                None => Progress::AllEnded,
            },
        }
    }
}

impl Answering {
    /// Takes a piece of text or reasoning; true when there is enough to be written.
    pub fn take(&mut self, part: Part, text: &str) -> bool {
        let target = match part {
            Part::Text => &mut self.text,
            Part::Reasoning => &mut self.reasoning,
        };
        if self.unwritten.is_none() {
            self.unwritten = Some((part, target.len()));
            self.write_at = Instant::now() + CHUNK_EVERY;
        }
        target.push_str(text);
        self.unwritten.is_some_and(|(_, start)| target.len() - start >= CHUNK_BYTES)
    }

    /// Whether unwritten bytes belong to the other part, so that they must be written first.
    pub fn must_write_before(&self, part: Part) -> bool {
        self.unwritten.is_some_and(|(unwritten, _)| unwritten != part)
    }

    /// The unwritten piece: part, offset, text.
    pub fn unwritten(&mut self) -> Option<(Part, u64, String)> {
        let (part, start) = self.unwritten.take()?;
        let whole = match part {
            Part::Text => &self.text,
            Part::Reasoning => &self.reasoning,
        };
        Some((part, start as u64, whole[start..].to_owned()))
    }
}
