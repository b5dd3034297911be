//! The commands, each a few requests to the engine.
//! What is printed where is this file's business; what happens is the engine's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_engine::{Beginning, Engine, Expected, Subscription};
use assent_protocol::event::Payload;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{CallId, ConversationId, Sha};
use assent_protocol::permission::{Answer, Scope};
use assent_protocol::request::Request;
use assent_protocol::settings::{Limits, ModelChoice};
use assent_protocol::snapshot::ExportFormat;
use assent_protocol::view::Protocol;
use serde_json::json;

use crate::arguments::{Command, Options, USAGE};
use crate::host::Terminal;
use crate::interrupts::Interrupts;
use crate::turn::Ending;
use crate::{chat, exec, print, search, steering, usage, waiting};

/// Tokens below which a model's window is called small (spec part 3).
const SMALL_WINDOW: u64 = 16_000;

/// Runs a command; the exit code.
pub async fn run(command: Command) -> u8 {
    match command {
        Command::Help => {
            print::out(&format!("{USAGE}\n"));
            return 0;
        }
        Command::Version => {
            print::out(&format!("assent {}\n", env!("CARGO_PKG_VERSION")));
            return 0;
        }
        _ => {}
    }
    let json = is_json(&command);
    let engine = match open(&command).await {
        Ok(engine) => engine,
        Err(words) => {
            print::complain(&words);
            if json {
                print::exit("error", None);
            }
            return 1;
        }
    };
    // A list that is empty for this reason alone isn't "nothing there".
    let is_list = matches!(command, Command::Approvals { .. } | Command::Verify { .. } | Command::Search { .. });
    let is_anew = complain_of_damage(&engine);
    match with(&engine, command).await {
        Ok(code) if is_list && is_anew => code.max(1),
        Ok(code) => code,
        Err(Unfinished { failure, conversation }) => {
            print::complain(&failure.message);
            let (reason, code) =
                if matches!(failure.code, Code::Invalid | Code::Untrusted) { ("usage", 2) } else { ("error", 1) };
            if json {
                print::exit(reason, conversation.as_ref().map(ConversationId::as_str));
            }
            code
        }
    }
}

/// A command that failed, and the conversation it was about as far as that was known by then.
pub struct Unfinished {
    /// Why.
    pub failure: Failure,
    /// Which, if it was known.
    pub conversation: Option<ConversationId>,
}

impl From<Failure> for Unfinished {
    fn from(failure: Failure) -> Self {
        Self { failure, conversation: None }
    }
}

impl Unfinished {
    /// Makes one of a failure about this conversation.
    pub fn about(conversation: &ConversationId) -> impl FnOnce(Failure) -> Self {
        let conversation = Some(conversation.clone());
        move |failure| Self { failure, conversation }
    }
}

/// Says that the history was damaged and is set aside; whether it was.
fn complain_of_damage(engine: &Engine) -> bool {
    let Some(damaged) = engine.set_aside() else { return false };
    print::complain(&format!(
        "the history is damaged ({}). It was kept at {} and nothing of it was changed; a new, empty history begins here",
        damaged.message,
        damaged.path.display()
    ));
    true
}

/// Commands whose last line is an exit event.
fn is_json(command: &Command) -> bool {
    matches!(
        command,
        Command::Exec { json: true, .. }
            | Command::Approve { json: true, .. }
            | Command::Reject { json: true, .. }
            | Command::Answer { json: true, .. }
    )
}

async fn open(command: &Command) -> Result<Engine, String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let home = Engine::default_home(variable).ok_or("there is no home folder: set ASSENT_HOME")?;
    let home = absolute(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let message = match command {
        Command::Exec { options, .. } => Some(Expected { folder: options.workspace.as_deref().map(Path::new) }),
        _ => None,
    };
    let host = Arc::new(Terminal::new(home.clone()));
    Engine::open_expecting(&home, host, message).await.map_err(|error| error.to_string())
}

fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    std::path::absolute(path)
}

async fn with(engine: &Engine, command: Command) -> Result<u8, Unfinished> {
    match command {
        Command::Help | Command::Version => Ok(0),
        Command::Exec { prompt, attach, options, json } => exec::exec(engine, prompt, &attach, options, json).await,
        Command::Chat { options } => Ok(chat::run(engine, options).await?),
        Command::Skills { workspace, json } => Ok(steering::skills(engine, workspace.as_deref(), json).await?),
        Command::Trust { folder, yes } => Ok(steering::trust(engine, &folder, yes).await?),
        Command::Approvals { json } => Ok(waiting::list(engine, json)?),
        Command::Approve { call, digest, note, json } => {
            let call = CallId::new(call);
            // What is no digest at all is no card's digest either.
            let wrong =
                || Failure::new(Code::CardChanged, "--digest is 64 hex digits, as `assent approvals` shows them");
            let digest = Sha::parse(&digest).ok_or_else(wrong)?;
            let request = Request::Approve { call: call.clone(), digest, scope: Scope::Once, note };
            decide(engine, &call, request, json).await
        }
        Command::Reject { call, note, json } => {
            let call = CallId::new(call);
            let request = Request::Reject { call: call.clone(), note };
            decide(engine, &call, request, json).await
        }
        Command::Answer { call, text, json } => {
            let call = CallId::new(call);
            decide(engine, &call, Request::AnswerQuestion { call: call.clone(), text }, json).await
        }
        Command::Log { conversation, json } => Ok(log(engine, &ConversationId::new(conversation), json)?),
        Command::Replay { conversation, request, json } => Ok(replay(engine, &conversation, request, json)?),
        Command::Verify { json } => Ok(verify(engine, json)?),
        Command::Usage { days, json } => Ok(usage::usage(engine, days, json).await?),
        Command::Search { query, limit, json } => Ok(search::search(engine, query, limit, json).await?),
        Command::Import { file, workspace, json } => Ok(import(engine, &file, workspace.as_deref(), json).await?),
        Command::Export { conversation, format } => Ok(export(engine, &ConversationId::new(conversation), format)?),
    }
}

/// Carries out what a person asks for, then follows the turn.
pub async fn act(
    engine: &Engine,
    signals: Subscription,
    conversation: &ConversationId,
    request: Request,
    json: bool,
) -> Result<u8, Unfinished> {
    let followed = async {
        // From here on Ctrl-C has a turn to stop.
        let mut interrupts = Interrupts::watch().map_err(|error| no_interrupts(&error))?;
        engine.handle(request).await?;
        chat::follow_and_ask(engine, signals, &mut interrupts, conversation, json).await
    };
    let ending = followed.await.map_err(Unfinished::about(conversation))?;
    Ok(finish(engine, ending, conversation, json))
}

/// Why nobody can be told of Ctrl-C.
pub fn no_interrupts(error: &std::io::Error) -> Failure {
    Failure::new(Code::Other, format!("the program can't listen for Ctrl-C: {error}"))
}

/// Says what waits, and the exit code.
fn finish(engine: &Engine, ending: Ending, conversation: &ConversationId, json: bool) -> u8 {
    if ending == Ending::Waiting {
        waiting::report(engine, conversation);
    }
    if json {
        print::exit(ending.name(), Some(conversation.as_str()));
    }
    ending.code()
}

async fn decide(engine: &Engine, call: &CallId, request: Request, json: bool) -> Result<u8, Unfinished> {
    let conversation = engine.conversation_of(call)?;
    let decided = act(engine, engine.subscribe(), &conversation, request, json).await;
    if decided.is_ok() && is_still_to_run(engine, &conversation, call)? {
        print::complain(
            "approved and not run yet: a call before it has to be decided first, and then this one is asked for again",
        );
    }
    decided.map_err(|unfinished| with_outcome(engine, call, unfinished))
}

