//! Plays one reply on one connection.
//! Decides nothing: what comes is in the reply, and when it comes is at the gates.

use std::io;
use std::time::Duration;

use super::dialect::Speaker;
use super::http::{Reader, Writer};
use super::script::{Reply, Step};
use super::state::State;

/// How the connection is after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// In good order: the next request may come.
    Whole,
    /// Broken, as the script wanted.
    Broken,
}

/// Plays `reply` in the words of `speaker`. An error means that the client left.
pub(super) async fn play(
    reply: &Reply,
    speaker: &mut dyn Speaker,
    reader: &mut Reader,
    writer: &mut Writer,
    state: &State,
) -> io::Result<Outcome> {
    if let Some(gate) = &reply.gate {
        pass(gate, reader, state).await?;
    }
    if let Some(body) = &reply.body {
        writer.whole(reply.status, &reply.headers, body.as_bytes()).await?;
        return Ok(Outcome::Whole);
    }
    let mut headers = reply.headers.clone();
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("content-type".to_owned(), "text/event-stream".to_owned()));
    }
    writer.begin(reply.status, &headers).await?;
    for step in &reply.steps {
        match step {
            Step::Raw(bytes) => write(bytes, reply.pace_us, reader, writer).await?,
            Step::Think(_) | Step::Say(_) | Step::Call(_) | Step::End { .. } => {
                for bytes in speaker.say(step) {
                    write(&bytes, reply.pace_us, reader, writer).await?;
                }
            }
            Step::Tokens { count, per_write } => {
                for bytes in speaker.before_tokens() {
                    write(&bytes, reply.pace_us, reader, writer).await?;
                }
                let mut number = 0;
                while number < *count {
                    let next = (number + per_write.max(&1)).min(*count);
                    let events: String = (number..next).map(|number| speaker.token(number)).collect();
                    write(events.as_bytes(), reply.pace_us, reader, writer).await?;
                    number = next;
                }
            }
            Step::Gate(gate) => pass(gate, reader, state).await?,
            Step::Pause(milliseconds) => pause(Duration::from_millis(*milliseconds), reader).await?,
            Step::Cut => return Ok(Outcome::Broken),
            Step::Hang => {
                reader.until_left().await;
                return Err(left());
            }
        }
    }
    writer.end().await?;
    Ok(Outcome::Whole)
}

/// One write, and the pause after it.
async fn write(bytes: &[u8], pace_us: u64, reader: &mut Reader, writer: &mut Writer) -> io::Result<()> {
    writer.chunk(bytes).await?;
    pause(Duration::from_micros(pace_us), reader).await
}

/// Waits at a gate until somebody opens it or the client leaves.
async fn pass(gate: &str, reader: &mut Reader, state: &State) -> io::Result<()> {
    let permits = state.arrive(gate);
    let outcome = tokio::select! {
        permit = permits.acquire() => {
            if let Ok(permit) = permit {
                permit.forget();
            }
            Ok(())
        }
        () = reader.until_left() => Err(left()),
    };
    state.depart(gate, outcome.is_ok());
    outcome
}

async fn pause(length: Duration, reader: &mut Reader) -> io::Result<()> {
    if length.is_zero() {
        return Ok(());
    }
    tokio::select! {
        () = tokio::time::sleep(length) => Ok(()),
        () = reader.until_left() => Err(left()),
    }
}

fn left() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the client left")
}
