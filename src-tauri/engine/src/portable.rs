//! The form in which a conversation leaves as a file and comes back: one JSON array with an element on each line. First the events,
//! each as it stands in the log; then the contents that they name; at last whose they are.
//! It trusts nothing in a file, and says nothing about what becomes of it.

use assent_protocol::event::Event;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ConversationId, Sha};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Version of the form; a file of a higher one isn't read.
const VERSION: u32 = 1;

/// A conversation on its way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Portable {
    /// Whose events the file is about.
    pub conversation: ConversationId,
    /// The number of its last event.
    pub seq: u64,
    /// Its log and those that it needs, in the order in which they can be taken in.
    pub events: Vec<Event>,
    /// What they name. Nothing here says what its hash is: that is computed.
    pub contents: Vec<Vec<u8>>,
}

/// What stands in a file beside events.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Beside {
    #[serde(rename = "content")]
    Content { hash: Sha, base64: String },
    #[serde(rename = "export")]
    Export { version: u32, conversation: ConversationId, upto: u64 },
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow)]
    kind: std::borrow::Cow<'a, str>,
}

/// Writes the file. `content` brings the bytes of a hash.
pub(crate) fn write(
    conversation: &ConversationId,
    events: &[Event],
    contents: &[Sha],
    mut content: impl FnMut(Sha) -> Result<Vec<u8>, Failure>,
) -> Result<String, Failure> {
    let mut out = String::from("[\n");
    for event in events {
        out.push_str(&element(event)?);
        out.push_str(",\n");
    }
    for hash in contents {
        let content = Beside::Content { hash: *hash, base64: STANDARD.encode(content(*hash)?) };
        out.push_str(&element(&content)?);
        out.push_str(",\n");
    }
    let upto = events.iter().filter(|event| event.conversation == *conversation).map(|event| event.seq).max();
    let export = Beside::Export { version: VERSION, conversation: conversation.clone(), upto: upto.unwrap_or(0) };
    out.push_str(&element(&export)?);
    out.push_str("\n]\n");
    Ok(out)
}

fn element(value: &impl Serialize) -> Result<String, Failure> {
    let unwritable = |error| Failure::new(Code::Other, format!("the conversation can't be written as JSON: {error}"));
    serde_json::to_string(value).map_err(unwritable)
}

/// Reads a file, or says in words why it can't be one. The mark that some systems put at its beginning is read over.
pub(crate) fn read(text: &str) -> Result<Portable, String> {
    let foreign = |error: &dyn std::fmt::Display| format!("the file is no exported conversation: {error}");
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let elements: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| foreign(&error))?;
    let (mut events, mut contents, mut export) = (Vec::new(), Vec::new(), None);
    for (at, element) in elements.iter().enumerate() {
        let number = at + 1;
        let broken = |error: serde_json::Error| format!("element {number} of the file can't be read: {error}");
        let Kind { kind } = serde_json::from_str(element.get()).map_err(broken)?;
        match kind.as_ref() {
            "content" | "export" => match serde_json::from_str(element.get()).map_err(broken)? {
                Beside::Content { hash, base64 } => {
                    let bytes = STANDARD.decode(base64).map_err(|error| foreign(&error))?;
                    if Sha::of(&bytes) != hash {
                        return Err(format!("content {hash} of the file doesn't fit its hash"));
                    }
                    contents.push(bytes);
                }
                Beside::Export { version, .. } if version > VERSION => {
                    return Err(format!("the file was written by a newer version (form {version}, not {VERSION})"));
                }
                Beside::Export { conversation, upto, .. } => export = Some((conversation, upto)),
            },
            _ => events.push(serde_json::from_str(element.get()).map_err(broken)?),
        }
    }
    let (conversation, seq) = export.ok_or_else(|| foreign(&"it doesn't say whose events these are"))?;
    Ok(Portable { conversation, seq, events, contents })
}

#[cfg(test)]
mod tests;
