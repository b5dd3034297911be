//! Follows one conversation until its turn ends or waits for a person, printing as it goes.
//! It decides nothing: the reason is what the log says.

use std::collections::HashMap;

use assent_engine::{Engine, Subscription};
use assent_protocol::event::{EndReason, Event, Part, Payload};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::request::{Request, Response};
use assent_protocol::signal::{Delta, Phase, Signal};
use assent_protocol::tool::Outcome;
use assent_protocol::view::FailureKind;

use crate::interrupts::Interrupts;
use crate::print;

/// How a run ended, as scripts see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The turn ended.
    Turn(EndReason),
    /// A card waits for a person.
    Waiting,
}

impl Ending {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Turn(EndReason::Completed) => 0,
            Self::Turn(EndReason::Error) => 1,
            Self::Waiting => 3,
            Self::Turn(EndReason::MaxIterations) => 4,
            Self::Turn(EndReason::Stopped) => 5,
            Self::Turn(EndReason::Blocked) => 6,
            Self::Turn(EndReason::MaxTokens) => 7,
            Self::Turn(EndReason::Interrupted) => 8,
        }
    }

    /// The reason's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Turn(EndReason::Completed) => "completed",
            Self::Turn(EndReason::Error) => "error",
            Self::Waiting => "waiting",
            Self::Turn(EndReason::MaxIterations) => "max-iterations",
            Self::Turn(EndReason::Stopped) => "stopped",
            Self::Turn(EndReason::Blocked) => "blocked",
            Self::Turn(EndReason::MaxTokens) => "max-tokens",
            Self::Turn(EndReason::Interrupted) => "interrupted",
        }
    }
}

/// Prints what happens in `conversation` until nothing goes on there by itself: its turn ended and no message waits in
/// the inbox, or a card waits. Ctrl-C or a request to end stops the turn; a second one
/// leaves.
pub async fn follow(
    engine: &Engine,
    mut signals: Subscription,
    interrupts: &mut Interrupts,
    conversation: &ConversationId,
    json: bool,
) -> Result<Ending, Failure> {
    let mut printer = Printer { conversation, json, is_line_open: false, agents: HashMap::new() };
    let mut interrupted = 0;
    // A message to a conversation that waits leaves it waiting: then nothing more will be said.
    let mut is_waiting = waits(engine, conversation).await?;
    let mut batch = signals.take();
    loop {
        let mut ended = None;
        for signal in &batch {
            match printer.print(signal) {
                Said::Ended(reason) => ended = Some(reason),
                Said::Waiting => is_waiting = true,
                // Nobody reads any more: the turn is stopped rather than run unseen.
                Said::Unheard => stop(engine, conversation).await?,
                Said::Nothing => {}
            }
        }
        if is_waiting || ended.is_some() && !goes_on(engine, conversation).await? {
            printer.end_line();
            return Ok(ended.filter(|_| !is_waiting).map_or(Ending::Waiting, Ending::Turn));
        }
        tokio::select! {
            next = signals.next() => batch = next,
            () = interrupts.next() => {
                batch = Vec::new();
                interrupted += 1;
                if interrupted > 1 {
                    printer.end_line();
                    return Ok(Ending::Turn(EndReason::Interrupted));
                }
                stop(engine, conversation).await?;
            }
        }
    }
}

/// Whether a person's answer is awaited.
async fn waits(engine: &Engine, conversation: &ConversationId) -> Result<bool, Failure> {
    match engine.handle(Request::Standing { conversation: conversation.clone() }).await? {
        Response::Standing(standing) => Ok(matches!(standing.phase, Phase::You { .. })),
        _ => Err(Failure::new(Code::Other, "the engine gave another answer")),
    }
}

/// Whether another turn follows: it began already, or a message that came meanwhile waits in the inbox.
async fn goes_on(engine: &Engine, conversation: &ConversationId) -> Result<bool, Failure> {
    let row = engine.row(conversation)?;
    Ok(row.generating || row.queued > 0)
}

/// What a printed signal means for the run.
enum Said {
    Nothing,
    Waiting,
    Ended(EndReason),
    /// It could not be written.
    Unheard,
}

/// Prints the signals of one conversation.
struct Printer<'a> {
    conversation: &'a ConversationId,
    json: bool,
    /// Whether streamed text ended in the middle of a line.
    is_line_open: bool,
    /// Sub-agents that work, with the call that each works for.
    agents: HashMap<ConversationId, CallId>,
}

