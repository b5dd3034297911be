//! `read_file`: a page of a text file with line numbers, or what the file is when it isn't text.
//! It never shows part of a line as if it were the whole, and never a file that a person has to allow first.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

use assent_policy::Cleared;
use assent_protocol::assessment::{Assessment, Raised, Reason};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::tool::{Brief, FileState, Outcome};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::look::look;
use super::words;
use crate::arguments;
use crate::content::{self, Content, Text};
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{FileBytes, Form, Guard, Place, read_guard};

/// Longest file that is read, in bytes: what is decoded stays well under 100 MB of memory.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Longest result in characters.
const MAX_CHARACTERS: usize = 8_192;

/// Longest line in characters that is shown whole.
const MAX_LINE: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    /// First line, from 1
    #[schemars(range(min = 1))]
    offset: Option<u32>,
    /// Most lines
    #[schemars(range(min = 1))]
    limit: Option<u32>,
}

struct ReadFile {
    spec: ToolSpec,
}

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(ReadFile {
        spec: ToolSpec {
            name: "read_file",
            version: 1,
            description: "Read a text file with line numbers. Long files come in pages: the result says where to go on.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let arguments = read_arguments(arguments)?;
        let place = looking.workspace.place(&arguments.path)?;
        let file = looking.workspace.open_file(&place).map_err(|refusal| hint(&place, refusal))?;
        let bytes = size_within_cap(&place, file.metadata().map(|metadata| metadata.len()))?;
        assess_reading(looking, &place, &file, bytes)
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        self.page(cleared, &running.looking).unwrap_or_else(ToolOutput::refused)
    }
}

impl ReadFile {
    fn page(&self, cleared: &Cleared, looking: &Looking<'_>) -> Result<ToolOutput, Refusal> {
        let arguments = read_arguments(&cleared.arguments)?;
        let place = looking.workspace.place(&arguments.path)?;
        let file = looking.workspace.read(&place, MAX_BYTES)?;
        admit(cleared, looking, &place, &file)?;
        let (text, note) = match content::recognise(&file.bytes) {
            Content::Binary(kind) => return Ok(binary(&place, kind, file.bytes.len() as u64)),
            Content::Text(text) => {
                let note = text.described();
                (text, if note == "UTF-8" { String::new() } else { format!(" ({note})") })
            }
            Content::Unclear { shown } => (
                Text::plain(shown),
                " (neither UTF-8 nor another known encoding: what can't be read is shown as \u{fffd}, and the file \
                 can't be edited)"
                    .to_owned(),
            ),
        };
        let page = page(&both_names(&place), &note, &text, &arguments);
        let mut output = ToolOutput::ok(page.shown, page.brief);
        if page.is_past_the_end {
            output.outcome = Outcome::Error;
            return Ok(output);
        }
        output.seen = vec![FileState { path: place.path, hash: Some(file.hash) }];
        Ok(output)
    }
}

struct Page {
    shown: String,
    brief: Brief,
    /// There is no such line, and nothing of the file was shown.
    is_past_the_end: bool,
}

fn read_arguments(arguments: &Map<String, Value>) -> Result<Arguments, Refusal> {
    let arguments: Arguments = arguments::read(arguments)?;
    for (name, value) in [("offset", arguments.offset), ("limit", arguments.limit)] {
        if value == Some(0) {
            return Err(Refusal::bad_arguments(format!("`{name}` must be at least 1, not 0")));
        }
    }
    Ok(arguments)
}

/// Whole lines from the offset on, as many as fit.
fn page(name: &str, note: &str, text: &Text, arguments: &Arguments) -> Page {
    let total = u32::try_from(text.line_count()).unwrap_or(u32::MAX);
    let nothing = Brief::Lines { first: 0, last: 0, total };
    if total == 0 {
        return Page { shown: format!("{name} is empty{note}"), brief: nothing, is_past_the_end: false };
    }
    let first = arguments.offset.unwrap_or(1);
    if first > total {
        let lines = words::counted(total.into(), "line");
        let shown = format!("{name} has {lines}; there is no line {first}");
        return Page { shown, brief: nothing, is_past_the_end: true };
    }
    // The longest header that can come: its numbers have at most ten digits each.
    let header_room = name.chars().count() + note.chars().count() + 80;
    let room = MAX_CHARACTERS.saturating_sub(header_room);
    let (mut body, mut used, mut last) = (String::new(), 0, first - 1);
    for line in text.lines().skip(first as usize - 1).take(arguments.limit.unwrap_or(u32::MAX) as usize) {
        let number = last + 1;
        let line = numbered(number, line);
        let length = line.chars().count();
        if number > first && used + length > room {
            break;
        }
        body.push_str(&line);
        used += length;
        last = number;
    }
    let mut shown = format!("{name}: lines {first} to {last} of {total}");
    if last < total {
        let _ = write!(shown, ", go on at {}", last + 1);
    }
    let _ = write!(shown, "{note}\n{body}");
    if last == total && !text.text.ends_with(['\n', '\r']) {
        shown.push_str("(no line end after the last line)\n");
    }
    Page { shown, brief: Brief::Lines { first, last, total }, is_past_the_end: false }
}

/// One line with its number, cut at a character boundary and marked when it is too long.
fn numbered(number: u32, line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        None => format!("{number}\t{line}\n"),
        Some((cut, _)) => {
            let length = words::grouped(line.chars().count() as u64);
            format!("{number}\t{}… [cut here: the line has {length} characters]\n", &line[..cut])
        }
    }
}

