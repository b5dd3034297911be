//! Tests of what counts as needing a content.
//! Sweeping is tested with the purge.

use std::sync::Arc;

use assent_protocol::event::ToolResult;
use assent_protocol::ids::{BootId, CallId};
use assent_protocol::tool::{Brief, FileState, Outcome, Stored};

use super::*;

fn hash(text: &str) -> Sha {
    Sha::of(text.as_bytes())
}

#[test]
fn every_hash_that_revert_or_replay_needs_is_named() {
    let effect = FileEffect {
        path: "x".to_owned(),
        before: Some(hash("before")),
        after: Some(hash("after")),
        moved_to: None,
        added: 0,
        removed: 0,
    };
    let call = CallId::new("c");
    let result = ToolResult {
        call: call.clone(),
        outcome: Outcome::Ok,
        cause: None,
        shown: Arc::from(""),
        output: Some(Stored::of(b"output")),
        brief: Brief::Done,
        duration_ms: 0,
        effects: vec![effect.clone()],
        seen: vec![FileState { path: "y".to_owned(), hash: Some(hash("seen")) }],
        note: None,
        rules: Vec::new(),
        recovered: false,
    };
    let started = Payload::ToolStarted {
        call: call.clone(),
        attempt: 1,
        boot: BootId::new("b"),
        intent: Some(Intent::Write { path: "x".to_owned(), before: Some(hash("old")), after: hash("new") }),
        before: vec![FileState { path: "x".to_owned(), hash: Some(hash("old")) }],
    };
    for (payload, needed, names) in [
        (Payload::PromptSet { content: Stored::of(b"prompt") }, Some("prompt"), vec!["prompt"]),
        (
            Payload::ToolsSet { content: Stored::of(b"tools"), names: Vec::new(), reading: Vec::new() },
            Some("tools"),
            vec!["tools"],
        ),
        (Payload::ToolResult(result), Some("output"), vec!["output", "before", "after"]),
        (Payload::EffectReverted { call, effects: vec![effect] }, None, vec!["before", "after"]),
        (started, None, vec!["old", "old", "new"]),
        (Payload::TurnStop {}, None, Vec::new()),
    ] {
        assert_eq!(required(&payload), needed.map(hash).into_iter().collect::<Vec<_>>());
        assert_eq!(named(&payload), names.into_iter().map(hash).collect::<Vec<_>>());
    }
}
