//! The command line: words to a command, with usage errors in words.
//! It looks at nothing but the arguments.

use std::ffi::OsString;

use assent_protocol::permission::Mode;
use assent_protocol::snapshot::ExportFormat;
use assent_protocol::view::Protocol;
use lexopt::{Arg, Parser, ValueExt as _};

/// Shown for `--help` and behind usage errors.
pub const USAGE: &str = "\
Usage:
  assent exec PROMPT --workspace DIR [--attach FILE]… [--mode ask|auto|plan] [--protocol chat-completions|responses|anthropic-messages]
              [--base-url URL] [--model NAME] [--context N] [--max-iterations N] [--conversation ID] [--json]
  assent chat [--workspace DIR] [the options of exec]
  assent skills [--workspace DIR] [--json]
  assent trust [DIR] [--yes]
  assent approvals [--json]
  assent approve CALL --digest D [--note T] [--json]
  assent reject CALL [--note T] [--json]
  assent answer CALL TEXT [--json]
  assent log CONVERSATION [--json]
  assent replay CONVERSATION --request N [--json]
  assent verify [--json]
  assent export CONVERSATION --format md|html|json
  assent import FILE [--workspace DIR] [--json]
  assent search WORDS [--limit N] [--json]
  assent usage [--days N] [--json]

ASSENT_HOME     folder for Assent's data
ASSENT_API_KEY  key for --base-url; never stored
--attach        an image or a PDF to send along, if the model takes them; may stand more than once
--base-url      with /v1 at its end; kept in the conversation, like protocol, model and window
--trust         uses the rules and skills of the folder as they are now, and trusts them from then on
--context       the model's window in tokens
--model practice  the built-in practice model, without a network

Exit code: 0 completed, 1 error, 2 usage, 3 waiting for approval or an answer, 4 max-iterations, 5 stopped, 6 blocked,
7 max-tokens, 8 interrupted.";

/// Hits of a search where nobody says how many.
const USUAL_HITS: u32 = 20;
/// Days that `usage` looks back where nobody says how many.
const USUAL_DAYS: u32 = 30;
/// Days that one report covers at most.
const MOST_DAYS: u32 = 366;

/// What is to be done.
#[derive(Debug, PartialEq)]
pub enum Command {
    /// Print the usage.
    Help,
    /// Print the version.
    Version,
    /// One prompt, one turn.
    Exec {
        /// What to say.
        prompt: String,
        /// Images and PDFs to send along.
        attach: Vec<String>,
        /// Where and how.
        options: Options,
        /// Events on stdout.
        json: bool,
    },
    /// A terminal conversation.
    Chat {
        /// Where and how.
        options: Options,
    },
    /// The skills of a folder, and a person's own.
    Skills {
        /// The folder; none: a person's own alone.
        workspace: Option<String>,
        /// As JSON.
        json: bool,
    },
    /// Look at the files of a folder that steer the model, and trust them.
    Trust {
        /// The folder.
        folder: String,
        /// Without being asked.
        yes: bool,
    },
    /// What waits for a person.
    Approvals {
        /// As JSON.
        json: bool,
    },
    /// Yes to a card.
    Approve {
        /// The call.
        call: String,
        /// Digest of the card.
        digest: String,
        /// A note.
        note: Option<String>,
        /// Events on stdout.
        json: bool,
    },
    /// No to a card.
    Reject {
        /// The call.
        call: String,
        /// A note for the model.
        note: Option<String>,
        /// Events on stdout.
        json: bool,
    },
    /// The answer to a question.
    Answer {
        /// The call that asks.
        call: String,
        /// What to answer.
        text: String,
        /// Events on stdout.
        json: bool,
    },
    /// All events of a conversation.
    Log {
        /// Which.
        conversation: String,
        /// As JSON lines.
        json: bool,
    },
    /// A past request's body.
    Replay {
        /// Of which conversation.
        conversation: String,
        /// Number of the request, from 1.
        request: usize,
        /// Wrapped in JSON.
        json: bool,
    },
    /// Compare projections with a replay.
    Verify {
        /// As JSON.
        json: bool,
    },
    /// What was used and what it cost.
    Usage {
        /// The last so many days, today included.
        days: u32,
        /// As JSON.
        json: bool,
    },
    /// Titles and messages in which these words stand.
    Search {
        /// The words.
        query: String,
        /// So many hits at most.
        limit: u32,
        /// As JSON.
        json: bool,
    },
    /// A conversation as text.
    Export {
        /// Which.
        conversation: String,
        /// In which form.
        format: ExportFormat,
    },
    /// A conversation out of a file.
    Import {
        /// The file.
        file: String,
        /// The folder that it goes on in; none: without files.
        workspace: Option<String>,
        /// As JSON.
        json: bool,
    },
}