/// Whether a call was approved and waits for another. The approval ends with this process (spec part 2.6).
fn is_still_to_run(engine: &Engine, conversation: &ConversationId, call: &CallId) -> Result<bool, Failure> {
    let events = engine.log(conversation)?;
    let last = events.iter().rev().find_map(|event| match &event.payload {
        Payload::ApprovalDecided { call: of, answer, .. } if of == call => Some(*answer == Answer::Approved),
        Payload::ApprovalRequested { call: of, .. } | Payload::ToolStarted { call: of, .. } if of == call => {
            Some(false)
        }
        Payload::ToolResult(result) if result.call == *call => Some(false),
        _ => None,
    });
    Ok(last.unwrap_or_default())
}

/// Adds how the call ended to a word that it no longer waits.
fn with_outcome(engine: &Engine, call: &CallId, unfinished: Unfinished) -> Unfinished {
    let Unfinished { mut failure, conversation } = unfinished;
    if failure.code == Code::NotPending
        && let Some(events) = conversation.as_ref().and_then(|conversation| engine.log(conversation).ok())
    {
        let shown = events.iter().rev().find_map(|event| match &event.payload {
            Payload::ToolResult(result) if result.call == *call => result.shown.lines().next(),
            _ => None,
        });
        if let Some(shown) = shown {
            failure.message = format!("{}. {}", failure.message, print::plain(shown));
        }
    }
    Unfinished { failure, conversation }
}

/// The conversation to speak in: the named one, with what the options change, or a new one. Files of its folder that steer
/// the model are trusted, or said to be left out.
pub async fn conversation(engine: &Engine, options: &Options) -> Result<ConversationId, Failure> {
    let Some(id) = &options.conversation else {
        return begin(engine, options).await;
    };
    let id = ConversationId::new(id);
    found(engine, &id)?;
    check_workspace(engine, &id, options)?;
    engine.check_folder(&id)?;
    change(engine, &id, options).await?;
    let row = engine.row(&id)?;
    if let Some(folder) = &row.workspace {
        engine.look_ahead(folder);
        steering::settle(engine, row.project.as_ref(), folder, options.trust).await?;
    }
    Ok(id)
}

/// A conversation stays in its folder: another one that is named with it is a mistake.
fn check_workspace(engine: &Engine, conversation: &ConversationId, options: &Options) -> Result<(), Failure> {
    let Some(given) = &options.workspace else { return Ok(()) };
    let kept = engine.row(conversation)?.workspace;
    let canonical = |folder: &str| std::fs::canonicalize(folder).ok();
    let is_same = kept
        .as_deref()
        .is_some_and(|kept| kept == given || canonical(kept).is_some_and(|kept| canonical(given) == Some(kept)));
    if is_same {
        return Ok(());
    }
    let place = kept.map_or("no folder".to_owned(), |kept| format!("the folder {kept}"));
    Err(Failure::new(Code::Invalid, format!("the conversation works in {place}, not in {given}")))
}

async fn begin(engine: &Engine, options: &Options) -> Result<ConversationId, Failure> {
    let (project, workspace) = match &options.workspace {
        Some(folder) => {
            let row = engine.open_folder(folder, true).await?;
            if row.home {
                print::complain("this is your home folder: everything of yours lies open to the model");
            }
            (Some(row.id), Some(row.folder))
        }
        None => (None, None),
    };
    let choice = choice(engine, options, None).await?;
    // Whoever names a model wants that one's answer; the settings' model has the settings' fallbacks.
    let is_named = options.base_url.is_some() || options.model.is_some() || options.protocol.is_some();
    let fallbacks = if is_named { Vec::new() } else { engine.settings().fallbacks };
    warn_of_small_window(&choice);
    let limits = limits(engine.settings().limits, options);
    let mode = options.mode.unwrap_or_default();
    let beginning =
        Beginning { project: project.clone(), workspace: workspace.clone(), choice, fallbacks, mode, limits };
    let Some(folder) = workspace else { return engine.begin(beginning).await };
    engine.look_ahead(&folder);
    // Neither waits for the other.
    let settled = steering::settle(engine, project.as_ref(), &folder, options.trust);
    let (begun, settled) = tokio::join!(engine.begin(beginning), settled);
    let begun = begun?;
    settled?;
    Ok(begun)
}

