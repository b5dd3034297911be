//! Making request n of a conversation with 10, 1,000 and 10,000 messages: from its log, and from the request before it.
//! Beside it stands bare serialisation of the same messages. Nothing is sent.

use std::time::{Duration, Instant};

use assent_llm::{Body, Model as _, Provider, ProviderConfig};
use assent_protocol::attachment::Contents;
use assent_protocol::event::{Event, Payload};
use assent_protocol::ids::ConversationId;
use assent_protocol::view::{ModelView, Protocol, ToolChoice, ViewMessage};
use assent_session::{Next, Session, Texts};
use assent_store::Store;
use serde::Serialize;

use crate::log::{answered, asked, fill};
use crate::table::{Aim, Row, median};

/// Messages of the conversations.
const SIZES: [usize; 3] = [10, 1_000, 10_000];
/// Times that each is made from the log.
const ROUNDS: usize = 9;
/// Requests that are made one after the other.
const STEPS: usize = 99;

/// What the figures of one conversation are.
struct Taken {
    /// From the log to the body.
    whole: Duration,
    /// From the body before to the body, with everything that was recorded in between.
    next: Duration,
    /// The same messages, serialised.
    bare: Duration,
}

/// A message as a bare client has it.
#[derive(Serialize)]
struct Bare<'a> {
    role: &'static str,
    content: &'a str,
}

/// Takes the figures.
pub fn measure() -> Vec<Row> {
    let taken = SIZES.map(of_conversation);
    let mut rows = Vec::new();
    for (messages, taken) in SIZES.iter().zip(&taken) {
        let row = |what: &str, ours, times| {
            let figure = format!("a request with {messages} messages, {what}, beside serialising them");
            micros(figure, ours, taken.bare, times)
        };
        rows.push(row("from the log", taken.whole, 40.0));
        rows.push(row("from the one before it", taken.next, 2.0));
    }
    let [few, some, many] = taken;
    rows.push(micros("10000 messages, from the log, beside 1000", many.whole, some.whole, 12.0));
    rows.push(micros("10000 messages, from the one before it, beside 1000", many.next, some.next, 12.0));
    rows.push(micros("1000 messages, from the one before it, beside 10", some.next, few.next, 12.0));
    rows
}

fn micros(figure: impl Into<String>, ours: Duration, other: Duration, times: f64) -> Row {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    Row { figure: figure.into(), ours: micros(ours), other: Some(micros(other)), unit: "µs", aim: Aim::Times(times) }
}

fn of_conversation(messages: usize) -> Taken {
    let turns = messages / 2;
    let home = tempfile::tempdir().unwrap();
    let conversation = ConversationId::new("0190b5a0-0000-7000-8000-000000000001");
    fill(home.path(), &conversation, turns);
    let (store, _) = Store::open(home.path()).unwrap();
    let model = Provider::new(ProviderConfig::new(Protocol::ChatCompletions, "http://127.0.0.1:9/v1")).unwrap();
    let texts = Texts { system: "You work in a folder.".into(), tools: "[]".into(), memory: "".into() };
    let view = |session: &Session| session.view(texts.clone(), ToolChoice::Auto, Contents::default());

    let (mut whole, mut bare) = (Vec::new(), Vec::new());
    let mut last = None;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let session = Session::fold(&store.fold_events(&conversation).unwrap());
        let view = view(&session);
        let body = model.body(&view, None);
        whole.push(began.elapsed());
        assert_eq!(view.messages.len(), messages);
        bare.push(serialised(&view));
        last = Some((session, body));
    }
    let (mut session, body) = last.unwrap();

    let mut next = Vec::new();
    let mut body: Option<Body> = Some(body);
    for turn in turns..turns + STEPS {
        let seq = session.seq();
        // The log ends with an answer; from the second request on, the one before has to be answered first.
        let answer = if turn == turns { Vec::new() } else { answered(turn - 1) };
        let recorded = answer.into_iter().chain(asked(turn));
        let events: Vec<Event> =
            (seq + 1..).zip(recorded).map(|(seq, payload)| event(&conversation, seq, payload)).collect();
        let began = Instant::now();
        events.iter().for_each(|event| session.apply(event));
        assert!(matches!(session.next(), Next::CallModel(_)));
        let made = model.body(&view(&session), body.take());
        next.push(began.elapsed());
        body = Some(made);
    }
    Taken { whole: median(whole), next: median(next), bare: median(bare) }
}

fn event(conversation: &ConversationId, seq: u64, payload: Payload) -> Event {
    Event { conversation: conversation.clone(), seq, at: 1, payload }
}

fn serialised(view: &ModelView) -> Duration {
    let bare = view.messages.iter().map(|message| match message.as_ref() {
        ViewMessage::User { text, .. } => Bare { role: "user", content: text },
        ViewMessage::Assistant { text, .. } => Bare { role: "assistant", content: text },
        ViewMessage::ToolResult { text, .. } => Bare { role: "tool", content: text },
    });
    let bare: Vec<Bare<'_>> = bare.collect();
    let began = Instant::now();
    std::hint::black_box(serde_json::to_vec(&bare).unwrap());
    began.elapsed()
}
