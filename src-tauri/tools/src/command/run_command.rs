//! The tool `run_command`: what its card shows, what its approval is bound to, and what the model reads of its end.
//! It neither starts nor ends a process itself.

use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use assent_policy::{Claimed, Clearance, Cleared, plain_argv};
use assent_protocol::assessment::{Assessment, Reach, Reason, Warning};
use assent_protocol::ids::CallId;
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::tool::Intent;
use cap_std::fs::Dir;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::environment::{self, Variables};
#[cfg(unix)]
use super::launch::prepare;
use super::launch::{Launch, launch};
use super::named::{Named, named};
use super::sandbox::sandbox_status;
use super::scripts::{Standing, bases, standing};
use super::visible::has_invisible;
use super::{program, report};
use crate::arguments;
use crate::tool::{Looking, Prepared, Refusal, Running, Tool, ToolOutput, ToolSpec};
use crate::workspace::{Form, Identity, Place, Workspace};

/// Longest command in bytes.
const MAX_COMMAND: usize = 64 * 1024;

/// Longest time limit in seconds.
const MAX_TIMEOUT: u32 = 3600;

/// Characters of the reason line.
const LINE: usize = 120;

/// Folders that are held open at once for calls that wait for an answer.
const MAX_HELD: usize = 64;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Text for /bin/sh -c (cmd /C on Windows).
    command: String,
    /// Time limit in seconds; 60 if absent.
    #[schemars(range(min = 1, max = 3600))]
    timeout: Option<u32>,
    /// Folder in the workspace to run in; its root if absent.
    folder: Option<String>,
    /// True runs it without the sandbox that limits writes to the workspace. Only after it failed because of that; the
    /// user is asked each time.
    unsandboxed: Option<bool>,
}

/// The tool. It keeps the folder of each call open from the card to the run, so that no other can take its place.
pub(super) struct RunCommand {
    spec: ToolSpec,
    held: Mutex<Vec<Held>>,
}

/// The folder of one call, as it was when the card was drawn.
struct Held {
    call: CallId,
    identity: Option<Identity>,
    /// Keeps the folder's number from being given to another.
    _folder: Dir,
}

/// A call as far as it is understood, at one moment.
struct Looked {
    command: String,
    timeout_s: u32,
    /// Whether writes are limited to the workspace.
    sandboxed: bool,
    place: Place,
    folder: Dir,
    named: Named,
    bases: Vec<String>,
    standing: Standing,
}

impl RunCommand {
    pub fn new() -> Self {
        Self {
            spec: ToolSpec {
                name: "run_command",
                version: 1,
                description: "Runs a shell command in the workspace: builds, tests, git, scripts. No input, no terminal. \
                              stdout and stderr come back together with the exit code. Nothing it started goes on \
                              after it.",
                parameters: arguments::schema::<Arguments>(),
                tier: Tier::High,
                rare: false,
            },
            held: Mutex::new(Vec::new()),
        }
    }

    fn look(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Looked, Refusal> {
        let Arguments { command, timeout, folder, unsandboxed } = arguments::read(arguments)?;
        check(&command)?;
        let timeout_s = timeout.unwrap_or(looking.command_timeout_s.clamp(1, MAX_TIMEOUT));
        if !(1..=MAX_TIMEOUT).contains(&timeout_s) {
            return Err(Refusal::bad_arguments(format!(
                "`timeout` must be 1 to {MAX_TIMEOUT} seconds, not {timeout_s}"
            )));
        }
        let named = named(&command);
        if let Some(why) = named.denied {
            let words = format!("It did not run: it would {why}, which is refused whoever approves it.");
            return Err(Refusal::new(words));
        }
        let place = looking.workspace.place(folder.as_deref().unwrap_or_default())?;
        if place.form == Form::Missing {
            return Err(Refusal::new(format!("the folder {} does not exist", place.shown())));
        }
        let folder = looking.workspace.folder_handle(&place)?;
        self.hold(looking, &place, &folder)?;
        let bases = bases(&named, looking.workspace, &place.path);
        let standing = standing(&named, looking.workspace, &bases)?;
        let sandboxed = sandbox_status().is_on() && unsandboxed != Some(true);
        Ok(Looked { command, timeout_s, sandboxed, place, folder, named, bases, standing })
    }

    /// Holds the folder of a call from its first assessment on; refuses when another one stands there now.
    fn hold(&self, looking: &Looking<'_>, place: &Place, folder: &Dir) -> Result<(), Refusal> {
        if place.path.is_empty() {
            // The workspace holds its root itself.
            return Ok(());
        }
        let identity = looking.workspace.identity_of(place);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match held.iter().find(|held| held.call == *looking.call) {
            Some(known) if known.identity == identity && identity.is_some() => Ok(()),
            Some(_) => Err(changed(&format!("the folder {}", place.shown()))),
            None => {
                let handle = folder.try_clone().map_err(|error| Refusal::new(format!("{}: {error}", place.shown())))?;
                if held.len() >= MAX_HELD {
                    held.remove(0);
                }
                held.push(Held { call: looking.call.clone(), identity, _folder: handle });
                Ok(())
            }
        }
    }

    fn release(&self, call: &CallId) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).retain(|held| held.call != *call);
    }

    /// Looks again at what was cleared, and refuses when a file that it stands on isn't the same any more.
    fn look_again(&self, cleared: &Clearance, looking: &Looking<'_>) -> Result<Looked, Refusal> {
        let looked = self.look(&cleared.arguments, looking)?;
        let (then, now) = (&cleared.touches, &looked.standing.files);
        let differs =
            then.iter().find(|file| !now.contains(file)).or_else(|| now.iter().find(|file| !then.contains(file)));
        match differs {
            Some(file) => Err(changed(&file.path)),
            None => Ok(looked),
        }
    }
}

