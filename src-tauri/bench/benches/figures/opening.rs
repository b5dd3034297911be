//! Opening a conversation of 10,000 messages in an engine that has just started.
//! The log is made through the store, as the engine would have made it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assent_engine::Engine;
use assent_protocol::ids::ConversationId;
use assent_protocol::request::{Request, Response};

use crate::log::fill;
use crate::room::{Nobody, block_on};
use crate::table::{Aim, Row, median};

/// Openings, each in a fresh engine.
const ROUNDS: usize = 9;
/// Half of the messages are a person's.
const TURNS: usize = 5_000;

/// Takes the figure.
pub fn measure() -> Vec<Row> {
    let home = tempfile::tempdir().unwrap();
    let conversation = ConversationId::new("0190b5a0-0000-7000-8000-000000000001");
    fill(home.path(), &conversation, TURNS);
    let times: Vec<Duration> = (0..ROUNDS).map(|_| open(home.path(), &conversation)).collect();
    let name = format!("opening a conversation of {} messages", TURNS * 2);
    vec![Row::times(name, median(times), None, Aim::Below(100.0))]
}

fn open(home: &std::path::Path, conversation: &ConversationId) -> Duration {
    block_on(async {
        let engine = Engine::open(home, Arc::new(Nobody)).await.unwrap();
        let began = Instant::now();
        let opened = engine.handle(Request::Open { conversation: conversation.clone() }).await.unwrap();
        let took = began.elapsed();
        assert!(matches!(opened, Response::Open(_)));
        took
    })
}
