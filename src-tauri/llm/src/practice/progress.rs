//! How far the last user message has been worked off, and so what comes next: a call, or words.
//! Everything follows from the view alone; nothing is remembered between requests.

use std::collections::VecDeque;

use assent_protocol::view::{ModelView, ToolChoice, ViewMessage};

use super::Reply;
use super::answer::{self, Told};
use super::request::{Language, Request, language, requests};
use super::tool_call::{Offered, PlannedCall};

/// What the practice model answers to this view.
pub(super) fn reply(view: &ModelView) -> Reply {
    let offered = Offered::new(&view.tools);
    let (text, mut results) = last_message(view);
    let language = language(text);
    let may_call = view.tool_choice == ToolChoice::Auto;
    let made = results.len();

    let mut told: Vec<Told> = Vec::new();
    for request in requests(text) {
        let mut seen: Vec<&str> = Vec::new();
        while let Some(planned) = next_call(&request, &seen, &offered) {
            if seen.last().is_some_and(|result| is_refusal(result) && !is_missing(result)) {
                break;
            }
            let Some(result) = results.pop_front() else {
                return stand(&request, &planned, &told, &offered, language, may_call, made);
            };
            seen.push(result);
        }
        let was_refused = seen.last().is_some_and(|result| is_refusal(result));
        told.push(Told::new(&request, seen.last().copied(), was_refused));
        if was_refused {
            break;
        }
    }
    Reply { text: answer::report(&told, language), calls: Vec::new() }
}

/// A call comes next: made if it may be, else what is done so far is told and what isn't.
fn stand(
    request: &Request,
    planned: &PlannedCall,
    told: &[Told],
    offered: &Offered,
    language: Language,
    may_call: bool,
    made: usize,
) -> Reply {
    let obstacle = match (may_call, offered.has(planned.tool)) {
        (true, true) => {
            let text = answer::announcement(planned, language);
            return Reply { text, calls: vec![offered.call(planned, made + 1)] };
        }
        (false, _) => answer::may_not_call(request, language),
        (true, false) => answer::has_no_tool(planned.tool, language),
    };
    let done = match told.is_empty() {
        true => String::new(),
        false => format!("{}\n\n", answer::report(told, language)),
    };
    Reply { text: done + &obstacle, calls: Vec::new() }
}

/// The last user message and the results that came after it, in order.
fn last_message(view: &ModelView) -> (&str, VecDeque<&str>) {
    let mut text = "";
    let mut results = VecDeque::new();
    for message in &view.messages {
        match message.as_ref() {
            ViewMessage::User { text: said, .. } => {
                let words = own_words(said);
                if words.is_empty() || words == CONTINUE {
                    continue;
                }
                text = words;
                results.clear();
            }
            ViewMessage::ToolResult { text, .. } => results.push_back(text.as_str()),
            ViewMessage::Assistant { .. } => {}
        }
    }
    (text, results)
}

/// What the app says in a person's place when a turn is continued.
const CONTINUE: &str = "Continue.";

/// A message without the bracketed notes that the app puts in front of a person's words.
fn own_words(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('[') {
        let line = rest.lines().next().unwrap_or_default();
        if !line.trim_end().ends_with(']') {
            break;
        }
        rest = rest[line.len()..].trim_start();
    }
    rest.trim()
}

/// The call that a request needs after these results; `None`: it is done.
fn next_call(request: &Request, seen: &[&str], offered: &Offered) -> Option<PlannedCall> {
    if let Request::Write { path, .. } | Request::Append { path, .. } = request {
        return next_of_write(path, request, seen, offered);
    }
    if !seen.is_empty() {
        return None;
    }
    Some(match request {
        Request::List { path } => PlannedCall::new("list_directory", &[("path", path)]),
        Request::Read { path } => PlannedCall::new("read_file", &[("path", path)]),
        Request::Find { pattern, path } => {
            let pattern = literal(pattern);
            match path {
                Some(path) => PlannedCall::new("grep", &[("pattern", &pattern), ("path", path)]),
                None => PlannedCall::new("grep", &[("pattern", &pattern)]),
            }
        }
        Request::Delete { path } => PlannedCall::new("delete_file", &[("path", path)]),
        Request::Rename { from, to } => PlannedCall::new("rename_file", &[("from", from), ("to", to)]),
        Request::Outline { path } => PlannedCall::new("read_symbol", &[("path", path)]),
        Request::Run { command } => PlannedCall::new("run_command", &[("command", command)]),
        Request::Status => PlannedCall::new("git_status", &[]),
        Request::Diff => PlannedCall::new("git_diff", &[]),
        Request::Log => PlannedCall::new("git_log", &[]),
        Request::Write { .. } | Request::Append { .. } | Request::Help | Request::Unknown { .. } => return None,
    })
}

/// A file that is there is read before it is changed: look, read, write.
fn next_of_write(path: &str, request: &Request, seen: &[&str], offered: &Offered) -> Option<PlannedCall> {
    let write = || match request {
        Request::Write { path, content } => {
            Some(PlannedCall::new("write_file", &[("path", path), ("content", content)]))
        }
        Request::Append { path, content } => {
            Some(PlannedCall::new("append_file", &[("path", path), ("content", content)]))
        }
        _ => None,
    };
    if !offered.has("file_info") || !offered.has("read_file") {
        return write().filter(|_| seen.is_empty());
    }
    match seen {
        [] => Some(PlannedCall::new("file_info", &[("path", path)])),
        [info] if is_missing(info) => write(),
        [_] => Some(PlannedCall::new("read_file", &[("path", path)])),
        [info, _] if is_missing(info) => None,
        [_, _] => write(),
        _ => None,
    }
}

/// Whether a result says that there is nothing at a path.
fn is_missing(result: &str) -> bool {
    ["does not exist", "no such file"].iter().any(|words| result.contains(words))
}

/// Whether a result says that the call did not run. Its first words say so; a file may hold the same ones.
fn is_refusal(result: &str) -> bool {
    ["It did not run", "It was not run"].iter().any(|words| result.starts_with(words))
}

/// A regular expression that finds `text` itself.
fn literal(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}
