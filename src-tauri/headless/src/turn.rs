//! Follows one conversation until its turn ends or waits for a person, printing as it goes.
//! It decides nothing: the reason is what the log says.

use assent_engine::{Engine, Subscription};
use assent_protocol::event::{EndReason, Part, Payload};
use assent_protocol::failure::Failure;
use assent_protocol::ids::ConversationId;
use assent_protocol::request::Request;
use assent_protocol::signal::{Delta, Phase, Signal};
use assent_protocol::tool::Outcome;

use crate::print;

/// How a run ended, as scripts see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The turn ended.
    Turn(EndReason),
    /// A card waits for a person.
    Waiting,
    /// It failed before or beside the turn.
    Failed,
}

impl Ending {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Turn(EndReason::Completed) => 0,
            Self::Turn(EndReason::Error) | Self::Failed => 1,
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
            Self::Turn(EndReason::Error) | Self::Failed => "error",
            Self::Waiting => "waiting",
            Self::Turn(EndReason::MaxIterations) => "max-iterations",
            Self::Turn(EndReason::Stopped) => "stopped",
            Self::Turn(EndReason::Blocked) => "blocked",
            Self::Turn(EndReason::MaxTokens) => "max-tokens",
            Self::Turn(EndReason::Interrupted) => "interrupted",
        }
    }
}

/// Prints what happens in `conversation` until its turn ends or waits. Ctrl-C stops the turn; a second one leaves.
pub async fn follow(engine: &Engine, mut signals: Subscription, conversation: &ConversationId, json: bool) -> Ending {
    let mut interrupts = 0;
    let mut is_line_open = false;
    loop {
        let batch = tokio::select! {
            batch = signals.next() => batch,
            _ = tokio::signal::ctrl_c() => {
                interrupts += 1;
                if interrupts > 1 {
                    return Ending::Turn(EndReason::Interrupted);
                }
                if let Err(failure) = stop(engine, conversation).await {
                    print::complain(&failure.message);
                }
                continue;
            }
        };
        for signal in batch {
            let ending = match &signal {
                Signal::Recorded { event } if event.conversation == *conversation => {
                    let is_written = if json { print::event(event) } else { words(&event.payload, &mut is_line_open) };
                    if !is_written {
                        // Nobody reads any more: the turn is stopped rather than run unseen.
                        let _ = stop(engine, conversation).await;
                    }
                    match &event.payload {
                        Payload::TurnEnd { reason, message } => {
                            complain_of(*reason, message.as_deref());
                            Some(Ending::Turn(*reason))
                        }
                        _ => None,
                    }
                }
                Signal::Delta { conversation: of, delta } if of == conversation => {
                    if !json {
                        text(delta, &mut is_line_open);
                    }
                    matches!(delta, Delta::Phase { phase: Phase::You { .. }, .. }).then_some(Ending::Waiting)
                }
                _ => None,
            };
            if let Some(ending) = ending {
                if is_line_open {
                    print::out("\n");
                }
                return ending;
            }
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
        Payload::ToolCall(call) => format!("· {} {}", call.name, print::plain(&call.target)),
        Payload::ToolResult(result) if result.outcome != Outcome::Ok => {
            let first = result.shown.lines().next().unwrap_or_default();
            format!("  {:?}: {}", result.outcome, print::plain(first))
        }
        Payload::RequestFailed { message, retry_in_ms: Some(wait), .. } => {
            format!("  {message}; trying again in {} s", wait.div_ceil(1000))
        }
        _ => return true,
    };
    let lead = if *is_line_open { "\n" } else { "" };
    *is_line_open = false;
    print::out(&format!("{lead}{line}\n"))
}
