//! May this call run? One pure function with its precedence written above it.
//! It neither knows files nor asks anyone; a rule is taken as it stands in the log.

use assent_protocol::assessment::{Assessment, Raised};
use assent_protocol::canonical;
use assent_protocol::permission::{Decider, Matcher, Mode, Rule, Tier, Verdict};
use globset::GlobBuilder;
use serde_json::{Map, Value};

use crate::command_line::plain_argv;

/// All that a verdict depends on.
#[derive(Debug, Clone, Copy)]
pub struct Considered<'a> {
    /// Tool name.
    pub tool: &'a str,
    /// Parsed arguments.
    pub arguments: &'a Map<String, Value>,
    /// The tool's assessment.
    pub assessment: &'a Assessment,
    /// The conversation's mode.
    pub mode: Mode,
    /// Rules that a person made in this conversation.
    pub rules: &'a [Rule],
}

/// Decides one call. In this order:
/// 1. Low runs, in every mode.
/// 2. Mode `plan` refuses all the rest.
/// 3. Mode `auto` refuses High: no rule lifts that.
/// 4. A rule that matches lets it run. What can't be read as one plain argv in the root, or as a glob, matches no such rule.
/// 5. Mode `auto` lets Medium run.
/// 6. Everything else asks.
pub fn decide(considered: &Considered<'_>) -> Verdict {
    let tier = considered.assessment.tier;
    match (tier, considered.mode) {
        (Tier::Low, _) => Verdict::Run { by: Decider::Tool, rule: None },
        (_, Mode::Plan) => refuse(
            "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change \
             instead; the user can switch the mode.",
        ),
        (Tier::High, Mode::Auto) => refuse(
            "It did not run: this conversation is in auto mode, where high-risk calls are refused. Go on without it, \
             or ask the user to switch the mode to ask.",
        ),
        (Tier::Medium | Tier::High, Mode::Ask | Mode::Auto) => {
            if let Some(rule) = considered.rules.iter().find(|rule| matches(rule, considered)) {
                Verdict::Run { by: Decider::Rule, rule: Some(rule.clone()) }
            } else if considered.mode == Mode::Auto {
                Verdict::Run { by: Decider::Mode, rule: None }
            } else {
                Verdict::Ask
            }
        }
    }
}

fn refuse(why: &str) -> Verdict {
    Verdict::Refuse { by: Decider::Mode, why: why.to_owned() }
}

/// Whether a rule covers a call. High calls are covered by an exact path, an exact command or exact arguments only.
fn matches(rule: &Rule, considered: &Considered<'_>) -> bool {
    if is_asked_each_time(considered.arguments) {
        return false;
    }
    match &rule.matcher {
        Matcher::Repository { folder } => repository_elsewhere(considered.assessment) == Some(folder),
        _ if rule.tool != considered.tool => false,
        Matcher::Path { glob } => {
            let exact = considered.assessment.tier == Tier::High;
            let touches = &considered.assessment.touches;
            !touches.is_empty() && touches.iter().all(|file| path_matches(glob, &file.path, exact))
        }
        Matcher::Command { argv } => {
            let command = considered.arguments.get("command").and_then(Value::as_str);
            runs_in_root(considered.arguments) && command.and_then(plain_argv).is_some_and(|plain| plain.0 == *argv)
        }
        Matcher::Arguments { digest } => canonical::digest(considered.arguments) == *digest,
    }
}

/// Whether a command asks to run without the sandbox: that is approved once, never remembered (spec part 5).
pub(crate) fn is_asked_each_time(arguments: &Map<String, Value>) -> bool {
    arguments.contains_key("command") && arguments.get("unsandboxed").is_some_and(|value| *value != Value::Bool(false))
}

/// The repository outside of the workspace that a call reads, and does nothing else with.
pub(crate) fn repository_elsewhere(assessment: &Assessment) -> Option<&str> {
    let reads = assessment.read_only && assessment.reach.raised == Some(Raised::Elsewhere);
    match assessment.touches.as_slice() {
        [repository] if reads => Some(&repository.path),
        _ => None,
    }
}

/// Whether a command names no folder to run in but the workspace's root. In another folder the same words run another
/// program (`./check.sh`) or work on other files.
pub(crate) fn runs_in_root(arguments: &Map<String, Value>) -> bool {
    match arguments.get("folder") {
        None | Some(Value::Null) => true,
        Some(folder) => folder.as_str().is_some_and(|folder| matches!(folder, "" | "." | "./")),
    }
}

fn path_matches(glob: &str, path: &str, exact: bool) -> bool {
    if exact {
        return globset::escape(path) == glob;
    }
    GlobBuilder::new(glob)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

#[cfg(test)]
mod tests;