impl Tool for RunCommand {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let looked = self.look(arguments, looking)?;
        let environment = environment::for_command(environment::of_user(), looking.workspace.root());
        let argv = plain_argv(&looked.command).map(|argv| argv.0);
        let folder = looking.workspace.root().join(&looked.place.path);
        let search_path = environment::path_of(&environment);
        let program = argv.as_ref().and_then(|argv| program::find(argv.first()?, search_path, &folder));
        let reach = Reach {
            inside: looked.sandboxed,
            last: looking.last,
            warnings: warnings(&looked, looking.workspace, &environment, argv.is_some()),
            ..Reach::default()
        };
        #[cfg(unix)]
        prepare(environment);
        Ok(Assessment {
            tier: Tier::High,
            read_only: false,
            touches: looked.standing.files,
            reason: reason(&looked.command),
            preview: Preview::Command {
                command: looked.command,
                folder: looked.place.path,
                program: program.map(|program| program.to_string_lossy().into_owned()),
                inner: looked.named.inner().to_vec(),
                timeout_s: looked.timeout_s,
                sandboxed: looked.sandboxed,
            },
            reach,
            argv,
        })
    }

    fn prepare(&self, cleared: &Cleared, looking: &Looking<'_>) -> Result<Prepared, Refusal> {
        let looked = self.look_again(cleared, looking)?;
        Ok(Prepared { intent: Intent::Command, before: looked.standing.files, keep: Vec::new() })
    }

    fn change(&self, claimed: &Claimed, _prepared: &Prepared, running: &Running<'_>) -> ToolOutput {
        let looking = &running.looking;
        let output = match self.run(claimed, running) {
            Ok(output) => output,
            Err(refusal) => ToolOutput::refused(refusal),
        };
        self.release(looking.call);
        output
    }
}

impl RunCommand {
    fn run(&self, claimed: &Claimed, running: &Running<'_>) -> Result<ToolOutput, Refusal> {
        let workspace = running.looking.workspace;
        let looked = self.look_again(claimed, &running.looking)?;
        let root = workspace.place("").and_then(|root| workspace.folder_handle(&root))?;
        let environment = environment::for_command(environment::of_user(), workspace.root());
        let finished = launch(&Launch {
            command: &looked.command,
            folder: into_file(looked.folder),
            #[cfg(windows)]
            folder_path: &workspace.root().join(&looked.place.path),
            limit: looked.sandboxed.then(|| (into_file(root), workspace.root())),
            environment: &environment,
            timeout: Duration::from_secs(looked.timeout_s.into()),
            cancel: running.cancel,
            live: running.live,
            spool: running.spool,
        });
        Ok(match finished {
            Ok(finished) => report::output(finished, looked.timeout_s),
            Err(error) => ToolOutput::error(format!("The command did not end as it should: {error}.")),
        })
    }
}

/// What is wrong with the text itself.
fn check(command: &str) -> Result<(), Refusal> {
    if command.trim().is_empty() {
        return Err(Refusal::bad_arguments("`command` is empty"));
    }
    if command.len() > MAX_COMMAND {
        let words = format!(
            "`command` is {} bytes long; at most {MAX_COMMAND} are accepted. Put it into a file.",
            command.len()
        );
        return Err(Refusal::bad_arguments(words));
    }
    if command.contains('\0') {
        return Err(Refusal::bad_arguments("`command` holds a NUL character, which no shell takes"));
    }
    Ok(())
}

fn changed(what: &str) -> Refusal {
    Refusal::new(format!("It did not run: {what} changed since the approval. Ask again if it is still wanted."))
}

fn reason(command: &str) -> Reason {
    let first = command.split(['\n', '\r']).find(|line| !line.trim().is_empty()).unwrap_or_default();
    Reason::Command {
        line: first.chars().take(LINE).collect(),
        characters: u32::try_from(command.chars().count()).unwrap_or(u32::MAX),
    }
}

fn warnings(looked: &Looked, workspace: &Workspace, environment: &Variables, is_plain: bool) -> Vec<Warning> {
    let mut warnings = programs_inside(looked, workspace, environment);
    warnings.extend((!is_plain).then_some(Warning::NotPlain));
    warnings.extend(has_invisible(&looked.command).then_some(Warning::Invisible));
    warnings.extend(looked.standing.scripts.iter().map(|path| Warning::Script { path: path.clone() }));
    let why = if sandbox_status().is_on() { Warning::Unsandboxed } else { Warning::NoSandbox };
    warnings.extend((!looked.sandboxed).then_some(why));
    warnings
}

/// Programs that lie in the workspace, by name or through links.
fn programs_inside(looked: &Looked, workspace: &Workspace, environment: &Variables) -> Vec<Warning> {
    let root = workspace.root();
    let lies_inside =
        |path: &Path| path.starts_with(root) || dunce::canonicalize(path).is_ok_and(|path| path.starts_with(root));
    let search_path = environment::path_of(environment);
    let mut warnings = Vec::new();
    for name in &looked.named.programs {
        for base in &looked.bases {
            let found = program::find(name, search_path, &root.join(base)).filter(|path| lies_inside(path));
            let warning =
                found.map(|path| Warning::ProgramInWorkspace { program: path.to_string_lossy().into_owned() });
            warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
        }
    }
    warnings
}

fn into_file(folder: Dir) -> File {
    folder.into_std_file()
}
