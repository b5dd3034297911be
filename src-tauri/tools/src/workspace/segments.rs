//! Parses a path as a model writes it into plain names relative to the root, and refuses every spelling that some
//! system reads as something else. It looks at text alone and never at the disk.

use std::path::Path;

use crate::tool::Refusal;

/// Longest path in bytes (`PATH_MAX` on Linux).
const MAX_BYTES: usize = 4096;

/// Most names in one path.
const MAX_NAMES: usize = 256;

/// A parsed path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// Names from the root; none is the root itself.
    pub names: Vec<String>,
    /// The path ended in a separator or a dot: only a folder can be meant.
    pub must_be_folder: bool,
}

/// Parses `path`. Both `/` and `\` separate; an absolute path is taken only when it names something in `root`.
pub(super) fn parse(path: &str, root: &Path) -> Result<Asked, Refusal> {
    let refuse = |why: &str| Err(Refusal::new(format!("the path {path:?} {why}")));
    if path.len() > MAX_BYTES {
        return Err(Refusal::new(format!("the path is {} bytes long; at most {MAX_BYTES} are accepted", path.len())));
    }
    let text = path.replace('\\', "/");
    if text.starts_with("//") || text.starts_with("/??/") {
        return refuse("names a network share or a device; give a path relative to the workspace");
    }
    let Some(relative) = within(&text, root) else {
        return refuse("is absolute and not in the workspace; give a path relative to the workspace");
    };
    let mut names = Vec::new();
    for segment in relative.split('/') {
        match segment {
            "" | "." => continue,
            ".." => return refuse("has \"..\" in it; give a path relative to the workspace without \"..\""),
            _ => {}
        }
        if names.is_empty() && matches!(segment, "~" | "$HOME" | "${HOME}" | "$PWD" | "%USERPROFILE%" | "%CD%") {
            return refuse("begins with a shorthand that is not expanded; give a path relative to the workspace");
        }
        if let Some(why) = segment_trouble(segment) {
            return Err(Refusal::new(format!("{segment:?} in the path {path:?} {why}")));
        }
        names.push(segment.to_owned());
    }
    if names.len() > MAX_NAMES {
        return refuse("has too many folders in it");
    }
    let must_be_folder = !names.is_empty() && (relative.ends_with('/') || relative.ends_with("/."));
    Ok(Asked { names, must_be_folder })
}

/// Why a single name is refused, as the end of a sentence that begins with the name; `None` for a plain name.
/// The rules are those of every system at once, so that a name means the same wherever the workspace is opened.
pub fn segment_trouble(name: &str) -> Option<&'static str> {
    if name.is_empty() || name == "." || name == ".." {
        return Some("is not a name");
    }
    if name.len() > 255 {
        return Some("is longer than 255 bytes");
    }
    if name.contains(['/', '\\']) {
        return Some("has a separator in its name");
    }
    if name.chars().any(|character| character < ' ' || character == '\u{7f}') {
        return Some("has a NUL or another control character in its name");
    }
    if name.ends_with(['.', ' ']) {
        return Some("ends in a dot or a space, which Windows drops so that another file is meant");
    }
    if let Some((before, after)) = name.split_once(':') {
        let is_drive = before.len() == 1 && before.starts_with(|character: char| character.is_ascii_alphabetic());
        let is_stream = before.is_empty() || after.starts_with([':', '$']) || after.contains(":$");
        if is_drive || is_stream || cfg!(windows) {
            return Some("has a colon in its name, which means a drive or an alternate data stream on Windows");
        }
    }
    if is_device(name) {
        return Some("is the name of a device on Windows, with any extension");
    }
    if is_short_name(name) {
        return Some("looks like a shortened Windows name, which means another file; give the full name");
    }
    None
}

/// `NUL`, `con.txt`, `COM1`, `LPT¹`, `CONIN$`: device names count with any extension and before trailing blanks.
fn is_device(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or(name).trim_end_matches(' ').to_ascii_lowercase();
    if matches!(stem.as_str(), "nul" | "con" | "prn" | "aux" | "conin$" | "conout$" | "clock$") {
        return true;
    }
    let Some(number) = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")) else {
        return false;
    };
    matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
}

/// `GIT~1`, `PROGRA~2`, `INDEX~1.HTM`: at most eight characters with a tilde and digits, then at most three.
fn is_short_name(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let Some((base, digits)) = stem.rsplit_once('~') else {
        return false;
    };
    let fits = !base.is_empty() && stem.len() <= 8 && extension.len() <= 3 && name.is_ascii();
    fits && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `text` relative to the root: as it is when relative, less the root when absolute and in it, else `None`.
fn within<'a>(text: &'a str, root: &Path) -> Option<&'a str> {
    let bytes = text.as_bytes();
    let has_drive = bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    if !text.starts_with('/') && !has_drive {
        return Some(text);
    }
    let root = root.to_str()?.replace('\\', "/");
    let head = text.get(..root.len())?;
    let is_same = if cfg!(windows) { head.eq_ignore_ascii_case(&root) } else { head == root };
    let rest = &text[root.len()..];
    (is_same && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
}

#[cfg(test)]
mod tests;
