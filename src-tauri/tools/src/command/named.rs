//! Names what a command text would run and which files it speaks of: for the card, and for the hashes that bind an
//! approval to the scripts it stands on. It reads no file and permits nothing.

use super::denied::{call_denied, redirect_denied, text_denied};
use super::words::{MAX_DEPTH, Simple, Word, base_name, simple_commands};
use super::wrappers::{BUILD_FILES, PROGRAM_VARIABLES, Runs, Wrapper, wrapper};

/// Most tokens that are looked at as possible files.
const MAX_TOKENS: usize = 512;

/// Most programs that are named inside of wrappers: a bound on the work, as each may be looked into again.
const MAX_PROGRAMS: usize = 256;

/// What a command text names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Programs in the order in which they are found; an outer one stands before what it runs.
    pub programs: Vec<String>,
    /// How many of `programs` stand first in the text: zero or one.
    first: usize,
    /// Tokens that are run as a program or read as a script.
    pub scripts: Vec<String>,
    /// All other tokens that may be the name of a file.
    pub files: Vec<String>,
    /// Names of files that tools such as `make` read without being told.
    pub build_files: Vec<&'static str>,
    /// Folders that the text goes into by name (`cd x`, `make -C x`), in order.
    pub folders: Vec<String>,
    /// What the last net says: words that follow "it would".
    pub denied: Option<&'static str>,
}

impl Named {
    /// Programs other than the text's first word: those inside of wrappers, substitutions and compounds, and behind
    /// variable prefixes.
    pub fn inner(&self) -> &[String] {
        self.programs.get(self.first..).unwrap_or_default()
    }
}

/// Looks through `command`.
pub(super) fn named(command: &str) -> Named {
    let mut found = Named { denied: text_denied(command), ..Named::default() };
    let opening = command.trim_start().chars().next();
    for (index, simple) in simple_commands(command).iter().enumerate() {
        let before = found.programs.len();
        look(simple, &mut found, 0);
        let has_prefix = simple.words.first().is_some_and(is_assignment);
        let is_bare = !has_prefix && !matches!(opening, Some('(' | '{'));
        if index == 0 && before == 0 && is_bare && !found.programs.is_empty() {
            found.first = 1;
        }
    }
    found
}

fn look(simple: &Simple, found: &mut Named, depth: usize) {
    for redirect in &simple.redirects {
        found.denied = found.denied.or_else(|| redirect_denied(redirect));
        file(redirect, found);
    }
    words(&simple.words, found, depth);
}

fn words(words: &[Word], found: &mut Named, depth: usize) {
    let prefixes = words.iter().take_while(|word| is_assignment(word)).count();
    let (assignments, rest) = words.split_at(prefixes);
    if let Some((program, arguments)) = rest.split_first()
        && !matches!(program.text.as_str(), "for" | "case" | "select" | "function" | "in")
        && (depth == 0 || found.programs.len() < MAX_PROGRAMS)
    {
        found.denied = found.denied.or_else(|| call_denied(program, arguments));
        found.programs.push(program.text.clone());
        by_path(program, found);
        let name = base_name(&program.text);
        if let Some(target) = arguments.first().filter(|_| matches!(name, "cd" | "pushd")) {
            folder(target, found);
        }
        for (tools, names) in BUILD_FILES {
            if tools.contains(&name) {
                found.build_files.extend(*names);
            }
        }
        for pair in arguments.windows(2) {
            if matches!(pair[0].text.as_str(), "-C" | "--prefix" | "--directory" | "--cwd" | "--project") {
                folder(&pair[1], found);
            }
        }
        arguments.iter().for_each(|argument| file(argument, found));
        if let Some(wrapper) = wrapper(name).filter(|_| depth < MAX_DEPTH) {
            wrapped(wrapper, arguments, found, depth + 1);
        }
    }
    for assignment in assignments {
        prefix(assignment, found);
    }
}

