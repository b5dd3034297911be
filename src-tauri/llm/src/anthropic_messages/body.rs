//! From a view to the body of a request. Neighbouring user messages and results are blocks of one message here, which
//! stays open until the model speaks; cache markers stand on the last tool, the system prompt and the last two of these.
//! Repairs no history: alternation and pairing are `session`'s word.

use std::fmt::Write as _;
use std::sync::Arc;

use assent_protocol::attachment::{Attachment, Contents};
use assent_protocol::tool::ToolDefinition;
use assent_protocol::view::{ModelView, Protocol, ProviderItem, ToolChoice, ViewCall, ViewMessage};
use bytes::{BufMut as _, BytesMut};
use serde_json::{Map, Value};

use super::answer::AnthropicAnswer;
use crate::answer::Machine;
use crate::attached::write_data;
use crate::history::{self, Layout, Place, separate};
use crate::json_text::{fields, write_string};
use crate::model::Body;
use crate::names::{write_call_id, write_name};
use crate::placed::{Spot, placed};
use crate::tools::{has_tools, tools};
use crate::wire_format::WireFormat;

/// Version of the code below: changes whenever the same view would give other bytes.
const BUILDER: &str = "anthropic-messages/1";

/// Tokens of an answer at most, where nobody knows the model's limit. The API demands a figure, and refuses one above
/// the model's own; no model that takes tools has less.
const USUAL_OUTPUT: u64 = 8192;

/// Stands where a text would be empty: the API refuses blocks of nothing but white space.
const NO_TEXT: &str = "(no text)";

const MARKER: &[u8] = b",\"cache_control\":{\"type\":\"ephemeral\"}";

/// The settings of a provider that change its bodies.
#[derive(Debug, Clone)]
pub(crate) struct AnthropicForm {
    /// Further fields, serialised, each followed by a comma.
    extra: String,
    /// The same, to compare with.
    settings: Arc<str>,
}

/// Whether a field of the body is ours to write.
pub(crate) fn is_own_field(name: &str) -> bool {
    ["model", "messages", "stream", "system", "tools", "tool_choice"].contains(&name)
}

impl AnthropicForm {
    /// A form for a model with this output limit in tokens; `extra` holds none of our own fields.
    pub(crate) fn new(max_output: Option<u64>, extra: &Map<String, Value>) -> Self {
        let mut written = fields(extra);
        if !extra.contains_key("max_tokens") {
            let _ = write!(written, "\"max_tokens\":{},", max_output.unwrap_or(USUAL_OUTPUT));
        }
        let settings = written.as_str().into();
        Self { extra: written, settings }
    }

    fn write_head(&self, view: &ModelView, out: &mut BytesMut) {
        out.put_slice(b"{\"model\":");
        write_string(out, &view.model);
        out.put_slice(b",\"stream\":true,");
        out.put_slice(self.extra.as_bytes());
        write_tools(&view.tools, out);
        if !view.system.trim().is_empty() {
            out.put_slice(b"\"system\":[{\"type\":\"text\",\"text\":");
            write_string(out, &view.system);
            out.put_slice(MARKER);
            out.put_slice(b"}],");
        }
        out.put_slice(b"\"messages\":[");
    }
}

impl WireFormat for AnthropicForm {
    fn builder(&self) -> &'static str {
        BUILDER
    }

    fn body(&self, view: &ModelView, previous: Option<Body>) -> Body {
        let layout = Layout {
            builder: BUILDER,
            settings: &self.settings,
            head: &|view, out| self.write_head(view, out),
            message: &|place, message, out| write_message(place, message, &view.contents, out),
            sealable,
            is_marked,
            tail: &write_tail,
        };
        history::body(&layout, view, previous)
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(AnthropicAnswer::default())
    }

    fn path(&self) -> &'static [&'static str] {
        &["messages"]
    }
}

fn is_users(message: &ViewMessage) -> bool {
    !matches!(message, ViewMessage::Assistant { .. })
}

/// Index of the last message of a user's group, counted from the end: 0 is the last group.
fn group_from_end(messages: &[Arc<ViewMessage>], index: usize) -> usize {
    messages[index + 1..].windows(2).filter(|pair| !is_users(&pair[0]) && is_users(&pair[1])).count()
}

/// Marked are the ends of the last two groups of user messages and results.
fn is_marked(messages: &[Arc<ViewMessage>], index: usize) -> bool {
    let ends_group = messages.get(index + 1).is_none_or(|next| !is_users(next));
    is_users(&messages[index]) && ends_group && group_from_end(messages, index) < 2
}

