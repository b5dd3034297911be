//! The last net: texts that are refused in every mode because they wreck a machine, whoever approves them.
//! It is no protection against a command that means harm; the card, the sandbox and the supervisor are.

use super::words::{Word, base_name};
use super::wrappers::wrapper;

/// Folders of the system whose recursive removal, or change of owner, ends the machine's use.
const SYSTEM_FOLDERS: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/private",
    "c:",
    "c:/windows",
    "c:/users",
];

/// How many of a wrapper's arguments are looked at as if they were the program it runs.
const MAX_HIDDEN: usize = 32;

/// Files below `/dev` that may be written.
const HARMLESS_DEVICES: &[&str] =
    &["null", "zero", "full", "tty", "ptmx", "stdin", "stdout", "stderr", "random", "urandom"];

/// Why a whole text is refused whatever anyone says, in words that follow "it would".
pub(super) fn text_denied(command: &str) -> Option<&'static str> {
    is_fork_bomb(command).then_some("start processes without end")
}

/// The same for a redirection into `target`.
pub(super) fn redirect_denied(target: &Word) -> Option<&'static str> {
    is_disk(&target.text).then_some("write to a device")
}

/// The same for one program with its arguments.
pub(super) fn call_denied(program: &Word, arguments: &[Word]) -> Option<&'static str> {
    let name = base_name(&program.text).to_ascii_lowercase();
    halts(&name, arguments).or_else(|| wrecks(&name, arguments)).or_else(|| {
        // A wrapper may have options that we don't know, with values that look like programs.
        let hidden = if wrapper(&name).is_some() { MAX_HIDDEN } else { 0 };
        let mut inner = arguments.iter().enumerate().take(hidden);
        inner.find_map(|(at, word)| wrecks(&base_name(&word.text).to_ascii_lowercase(), &arguments[at + 1..]))
    })
}

fn wrecks(name: &str, arguments: &[Word]) -> Option<&'static str> {
    let has = |option: &str| arguments.iter().any(|word| word.text.eq_ignore_ascii_case(option));
    let target = |test: fn(&str) -> bool| arguments.iter().any(|word| test(&word.text));
    let deletes = match name {
        "rm" => is_recursive(arguments, "rR") && (target(is_root_folder) || has("--no-preserve-root")),
        "find" => has("-delete") && arguments.first().is_some_and(|first| is_root_folder(&first.text)),
        "del" | "erase" | "rd" | "rmdir" => has("/s") && target(is_root_folder),
        _ => false,
    };
    let writes_device = match name {
        "dd" => target(|word| word.strip_prefix("of=").is_some_and(is_disk)),
        "tee" | "shred" | "wipefs" | "cp" | "blkdiscard" => target(is_disk),
        _ => false,
    };
    let formats = match name {
        "mkfs" | "mke2fs" | "mkswap" => !arguments.is_empty(),
        "format" => target(is_drive),
        "diskpart" => true,
        other => other.starts_with("mkfs."),
    };
    let changes_rights =
        matches!(name, "chmod" | "chown" | "chgrp") && is_recursive(arguments, "R") && target(is_root_folder);
    let ends_all = name == "kill" && arguments.len() > 1 && arguments.last().is_some_and(|last| last.text == "-1");
    match () {
        () if deletes => Some("delete a folder of the system or a home folder"),
        () if writes_device => Some("write to a device"),
        () if formats => Some("format a disk"),
        () if changes_rights => Some("change the rights of a whole system or home folder"),
        () if ends_all => Some("end every process of the user"),
        () => None,
    }
}

fn halts(name: &str, arguments: &[Word]) -> Option<&'static str> {
    const VERBS: &[&str] = &["poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "soft-reboot"];
    let stops = match name {
        "shutdown" | "reboot" | "poweroff" | "halt" => true,
        "systemctl" => arguments.iter().any(|word| VERBS.contains(&word.text.as_str())),
        "init" | "telinit" => arguments.first().is_some_and(|level| matches!(level.text.as_str(), "0" | "6")),
        _ => false,
    };
    stops.then_some("stop or restart the machine")
}

fn is_recursive(arguments: &[Word], letters: &str) -> bool {
    arguments.iter().any(|word| {
        word.text == "--recursive"
            || (word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word.text.contains(|c| letters.contains(c)))
    })
}

/// The root, a folder of the system, or a home folder as a whole, however it is spelled.
fn is_root_folder(word: &str) -> bool {
    let mut path = word.replace('\\', "/");
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    loop {
        let shorter = ["/*", "/.", "/.*", "/"].iter().find_map(|end| path.strip_suffix(end));
        match shorter.map(str::to_owned) {
            Some(shorter) => path = shorter,
            None => break,
        }
    }
    let is_root = path.is_empty() && !word.is_empty();
    let is_home = matches!(path.as_str(), "~" | "$HOME" | "${HOME}" | "%USERPROFILE%" | "$env:USERPROFILE")
        || path.strip_prefix('~').is_some_and(|user| !user.is_empty() && !user.contains('/'))
        || std::env::home_dir().is_some_and(|home| home.as_path() == std::path::Path::new(&path));
    is_root || is_home || SYSTEM_FOLDERS.iter().any(|folder| folder.eq_ignore_ascii_case(&path)) || is_drive(&path)
}

fn is_drive(word: &str) -> bool {
    let mut characters = word.chars();
    matches!((characters.next(), characters.next(), characters.next()), (Some(letter), Some(':'), None) if letter.is_ascii_alphabetic())
}

/// A device file, other than those that everything writes to.
fn is_disk(word: &str) -> bool {
    let Some(device) = word.strip_prefix("/dev/") else { return word.to_ascii_lowercase().starts_with(r"\\.\") };
    let first = device.split('/').next().unwrap_or_default();
    !(HARMLESS_DEVICES.contains(&device) || matches!(first, "fd" | "shm" | "pts" | "tcp" | "udp") || device.is_empty())
}

/// A function that pipes itself into itself in the background: `:(){ :|:& };:`.
fn is_fork_bomb(command: &str) -> bool {
    let dense: String = command.chars().filter(|character| !character.is_whitespace()).collect();
    dense.match_indices("(){").any(|(at, opener)| {
        let name: String = dense[..at].chars().rev().take_while(|c| !";&|(){}'\"".contains(*c)).collect();
        let name: String = name.chars().rev().collect();
        let name = name.strip_prefix("function").unwrap_or(&name);
        !name.is_empty() && dense[at + opener.len()..].starts_with(&format!("{name}|{name}&"))
    }) || dense.contains("%0|%0")
}

#[cfg(test)]
mod tests;
