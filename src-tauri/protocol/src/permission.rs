//! Words of permission: tiers, modes, rules, verdicts and decisions.
//! What follows from them is decided in `policy` alone.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::Sha;

/// How risky a call is. It comes from the tool's code and may only rise with the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Runs without asking.
    Low,
    /// Asks; runs unasked in mode `auto`.
    Medium,
    /// Asks; refused in mode `auto`.
    High,
}

/// What a conversation lets pass unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Low runs; Medium and High ask.
    #[default]
    Ask,
    /// Low and Medium run; High is refused.
    Auto,
    /// Only Low runs; the rest is refused.
    Plan,
}

/// Who settled a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    /// A person.
    User,
    /// A rule that a person made.
    Rule,
    /// The conversation's mode.
    Mode,
    /// A person's stop.
    Stop,
    /// The tool itself, or the engine's own checks.
    Tool,
}

/// How far an approval reaches.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "reach")]
pub enum Scope {
    /// This card only.
    #[default]
    Once,
    /// Calls that fit the rule, in this conversation.
    Conversation {
        /// What later calls must fit.
        rule: Rule,
    },
}

/// What an allowing rule covers. Never wider than a tool and one of these matchers, or than reads of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub struct Rule {
    /// Tool name, exactly; `git` for a rule for a repository, which covers every tool that only reads it.
    pub tool: String,
    /// What else must fit.
    pub matcher: Matcher,
}

/// What a call must look like for a rule to match.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum Matcher {
    /// Every touched path fits this glob (anchored at the workspace root, `/` between segments).
    Path {
        /// The glob.
        glob: String,
    },
    /// The command is one plain argv equal to this one, token by token.
    Command {
        /// The tokens.
        argv: Vec<String>,
    },
    /// The arguments are exactly these: their canonical digest.
    Arguments {
        /// SHA-256 over the canonical form of the arguments.
        digest: Sha,
    },
    /// The call only reads, and reads this repository outside of the workspace, whichever tool asks.
    Repository {
        /// The repository's own folder, absolute, links resolved.
        folder: String,
    },
}

/// What policy says of one call, with the reason a person can read in `why`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "answer")]
pub enum Verdict {
    /// Runs without asking.
    Run {
        /// Who lets it pass.
        by: Decider,
        /// The rule, where it was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<Rule>,
    },
    /// Waits for a person.
    Ask,
    /// Does not run; the model is told `why`.
    Refuse {
        /// Who refuses.
        by: Decider,
        /// In words that the model can act on.
        why: String,
    },
    /// Not to be judged yet: an earlier call of the same message touches the same path, or must end first.
    Defer {
        /// The earlier call.
        after: crate::ids::CallId,
    },
}

/// A person's (or a rule's) answer to a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// May run.
    Approved,
    /// Must not run.
    Rejected,
}
