//! What a card offers beyond one yes, by the call that it shows.
//! Whether an offered rule then covers a call is tested with the verdicts.

use assent_protocol::assessment::{Assessment, Raised, Reach, Reason};
use assent_protocol::canonical;
use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::permission::{Matcher, Rule, Tier};
use assent_protocol::preview::Preview;
use assent_protocol::tool::FileState;
use serde_json::{Map, Value, json};

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

#[test]
fn a_read_of_a_repository_elsewhere_offers_all_reads_of_that_repository() {
    let assessment = Assessment {
        tier: Tier::Medium,
        read_only: true,
        touches: vec![FileState { path: "/r/.git".to_owned(), hash: None }],
        preview: Preview::Repository { path: "/r/.git".to_owned() },
        reason: Reason::ReadRepository { folder: "/r/.git".to_owned() },
        reach: Reach { raised: Some(Raised::Elsewhere), ..Reach::default() },
        argv: None,
    };
    let offered = |tool| {
        let subject = Subject {
            conversation: &ConversationId::new("c"),
            call: &CallId::new("k"),
            tool,
            version: 1,
            workspace: "/w",
            arguments: &Map::new(),
            assessment: &assessment,
        };
        breadths(&subject).into_iter().map(|breadth| breadth.rule).collect::<Vec<_>>()
    };
    let rule = Rule { tool: "git".to_owned(), matcher: Matcher::Repository { folder: "/r/.git".to_owned() } };
    assert_eq!(offered("git_status"), [rule]);
    assert_eq!(offered("git_status"), offered("git_log"), "one rule, whichever call it was made with");
}
