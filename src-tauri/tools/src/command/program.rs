//! Finds the program that a plain command line would run, as the shell finds it.
//! It looks at names and permission bits alone, and runs nothing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Names that a shell answers itself, so that no program of that name runs (POSIX 2024, sections 2.14 and 1.7, and what
/// dash and bash have built in beyond it).
const BUILTINS: &[&str] = &[
    ":", "alias", "bg", "cd", "echo", "exit", "export", "false", "fc", "fg", "getopts", "hash", "jobs", "kill",
    "local", "printf", "pwd", "read", "readonly", "return", "set", "shift", "test", "times", "trap", "true", "type",
    "ulimit", "umask", "unalias", "unset", "wait", "break", "continue", "let", "declare", "dirs", "popd", "pushd",
    "shopt", "[",
];

/// The absolute path of `program`, byte for byte as the shell would start it: by its own path from `folder`, or along
/// `search_path`. `None` for what the shell does itself and for what isn't there.
pub(super) fn find(program: &str, search_path: Option<&OsStr>, folder: &Path) -> Option<PathBuf> {
    if program.contains('/') || (cfg!(windows) && program.contains('\\')) {
        // Rebuilding it from its parts drops `./`.
        let path: PathBuf = folder.join(program).components().collect();
        return is_program(&path).then_some(path);
    }
    if BUILTINS.contains(&program) || program.is_empty() {
        return None;
    }
    std::env::split_paths(search_path?).flat_map(|entry| candidates(&entry, program)).find(|path| is_program(path))
}

#[cfg(unix)]
fn candidates(entry: &Path, program: &str) -> Vec<PathBuf> {
    vec![entry.join(program)]
}

#[cfg(not(unix))]
fn candidates(entry: &Path, program: &str) -> Vec<PathBuf> {
    // The usual value of PATHEXT; the shell runs what it finds first.
    let ends = ["", ".com", ".exe", ".bat", ".cmd"];
    ends.iter().map(|end| entry.join(format!("{program}{end}"))).collect()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
