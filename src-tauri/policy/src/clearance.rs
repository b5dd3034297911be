//! `Cleared` and `Claimed`: the tokens that stand between a decision and an effect.
//! Neither can be made outside of this crate; a `Claimed` is handed out only after its claim is on disk.

use std::sync::Arc;

use assent_protocol::assessment::{Assessment, Card};
use assent_protocol::canonical;
use assent_protocol::ids::{CallId, ConversationId, Sha};
use assent_protocol::permission::{Answer, Decider, Tier, Verdict};
use assent_protocol::preview::Preview;
use assent_protocol::tool::FileState;
use serde_json::{Map, Value, json};

/// One call that may run: what, on whose word, and under which preconditions.
#[derive(Debug, Clone)]
pub struct Cleared(Arc<Clearance>);

/// The content of a [`Cleared`], readable by everyone.
#[derive(Debug)]
pub struct Clearance {
    /// The conversation that the call belongs to.
    pub conversation: ConversationId,
    /// The call.
    pub call: CallId,
    /// Tool name.
    pub tool: String,
    /// The arguments as they were assessed.
    pub arguments: Map<String, Value>,
    /// SHA-256 over tool, version, workspace and arguments.
    pub call_digest: Sha,
    /// The card that was decided on, when one was.
    pub card_digest: Option<Sha>,
    /// Risk at the assessment.
    pub tier: Tier,
    /// Whether the call changes nothing.
    pub read_only: bool,
    /// Who lets it run.
    pub by: Decider,
    /// Content that must still be there when it runs.
    pub touches: Vec<FileState>,
}

/// Why a call isn't cleared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCleared {
    /// The verdict is not to run.
    #[error("the call may not run")]
    Refused,
    /// The decision was a rejection.
    #[error("the call was rejected")]
    Rejected,
    /// The decision names another card than the present one.
    #[error("what was approved is not what would run now")]
    OtherCard,
}

/// What a clearance is made from: one call and what the tool said of it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The conversation.
    pub conversation: &'a ConversationId,
    /// The call.
    pub call: &'a CallId,
    /// Tool name.
    pub tool: &'a str,
    /// Tool version; a changed tool is another call.
    pub version: u32,
    /// Workspace identity: its canonical root.
    pub workspace: &'a str,
    /// Parsed arguments.
    pub arguments: &'a Map<String, Value>,
    /// The tool's assessment.
    pub assessment: &'a Assessment,
}

impl Subject<'_> {
    /// SHA-256 over the RFC 8785 form of (tool, tool version, workspace identity, arguments).
    pub fn call_digest(&self) -> Sha {
        canonical::digest(&json!({
            "tool": self.tool,
            "version": self.version,
            "workspace": self.workspace,
            "arguments": self.arguments,
        }))
    }

    fn card_digest(&self) -> Sha {
        let Assessment { tier, touches, preview, .. } = self.assessment;
        card_digest(self.call_digest(), *tier, touches, preview)
    }

    /// The card: one blob, one digest.
    pub fn card(&self) -> Card {
        let assessment = self.assessment;
        Card {
            digest: self.card_digest(),
            tier: assessment.tier,
            reason: assessment.reason.clone(),
            preview: assessment.preview.clone(),
            touches: assessment.touches.clone(),
            reach: assessment.reach.clone(),
            breadths: crate::offers::breadths(self),
        }
    }
}

/// SHA-256 over (call digest, tier, hash of every file it would touch, preview).
pub fn card_digest(call_digest: Sha, tier: Tier, touches: &[FileState], preview: &Preview) -> Sha {
    canonical::digest(&json!({ "call": call_digest, "tier": tier, "touches": touches, "preview": preview }))
}

impl Cleared {
    /// Clears a call that needs nobody's answer: the verdict has to be `Run`.
    pub fn by_verdict(subject: &Subject<'_>, verdict: &Verdict) -> Result<Self, NotCleared> {
        match verdict {
            Verdict::Run { by, .. } => Ok(Self::new(subject, *by, None)),
            Verdict::Ask | Verdict::Refuse { .. } | Verdict::Defer { .. } => Err(NotCleared::Refused),
        }
    }

    /// Clears a call on a recorded decision. The decision must be an approval of exactly the card that the
    /// present assessment makes.
    pub fn by_decision(subject: &Subject<'_>, answer: Answer, by: Decider, card: Sha) -> Result<Self, NotCleared> {
        if answer != Answer::Approved {
            return Err(NotCleared::Rejected);
        }
        if subject.card_digest() != card {
            return Err(NotCleared::OtherCard);
        }
        Ok(Self::new(subject, by, Some(card)))
    }

    fn new(subject: &Subject<'_>, by: Decider, card_digest: Option<Sha>) -> Self {
        Self(Arc::new(Clearance {
            conversation: subject.conversation.clone(),
            call: subject.call.clone(),
            tool: subject.tool.to_owned(),
            arguments: subject.arguments.clone(),
            call_digest: subject.call_digest(),
            card_digest,
            tier: subject.assessment.tier,
            read_only: subject.assessment.read_only,
            by,
            touches: subject.assessment.touches.clone(),
        }))
    }
}

impl std::ops::Deref for Cleared {
    type Target = Clearance;

    fn deref(&self) -> &Clearance {
        &self.0
    }
}

/// A cleared call whose claim is on disk: the only thing that a side effect accepts, used up by it.
#[derive(Debug)]
pub struct Claimed {
    clearance: Cleared,
    attempt: u32,
}

impl Claimed {
    /// Turns a clearance into a claim by running `commit`, which must put the claim on disk with a full sync and
    /// return the attempt's number, from 1. If it fails there is no claim. Called by the store alone; a test holds
    /// the whole tree to that.
    pub fn commit<E>(cleared: Cleared, commit: impl FnOnce(&Clearance) -> Result<u32, E>) -> Result<Self, E> {
        let attempt = commit(&cleared)?;
        Ok(Self { clearance: cleared, attempt })
    }

    /// Number of the attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }
}

impl std::ops::Deref for Claimed {
    type Target = Clearance;

    fn deref(&self) -> &Clearance {
        &self.clearance
    }
}

/// A person's word that a call's file effects are to be taken back.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reversal {
    /// The call whose effects go back.
    pub call: CallId,
}

impl Reversal {
    /// A reversal that a person asked for. A model's call can't ask for one: no tool leads here.
    pub fn asked_by_person(call: CallId) -> Self {
        Self { call }
    }
}
