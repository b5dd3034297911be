//! The text of a file for editing, and the way back to bytes in the file's own encoding.
//! Only what comes back to the very same bytes counts as text here; showing a doubtful file is left to reading.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::line_ends::LineEnds;

/// The byte-order mark as a character.
const BOM: char = '\u{feff}';

/// A decoded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    text: String,
    encoding: &'static Encoding,
    has_bom: bool,
}

impl Text {
    /// Decodes a file; `None` when it isn't text in a known encoding, or wouldn't come back to the same bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let text = Self::decode(bytes)?;
        (text.encode(&text.text).ok()? == bytes).then_some(text)
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (encoding, has_bom) = match Encoding::for_bom(bytes) {
            Some((encoding, _)) => (encoding, true),
            None => (UTF_8, false),
        };
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
        let text = if has_bom { text.strip_prefix(BOM)? } else { &text };
        Some(Self { text: text.to_owned(), encoding, has_bom })
    }

    /// The text, without its byte-order mark.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `text` in this file's encoding and with its byte-order mark, or why that can't be.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, String> {
        let mut whole = String::with_capacity(text.len() + BOM.len_utf8());
        if self.has_bom && !text.starts_with(BOM) {
            whole.push(BOM);
        }
        whole.push_str(text);
        if self.encoding == UTF_8 {
            return Ok(whole.into_bytes());
        }
        if self.encoding == UTF_16LE {
            return Ok(whole.encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        if self.encoding == UTF_16BE {
            return Ok(whole.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        let mut bytes = Vec::with_capacity(whole.len());
        for character in whole.chars() {
            let mut buffer = [0; 4];
            let (encoded, _, is_unmappable) = self.encoding.encode(character.encode_utf8(&mut buffer));
            if is_unmappable {
                return Err(format!(
                    "it is a {} file, and that encoding has no {character:?} (U+{:04X})",
                    self.encoding.name(),
                    character as u32
                ));
            }
            bytes.extend_from_slice(&encoded);
        }
        Ok(bytes)
    }

    /// What a card says of the file's form, where it isn't plain UTF-8 with line feeds.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match (self.encoding == UTF_8, self.has_bom) {
            (true, false) => {}
            (true, true) => notes.push("byte-order mark kept".to_owned()),
            (false, true) => notes.push(format!("{} with byte-order mark, kept", self.encoding.name())),
            (false, false) => notes.push(format!("{}, kept", self.encoding.name())),
        }
        let ends = LineEnds::of(&self.text);
        if matches!(ends, LineEnds::CrLf | LineEnds::Mixed) {
            notes.push(format!("line ends: {}", ends.words()));
        }
        notes
    }
}
