//! What bytes are: text in a known encoding, with a lossless way back, or binary with a name for people.
//! It opens no file and changes no text.

mod decode;
mod magic;

use std::borrow::Cow;
use std::fmt;

use assent_protocol::file_note::LineEnding;

/// What the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text whose encoding is known and which encodes back to the very same bytes.
    Text(Text),
    /// Likely text, but neither valid UTF-8 nor plausibly another encoding that is known here. It can be shown with
    /// marks in place of what can't be read, and must not be edited.
    Unclear {
        /// The text with U+FFFD where bytes can't be read.
        shown: String,
    },
    /// Not text; what it is, with an article: "a PNG image".
    Binary(&'static str),
}

/// Decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text, line ends as they are, without the byte order mark.
    pub text: String,
    /// How it is stored.
    pub encoding: TextEncoding,
    /// Whether the file begins with a byte order mark.
    pub bom: bool,
    /// How its lines end.
    pub line_ends: LineEnds,
}

/// Encodings that are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8, ASCII included.
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// GBK.
    Gbk,
    /// GB 18030, where a file uses what GBK lacks.
    Gb18030,
    /// Big5.
    Big5,
}

/// How the lines of a text end. A lone carriage return among other line ends is data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// There is only one line.
    None,
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
    /// Both `\n` and `\r\n`.
    Mixed,
}

/// A character that the file's encoding doesn't have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{character:?} can't be written in {encoding}, the file's encoding")]
pub struct NotEncodable {
    /// The first such character.
    pub character: char,
    /// The encoding.
    pub encoding: TextEncoding,
}

/// Recognises the whole content of a file.
pub fn recognise(bytes: &[u8]) -> Content {
    if let Some(kind) = magic::certain(bytes) {
        return Content::Binary(kind);
    }
    if let Some(marked) = decode::marked(bytes) {
        return marked;
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && !bytes.contains(&0)
    {
        return Content::Text(Text::of(text.to_owned(), TextEncoding::Utf8, false));
    }
    if let Some(kind) = magic::likely(bytes) {
        return Content::Binary(kind);
    }
    if let Some(text) = decode::unmarked_utf16(bytes).or_else(|| decode::chinese(bytes)) {
        return Content::Text(text);
    }
    if magic::is_control_heavy(bytes) {
        return Content::Binary("a binary file");
    }
    Content::Unclear { shown: String::from_utf8_lossy(bytes).into_owned() }
}

/// Whether the content begins as a private key does (PEM, OpenSSH, PGP), whatever the file is called.
pub fn begins_as_private_key(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]);
    let head = head.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    head.strip_prefix("-----BEGIN ")
        .and_then(|rest| rest.lines().next())
        .is_some_and(|line| line.contains("PRIVATE KEY"))
}

impl Text {
    fn of(text: String, encoding: TextEncoding, bom: bool) -> Self {
        let line_ends = LineEnds::of(&text);
        Self { text, encoding, bom, line_ends }
    }

    /// New text for a new file: UTF-8 without a mark.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::of(text.into(), TextEncoding::Utf8, false)
    }

    /// `text` as bytes in this text's encoding, with a byte order mark if this text has one. Line ends stay as they
    /// are given. Encoding the text itself gives the bytes it was read from.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, NotEncodable> {
        decode::encode(text, self.encoding, self.bom)
    }

    /// Number of lines, as [`Text::lines`] gives them.
    pub fn line_count(&self) -> usize {
        let end = self.line_end();
        let is_open = !self.text.is_empty() && !self.text.ends_with(char::from(end));
        memchr::memchr_iter(end, self.text.as_bytes()).count() + usize::from(is_open)
    }

    /// The lines without their ends; a last line end begins no further line.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let end = char::from(self.line_end());
        let whole = self.text.strip_suffix(end).unwrap_or(&self.text);
        let lines = (!self.text.is_empty()).then(|| whole.split(end)).into_iter().flatten();
        lines.map(move |line| if end == '\n' { line.strip_suffix('\r').unwrap_or(line) } else { line })
    }

    fn line_end(&self) -> u8 {
        if self.line_ends == LineEnds::Cr { b'\r' } else { b'\n' }
    }

    /// How the text is stored, for people and models: "UTF-8", "UTF-16 LE with BOM, CRLF line ends".
    pub fn described(&self) -> String {
        let bom = if self.bom { " with BOM" } else { "" };
        match self.line_ends {
            LineEnds::None | LineEnds::Lf => format!("{}{bom}", self.encoding),
            LineEnds::CrLf | LineEnds::Cr | LineEnds::Mixed => {
                format!("{}{bom}, {} line ends", self.encoding, self.line_ends)
            }
        }
    }
}

impl LineEnds {
    /// The line ends of a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        let pairs = memchr::memmem::find_iter(bytes, b"\r\n").count();
        match (pairs, ends - pairs) {
            (0, 0) if bytes.contains(&b'\r') => Self::Cr,
            (0, 0) => Self::None,
            (0, _) => Self::Lf,
            (_, 0) => Self::CrLf,
            (_, _) => Self::Mixed,
        }
    }

    /// `text` (with `\n`, as models write) with line ends of this kind. Where there is no one kind it stays as it is.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::None | Self::Lf | Self::Mixed => Cow::Borrowed(text),
            Self::Cr => Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r")),
            Self::CrLf => Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n")),
        }
    }
}

impl From<LineEnds> for LineEnding {
    fn from(ends: LineEnds) -> Self {
        match ends {
            LineEnds::None => Self::None,
            LineEnds::Lf => Self::Lf,
            LineEnds::CrLf => Self::Crlf,
            LineEnds::Cr => Self::Cr,
            LineEnds::Mixed => Self::Mixed,
        }
    }
}

impl fmt::Display for LineEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LineEnding::from(*self).name())
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16 LE",
            Self::Utf16Be => "UTF-16 BE",
            Self::Gbk => "GBK",
            Self::Gb18030 => "GB 18030",
            Self::Big5 => "Big5",
        })
    }
}

#[cfg(test)]
mod tests;
