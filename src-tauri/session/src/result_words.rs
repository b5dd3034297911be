//! What a model reads of a result: shortening, budget notes, and the words for calls that didn't run.
//! Nothing here decides; the words follow from what was recorded.

use assent_protocol::permission::Decider;
use assent_protocol::tool::Cause;

/// Longest result that reaches the model whole, in characters (spec part 4).
pub const SHOWN_MAX: usize = 8_192;

/// Characters kept at either end of a longer one (spec part 4).
const SHOWN_ENDS: usize = 3_000;

/// The model's form of a long output: the first and the last 3,000 characters with the count of what is left out
/// between, cut at line boundaries where one is near.
pub fn shorten(text: &str) -> String {
    if text.chars().nth(SHOWN_MAX).is_none() {
        return text.to_owned();
    }
    match ends(text, 2 * SHOWN_ENDS) {
        Some((head, left_out, tail)) => format!(
            "{head}…[{left_out} characters left out; read the file with an offset, or narrow the search]…{tail}"
        ),
        None => text.to_owned(),
    }
}

/// The beginning and the end of a text that is longer than `keep` characters, half of them each, cut at line boundaries
/// where one is near; between them how many characters are left out.
pub fn ends(text: &str, keep: usize) -> Option<(&str, usize, &str)> {
    let total = text.chars().count();
    let half = (keep / 2).max(1);
    if total <= 2 * half {
        return None;
    }
    let (head, tail) = (&text[..head_end(text, half)], &text[tail_start(text, half)..]);
    Some((head, total - head.chars().count() - tail.chars().count(), tail))
}

/// The note behind the last result of an iteration, when the iterations run short: at 70 % and at 90 % of `max`.
pub fn budget_note(since_human: u32, max: u32) -> Option<String> {
    let left = max.checked_sub(since_human).filter(|left| *left > 0)?;
    let at = |tenths: u32| (max * tenths).div_ceil(10);
    if since_human == at(9) {
        Some(format!("[BUDGET WARNING: iteration {since_human}/{max}, {left} left. Give your final answer.]"))
    } else if since_human == at(7) {
        Some(format!("[BUDGET: iteration {since_human}/{max}, {left} left. Start to bring the work together.]"))
    } else {
        None
    }
}

/// Why a call did not run, for the model.
pub fn did_not_run(cause: Cause, name: &str) -> String {
    match cause {
        Cause::UnknownTool => format!("It did not run: there is no tool named {name:?} here."),
        Cause::BadArguments => "It did not run: the arguments were cut off before they were complete. Send the call \
             again with smaller arguments, for example in several steps."
            .to_owned(),
        Cause::User => "It did not run: the user rejected it.".to_owned(),
        Cause::Rule => "It did not run: a rule of the user refuses it.".to_owned(),
        Cause::Mode => "It did not run: the conversation's mode refuses it.".to_owned(),
        Cause::Stop => "It did not run: the user stopped the turn.".to_owned(),
        Cause::Interrupted => "It did not run: the program was interrupted before it could. Nothing was changed by \
             this call; call it again if it is still wanted."
            .to_owned(),
        Cause::Repeated => "It was not run again: the same call gave the same result twice in this turn and nothing \
             changed in between. Use that result, try something else, or say what is missing."
            .to_owned(),
        Cause::Budget => {
            "It did not run: this was the last permitted answer of the turn and tools were off. Answer in \
             words."
                .to_owned()
        }
        Cause::Refused => "It did not run: the tool refused it.".to_owned(),
        Cause::Timeout => "It ran out of time.".to_owned(),
    }
}

/// A rejection in words, with the person's note fenced so that it reads as the person's and as nothing else.
pub fn rejected(by: Decider, note: Option<&str>) -> String {
    let who = match by {
        Decider::User => "the user",
        Decider::Rule => "a rule of the user",
        Decider::Mode => "the conversation's mode",
        Decider::Stop => "a stop",
        Decider::Tool => "the tool",
    };
    match note.map(str::trim).filter(|note| !note.is_empty()) {
        Some(note) => {
            let fence = fence_for(note);
            format!(
                "It did not run: {who} rejected it, with this note:\n{fence}\n{note}\n{fence}\nFollow the note; don't \
                 send the same call again."
            )
        }
        None => format!(
            "It did not run: {who} rejected it. Don't send the same call again; ask what is wanted instead, or go on \
             without it."
        ),
    }
}

/// What a person said when approving a call, for the model; none: nothing was said.
pub fn approved_with(note: Option<&str>) -> Option<String> {
    let note = note.map(str::trim).filter(|note| !note.is_empty())?;
    let fence = fence_for(note);
    Some(format!("[The user approved this call with a note:]\n{fence}\n{note}\n{fence}"))
}

/// A person's answer to a question, for the model: fenced, so that it reads as the person's and as nothing else.
pub fn answered(answer: &str) -> String {
    let fence = fence_for(answer);
    format!("The user answered:\n{fence}\n{answer}\n{fence}")
}

/// A fence that does not occur in the text itself.
fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn head_end(text: &str, characters: usize) -> usize {
    let end = text.char_indices().nth(characters).map_or(text.len(), |(index, _)| index);
    match text[..end].rfind('\n') {
        Some(line) if text[line..end].chars().count() < characters / 4 => line + 1,
        _ => end,
    }
}

fn tail_start(text: &str, characters: usize) -> usize {
    let start = text.char_indices().rev().nth(characters - 1).map_or(0, |(index, _)| index);
    match text[start..].find('\n') {
        Some(line) if text[start..start + line].chars().count() < characters / 4 => start + line + 1,
        _ => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_notes_come_at_seven_and_nine_of_ten() {
        let notes: Vec<_> = (1..=10).filter_map(|n| budget_note(n, 10)).collect();
        assert_eq!(
            notes,
            [
                "[BUDGET: iteration 7/10, 3 left. Start to bring the work together.]",
                "[BUDGET WARNING: iteration 9/10, 1 left. Give your final answer.]",
            ]
        );
        assert_eq!(budget_note(5, 5), None);
    }

    #[test]
    fn long_output_keeps_both_ends_and_counts_the_middle() {
        let text = "零一二三四五六七八九\n".repeat(2_000);
        let short = shorten(&text);
        let middle = short.split("…[").nth(1).unwrap().split(' ').next().unwrap().parse::<usize>().unwrap();
        let kept = short.chars().filter(|c| !c.is_ascii() || *c == '\n').count() - 2;
        assert_eq!(kept + middle, text.chars().count());
        assert!(short.starts_with("零一") && short.ends_with("九\n"));
        assert_eq!(shorten(&"x".repeat(8_192)).len(), 8_192);
    }

    #[test]
    fn a_note_cannot_close_its_own_fence() {
        let words = rejected(Decider::User, Some("no ``` tricks"));
        assert!(words.contains("\n````\nno ``` tricks\n````\n"), "{words}");
    }
}