/// All before the last two groups, which carry markers.
fn sealable(messages: &[Arc<ViewMessage>]) -> usize {
    let begins_group = |index: &usize| is_users(&messages[*index]) && (*index == 0 || !is_users(&messages[*index - 1]));
    (0..messages.len()).rev().filter(begins_group).nth(1).unwrap_or(0)
}

fn write_message(place: Place<'_>, message: &ViewMessage, contents: &Contents, out: &mut BytesMut) {
    let goes_on = place.before.is_some_and(is_users);
    match message {
        ViewMessage::Assistant { text, calls, items, .. } => {
            if goes_on {
                out.put_slice(b"]}");
            }
            separate(out);
            out.put_slice(b"{\"role\":\"assistant\",\"content\":[");
            write_answer(text, calls, items, out);
            out.put_slice(b"]}");
            return;
        }
        _ if goes_on => out.put_u8(b','),
        _ => {
            separate(out);
            out.put_slice(b"{\"role\":\"user\",\"content\":[");
        }
    }
    match message {
        ViewMessage::User { text, attachments } => {
            write_attachments(attachments, contents, out);
            out.put_slice(b"{\"type\":\"text\",\"text\":");
            write_text(out, text);
        }
        ViewMessage::ToolResult { call, text, .. } => {
            out.put_slice(b"{\"type\":\"tool_result\",\"tool_use_id\":");
            write_call_id(out, call);
            out.put_slice(b",\"content\":");
            write_text(out, text);
        }
        ViewMessage::Assistant { .. } => {}
    }
    if place.is_marked {
        out.put_slice(MARKER);
    }
    out.put_u8(b'}');
}

/// What stands beside a text goes before it, where models understand it best; a cache marker stands behind the text.
fn write_attachments(attachments: &[Attachment], contents: &Contents, out: &mut BytesMut) {
    for attachment in attachments {
        if attachment.media_type.is_image() {
            out.put_slice(b"{\"type\":\"image\"");
        } else {
            out.put_slice(b"{\"type\":\"document\",\"title\":");
            write_string(out, &attachment.name);
        }
        out.put_slice(b",\"source\":{\"type\":\"base64\",\"media_type\":");
        write_string(out, attachment.media_type.as_str());
        out.put_slice(b",\"data\":");
        write_data(out, contents, attachment);
        out.put_slice(b"}},");
    }
}

fn write_answer(text: &str, calls: &[ViewCall], items: &[ProviderItem], out: &mut BytesMut) {
    let kept = placed(Protocol::AnthropicMessages, items);
    let write_kept = |spot: Spot, out: &mut BytesMut| {
        for (_, item) in kept.iter().filter(|(place, _)| *place == spot) {
            separate(out);
            out.put_slice(item.get().as_bytes());
        }
    };
    write_kept(Spot::First, out);
    if !text.trim().is_empty() || calls.is_empty() {
        separate(out);
        out.put_slice(b"{\"type\":\"text\",\"text\":");
        write_text(out, text);
        out.put_u8(b'}');
    }
    write_kept(Spot::AfterText, out);
    for (index, call) in calls.iter().enumerate() {
        if index > 0 {
            write_kept(Spot::BeforeCall(index), out);
        }
        separate(out);
        out.put_slice(b"{\"type\":\"tool_use\",\"id\":");
        write_call_id(out, &call.call);
        out.put_slice(b",\"name\":");
        write_name(out, &call.name);
        out.put_slice(b",\"input\":");
        out.put_slice(call.arguments.as_bytes());
        out.put_u8(b'}');
    }
}

fn write_tools(view_tools: &str, out: &mut BytesMut) {
    let definitions: Vec<ToolDefinition> = tools(view_tools);
    let last = definitions.len().saturating_sub(1);
    for (index, tool) in definitions.iter().enumerate() {
        out.put_slice(if index == 0 { b"\"tools\":[" } else { b"," });
        out.put_slice(b"{\"name\":");
        write_string(out, &tool.name);
        out.put_slice(b",\"description\":");
        write_string(out, &tool.description);
        out.put_slice(b",\"input_schema\":");
        out.put_slice(tool.parameters.get().as_bytes());
        if index == last {
            out.put_slice(MARKER);
        }
        out.put_u8(b'}');
    }
    if !definitions.is_empty() {
        out.put_slice(b"],");
    }
}

fn write_tail(view: &ModelView, out: &mut BytesMut) {
    if view.messages.last().is_some_and(|last| is_users(last)) {
        out.put_slice(b"]}");
    }
    out.put_u8(b']');
    if view.tool_choice == ToolChoice::None && has_tools(&view.tools) {
        out.put_slice(b",\"tool_choice\":{\"type\":\"none\"}");
    }
    out.put_u8(b'}');
}

fn write_text(out: &mut BytesMut, text: &str) {
    write_string(out, if text.trim().is_empty() { NO_TEXT } else { text });
}
