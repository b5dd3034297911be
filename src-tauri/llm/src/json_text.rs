//! Writes JSON strings straight into a buffer, which unlike a general serialiser can't fail, and mends escapes that no
//! reader of ours takes. Knows no message.

use std::borrow::Cow;

use bytes::{BufMut as _, BytesMut};
use serde::{Deserialize as _, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

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

/// Further fields of a body, each followed by a comma.
pub(crate) fn fields(extra: &Map<String, Value>) -> String {
    extra.iter().map(|(name, value)| format!("{}:{value},", Value::from(name.as_str()))).collect()
}

/// The text of the arguments: a JSON string's content, nothing for null, other JSON as it stands.
pub(crate) fn argument_text(raw: &RawValue) -> Cow<'_, str> {
    match raw.get() {
        "null" => Cow::Borrowed(""),
        text if text.starts_with('"') => match serde_json::from_str::<&str>(text) {
            Ok(plain) => Cow::Borrowed(plain),
            Err(_) => serde_json::from_str::<String>(text).map_or(Cow::Borrowed(""), Cow::Owned),
        },
        json => Cow::Borrowed(json),
    }
}

/// A JSON text in which escapes of half characters (`\ud83d` without its other half) became U+FFFD: some servers cut
/// their answers inside of a character.
pub(crate) fn mend_surrogates(json: &str) -> Cow<'_, str> {
    let mut mended: Option<String> = None;
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = json[at..].find('\\') {
        let escape = at + found;
        let Some(unit) = escaped_unit(json, escape) else {
            // Both characters of a two-character escape are passed, so that `\\u` isn't taken for one.
            let next = json[escape + 1..].chars().next().map_or(0, char::len_utf8);
            at = escape + 1 + next;
            continue;
        };
        let is_pair = (0xd800..0xdc00).contains(&unit)
            && escaped_unit(json, escape + 6).is_some_and(|low| (0xdc00..0xe000).contains(&low));
        at = escape + if is_pair { 12 } else { 6 };
        if (0xd800..0xe000).contains(&unit) && !is_pair {
            let mended = mended.get_or_insert_default();
            mended.push_str(&json[kept..escape]);
            mended.push_str("\\ufffd");
            kept = at;
        }
    }
    match mended {
        Some(mended) => Cow::Owned(mended + &json[kept..]),
        None => Cow::Borrowed(json),
    }
}

/// The code unit of a `\uXXXX` that begins at this byte.
fn escaped_unit(json: &str, at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

/// A count as servers write it: a number, a number with a fraction, a number in quotes; anything else is none.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let raw = Option::<&RawValue>::deserialize(deserializer)?;
    let number = raw.and_then(|raw| raw.get().trim_matches('"').parse::<f64>().ok());
    Ok(number.filter(|number| *number >= 0.0).map(|number| number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_characters_are_mended_and_whole_ones_stay() {
        for (json, mended) in [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\ude42b""#, r#""\ufffdb""#),
            (r#""\ud83d\ude42""#, r#""\ud83d\ude42""#),
            (r#""\ud83d\ud83d\ude42""#, r#""\ufffd\ud83d\ude42""#),
            (r#""C:\\ud83d""#, r#""C:\\ud83d""#),
            (r#""你\n\u4f60\ud83d!""#, r#""你\n\u4f60\ufffd!""#),
            (r#""\u12"#, r#""\u12"#),
        ] {
            assert_eq!(mend_surrogates(json), mended);
        }
    }

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