impl Printer<'_> {
    fn print(&mut self, signal: &Signal) -> Said {
        match signal {
            Signal::Recorded { event } if event.conversation == *self.conversation => {
                self.note_agent(&event.payload);
                let is_written =
                    if self.json { print::event(event) } else { words(&event.payload, &mut self.is_line_open) };
                match &event.payload {
                    Payload::TurnEnd { reason, message, .. } => {
                        complain_of(*reason, message.as_deref());
                        Said::Ended(*reason)
                    }
                    _ if is_written => Said::Nothing,
                    _ => Said::Unheard,
                }
            }
            Signal::Recorded { event } if self.agents.contains_key(&event.conversation) => self.nested(event),
            Signal::Delta { conversation, delta } if conversation == self.conversation => {
                if !self.json {
                    text(delta, &mut self.is_line_open);
                }
                match delta {
                    Delta::Phase { phase: Phase::You { .. }, .. } => Said::Waiting,
                    _ => Said::Nothing,
                }
            }
            _ => Said::Nothing,
        }
    }

    fn note_agent(&mut self, payload: &Payload) {
        match payload {
            Payload::AgentStarted { call, agent, .. } => drop(self.agents.insert(agent.clone(), call.clone())),
            Payload::AgentEnded { agent, .. } => drop(self.agents.remove(agent)),
            _ => {}
        }
    }

    /// What a sub-agent does and costs, marked as that; what it says stays its own.
    fn nested(&mut self, event: &Event) -> Said {
        let is_told =
            matches!(event.payload, Payload::ToolCall(_) | Payload::ToolResult(_) | Payload::UsageRecorded { .. });
        let Some(call) = self.agents.get(&event.conversation).filter(|_| is_told) else { return Said::Nothing };
        let is_written = match (self.json, &event.payload) {
            (true, _) => print::nested(event, call),
            (false, Payload::ToolCall(call)) => {
                let lead = if std::mem::take(&mut self.is_line_open) { "\n" } else { "" };
                print::out(&format!("{lead}  · {}\n", print::plain(&format!("{} {}", call.name, call.target))))
            }
            (false, _) => true,
        };
        if is_written { Said::Nothing } else { Said::Unheard }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_line_open) {
            print::out("\n");
        }
    }
}

async fn stop(engine: &Engine, conversation: &ConversationId) -> Result<(), Failure> {
    engine.handle(Request::Stop { conversation: conversation.clone() }).await.map(|_| ())
}

fn complain_of(reason: EndReason, message: Option<&str>) {
    let words = match (reason, message) {
        (EndReason::Completed, _) => return,
        (EndReason::MaxIterations, _) => "the last permitted model call was used",
        (EndReason::MaxTokens, _) => "the model reached its output limit",
        (EndReason::Stopped, _) => "stopped",
        (EndReason::Interrupted, _) => "interrupted",
        (EndReason::Blocked | EndReason::Error, Some(message)) => message,
        (EndReason::Blocked, None) => "it went round in circles",
        (EndReason::Error, None) => "it failed",
    };
    print::complain(words);
}

/// Streamed text, as it comes.
fn text(delta: &Delta, is_line_open: &mut bool) {
    if let Delta::Text { part: Part::Text, text, .. } = delta {
        print::out(&print::plain(text));
        *is_line_open = !text.ends_with('\n');
    }
}

/// One line for what was recorded, where people want one; false when nobody reads any more.
fn words(payload: &Payload, is_line_open: &mut bool) -> bool {
    let line = match payload {
        Payload::ToolCall(call) => format!("· {}", print::plain(&format!("{} {}", call.name, call.target))),
        Payload::ToolResult(result) if result.outcome != Outcome::Ok => {
            let first = result.shown.lines().next().unwrap_or_default();
            format!("  {:?}: {}", result.outcome, print::plain(first))
        }
        Payload::RequestFailed { message, failure: FailureKind::NoTools, retry_in_ms: Some(_), .. } => {
            format!("  {}", print::plain(message))
        }
        Payload::RequestFailed { message, retry_in_ms: Some(wait), .. } => {
            match wait {
                0 => print::complain(message),
                wait => print::complain(&format!("{message}; trying again in {} s", wait.div_ceil(1000))),
            }
            return true;
        }
        _ => return true,
    };
    let lead = if *is_line_open { "\n" } else { "" };
    *is_line_open = false;
    print::out(&format!("{lead}{line}\n"))
}