async fn change(engine: &Engine, conversation: &ConversationId, options: &Options) -> Result<(), Failure> {
    let conversation = conversation.clone();
    if let Some(mode) = options.mode {
        engine.handle(Request::SetMode { conversation: conversation.clone(), mode }).await?;
    }
    let changes_model = options.base_url.is_some()
        || options.model.is_some()
        || options.context.is_some()
        || options.protocol.is_some();
    if changes_model {
        let known = engine.row(&conversation)?.model;
        let choice = choice(engine, options, known.clone()).await?;
        if known.as_ref() != Some(&choice) {
            warn_of_small_window(&choice);
            engine.set_model(&conversation, choice).await?;
        }
    }
    if options.max_iterations.is_some() {
        let limits = limits(engine.limits(&conversation)?, options);
        engine.handle(Request::SetLimits { conversation, limits }).await?;
    }
    Ok(())
}

fn limits(limits: Limits, options: &Options) -> Limits {
    Limits { max_iterations: options.max_iterations.unwrap_or(limits.max_iterations), ..limits }
}

/// The model: what the options say, on top of what the conversation has, else what the settings or the machine offer.
async fn choice(engine: &Engine, options: &Options, known: Option<ModelChoice>) -> Result<ModelChoice, Failure> {
    if options.model.as_deref() == Some("practice") && options.base_url.is_none() {
        return Ok(Engine::practice_model());
    }
    let mut choice = match (&options.base_url, known) {
        (Some(base_url), Some(known)) if is_same(base_url, options, &known) => known,
        (Some(base_url), known) => given(engine, base_url, options, known).await?,
        (None, Some(known)) => known,
        (None, None) => usual(engine, options.model.as_deref()).await?,
    };
    if options.base_url.is_some() {
        choice.found = false;
    }
    if let Some(protocol) = options.protocol {
        choice.protocol = protocol;
    }
    if let Some(model) = options.model.as_deref().filter(|model| *model != choice.model) {
        // What is known of another model says nothing of this one.
        choice = engine.other_model(choice, model).await;
    }
    if let Some(window) = options.context {
        choice.window = window;
    }
    Ok(choice)
}

/// Says that a model's window is small, once for each choice of a model.
fn warn_of_small_window(choice: &ModelChoice) {
    if choice.protocol != Protocol::Practice && choice.window < SMALL_WINDOW {
        print::complain(&format!(
            "the model's window is {} tokens: below {SMALL_WINDOW} much of a conversation is left out of what it sees. Give \
             it a larger one at the server (Ollama: OLLAMA_CONTEXT_LENGTH, by default 4096) and with --context",
            choice.window
        ));
    }
}

/// Whether an address and a model that are given are those that the conversation has: then it keeps all else it has.
fn is_same(base_url: &str, options: &Options, known: &ModelChoice) -> bool {
    base_url == known.base_url && options.model.as_ref().is_none_or(|model| *model == known.model)
}

/// What answers where nobody says where the model is. The practice model never passes for one that was named.
async fn usual(engine: &Engine, model: Option<&str>) -> Result<ModelChoice, Failure> {
    let choice = engine.usual_model().await;
    match (choice.protocol, model) {
        (Protocol::Practice, Some(model)) => Err(Failure::new(
            Code::Provider,
            format!(
                "no server is configured and none was found on this machine for the model {model}: give --base-url as well"
            ),
        )),
        (Protocol::Practice, None) => {
            print::complain(
                "no model is configured and none was found on this machine: the practice model answers (set one with \
                 --base-url and --model, or in the window)",
            );
            Ok(choice)
        }
        _ => Ok(choice),
    }
}

