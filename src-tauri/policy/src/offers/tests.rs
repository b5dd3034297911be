//! What a card offers beyond one yes, by the call that it shows.
//! Whether an offered rule then covers a call is tested with the verdicts.

use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::canonical;
use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::permission::{Matcher, Tier};
use assent_protocol::preview::Preview;
use serde_json::{Value, json};

use super::breadths;
use crate::clearance::Subject;
use crate::command_line::plain_argv;

fn offered(arguments: &Value) -> Vec<Matcher> {
    let text = arguments["command"].as_str().unwrap();
    let assessment = Assessment {
        tier: Tier::High,
        read_only: false,
        touches: Vec::new(),
        preview: Preview::Diff { files: Vec::new() },
        reason: Reason::Look { target: String::new() },
        reach: Reach::default(),
        argv: plain_argv(text).map(|plain| plain.0),
    };
    let subject = Subject {
        conversation: &ConversationId::new("c"),
        call: &CallId::new("k"),
        tool: "run_command",
        version: 1,
        workspace: "/w",
        arguments: arguments.as_object().unwrap(),
        assessment: &assessment,
    };
    breadths(&subject).into_iter().map(|breadth| breadth.rule.matcher).collect()
}

#[test]
fn p13_a_command_is_offered_as_its_words_in_the_root_and_whole_in_another_folder() {
    let argv = vec!["./check".to_owned(), "-q".to_owned()];
    assert_eq!(offered(&json!({ "command": "./check -q" })), [Matcher::Command { argv }]);
    let there = json!({ "command": "./check -q", "folder": "vendor" });
    assert_eq!(offered(&there), [Matcher::Arguments { digest: canonical::digest(&there) }]);
    assert_eq!(offered(&json!({ "command": "./check; ls", "folder": "vendor" })), []);
    assert_eq!(offered(&json!({ "command": "./check; ls" })), []);
    assert_eq!(offered(&json!({ "command": "./check", "unsandboxed": true })), []);
}
