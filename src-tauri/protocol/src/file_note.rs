//! What a card says of a file beside its diff, or in its place.
//! Closed, so that the window can say it in its own language.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::words::counted;

/// Something that a diff can't show of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "of")]
pub enum FileNote {
    /// How the file is stored, which stays as it is.
    Kept {
        /// Name of the encoding.
        encoding: String,
        /// Whether it begins with a byte-order mark.
        bom: bool,
        /// How its lines end, where that isn't LF.
        line_ends: Option<LineEnding>,
    },
    /// The line ends change.
    LineEnds {
        /// From these.
        from: LineEnding,
        /// To these.
        to: LineEnding,
    },
    /// The last line gets a line end.
    LastLineEnded,
    /// The last line has no line end any more.
    LastLineOpened,
    /// The file's last line has no line end: what is appended goes on in it.
    GoesOnInLastLine,
    /// The file is marked read-only.
    ReadOnly,
    /// Removed lines that the diff leaves out.
    Hidden {
        /// How many.
        lines: u64,
    },
    /// A folder.
    Folder {
        /// Files, folders and links below it.
        entries: u64,
        /// Their size in bytes, where it was counted.
        bytes: Option<u64>,
    },
    /// A link: it is moved itself, what it leads to stays.
    Link,
    /// A path goes through a link.
    ThroughLink {
        /// The path.
        path: String,
    },
    /// Neither a file nor a folder nor a link.
    Special,
    /// Content that isn't shown because of its size.
    Large {
        /// Size in bytes.
        bytes: u64,
    },
    /// Content that isn't shown because it may be secret.
    Secret {
        /// Size in bytes.
        bytes: u64,
    },
    /// Content that isn't text.
    Binary {
        /// What it is, in English.
        kind: String,
        /// Size in bytes.
        bytes: u64,
    },
    /// Content in no known encoding.
    NotText {
        /// Size in bytes.
        bytes: u64,
    },
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum LineEnding {
    /// There is only one line.
    None,
    /// `\n`
    Lf,
    /// `\r\n`
    Crlf,
    /// `\r`
    Cr,
    /// Both `\n` and `\r\n`.
    Mixed,
}

impl LineEnding {
    /// The name, in English.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no",
            Self::Lf => "LF",
            Self::Crlf => "CRLF",
            Self::Cr => "CR",
            Self::Mixed => "mixed",
        }
    }
}

impl FileNote {
    /// The note in English, for terminals and scripts.
    pub fn line(&self) -> String {
        let size = |bytes: u64| counted(bytes, "byte");
        match self {
            Self::Kept { encoding, bom, line_ends } => {
                let bom = if *bom { " with BOM" } else { "" };
                let ends = line_ends.map(|ends| format!(", {} line ends", ends.name())).unwrap_or_default();
                format!("kept: {encoding}{bom}{ends}")
            }
            Self::LineEnds { from, to } => format!("line ends change: {} to {}", from.name(), to.name()),
            Self::LastLineEnded => "the last line gets a line end".to_owned(),
            Self::LastLineOpened => "the last line has no line end any more".to_owned(),
            Self::GoesOnInLastLine => "the file's last line had no line end: the text goes on in it".to_owned(),
            Self::ReadOnly => "the file is marked read-only".to_owned(),
            Self::Hidden { lines } => format!("{}, not shown", counted(*lines, "more removed line")),
            Self::Folder { entries, bytes } => {
                let bytes = bytes.map(|bytes| format!(", {}", size(bytes))).unwrap_or_default();
                format!("a folder with {} in it{bytes}", counted(*entries, "entry"))
            }
            Self::Link => "a link: it is moved itself, what it leads to stays".to_owned(),
            Self::ThroughLink { path } => format!("{path} goes through a link"),
            Self::Special => "neither a file nor a folder".to_owned(),
            Self::Large { bytes } => size(*bytes),
            Self::Secret { bytes } => format!("{}, not shown because they may be secret", size(*bytes)),
            Self::Binary { kind, bytes } => format!("{kind}, {}", size(*bytes)),
            Self::NotText { bytes } => format!("{} that are not text", size(*bytes)),
        }
    }
}