async fn given(
    engine: &Engine,
    base_url: &str,
    options: &Options,
    known: Option<ModelChoice>,
) -> Result<ModelChoice, Failure> {
    let model = options.model.clone().or_else(|| known.map(|known| known.model));
    let model = model.ok_or_else(|| Failure::new(Code::Invalid, "--base-url needs --model NAME as well"))?;
    Ok(engine.given_model(base_url, options.protocol, &model, options.context).await)
}

fn found(engine: &Engine, conversation: &ConversationId) -> Result<(), Failure> {
    engine.row(conversation).map(|_| ())
}

fn log(engine: &Engine, conversation: &ConversationId, json: bool) -> Result<u8, Failure> {
    found(engine, conversation)?;
    for event in engine.log(conversation)? {
        let is_written = if json {
            print::event(&event)
        } else {
            print::out(&format!("{:>5} {} {}\n", event.seq, event.at, print::plain(&event.payload.encode())))
        };
        if !is_written {
            break;
        }
    }
    Ok(0)
}

/// Markdown or a page for people, or one JSON array, with an event or a content on each line, that can be imported.
fn export(engine: &Engine, conversation: &ConversationId, format: ExportFormat) -> Result<u8, Failure> {
    found(engine, conversation)?;
    print::out(&engine.export(conversation, format)?);
    Ok(0)
}

/// Takes in a conversation from a file and says its new id.
async fn import(engine: &Engine, file: &str, workspace: Option<&str>, json: bool) -> Result<u8, Failure> {
    let unreadable = |error: std::io::Error| Failure::new(Code::Other, format!("{file} can't be read: {error}"));
    // A file that holds no conversation is no mistake in the command line.
    let unusable = |failure: Failure| Failure { code: Code::Other, ..failure };
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    let project = match workspace {
        Some(folder) => Some(engine.open_folder(folder, true).await?.id),
        None => None,
    };
    let row = engine.import(project, &text).await.map_err(unusable)?;
    if json {
        print::value(&json!({ "conversation": row.id, "title": row.title, "workspace": row.workspace }));
    } else {
        print::out(&format!("{}\n", row.id));
    }
    Ok(0)
}

fn replay(engine: &Engine, conversation: &str, number: usize, json: bool) -> Result<u8, Failure> {
    let recomputed = engine.recompute(&ConversationId::new(conversation), |at, _| at == number)?;
    let is_equal = recomputed.is_equal();
    if json {
        print::value(&json!({
            "request": number,
            "body": String::from_utf8_lossy(&recomputed.body),
            "digest": recomputed.sent.digest,
            "equal": is_equal,
            "builder": recomputed.builder,
            "recorded_builder": recomputed.sent.builder,
        }));
    } else {
        print::bytes(&recomputed.body);
    }
    if is_equal {
        return Ok(0);
    }
    if recomputed.builder == recomputed.sent.builder {
        print::complain("digest differs: the recomputed body is not what was sent");
    } else {
        print::complain(&format!(
            "other builder: it was sent by {}, this is {}",
            recomputed.sent.builder, recomputed.builder
        ));
    }
    Ok(1)
}

fn verify(engine: &Engine, json: bool) -> Result<u8, Failure> {
    let differences = engine.verify()?;
    if json {
        print::value(&json!(differences));
    } else if differences.is_empty() {
        print::out("The projections equal a replay of the log.\n");
    }
    if !json {
        for difference in &differences {
            let of = difference.conversation.as_ref().map_or("", |conversation| conversation.as_str());
            print::out(&format!("{of} {}\n", difference.message));
        }
    }
    Ok(u8::from(!differences.is_empty()))
}