fn binary(place: &Place, kind: &str, bytes: u64) -> ToolOutput {
    let size = words::counted(bytes, "byte");
    ToolOutput::ok(format!("{} is {kind}, {size}; it is not text", both_names(place)), Brief::Bytes { bytes })
}

/// What reading an opened file means: it runs unasked, but for what may be secret, which a person has to allow.
pub(crate) fn assess_reading(
    looking: &Looking<'_>,
    place: &Place,
    file: &File,
    bytes: u64,
) -> Result<Assessment, Refusal> {
    let mut assessment = look(place, bytes);
    if !(looking.secret_allowed)(&place.path) && (is_secret_by_name(place) || is_key(file)) {
        let whole = looking.workspace.read(place, MAX_BYTES)?;
        assessment.tier = Tier::Medium;
        assessment.touches = vec![FileState { path: place.path.clone(), hash: Some(whole.hash) }];
        assessment.preview = Preview::Read { path: both_names(place), bytes };
        assessment.reason = Reason::ReadSecret { path: both_names(place) };
        assessment.reach.raised = Some(Raised::Secret);
    }
    Ok(assessment)
}

/// The last check, on the very bytes that would be shown: a secret passes only if a person allowed this file, and as
/// it was when they did.
pub(crate) fn admit(cleared: &Cleared, looking: &Looking<'_>, place: &Place, file: &FileBytes) -> Result<(), Refusal> {
    let is_secret = is_secret_by_name(place) || content::begins_as_private_key(&file.bytes);
    if !is_secret || (looking.secret_allowed)(&place.path) {
        return Ok(());
    }
    match cleared.touches.iter().find(|touched| touched.path == place.path) {
        Some(allowed) if allowed.hash == Some(file.hash) => Ok(()),
        Some(_) => Err(Refusal::new(format!("{} changed since it was allowed; ask again", place.shown()))),
        None => Err(Refusal::new(format!("{} may hold secrets and was not allowed by the user", place.shown()))),
    }
}

fn is_secret_by_name(place: &Place) -> bool {
    [&place.asked, &place.path].iter().any(|path| read_guard(path) == Guard::Raised(Raised::Secret))
}

fn is_key(file: &File) -> bool {
    let mut head = Vec::new();
    file.take(512).read_to_end(&mut head).is_ok() && content::begins_as_private_key(&head)
}

/// The name as asked, and the file it leads to where that is another.
fn both_names(place: &Place) -> String {
    if place.is_link() { format!("{} (a link to {})", place.asked, place.path) } else { place.shown().to_owned() }
}

fn size_within_cap(place: &Place, size: std::io::Result<u64>) -> Result<u64, Refusal> {
    match size {
        Ok(size) if size <= MAX_BYTES => Ok(size),
        Ok(size) => {
            let (size, most) = (words::size(size), words::size(MAX_BYTES));
            let words = format!("{} has {size}; files up to {most} are read. Search it with grep", place.shown());
            Err(Refusal::new(words))
        }
        Err(error) => Err(Refusal::new(format!("{} can't be read: {error}", place.shown()))),
    }
}

fn hint(place: &Place, refusal: Refusal) -> Refusal {
    match place.form {
        Form::Folder => Refusal::new(format!("{}; use list_directory", refusal.words)),
        Form::Missing | Form::File | Form::Other(_) => refusal,
    }
}

#[cfg(test)]
mod tests;
