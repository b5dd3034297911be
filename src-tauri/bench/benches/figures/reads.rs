//! Eight slow reads in one reply, beside the same reads in eight replies.
//! The reads themselves do nothing but wait.

use std::sync::Arc;
use std::time::Duration;

use assent_policy::Cleared;
use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::tool::Brief;
use assent_testkit::fake_server::{FakeServer, Reply, Script};
use assent_tools::{Looking, Refusal, Registry, Running, Tool, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};

use crate::client::gaps;
use crate::room::{Room, block_on};
use crate::table::{Aim, Row, median};

/// Rounds of both.
const ROUNDS: usize = 3;
/// Reads.
const READS: usize = 8;
/// How long each waits.
const WAIT: Duration = Duration::from_millis(200);

/// A read that waits.
struct Slow(ToolSpec);

impl Tool for Slow {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn assess(&self, arguments: &Map<String, Value>, _looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let target = arguments.get("number").map(Value::to_string).unwrap_or_default();
        Ok(Assessment {
            tier: Tier::Low,
            read_only: true,
            touches: Vec::new(),
            preview: Preview::Read { path: target.clone(), bytes: 0 },
            reason: Reason::Look { target },
            reach: Reach { inside: true, ..Reach::default() },
            argv: None,
        })
    }

    fn read(&self, _cleared: &Cleared, _running: &Running<'_>) -> ToolOutput {
        std::thread::sleep(WAIT);
        ToolOutput::ok("read", Brief::Done)
    }
}

/// Takes the figure.
pub fn measure() -> Vec<Row> {
    let (mut together, mut apart) = (Vec::new(), Vec::new());
    let call = |number: usize| ("slow_read", json!({ "number": number }));
    for _ in 0..ROUNDS {
        let calls: Vec<_> = (0..READS).map(call).collect();
        together.push(taken(vec![Reply::call(&calls)]));
        apart.push(taken(calls.iter().map(|call| Reply::call(std::slice::from_ref(call))).collect()));
    }
    let name = format!("{READS} slow reads in one reply, beside one after the other");
    vec![Row::times(name, median(together), Some(median(apart)), Aim::Faster(7.0))]
}

/// Time between replies and requests, summed.
fn taken(mut replies: Vec<Reply>) -> Duration {
    replies.push(Reply::say("Done."));
    let server = FakeServer::start(Script::of(replies)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    let mut registry = Registry::standard();
    registry.add(Arc::new(Slow(ToolSpec {
        name: "slow_read",
        version: 1,
        description: "Waits.",
        parameters: json!({ "type": "object", "properties": { "number": { "type": "integer" } } }).into(),
        tier: Tier::Low,
        rare: false,
    })));
    block_on(async {
        let workspace = workspace.canonicalize().unwrap();
        let mut room = Room::open(&folder.path().join("home"), workspace, registry, &server).await;
        room.send("go on").await;
        room.until_end().await;
    });
    gaps(&server).iter().sum()
}