/// Where and how a turn runs; what isn't given stays as the conversation or the settings have it.
#[derive(Debug, Default, PartialEq)]
pub struct Options {
    /// The project's folder.
    pub workspace: Option<String>,
    /// The mode.
    pub mode: Option<Mode>,
    /// The wire format.
    pub protocol: Option<Protocol>,
    /// The provider's base URL.
    pub base_url: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// The model's window in tokens.
    pub context: Option<u64>,
    /// Model calls between two human acts.
    pub max_iterations: Option<u32>,
    /// Go on in this conversation.
    pub conversation: Option<String>,
    /// Trust the files of the folder that steer the model.
    pub trust: bool,
}

/// A command line that makes no sense.
#[derive(Debug, PartialEq, Eq)]
pub struct UsageError(String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<lexopt::Error> for UsageError {
    fn from(error: lexopt::Error) -> Self {
        Self(error.to_string())
    }
}

/// Whether a command line, sound or not, asks for a run whose last line is an exit event.
pub fn asks_for_events(words: &[OsString]) -> bool {
    let is_run =
        words.first().is_some_and(|name| ["exec", "approve", "reject", "answer"].iter().any(|run| name == run));
    is_run && words.iter().take_while(|word| *word != "--").any(|word| word == "--json")
}

/// Everything that stood on the line, whatever the command.
#[derive(Debug, Default)]
struct Words {
    values: Vec<String>,
    options: Options,
    attach: Vec<String>,
    digest: Option<String>,
    note: Option<String>,
    request: Option<usize>,
    days: Option<u32>,
    limit: Option<u32>,
    format: Option<String>,
    yes: bool,
    json: bool,
    /// Names of the options that were given, for the check that the command knows them.
    given: Vec<&'static str>,
}

/// Reads a command line, without the program's name.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut parser = Parser::from_args(arguments);
    let Some(first) = parser.next()? else { return Err(UsageError("a command is missing".to_owned())) };
    let name = match first {
        Arg::Value(name) => name.string()?,
        Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
        Arg::Long("version") | Arg::Short('V') => return Ok(Command::Version),
        other => return Err(other.unexpected().into()),
    };
    let words = words(&mut parser)?;
    if words.given.contains(&"help") {
        return Ok(Command::Help);
    }
    command(&name, words)
}

