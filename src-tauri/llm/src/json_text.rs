//! Writes JSON strings straight into a buffer, which unlike a general serialiser can't fail.
//! Reads nothing and knows no message.

use bytes::{BufMut as _, BytesMut};

/// Appends `text` as a JSON string, quotes included. Only what JSON demands is escaped; everything else stays UTF-8.
pub(crate) fn write_string(out: &mut BytesMut, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.put_u8(b'"');
    let mut kept = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0x08 => b"\\b",
            0x0c => b"\\f",
            0..=0x1f => &[b'\\', b'u', b'0', b'0', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]],
            _ => continue,
        };
        out.put_slice(&bytes[kept..at]);
        out.put_slice(escape);
        kept = at + 1;
    }
    out.put_slice(&bytes[kept..]);
    out.put_u8(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn every_text_reads_back_as_itself(text: String) {
            let mut out = BytesMut::new();
            write_string(&mut out, &text);
            let back: String = serde_json::from_slice(&out).unwrap();
            proptest::prop_assert_eq!(back, text);
        }
    }

    #[test]
    fn control_characters_are_escaped() {
        let all: String = (0u8..0x80).map(char::from).collect();
        let mut out = BytesMut::new();
        write_string(&mut out, &all);
        assert_eq!(&out[..], serde_json::to_string(&all).unwrap().as_bytes());
    }
}
