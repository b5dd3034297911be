//! Asks the user's login shell for its environment, once, with a time limit.
//! A program started from a desktop has none of what a person sets up in their shell's files.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal as _;
use std::time::Duration;

use super::environment::{Variables, value_of};
use super::launch::{How, Launch, launch};
use super::secrets::is_secret_name;

/// How long the shell's files may take.
const LIMIT: Duration = Duration::from_secs(3);

/// Whether we were not started from a shell: then our own environment isn't the user's.
pub(super) fn is_needed() -> bool {
    let from_terminal = std::io::stdin().is_terminal() || std::io::stdout().is_terminal();
    !from_terminal && std::env::var_os("SHLVL").is_none()
}

/// The environment as a login shell has it that starts from `own`; `None` when it can't be told in time.
pub(super) fn variables(own: &Variables) -> Option<Variables> {
    let shell = value_of(own, "SHELL")?.to_str()?;
    // What the shell's files print stands before, between or after; only what stands between two marks counts.
    let mark = format!("assent-{}-{:?}", std::process::id(), std::time::Instant::now());
    let mark = mark.replace(|character: char| !character.is_ascii_alphanumeric(), "-");
    let inner = format!("printf {mark}; /usr/bin/env -0; printf {mark}");
    let given: Variables = own.iter().filter(|(name, _)| !is_secret_name(&name.to_string_lossy())).cloned().collect();
    let cancel = tokio_util::sync::CancellationToken::new();
    let finished = launch(&Launch {
        command: &format!("exec '{}' -ilc '{inner}'", shell.replace('\'', r"'\''")),
        folder: std::fs::File::open("/").ok()?,
        limit: None,
        environment: &given,
        timeout: LIMIT,
        cancel: &cancel,
        live: &|_, _| {},
        spool: &|| None,
    });
    let finished = finished.ok().filter(|finished| finished.cut.is_none() && finished.how == How::Exit(0))?;
    let mut variables = between(&finished.output.bytes, mark.as_bytes())?;
    // The supervisor gave the shell a place for temporary files that is gone by now.
    variables.retain(|(name, _)| !is_place(name));
    variables.extend(own.iter().filter(|(name, _)| is_place(name)).cloned());
    Some(variables)
}

fn is_place(name: &OsStr) -> bool {
    ["TMPDIR", "TMP", "TEMP"].iter().any(|place| name == *place)
}

/// Variables of `env -0` between the first two marks in `output`.
fn between(output: &[u8], mark: &[u8]) -> Option<Variables> {
    let find = |bytes: &[u8]| bytes.windows(mark.len()).position(|window| window == mark);
    let inside = output.get(find(output)? + mark.len()..)?;
    let listed = inside.get(..find(inside)?)?;
    let variables: Variables = listed.split(|byte| *byte == 0).filter_map(variable).collect();
    variables.iter().any(|(name, _)| name == "PATH").then_some(variables)
}

fn variable(line: &[u8]) -> Option<(OsString, OsString)> {
    use std::os::unix::ffi::OsStrExt as _;
    let equals = line.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
    let text = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    Some((text(&line[..equals]), text(&line[equals + 1..])))
}

#[cfg(test)]
mod tests;
