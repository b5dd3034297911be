//! Which wider scopes a card offers: rules made from the call itself, never wider than its tier allows.
//! It offers; whether a rule applies later is decided in `decide`.

use assent_protocol::assessment::Breadth;
use assent_protocol::canonical;
use assent_protocol::permission::{Matcher, Rule, Tier};

use crate::clearance::Subject;
use crate::decide::{is_asked_each_time, repository_elsewhere, runs_in_root};

/// Rules on offer for a call, narrowest first. High: the exact paths, the exact plain command or nothing. Medium: the
/// exact paths, then everything below the workspace root for this tool. A call without paths, and a command in
/// another folder than the root: its exact arguments. A command without the sandbox: none. A read of a repository
/// elsewhere: all reads of that repository.
pub fn breadths(subject: &Subject<'_>) -> Vec<Breadth> {
    let assessment = subject.assessment;
    let rule = |matcher| Breadth { rule: Rule { tool: subject.tool.to_owned(), matcher } };
    if is_asked_each_time(subject.arguments) {
        return Vec::new();
    }
    if subject.arguments.contains_key("command") {
        let matcher = |argv: &Vec<String>| match runs_in_root(subject.arguments) {
            true => Matcher::Command { argv: argv.clone() },
            false => Matcher::Arguments { digest: canonical::digest(subject.arguments) },
        };
        return assessment.argv.iter().map(|argv| rule(matcher(argv))).collect();
    }
    if let Some(folder) = repository_elsewhere(assessment) {
        let matcher = Matcher::Repository { folder: folder.to_owned() };
        return vec![Breadth { rule: Rule { tool: "git".to_owned(), matcher } }];
    }
    match assessment.touches.as_slice() {
        [] => vec![rule(Matcher::Arguments { digest: canonical::digest(subject.arguments) })],
        [file] => {
            let mut offers = vec![rule(Matcher::Path { glob: globset::escape(&file.path) })];
            // A secret is asked for once per file (spec part 5): a read never gets a wider rule.
            if assessment.tier < Tier::High && !assessment.read_only {
                offers.push(rule(Matcher::Path { glob: "**".to_owned() }));
            }
            offers
        }
        _ if assessment.tier < Tier::High && !assessment.read_only => {
            vec![rule(Matcher::Path { glob: "**".to_owned() })]
        }
        _ => vec![rule(Matcher::Arguments { digest: canonical::digest(subject.arguments) })],
    }
}

#[cfg(test)]
mod tests;
