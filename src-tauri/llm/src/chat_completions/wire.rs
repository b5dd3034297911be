//! The chunks of a stream as servers really write them: fields missing, null, or of another type than documented.
//! Only reads; joins nothing together.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// One event of a stream, or a whole `chat.completion`.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow, default)]
    pub usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
    /// Where one provider puts the usage.
    #[serde(borrow, default)]
    pub x_groq: Option<&'a RawValue>,
}

/// One choice; only the first is read.
#[derive(Debug, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default)]
    pub index: Number,
    #[serde(borrow, default)]
    pub delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub message: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub finish_reason: Word<'a>,
    #[serde(borrow, default)]
    pub usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
}

/// What was added, or a whole message.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub content: Content<'a>,
    #[serde(borrow, default)]
    pub reasoning_content: Content<'a>,
    #[serde(borrow, default)]
    pub reasoning: Content<'a>,
    #[serde(borrow, default)]
    pub refusal: Content<'a>,
    #[serde(borrow, default)]
    pub tool_calls: Option<Vec<CallDelta<'a>>>,
}

/// A piece of a call.
#[derive(Debug, Deserialize)]
pub(super) struct CallDelta<'a> {
    #[serde(default)]
    pub index: Number,
    #[serde(borrow, default)]
    pub id: Word<'a>,
    #[serde(borrow, default)]
    pub function: Option<FunctionDelta<'a>>,
    /// What the provider wants back with the call, verbatim.
    #[serde(borrow, default)]
    pub extra_content: Option<&'a RawValue>,
}

/// A piece of name and arguments. Arguments are a string, or an object from servers that know no better.
#[derive(Debug, Deserialize)]
pub(super) struct FunctionDelta<'a> {
    #[serde(borrow, default)]
    pub name: Word<'a>,
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
}

/// A number that may be missing, null, negative or written as text.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Number(pub Option<u64>);

/// A short text that may be missing, null or a number.
#[derive(Debug, Default)]
pub(super) struct Word<'a>(pub Cow<'a, str>);

/// Text, or parts of text and reasoning.
#[derive(Debug, Default)]
pub(super) struct Content<'a> {
    pub text: Cow<'a, str>,
    pub reasoning: Cow<'a, str>,
}

impl Content<'_> {
    fn add(&mut self, other: &Content<'_>) {
        join(&mut self.text, &other.text);
        join(&mut self.reasoning, &other.reasoning);
    }
}

fn owned(text: String) -> Content<'static> {
    Content { text: Cow::Owned(text), ..Content::default() }
}

fn join(to: &mut Cow<'_, str>, piece: &str) {
    if !piece.is_empty() {
        to.to_mut().push_str(piece);
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Word::deserialize(deserializer)?;
        Ok(Self(word.0.trim().parse().ok()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Word<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let content = deserializer.deserialize_any(ContentVisitor)?;
        Ok(Self(content.text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or parts of text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content { text: Cow::Borrowed(text), ..Content::default() })
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(owned(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(owned(text))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(owned(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(owned(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(owned(number.to_string()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let mut whole = Content::default();
        while let Some(part) = parts.next_element::<Content<'de>>()? {
            whole.add(&part);
        }
        Ok(whole)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut whole = Content::default();
        while let Some(field) = fields.next_key::<Cow<'de, str>>()? {
            match field.as_ref() {
                "text" | "content" => whole.add(&fields.next_value::<Content<'de>>()?),
                "thinking" | "reasoning" => {
                    let part = fields.next_value::<Content<'de>>()?;
                    join(&mut whole.reasoning, &part.text);
                }
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(whole)
    }
}
