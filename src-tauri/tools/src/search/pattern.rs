//! Patterns as text: globs and regular expressions, compiled under limits.
//! Nothing in them is ever an option of a program: no program is involved.

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::tool::Refusal;

/// Longest pattern, in bytes. Real ones are a line.
const LONGEST: usize = 4_096;
/// Most alternatives in braces of one glob: they multiply.
const MOST_BRACES: usize = 12;
/// Largest compiled regular expression and largest lazy automaton, in bytes.
const REGEX_BYTES: usize = 8 * 1024 * 1024;

/// A glob over paths below a folder.
#[derive(Debug)]
pub(super) struct Glob {
    matcher: GlobMatcher,
    /// Without a slash a glob is about names, at any depth.
    is_name: bool,
}

impl Glob {
    /// Compiles a glob. `/` separates segments, a leading `./` or `/` means nothing, and a Windows separator is one.
    pub(super) fn new(field: &str, text: &str) -> Result<Self, Refusal> {
        if text.is_empty() || text.len() > LONGEST {
            return Err(Refusal::bad_arguments(format!(
                "`{field}` must be a glob of 1 to {LONGEST} bytes, e.g. src/**/*.rs"
            )));
        }
        if text.matches('{').count() > MOST_BRACES {
            return Err(Refusal::bad_arguments(format!("`{field}` has too many alternatives in braces")));
        }
        let text = with_slashes(text);
        let text = text.strip_prefix("./").unwrap_or(&text).trim_start_matches('/');
        let folder_of_all;
        let text = match text.strip_suffix('/') {
            Some(folder) => {
                folder_of_all = format!("{folder}/**");
                folder_of_all.as_str()
            }
            None => text,
        };
        let glob = GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| Refusal::bad_arguments(format!("`{field}` is not a glob: {}", error.kind())))?;
        Ok(Self { matcher: glob.compile_matcher(), is_name: !text.contains('/') })
    }

    /// Whether a path, relative to the folder that is searched, matches.
    pub(super) fn matches(&self, path: &str) -> bool {
        let text = if self.is_name { path.rsplit('/').next().unwrap_or(path) } else { path };
        self.matcher.is_match(text)
    }
}

/// A back slash before a letter or a digit escapes nothing: it is a separator of another system.
fn with_slashes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_separator = character == '\\'
            && (cfg!(windows) || characters.peek().is_some_and(|next| next.is_alphanumeric() || *next == '_'));
        out.push(if is_separator { '/' } else { character });
    }
    out
}

/// Compiles what `grep` looks for, line by line.
pub(super) fn regex(text: &str, ignore_case: bool, fixed: bool) -> Result<RegexMatcher, Refusal> {
    if text.is_empty() || text.len() > LONGEST {
        return Err(Refusal::bad_arguments(format!("`pattern` must be 1 to {LONGEST} bytes long")));
    }
    if text.contains('\n') {
        return Err(Refusal::bad_arguments("`pattern` is matched line by line and can't hold a line feed".to_owned()));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(ignore_case)
        .fixed_strings(fixed)
        .multi_line(true)
        .crlf(true)
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .build(text)
        .map_err(|error| {
            let words = error.to_string();
            let words = words.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            Refusal::bad_arguments(format!(
                "`pattern` is not a usable regular expression: {words}. Set `fixed` to search for it as plain text"
            ))
        })
}
