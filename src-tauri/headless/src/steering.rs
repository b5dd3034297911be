//! Rules and skills in a terminal: which files of a folder steer the model, which of them are trusted, and trusting them.
//! What trust means is the engine's business.

use std::io::{BufRead as _, IsTerminal as _};

use assent_engine::Engine;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ProjectId;
use assent_protocol::request::{Request, Response};
use assent_protocol::skill::SkillTrouble;
use assent_protocol::steering::{Steering, SteeringFile, TrustedContent};

use crate::print;

/// What the command ends with when files wait to be trusted: as with a card that waits.
const WAITS: u8 = 3;

/// Before a turn: trusts the files of a conversation's folder where that was asked for, else says which are left out.
pub async fn settle(engine: &Engine, project: Option<&ProjectId>, folder: &str, trusts: bool) -> Result<(), Failure> {
    let Some(project) = project else { return Ok(()) };
    let found = steering(engine, project).await?;
    if trusts {
        return trust_all(engine, project, &found).await;
    }
    let untrusted: Vec<String> =
        found.files.iter().filter(|file| !file.trusted).map(|file| print::plain(&file.path)).collect();
    if !untrusted.is_empty() {
        print::complain(&format!(
            "left out, since nobody trusts them: {}. `assent trust {folder:?}` shows and trusts them, --trust uses them at once",
            untrusted.join(", ")
        ));
    }
    Ok(())
}

/// Runs `assent trust`; the exit code.
pub async fn trust(engine: &Engine, folder: &str, yes: bool) -> Result<u8, Failure> {
    let project = engine.open_folder(folder, true).await?.id;
    let found = steering(engine, &project).await?;
    found.files.iter().for_each(show);
    if found.partial {
        print::complain("there may be more: the folder is too large to be looked through at once");
    }
    if found.files.iter().all(|file| file.trusted || file.hash.is_none()) {
        print::out(if found.files.is_empty() { "No file here steers the model.\n" } else { "All of it is trusted.\n" });
        return Ok(0);
    }
    if !yes && !is_agreed()? {
        return Ok(WAITS);
    }
    trust_all(engine, &project, &found).await?;
    print::out("Trusted, as they are now.\n");
    Ok(0)
}

/// Runs `assent skills`; the exit code.
pub async fn skills(engine: &Engine, workspace: Option<&str>, json: bool) -> Result<u8, Failure> {
    let root = match workspace {
        Some(folder) => Some(engine.open_folder(folder, true).await?.folder),
        None => None,
    };
    let list = engine.skills_in(root.as_deref()).await?;
    if json {
        let line = serde_json::to_string(&list).map_err(|error| Failure::new(Code::Other, error.to_string()))?;
        print::out(&format!("{line}\n"));
        return Ok(0);
    }
    for skill in &list.skills {
        let state = if skill.trusted { "" } else { " [not trusted]" };
        print::out(&print::plain(&format!("/{}{state}  {}\n    {}\n", skill.name, skill.description, skill.path)));
    }
    for problem in &list.problems {
        let place = problem.line.map_or_else(|| problem.path.clone(), |line| format!("{}:{line}", problem.path));
        print::complain(&print::plain(&format!("{place}: {}", trouble(&problem.trouble))));
    }
    Ok(0)
}

async fn steering(engine: &Engine, project: &ProjectId) -> Result<Steering, Failure> {
    match engine.handle(Request::Steering { project: project.clone() }).await? {
        Response::Steering(found) => Ok(found),
        _ => Err(Failure::new(Code::Other, "the engine gave another answer")),
    }
}

async fn trust_all(engine: &Engine, project: &ProjectId, found: &Steering) -> Result<(), Failure> {
    let wanted = found.files.iter().filter(|file| !file.trusted);
    let files: Vec<_> =
        wanted.filter_map(|file| Some(TrustedContent { path: file.path.clone(), hash: file.hash? })).collect();
    if files.is_empty() {
        return Ok(());
    }
    engine.handle(Request::Trust { project: project.clone(), files }).await.map(|_| ())
}

fn show(file: &SteeringFile) {
    let state = match (&file.trouble, file.trusted, &file.changed) {
        (Some(trouble), _, _) => format!("can't be read: {trouble}"),
        (None, true, _) => "trusted".to_owned(),
        (None, false, Some(_)) => "changed since it was trusted".to_owned(),
        (None, false, None) => "not trusted".to_owned(),
    };
    let hidden = if file.hidden > 0 { format!(", {} hidden characters", file.hidden) } else { String::new() };
    print::out(&print::plain(&format!("== {} ({state}{hidden})\n", file.path)));
    if !file.trusted {
        let cut = if file.cut { "\n[the rest of this file reaches no model]" } else { "" };
        print::out(&print::plain(&format!("{}{cut}\n\n", file.text.trim_end())));
    }
}

/// Whether the person at the terminal says yes; where nobody sits, nobody does.
fn is_agreed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    print::out("Trust what is shown? Type yes. ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Failure::new(Code::Other, format!("the input can't be read: {error}")))?;
    Ok(answer.trim() == "yes")
}

fn trouble(wrong: &SkillTrouble) -> String {
    match wrong {
        SkillTrouble::NoFrontMatter => "it doesn't begin with front matter between two lines of ---".to_owned(),
        SkillTrouble::BadFrontMatter { message } => format!("the front matter can't be read: {message}"),
        SkillTrouble::NoDescription => "a description is missing".to_owned(),
        SkillTrouble::BadName { name } => format!("the name {name:?} can't be typed: letters, digits, - and _ only"),
        SkillTrouble::Reserved { name } => format!("/{name} is a command's name"),
        SkillTrouble::Duplicate { name, first } => format!("/{name} is already that of {first}"),
        SkillTrouble::Unreadable { message } => format!("it can't be read: {message}"),
        SkillTrouble::TooMany => "there are more skills than are looked at".to_owned(),
    }
}
