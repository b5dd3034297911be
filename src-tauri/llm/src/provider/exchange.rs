//! One request and its streamed answer: time limits, cancelling, and the end of the connection.
//! Understands no bytes (the wire format's machine does) and never asks twice.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use assent_protocol::view::FailureKind;
use bytes::Bytes;
use futures_util::stream;
use reqwest::Response;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::connection::{Link, reason};
use super::silence::Limit;
use crate::answer::{Answer, Machine, Progress};
use crate::item::{ModelFailure, ModelItem};
use crate::model::{ModelCall, ModelStream, Timeouts};

/// How long usage may follow a finish reason.
const USAGE_TIME: Duration = Duration::from_millis(500);

/// How long the final item may be held back for the end of the HTTP message, so that its connection is free again
/// when the next request comes.
const TRAILER_TIME: Duration = Duration::from_millis(15);

/// Bytes of an answer that become one batch at most, when they come faster than they are taken. A server that sends each
/// token by itself would otherwise cost a turn of the whole loop for each.
const TOGETHER: usize = 16 << 10;

/// How long a connection is read on in the background to save it; after that it is closed.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// Opens the stream.
pub(super) fn stream(link: Arc<Link>, machine: Box<dyn Machine>, call: ModelCall) -> ModelStream {
    Box::pin(stream::unfold(Stage::Ready(link, machine, call), |stage| async {
        match stage {
            Stage::Ready(link, machine, call) => Some(open(link, machine, call).await),
            Stage::Reading(reading) => Some(read(reading).await),
            Stage::Over => None,
        }
    }))
}

enum Stage {
    Ready(Arc<Link>, Box<dyn Machine>, ModelCall),
    Reading(Box<Reading>),
    Over,
}

struct Reading {
    response: Response,
    answer: Answer,
    timeouts: Timeouts,
    cancel: CancellationToken,
    cancelled: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Wakes at the limit or earlier; moving it with every byte would cost more than looking when it wakes.
    alarm: Pin<Box<Sleep>>,
    limit: Limit,
    /// A piece of content has come: from now on the idle limit holds.
    has_content: bool,
}

type Batch = (Vec<ModelItem>, Stage);

async fn open(link: Arc<Link>, machine: Box<dyn Machine>, call: ModelCall) -> Batch {
    let ModelCall { body, view: _, cancel, timeouts } = call;
    let cancelled = Box::pin(cancel.clone().cancelled_owned());
    let limit = Limit::after(timeouts.first_byte);
    let alarm = Box::pin(tokio::time::sleep_until(limit.next_look().unwrap_or_else(Instant::now)));
    let outcome = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(stopped(false)),
        outcome = link.post(body.bytes, timeouts.connect) => outcome,
        () = limit.over() => Err(silent(timeouts, false, false)),
    };
    match outcome {
        Ok(response) => {
            let answer = Answer::new(machine, link.quote.clone());
            let reading = Reading { response, answer, timeouts, cancel, cancelled, alarm, limit, has_content: false };
            (vec![ModelItem::Opened], Stage::Reading(Box::new(reading)))
        }
        Err(failure) => (vec![ModelItem::Failed(failure)], Stage::Over),
    }
}

async fn read(mut reading: Box<Reading>) -> Batch {
    loop {
        let mut bytes = tokio::select! {
            biased;
            () = &mut reading.cancelled => return over(ModelItem::Failed(stopped(true))),
            bytes = reading.response.chunk() => bytes,
            () = &mut reading.alarm => {
                if let Some(batch) = reading.wake() {
                    return batch;
                }
                continue;
            }
        };
        let mut items = Vec::new();
        let mut taken = 0;
        loop {
            match bytes {
                Ok(Some(bytes)) => {
                    taken += bytes.len();
                    join(&mut items, reading.answer.push(&bytes));
                }
                Ok(None) => {
                    join(&mut items, reading.answer.end());
                    return (items, Stage::Over);
                }
                Err(error) => {
                    join(&mut items, reading.break_off(reason(error)));
                    return (items, Stage::Over);
                }
            }
            if reading.answer.progress() == Progress::Over {
                free(reading.response, reading.cancel).await;
                return (items, Stage::Over);
            }
            bytes = match taken < TOGETHER {
                true => match reading.ready().await {
                    Some(more) => more,
                    None => break,
                },
                false => break,
            };
        }
        reading.move_deadline(&items);
        if !items.is_empty() {
            return (items, Stage::Reading(reading));
        }
    }
}

