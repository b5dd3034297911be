//! The environment that commands get: the user's own, less all secrets and less every place from which the workspace
//! could smuggle in a program. It starts the login shell at most once and changes nothing.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[cfg(unix)]
use super::login_shell;
use super::secrets::{is_provider_key, is_secret_address, is_secret_name, is_secret_value};

/// Variables that a command sees; order is that of the source.
pub(super) type Variables = Vec<(OsString, OsString)>;

/// Set for every command: nothing asks, nothing pages, nothing draws.
const FIXED: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("TERM", "dumb"),
    // The shell of Windows looks into the present folder first, unless this is set.
    ("NoDefaultCurrentDirectoryInExePath", "1"),
];

/// Where the shell keeps its own state; it works them out anew.
const SHELL_STATE: &[&str] = &["_", "PWD", "OLDPWD", "SHLVL"];

/// The user's environment: of the login shell when the program was started from a desktop, else our own. Resolved once;
/// the first call may take as long as the login shell's time limit.
pub(super) fn of_user() -> &'static Variables {
    static OF_USER: OnceLock<Variables> = OnceLock::new();
    OF_USER.get_or_init(|| {
        let own: Variables = std::env::vars_os().collect();
        #[cfg(unix)]
        if login_shell::is_needed() {
            return login_shell::variables(&own).unwrap_or(own);
        }
        own
    })
}

/// What a command in a workspace gets out of the environment `of_user`.
pub(super) fn for_command(of_user: &Variables, workspace: &Path) -> Variables {
    let known: Vec<&str> = of_user
        .iter()
        .filter(|(name, _)| name.to_str().is_some_and(is_provider_key))
        .filter_map(|(_, value)| value.to_str())
        .collect();
    let is_set =
        |name: &OsStr| FIXED.iter().any(|(fixed, _)| name == *fixed) || SHELL_STATE.iter().any(|own| name == *own);
    let mut variables: Variables = of_user
        .iter()
        .filter(|(name, value)| {
            // What isn't text is judged by what can be read of it.
            let (name_text, value_text) = (name.to_string_lossy(), value.to_string_lossy());
            !is_set(name)
                && !is_secret_name(&name_text)
                && !is_secret_value(&value_text, &known)
                && !is_secret_address(&name_text, &value_text)
        })
        .map(|(name, value)| (name.clone(), if is_path(name) { search_path(value, workspace) } else { value.clone() }))
        .collect();
    variables.extend(FIXED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    variables
}

/// The value of `PATH` in an environment.
pub(super) fn path_of(variables: &Variables) -> Option<&OsStr> {
    variables.iter().find(|(name, _)| is_path(name)).map(|(_, value)| value.as_os_str())
}

/// The value of a variable in an environment.
#[cfg(unix)]
pub(super) fn value_of<'a>(variables: &'a Variables, name: &str) -> Option<&'a OsStr> {
    variables.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_os_str())
}

fn is_path(name: &OsStr) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" }
}

/// A search path without entries that are relative (the empty one means the present folder) or lie in the workspace,
/// be it by name or through links.
fn search_path(value: &OsStr, workspace: &Path) -> OsString {
    let kept: Vec<PathBuf> = std::env::split_paths(value)
        .filter(|entry| entry.is_absolute() && !entry.starts_with(workspace))
        .filter(|entry| !dunce::canonicalize(entry).is_ok_and(|real| real.starts_with(workspace)))
        .collect();
    // Joining fails only on an entry with a separator in it, which splitting can't have made.
    std::env::join_paths(kept).unwrap_or_default()
}

#[cfg(test)]
mod tests;
