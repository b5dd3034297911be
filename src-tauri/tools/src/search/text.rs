//! From bytes to text for searching, outlining and comparing, and whether that text may be shown unasked.
//! What bytes are is told by `content`; nothing decoded here is ever written back.

use std::borrow::Cow;

use assent_protocol::assessment::Raised;

use crate::content::{self, Content};
use crate::workspace::{Guard, read_guard};

/// What the bytes of a file are to a search.
pub(crate) enum Readable<'a> {
    /// Text; where the encoding isn't known, with marks in place of what can't be read.
    Text(Cow<'a, str>),
    /// No text.
    Binary,
    /// A private key, whatever the file is called.
    Secret,
}

/// Decodes the whole content of a file. Plain UTF-8, which most files are, isn't copied.
pub(crate) fn readable(bytes: &[u8]) -> Readable<'_> {
    if content::begins_as_private_key(bytes) {
        return Readable::Secret;
    }
    let is_plain = bytes.first().is_none_or(|byte| byte.is_ascii() && *byte != b'%') && !bytes.contains(&0);
    if is_plain && let Ok(text) = std::str::from_utf8(bytes) {
        return Readable::Text(Cow::Borrowed(text));
    }
    match content::recognise(bytes) {
        Content::Text(text) => Readable::Text(Cow::Owned(text.text)),
        Content::Unclear { shown } => Readable::Text(Cow::Owned(shown)),
        Content::Binary(_) => Readable::Binary,
    }
}

/// Whether a file is left out by its name: reading it needs a person's word.
pub(crate) fn is_secret(path: &str) -> bool {
    read_guard(path) == Guard::Raised(Raised::Secret)
}