/// Adds items to those before them: pieces of one text become one item, as those of one read do.
fn join(items: &mut Vec<ModelItem>, more: Vec<ModelItem>) {
    for item in more {
        match (items.last_mut(), item) {
            (Some(ModelItem::Text(text)), ModelItem::Text(piece))
            | (Some(ModelItem::Reasoning(text)), ModelItem::Reasoning(piece)) => text.push_str(&piece),
            (Some(ModelItem::Alive), ModelItem::Alive) => {}
            (_, item) => items.push(item),
        }
    }
}

impl Reading {
    /// What comes next if it is there already, or as soon as the connection's own task had its turn.
    async fn ready(&mut self) -> Option<reqwest::Result<Option<Bytes>>> {
        let mut chunk = pin!(self.response.chunk());
        let mut has_yielded = false;
        std::future::poll_fn(|context| match chunk.as_mut().poll(context) {
            Poll::Ready(bytes) => Poll::Ready(Some(bytes)),
            Poll::Pending if has_yielded => Poll::Ready(None),
            Poll::Pending => {
                has_yielded = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await
    }

    /// Until content comes, any byte counts as life, and the longer limit for the first byte stays: a server that queues
    /// or thinks says so with pings. Once the answer has begun only what means something counts (spec part 3).
    fn move_deadline(&mut self, items: &[ModelItem]) {
        let means_something = items.iter().any(|item| !matches!(item, ModelItem::Alive));
        if self.has_content && !means_something && self.answer.progress() == Progress::Open {
            return;
        }
        self.has_content |= means_something;
        let limit = match (self.answer.progress(), self.has_content) {
            (Progress::Open, true) => self.timeouts.idle,
            (Progress::Open, false) => self.timeouts.first_byte,
            _ => USAGE_TIME,
        };
        self.limit = Limit::after(limit);
        if self.limit.deadline() < self.alarm.deadline() {
            self.alarm.as_mut().reset(self.limit.deadline());
        }
    }

    /// The alarm went off: the end of the stream, if the time really is over.
    fn wake(&mut self) -> Option<Batch> {
        if let Some(look) = self.limit.next_look() {
            self.alarm.as_mut().reset(look);
            return None;
        }
        Some(match self.answer.progress() {
            Progress::Ended => (self.answer.end(), Stage::Over),
            _ => over(ModelItem::Failed(silent(self.timeouts, true, self.has_content))),
        })
    }

    /// The connection broke: the end of the answer only if its finish was seen.
    fn break_off(&mut self, reason: String) -> Vec<ModelItem> {
        if self.answer.progress() == Progress::Ended {
            return self.answer.end();
        }
        vec![ModelItem::Failed(ModelFailure {
            failure: FailureKind::Disconnected,
            message: format!("the connection broke off: {reason}"),
            status: Some(200),
            retry_after_ms: None,
            opened: true,
        })]
    }
}

/// Reads what little comes after the final item, so that the connection can be used again.
async fn free(mut response: Response, cancel: CancellationToken) {
    if tokio::time::timeout(TRAILER_TIME, read_out(&mut response)).await.is_ok() {
        return;
    }
    tokio::spawn(async move {
        tokio::select! {
            () = cancel.cancelled() => {}
            _ = tokio::time::timeout(DRAIN_TIME, read_out(&mut response)) => {}
        }
    });
}

async fn read_out(response: &mut Response) {
    while let Ok(Some(_)) = response.chunk().await {}
}

fn over(item: ModelItem) -> Batch {
    (vec![item], Stage::Over)
}

fn stopped(opened: bool) -> ModelFailure {
    ModelFailure {
        failure: FailureKind::Stopped,
        message: "stopped".to_owned(),
        status: opened.then_some(200),
        retry_after_ms: None,
        opened,
    }
}

fn silent(timeouts: Timeouts, opened: bool, has_content: bool) -> ModelFailure {
    let (failure, limit, what) = match has_content {
        true => (FailureKind::IdleTimeout, timeouts.idle, "the answer stood still for"),
        false => (FailureKind::FirstByteTimeout, timeouts.first_byte, "no answer within"),
    };
    ModelFailure {
        failure,
        message: format!("{what} {} s", limit.as_secs_f32()),
        status: opened.then_some(200),
        retry_after_ms: None,
        opened,
    }
}