fn words(parser: &mut Parser) -> Result<Words, UsageError> {
    let mut words = Words::default();
    while let Some(argument) = parser.next()? {
        let name = match argument {
            Arg::Value(value) => {
                words.values.push(value.string()?);
                continue;
            }
            Arg::Short('h') => "help",
            Arg::Long(name) => known(name).ok_or_else(|| UsageError(format!("there is no option --{name}")))?,
            Arg::Short(letter) => return Err(UsageError(format!("there is no option -{letter}"))),
        };
        words.given.push(name);
        let options = &mut words.options;
        match name {
            "help" => {}
            "json" => words.json = true,
            "yes" => words.yes = true,
            "trust" => options.trust = true,
            "workspace" => options.workspace = Some(filled(name, parser.value()?.string()?)?),
            "mode" => options.mode = Some(mode(&parser.value()?.string()?)?),
            "protocol" => options.protocol = Some(protocol(&parser.value()?.string()?)?),
            "base-url" => options.base_url = Some(filled(name, parser.value()?.string()?)?),
            "model" => options.model = Some(filled(name, parser.value()?.string()?)?),
            "context" => options.context = Some(positive(name, &parser.value()?.string()?)?),
            "max-iterations" => options.max_iterations = Some(positive(name, &parser.value()?.string()?)?),
            "conversation" => options.conversation = Some(filled(name, parser.value()?.string()?)?),
            "attach" => words.attach.push(filled(name, parser.value()?.string()?)?),
            "digest" => words.digest = Some(parser.value()?.string()?),
            "note" => words.note = Some(parser.value()?.string()?),
            "request" => words.request = Some(positive(name, &parser.value()?.string()?)?),
            "days" => words.days = Some(days(&parser.value()?.string()?)?),
            "limit" => words.limit = Some(positive(name, &parser.value()?.string()?)?),
            "format" => words.format = Some(parser.value()?.string()?),
            other => return Err(UsageError(format!("there is no option --{other}"))),
        }
    }
    Ok(words)
}

const RUN: [&str; 9] =
    ["workspace", "mode", "protocol", "base-url", "model", "context", "max-iterations", "conversation", "trust"];

fn known(name: &str) -> Option<&'static str> {
    let others = ["help", "json", "attach", "digest", "note", "request", "format", "days", "limit", "yes"];
    RUN.into_iter().chain(others).find(|known| *known == name)
}

fn command(name: &str, words: Words) -> Result<Command, UsageError> {
    let allow = |words: &Words, allowed: &[&str]| match words.given.iter().find(|given| !allowed.contains(given)) {
        Some(given) => Err(UsageError(format!("`assent {name}` takes no --{given}"))),
        None => Ok(()),
    };
    match name {
        "exec" => {
            allow(&words, &[&RUN[..], &["attach", "json"]].concat())?;
            if words.options.workspace.is_none() && words.options.conversation.is_none() {
                return Err(UsageError("`assent exec` needs --workspace DIR, or --conversation ID".to_owned()));
            }
            let (prompt, words) = one(words, "a prompt")?;
            if prompt.trim().is_empty() {
                return Err(UsageError("the prompt is empty".to_owned()));
            }
            Ok(Command::Exec { prompt, attach: words.attach, json: words.json, options: words.options })
        }
        "chat" => {
            allow(&words, &RUN)?;
            none(&words)?;
            Ok(Command::Chat { options: words.options })
        }
        "skills" => allow(&words, &["workspace", "json"]).and_then(|()| skills(words)),
        "trust" => allow(&words, &["yes"]).and_then(|()| trust(words)),
        "approvals" | "verify" => {
            allow(&words, &["json"])?;
            none(&words)?;
            let json = words.json;
            Ok(if name == "verify" { Command::Verify { json } } else { Command::Approvals { json } })
        }
        "approve" => {
            allow(&words, &["digest", "note", "json"])?;
            let (call, words) = one(words, "a call")?;
            let digest = words.digest.ok_or_else(|| UsageError("`assent approve` needs --digest D".to_owned()))?;
            Ok(Command::Approve { call, digest, note: words.note, json: words.json })
        }
        "reject" => {
            allow(&words, &["note", "json"])?;
            let (call, words) = one(words, "a call")?;
            Ok(Command::Reject { call, note: words.note, json: words.json })
        }
        "answer" => {
            allow(&words, &["json"])?;
            answer(words)
        }
        "log" => {
            allow(&words, &["json"])?;
            let (conversation, words) = one(words, "a conversation")?;
            Ok(Command::Log { conversation, json: words.json })
        }
        "replay" => {
            allow(&words, &["request", "json"])?;
            let (conversation, words) = one(words, "a conversation")?;
            let request = words.request.ok_or_else(|| UsageError("`assent replay` needs --request N".to_owned()))?;
            Ok(Command::Replay { conversation, request, json: words.json })
        }
        "usage" => {
            allow(&words, &["days", "json"])?;
            none(&words)?;
            Ok(Command::Usage { days: words.days.unwrap_or(USUAL_DAYS), json: words.json })
        }
        "search" => {
            allow(&words, &["limit", "json"])?;
            let (query, words) = one(words, "what to look for")?;
            if query.trim().is_empty() {
                return Err(UsageError("what to look for is empty".to_owned()));
            }
            Ok(Command::Search { query, limit: words.limit.unwrap_or(USUAL_HITS), json: words.json })
        }
        "import" => {
            allow(&words, &["workspace", "json"])?;
            let (file, words) = one(words, "a file")?;
            Ok(Command::Import { file, workspace: words.options.workspace, json: words.json })
        }
        "export" => allow(&words, &["format"]).and_then(|()| export(words)),
        other => Err(UsageError(format!("there is no command {other:?}"))),
    }
}

