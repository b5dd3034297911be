//! Says whether a command line is one plain argv, which is all that an allowing rule may ever match.
//! It is no shell parser: whatever is not plainly a list of words counts as "not plain".

/// Tokens of a plain command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainArgv(pub Vec<String>);

/// Programs that run another program given in their arguments, so that the first word doesn't name what runs.
const WRAPPERS: &[&str] = &[
    "env",
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "busybox",
    "toybox",
    "xargs",
    "nohup",
    "nice",
    "ionice",
    "timeout",
    "time",
    "sudo",
    "doas",
    "su",
    "setsid",
    "stdbuf",
    "command",
    "builtin",
    "exec",
    "eval",
    "source",
    ".",
    "watch",
    "script",
    "ssh",
    "chroot",
    "unshare",
    "nsenter",
    "strace",
    "ltrace",
    "gdb",
    "parallel",
    "find",
    "cmd",
    "powershell",
    "pwsh",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "awk",
    "npx",
    "uvx",
];

/// The tokens of `command` when it is one plain argv: words of harmless characters or whole quoted strings, no
/// operators, substitutions, redirects, globs, tildes, variables, assignments, line breaks or wrappers.
pub fn plain_argv(command: &str) -> Option<PlainArgv> {
    let mut tokens = Vec::new();
    let mut token: Option<String> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' => tokens.extend(token.take()),
            '\'' => {
                let word = token.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inner if inner.is_control() => return None,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = token.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '$' | '`' | '\\' | '!' => return None,
                        inner if inner.is_control() => return None,
                        inner => word.push(inner),
                    }
                }
            }
            plain if is_plain(plain) => token.get_or_insert_default().push(plain),
            _ => return None,
        }
    }
    tokens.extend(token);
    let program: &String = tokens.first()?;
    if program.is_empty() || program.contains('=') || is_wrapper(program) {
        return None;
    }
    Some(PlainArgv(tokens))
}

fn is_plain(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | '/' | ':' | '=' | '+' | ',' | '@' | '%')
}

fn is_wrapper(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    WRAPPERS.iter().any(|wrapper| name.eq_ignore_ascii_case(wrapper))
}

#[cfg(test)]
mod tests;
