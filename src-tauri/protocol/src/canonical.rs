//! Strict JSON for tool arguments and the canonical form (RFC 8785) that digests are taken of.
//! It does not check arguments against a tool's schema: that is the tool's part.

use std::fmt;

use serde::Serialize;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::ids::Sha;

/// Longest accepted argument text, in bytes. A `write_file` of a large source file fits; a flood doesn't.
pub const MAX_ARGUMENT_BYTES: usize = 4 * 1024 * 1024;

/// Deepest accepted nesting of arguments.
pub const MAX_ARGUMENT_DEPTH: usize = 64;

/// Largest integer that every JSON reader takes for the same number (2^53 − 1, RFC 8785 section 3.2.2.3).
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Why argument text was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// The text is longer than [`MAX_ARGUMENT_BYTES`].
    #[error("the arguments are {0} bytes long; at most {MAX_ARGUMENT_BYTES} are accepted")]
    TooLong(usize),
    /// Not JSON, or JSON that readers disagree about (duplicate keys, lone surrogates, unsafe integers, absurd depth).
    #[error("the arguments are not valid JSON: {0}")]
    Invalid(String),
    /// Valid JSON, but not an object.
    #[error("the arguments must be a JSON object")]
    NotAnObject,
}

/// Parses tool arguments strictly. Empty text counts as `{}`, because several providers send it for "no arguments".
pub fn parse_arguments(text: &str) -> Result<Map<String, Value>, ArgumentError> {
    if text.len() > MAX_ARGUMENT_BYTES {
        return Err(ArgumentError::TooLong(text.len()));
    }
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict { depth: 0 }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| ArgumentError::Invalid(error.to_string()))?;
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(ArgumentError::NotAnObject),
    }
}

/// The RFC 8785 form of a value: keys sorted by UTF-16 code units, no white space, numbers as ECMAScript prints them.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

/// SHA-256 over the canonical form of anything serialisable. A value that can't be serialised digests as `null`;
/// our own types always can.
pub fn digest<T: Serialize>(value: &T) -> Sha {
    let value = serde_json::to_value(value).unwrap_or(Value::Null);
    Sha::of(canonical(&value).as_bytes())
}

struct Strict {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > MAX_ARGUMENT_DEPTH {
            return Err(de::Error::custom("nested too deeply"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        safe(value.unsigned_abs(), value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        safe(value, value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(Strict { depth: self.depth + 1 })? {
            out.push(item);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut out = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(Strict { depth: self.depth + 1 })?;
            if out.contains_key(&key) {
                return Err(de::Error::custom(format_args!("the key {key:?} stands twice")));
            }
            out.insert(key, value);
        }
        Ok(Value::Object(out))
    }
}

fn safe<E: de::Error>(magnitude: u64, value: Value) -> Result<Value, E> {
    if magnitude > MAX_SAFE_INTEGER {
        return Err(E::custom("an integer beyond 2^53 - 1 is not exact in JSON"));
    }
    Ok(value)
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
            out.push('{');
            for (index, (key, item)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_value(item, out);
            }
            out.push('}');
        }
    }
}

fn write_number(number: &Number, out: &mut String) {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(integer), _, _) => out.push_str(&integer.to_string()),
        (_, Some(integer), _) => out.push_str(&integer.to_string()),
        (_, _, Some(float)) => out.push_str(ryu_js::Buffer::new().format(float)),
        _ => out.push_str("null"),
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{08}' => out.push_str("\\b"),
            '\u{09}' => out.push_str("\\t"),
            '\u{0a}' => out.push_str("\\n"),
            '\u{0c}' => out.push_str("\\f"),
            '\u{0d}' => out.push_str("\\r"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests;