fn export(words: Words) -> Result<Command, UsageError> {
    let (conversation, words) = one(words, "a conversation")?;
    let format = match words.format.as_deref() {
        Some("md") => ExportFormat::Markdown,
        Some("html") => ExportFormat::Html,
        Some("json") => ExportFormat::Json,
        _ => return Err(UsageError("`assent export` needs --format md, html or json".to_owned())),
    };
    Ok(Command::Export { conversation, format })
}

fn skills(words: Words) -> Result<Command, UsageError> {
    none(&words)?;
    Ok(Command::Skills { workspace: words.options.workspace, json: words.json })
}

fn trust(words: Words) -> Result<Command, UsageError> {
    let yes = words.yes;
    let folder = if words.values.is_empty() { ".".to_owned() } else { one(words, "a folder")?.0 };
    Ok(Command::Trust { folder, yes })
}

fn answer(words: Words) -> Result<Command, UsageError> {
    let json = words.json;
    let both = <[String; 2]>::try_from(words.values);
    let wrong = |_| UsageError("`assent answer` needs a call and an answer in quotes".to_owned());
    let [call, text] = both.map_err(wrong)?;
    Ok(Command::Answer { call, text, json })
}

fn one(mut words: Words, what: &str) -> Result<(String, Words), UsageError> {
    match words.values.len() {
        1 => Ok((words.values.remove(0), words)),
        0 => Err(UsageError(format!("{what} is missing"))),
        _ => Err(UsageError(format!("more than {what} is given: put it in quotes"))),
    }
}

fn none(words: &Words) -> Result<(), UsageError> {
    match words.values.first() {
        Some(value) => Err(UsageError(format!("{value:?} is one argument too many"))),
        None => Ok(()),
    }
}

fn mode(text: &str) -> Result<Mode, UsageError> {
    match text {
        "ask" => Ok(Mode::Ask),
        "auto" => Ok(Mode::Auto),
        "plan" => Ok(Mode::Plan),
        other => Err(UsageError(format!("--mode is ask, auto or plan, not {other:?}"))),
    }
}

fn protocol(text: &str) -> Result<Protocol, UsageError> {
    match text {
        "chat-completions" => Ok(Protocol::ChatCompletions),
        "responses" => Ok(Protocol::Responses),
        "anthropic-messages" => Ok(Protocol::AnthropicMessages),
        other => {
            Err(UsageError(format!("--protocol is chat-completions, responses or anthropic-messages, not {other:?}")))
        }
    }
}

/// An empty value is a script's unset variable, never the folder it stands in or the model it has.
fn filled(name: &str, value: String) -> Result<String, UsageError> {
    if value.trim().is_empty() { Err(UsageError(format!("--{name} is empty"))) } else { Ok(value) }
}

fn days(text: &str) -> Result<u32, UsageError> {
    let days: u32 = positive("days", text)?;
    if days <= MOST_DAYS { Ok(days) } else { Err(UsageError(format!("--days is {MOST_DAYS} at most"))) }
}

fn positive<T: PartialOrd + From<u8> + std::str::FromStr>(name: &str, text: &str) -> Result<T, UsageError> {
    let number = text.parse().ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| UsageError(format!("--{name} is a whole number from 1 on, not {text:?}")))
}

#[cfg(test)]
mod tests;
