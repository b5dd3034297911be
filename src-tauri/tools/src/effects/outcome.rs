//! Puts what happened, or didn't, into words that the model can act on.
//! It acts on nothing itself.

use assent_protocol::ids::Sha;
use assent_protocol::tool::{Brief, FileEffect, FileState};

use super::replace::Trouble;
use crate::tool::{Refusal, ToolOutput};

/// The refusal for a file that isn't as it was when the call was approved.
pub fn changed_since_approval(path: &str, now: Option<Sha>) -> Refusal {
    Refusal::new(format!(
        "It did not run: {path} changed since the approval; {}. Look at it again before repeating the call.",
        present(now)
    ))
}

/// The refusal for a call that differs from the one that was claimed.
pub fn not_what_was_claimed(path: &str) -> Refusal {
    Refusal::new(format!("It did not run: what it would do to {path} now is not what was approved"))
}

/// The present hash in words.
pub fn present(now: Option<Sha>) -> String {
    match now {
        Some(hash) => format!("its present content has sha256 {hash}"),
        None => "it is gone".to_owned(),
    }
}

/// The result of a change that was carried out, or not. `words` say what was done.
pub fn output(done: Result<(), Trouble>, path: &str, words: String, effects: Vec<FileEffect>) -> ToolOutput {
    let (added, removed) =
        effects.iter().fold((0, 0), |(added, removed), effect| (added + effect.added, removed + effect.removed));
    let brief = if added + removed == 0 { Brief::Done } else { Brief::Changed { added, removed } };
    match done {
        Ok(()) => ToolOutput { seen: seen(&effects), effects, ..ToolOutput::ok(words, brief) },
        Err(Trouble::Changed { now }) => ToolOutput::refused(changed_since_approval(path, now)),
        Err(Trouble::Irregular) => {
            ToolOutput::refused(Refusal::new(format!("It did not run: {path} is not a regular file any more")))
        }
        Err(trouble @ Trouble::System { .. }) => ToolOutput::error(format!("{path} was not changed: {trouble}")),
        Err(Trouble::Unconfirmed(error)) => ToolOutput {
            effects,
            ..ToolOutput::error(format!(
                "{words} But the disk did not confirm it ({error}), so it may be lost in a power failure. Look before \
                 you repeat it."
            ))
        },
    }
}

/// The model knows the whole new content of what it wrote.
fn seen(effects: &[FileEffect]) -> Vec<FileState> {
    let written = effects.iter().filter(|effect| effect.moved_to.is_none() && effect.after.is_some());
    written.map(|effect| FileState { path: effect.path.clone(), hash: effect.after }).collect()
}