/// What a wrapper runs.
fn wrapped(wrapper: &Wrapper, arguments: &[Word], found: &mut Named, depth: usize) {
    match wrapper.runs {
        Runs::Rest => words(operands(wrapper, arguments), found, depth),
        Runs::RestAfter(own) => words(operands(wrapper, arguments).get(own..).unwrap_or_default(), found, depth),
        Runs::Text => text(operands(wrapper, arguments), found, depth),
        Runs::TextAfter(options) => {
            let after = arguments.iter().position(|word| gives_text(&word.text, options));
            match after.and_then(|index| arguments.get(index + 1..)) {
                Some(rest) => text(operands(wrapper, rest).get(..1).unwrap_or_default(), found, depth),
                None => operands(wrapper, arguments).iter().take(1).for_each(|word| script(word, found)),
            }
        }
        Runs::After(markers) => {
            for (index, word) in arguments.iter().enumerate() {
                if markers.contains(&word.text.as_str()) {
                    words(&arguments[index + 1..], found, depth);
                }
            }
        }
        Runs::Script(options) => {
            if !arguments.iter().any(|word| options.contains(&word.text.as_str())) {
                operands(wrapper, arguments).iter().take(2).for_each(|word| script(word, found));
            }
        }
    }
}

/// Whether an argument is one of `options`, alone or as the last of several short ones (`-lc`).
fn gives_text(argument: &str, options: &[&str]) -> bool {
    options.iter().any(|option| {
        argument == *option
            || (option.len() == 2
                && argument.len() > 2
                && argument.starts_with('-')
                && !argument.starts_with("--")
                && argument.ends_with(&option[1..]))
    })
}

/// The arguments from the first one that is neither an option, nor an option's value, nor an assignment.
fn operands<'a>(wrapper: &Wrapper, arguments: &'a [Word]) -> &'a [Word] {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        if word.text == "--" {
            return &arguments[at + 1..];
        }
        if wrapper.valued.contains(&word.text.as_str()) {
            at += 2;
        } else if word.text.starts_with('-') && word.text.len() > 1 {
            at += 1;
        } else {
            break;
        }
    }
    arguments.get(at..).unwrap_or_default()
}

fn text(arguments: &[Word], found: &mut Named, depth: usize) {
    let joined = arguments.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    for simple in simple_commands(&joined) {
        look(&simple, found, depth);
    }
}

/// A variable prefix: its value may be a program, or a file.
fn prefix(assignment: &Word, found: &mut Named) {
    let Some((name, value)) = assignment.text.split_once('=') else { return };
    let names_program = PROGRAM_VARIABLES.contains(&name) || name.ends_with("_COMMAND") || name.ends_with("_WRAPPER");
    if let Some(program) = value.split_whitespace().next().filter(|_| names_program) {
        found.programs.push(program.to_owned());
        by_path(&Word { text: program.to_owned(), ..Word::default() }, found);
    }
}

fn is_assignment(word: &Word) -> bool {
    word.text.split_once('=').is_some_and(|(name, _)| {
        let mut characters = name.trim_end_matches('+').chars();
        characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
    })
}

/// A program is a file of the workspace only when it is named by a path: nothing is found there by a bare name.
fn by_path(program: &Word, found: &mut Named) {
    if program.text.contains(['/', '\\']) {
        script(program, found);
    }
}

fn script(word: &Word, found: &mut Named) {
    if !word.expands && found.scripts.len() < MAX_TOKENS {
        found.scripts.push(word.text.clone());
    }
}

/// A token as the name of a file: itself, what stands behind its `=`, what stands behind its `@`.
fn file(word: &Word, found: &mut Named) {
    if word.expands || found.files.len() >= MAX_TOKENS {
        return;
    }
    let text = word.text.as_str();
    let value = text.split_once('=').map(|(_, value)| value);
    let at = text.strip_prefix('@');
    let forms = [Some(text).filter(|text| !text.starts_with('-')), value, at];
    found.files.extend(forms.into_iter().flatten().filter(|form| !form.is_empty()).map(str::to_owned));
}

fn folder(word: &Word, found: &mut Named) {
    if !word.expands && !word.text.starts_with('-') && found.folders.len() < MAX_DEPTH {
        found.folders.push(word.text.clone());
    }
}

#[cfg(test)]
mod tests;
