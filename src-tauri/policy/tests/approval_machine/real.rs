//! What the real code says of the one call, at each version of its file.
//! The machine asks once and keeps the answers; it decides nothing of this kind itself.

use assent_policy::{Cleared, Considered, Subject, decide};
use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::ids::{CallId, ConversationId, Sha};
use assent_protocol::permission::{Answer, Decider, Mode, Tier, Verdict};
use assent_protocol::preview::Preview;
use assent_protocol::tool::FileState;
use serde_json::{Map, Value};

use super::Word;

fn with_subject<T>(tier: Tier, version: u8, work: impl FnOnce(&Subject<'_>) -> T) -> T {
    let (conversation, call) = (ConversationId::new("a"), CallId::new("c"));
    let arguments: Map<String, Value> = Map::new();
    let assessment = Assessment {
        tier,
        read_only: false,
        touches: vec![FileState { path: "a".to_owned(), hash: Some(Sha::of(&[version])) }],
        preview: Preview::Read { path: format!("version {version}"), bytes: 0 },
        reason: Reason::Look { target: "a".to_owned() },
        reach: Reach::default(),
        argv: None,
    };
    work(&Subject {
        conversation: &conversation,
        call: &call,
        tool: "write_file",
        version: 1,
        workspace: "/w",
        arguments: &arguments,
        assessment: &assessment,
    })
}

pub fn verdict(tier: Tier, mode: Mode, version: u8) -> Verdict {
    with_subject(tier, version, |subject| {
        let Subject { tool, arguments, assessment, .. } = *subject;
        decide(&Considered { tool, arguments, assessment, mode, rules: &[] })
    })
}

/// The clearance of a decision: the card that was decided on against what would run now.
pub fn by_decision(tier: Tier, card: u8, version: u8) -> bool {
    let decided = with_subject(tier, card, |subject| subject.card().digest);
    with_subject(tier, version, |subject| {
        Cleared::by_decision(subject, Answer::Approved, Decider::User, decided).is_ok()
    })
}

/// The clearance without a decision.
pub fn by_verdict(tier: Tier, mode: Mode, version: u8) -> Option<Word> {
    let verdict = verdict(tier, mode, version);
    let cleared = with_subject(tier, version, |subject| Cleared::by_verdict(subject, &verdict)).ok()?;
    Some(if cleared.by == Decider::Mode { Word::Mode } else { Word::Tool })
}
