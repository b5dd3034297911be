//! What a person did and what was shown, in words for the expectation.
//! Events have their words in `print`.

use assent_protocol::signal::Phase;

use super::print::cut;
use super::script::What;

pub(super) fn words(what: &What) -> String {
    match what {
        What::Send { text, reject: true, .. } => format!("rejects and sends {text:?}"),
        What::Send { text, delivery, .. } => format!("sends {:?} ({delivery:?})", cut(text)),
        What::Approve { call, card, breadth, note } => {
            let card = card.map(|number| format!(" by card {number}")).unwrap_or_default();
            let breadth = breadth.map(|number| format!(" with offer {number}")).unwrap_or_default();
            let note = note.as_ref().map(|note| format!(" {note:?}")).unwrap_or_default();
            format!("approves c{call}{card}{breadth}{note}")
        }
        What::Reject { call, note } => {
            format!("rejects c{call}{}", note.as_ref().map(|note| format!(" {note:?}")).unwrap_or_default())
        }
        What::Answer { call, text } => format!("answers c{call} {text:?}"),
        What::Stop => "stops".to_owned(),
        What::Continue => "continues".to_owned(),
        What::Keep => "keeps the text".to_owned(),
        What::Edit { item, text } => format!("changes i{item} to {text:?}"),
        What::Move { item, before: None } => format!("moves i{item} to the end"),
        What::Move { item, before: Some(before) } => format!("moves i{item} before i{before}"),
        What::Redeliver { item, delivery } => format!("makes i{item} {delivery:?}"),
        What::Withdraw { item } => format!("withdraws i{item}"),
        What::SetMode(mode) => format!("sets the mode to {mode:?}"),
        What::Choose(model) => format!("picks {model}"),
        What::SetLimits(_) => "sets the limits".to_owned(),
        What::Defaults(_) => "saves other limits in the settings".to_owned(),
        What::Slots { global, conversation } => format!("sets the slots to {global} and {conversation}"),
        What::Resolve { call, done } => format!("marks c{call} as {}", if *done { "done" } else { "not done" }),
        What::CheckAgain { call } => format!("has c{call} checked again"),
        What::Revert { call } => format!("takes c{call} back"),
        What::RevokeRule { call } => format!("takes back the rule made with c{call}"),
        What::Compact { instructions: None } => "wants a summary".to_owned(),
        What::Compact { instructions: Some(wish) } => format!("wants a summary: {wish:?}"),
        What::Rename(title) => format!("names it {title:?}"),
        What::Fork { message, name } => format!("forks at message {message} as {name}"),
        What::Resend { message, text, name } => format!("says message {message} anew as {text:?} in {name}"),
        What::Trust { paths } => format!("trusts {}", paths.join(", ")),
        What::Distrust { paths } => format!("trusts {} no longer", paths.join(", ")),
        What::RefreshPrompt => "has the prompt set anew".to_owned(),
        What::Delete => "deletes the conversation".to_owned(),
        other => format!("{other:?}"),
    }
}

pub(super) fn phase_words(phase: &Phase) -> String {
    match phase {
        Phase::Compacting => "makes a summary".to_owned(),
        Phase::Idle => "idle".to_owned(),
        Phase::Queued { ahead } => format!("waits for a slot, {ahead} ahead"),
        Phase::Connecting => "connecting".to_owned(),
        Phase::FirstToken => "waits for the first token".to_owned(),
        Phase::Thinking => "thinking".to_owned(),
        Phase::Writing => "writing".to_owned(),
        Phase::Tool { name, .. } => format!("runs {name}"),
        Phase::You { pending } => format!("waits for a person, {pending} pending"),
        Phase::BackingOff { attempt, of, .. } => format!("backs off before attempt {attempt} of {of}"),
        Phase::Saving => "saving".to_owned(),
    }
}

pub(super) fn code_word(failure: &assent_protocol::failure::Failure) -> String {
    format!("{:?}", failure.code)
}
