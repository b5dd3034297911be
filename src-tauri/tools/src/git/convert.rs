//! From a file of the work tree to the content git would store: line ends and `$Id$`, and nothing that is a program.
//! A path whose attributes name a driver or another encoding has no such content here.

use std::borrow::Cow;

use super::attributes::{Attributes, State};
use super::open::Opened;

/// How the content of a path is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storing {
    /// By a program, or in an encoding that isn't converted: what would be stored is unknown.
    Unknown,
    /// As it is, or with its line ends and identifiers normalised.
    Known { ends: Ends, has_id: bool },
}

/// What becomes of line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// They stay.
    Kept,
    /// CRLF becomes LF.
    Normalised,
    /// CRLF becomes LF when the file is text and was stored without CRLF.
    NormalisedIfText,
}

/// How a path is stored, by its attributes and the repository's settings.
pub(super) fn storing(attributes: &Attributes, opened: &Opened) -> Storing {
    let is_driver = matches!(attributes.get("filter"), Some(State::Value(_) | State::Set));
    if is_driver || matches!(attributes.get("working-tree-encoding"), Some(State::Value(_))) {
        return Storing::Unknown;
    }
    let text = attributes.get("text").or_else(|| attributes.get("crlf"));
    let value = |state: Option<&State>, wanted: &str| matches!(state, Some(State::Value(value)) if value == wanted);
    let has_end = matches!(attributes.get("eol"), Some(State::Value(value)) if value == "lf" || value == "crlf");
    let ends = match text {
        Some(State::Unset) => Ends::Kept,
        auto if value(auto, "auto") => Ends::NormalisedIfText,
        Some(State::Set) => Ends::Normalised,
        input if value(input, "input") => Ends::Normalised,
        _ if has_end => Ends::Normalised,
        _ if converts_by_default(opened) => Ends::NormalisedIfText,
        _ => Ends::Kept,
    };
    Storing::Known { ends, has_id: attributes.get("ident") == Some(&State::Set) }
}

/// `core.autocrlf`; git for Windows ships with it switched on, in a file that isn't read here.
fn converts_by_default(opened: &Opened) -> bool {
    match opened.setting("core", "autocrlf") {
        Some(setting) if setting.value.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("input")) => true,
        Some(setting) => setting.truth() == Some(true),
        None => cfg!(windows),
    }
}

/// The content that would be stored. `stored` is what is stored now, read only where it matters.
pub(super) fn to_stored<'a>(
    bytes: &'a [u8],
    ends: Ends,
    has_id: bool,
    stored: impl FnOnce() -> Option<Vec<u8>>,
) -> Cow<'a, [u8]> {
    let has_crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
    let normalises = has_crlf
        && match ends {
            Ends::Kept => false,
            Ends::Normalised => true,
            Ends::NormalisedIfText => {
                is_text(bytes) && !stored().is_some_and(|stored| stored.windows(2).any(|pair| pair == b"\r\n"))
            }
        };
    let mut out = Cow::Borrowed(bytes);
    if normalises {
        let mut lines = Vec::with_capacity(bytes.len());
        let mut rest = bytes.iter().peekable();
        while let Some(byte) = rest.next() {
            if *byte != b'\r' || rest.peek() != Some(&&b'\n') {
                lines.push(*byte);
            }
        }
        out = Cow::Owned(lines);
    }
    if has_id { Cow::Owned(without_id(&out)) } else { out }
}

/// Git's own idea of text: no NUL, no lone CR, and few other control characters.
fn is_text(bytes: &[u8]) -> bool {
    let (mut printable, mut control) = (0_usize, 0_usize);
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            0 => return false,
            b'\r' if bytes.get(index + 1) != Some(&b'\n') => return false,
            b'\r' | b'\n' => {}
            8 | 9 | 12 | 27 | 32..=126 | 128.. => printable += 1,
            _ => control += 1,
        }
    }
    printable >> 7 >= control
}

/// `$Id: …$` becomes `$Id$`.
fn without_id(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(4).position(|four| four == b"$Id:") {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before);
        match from.iter().skip(4).position(|byte| matches!(byte, b'$' | b'\n')) {
            Some(end) if from[4 + end] == b'$' => {
                out.extend_from_slice(b"$Id$");
                rest = &from[4 + end + 1..];
            }
            _ => {
                out.extend_from_slice(&from[..4]);
                rest = &from[4..];
            }
        }
    }
    out.extend_from_slice(rest);
    out
}
