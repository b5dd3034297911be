//! From a view to the body of a request. What never changes comes first and what may change last, so that one request
//! begins the next and the provider's prompt cache holds.
//! Repairs no history: alternation and pairing are `session`'s word.

use std::sync::Arc;

use assent_protocol::attachment::{Attachment, Contents};
use assent_protocol::view::{ModelView, Protocol, ProviderItem, ToolChoice, ViewCall, ViewMessage};
use bytes::{BufMut as _, BytesMut};
use serde_json::{Map, Value};

use crate::answer::Machine;
use crate::attached::write_data_url;
use crate::history::{self, Layout, all_but_open_user, separate, unmarked};
use crate::json_text::{fields, write_string};
use crate::model::Body;
use crate::names::{write_call_id, write_name};
use crate::tools::has_tools;
use crate::wire_format::WireFormat;

use super::answer::ChatAnswer;

/// Version of the code below: changes whenever the same view would give other bytes.
pub(crate) const BUILDER: &str = "chat-completions/3";

/// Stands where a message would be empty, because many servers refuse empty ones for ever after.
const NO_TEXT: &str = "(no text)";

/// The settings of a provider that change its bodies.
#[derive(Debug, Clone)]
pub(crate) struct BodyForm {
    /// Send reasoning back as `reasoning_content`.
    echo_reasoning: bool,
    /// Send back what the provider attached to its calls.
    echo_call_extras: bool,
    /// Send an empty text instead of `null` beside calls.
    empty_text: bool,
    /// Ask for usage at the end of the stream.
    include_usage: bool,
    /// Further fields, serialised, each followed by a comma.
    extra: String,
    /// All of the above as one text.
    settings: Arc<str>,
}

/// Whether a field of the body is ours to write.
pub(crate) fn is_own_field(name: &str) -> bool {
    ["model", "messages", "stream", "stream_options", "tools", "tool_choice"].contains(&name)
}

impl BodyForm {
    /// A form with these settings; `extra` holds none of our own fields.
    pub(crate) fn new(
        echo_reasoning: bool,
        echo_call_extras: bool,
        include_usage: bool,
        extra: &Map<String, Value>,
    ) -> Self {
        let written = fields(extra);
        let settings = format!("{echo_reasoning} {echo_call_extras} {include_usage} {written}");
        let settings = settings.into();
        Self { echo_reasoning, echo_call_extras, empty_text: false, include_usage, extra: written, settings }
    }

    /// The same, for servers that refuse `null` as the content of a message that holds nothing but calls.
    pub(crate) fn with_empty_text(self, empty_text: bool) -> Self {
        let settings = if empty_text { format!("{} empty", self.settings).into() } else { self.settings };
        Self { empty_text, settings, ..self }
    }
}

impl WireFormat for BodyForm {
    fn builder(&self) -> &'static str {
        BUILDER
    }

    fn body(&self, view: &ModelView, previous: Option<Body>) -> Body {
        let layout = Layout {
            builder: BUILDER,
            settings: &self.settings,
            head: &|view, out| self.write_head(view, out),
            message: &|_, message, out| self.write_message(message, &view.contents, out),
            sealable: all_but_open_user,
            is_marked: unmarked,
            tail: &write_tail,
        };
        history::body(&layout, view, previous)
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(ChatAnswer::default())
    }

    fn path(&self) -> &'static [&'static str] {
        &["chat", "completions"]
    }
}

impl BodyForm {
    fn write_head(&self, view: &ModelView, out: &mut BytesMut) {
        out.put_slice(b"{\"model\":");
        write_string(out, &view.model);
        out.put_slice(b",\"stream\":true,");
        if self.include_usage {
            out.put_slice(b"\"stream_options\":{\"include_usage\":true},");
        }
        out.put_slice(self.extra.as_bytes());
        write_tools(&view.tools, out);
        out.put_slice(b"\"messages\":[");
        if !view.system.is_empty() {
            out.put_slice(b"{\"role\":\"system\",\"content\":");
            write_string(out, &view.system);
            out.put_u8(b'}');
        }
    }

    fn write_message(&self, message: &ViewMessage, contents: &Contents, out: &mut BytesMut) {
        separate(out);
        match message {
            ViewMessage::User { text, attachments } => {
                out.put_slice(b"{\"role\":\"user\",\"content\":");
                match attachments.is_empty() {
                    true => write_text(out, text),
                    false => write_parts(text, attachments, contents, out),
                }
            }
            ViewMessage::Assistant { text, reasoning, calls, items } => {
                out.put_slice(b"{\"role\":\"assistant\",\"content\":");
                match text.is_empty() && !calls.is_empty() {
                    true => out.put_slice(if self.empty_text { b"\"\"" } else { b"null" }),
                    false => write_text(out, text),
                }
                // Calls of another model have none; servers that want it take an empty one for it.
                if self.echo_reasoning && !(reasoning.is_empty() && calls.is_empty()) {
                    out.put_slice(b",\"reasoning_content\":");
                    write_string(out, reasoning);
                }
                self.write_calls(calls, items, out);
            }
            ViewMessage::ToolResult { call, name: _, text } => {
                out.put_slice(b"{\"role\":\"tool\",\"tool_call_id\":");
                write_call_id(out, call);
                out.put_slice(b",\"content\":");
                write_text(out, text);
            }
        }
        out.put_u8(b'}');
    }

    fn write_calls(&self, calls: &[ViewCall], items: &[ProviderItem], out: &mut BytesMut) {
        let extras = match self.echo_call_extras {
            true => call_extras(items),
            false => Vec::new(),
        };
        for (index, call) in calls.iter().enumerate() {
            out.put_slice(if index == 0 { b",\"tool_calls\":[" } else { b"," });
            out.put_slice(b"{\"id\":");
            write_call_id(out, &call.call);
            out.put_slice(b",\"type\":\"function\",\"function\":{\"name\":");
            write_name(out, &call.name);
            out.put_slice(b",\"arguments\":");
            write_string(out, &call.arguments);
            out.put_u8(b'}');
            if let Some((_, extra)) = extras.iter().find(|(of, _)| *of == index as u64) {
                out.put_slice(b",\"extra_content\":");
                out.put_slice(extra.to_string().as_bytes());
            }
            out.put_u8(b'}');
        }
        if !calls.is_empty() {
            out.put_u8(b']');
        }
    }
}

fn write_tail(view: &ModelView, out: &mut BytesMut) {
    out.put_u8(b']');
    // Without tools a `tool_choice` is an error for most servers.
    if view.tool_choice == ToolChoice::None && has_tools(&view.tools) {
        out.put_slice(b",\"tool_choice\":\"none\"");
    }
    out.put_u8(b'}');
}

fn write_tools(tools: &str, out: &mut BytesMut) {
    let definitions = crate::tools::tools(tools);
    for (index, tool) in definitions.iter().enumerate() {
        out.put_slice(if index == 0 { b"\"tools\":[" } else { b"," });
        out.put_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
        write_string(out, &tool.name);
        out.put_slice(b",\"description\":");
        write_string(out, &tool.description);
        out.put_slice(b",\"parameters\":");
        out.put_slice(tool.parameters.get().as_bytes());
        out.put_slice(b"}}");
    }
    if !definitions.is_empty() {
        out.put_slice(b"],");
    }
}

fn write_text(out: &mut BytesMut, text: &str) {
    write_string(out, if text.is_empty() { NO_TEXT } else { text });
}

/// The parts of a message: what stands beside the text goes before it.
fn write_parts(text: &str, attachments: &[Attachment], contents: &Contents, out: &mut BytesMut) {
    out.put_u8(b'[');
    for attachment in attachments {
        if attachment.media_type.is_image() {
            out.put_slice(b"{\"type\":\"image_url\",\"image_url\":{\"url\":");
        } else {
            out.put_slice(b"{\"type\":\"file\",\"file\":{\"filename\":");
            write_string(out, &attachment.name);
            out.put_slice(b",\"file_data\":");
        }
        write_data_url(out, contents, attachment);
        out.put_slice(b"}},");
    }
    out.put_slice(b"{\"type\":\"text\",\"text\":");
    write_text(out, text);
    out.put_slice(b"}]");
}

/// What a provider attached to its calls, by position.
fn call_extras(items: &[ProviderItem]) -> Vec<(u64, Value)> {
    items
        .iter()
        .filter(|item| item.protocol == Protocol::ChatCompletions)
        .filter_map(|item| serde_json::from_str::<Value>(&item.json).ok())
        .filter_map(|mut item| Some((item.get("call")?.as_u64()?, item.get_mut("extra_content")?.take())))
        .collect()
}

/// The item that keeps what the provider attached to a call.
pub(super) fn call_extra_item(index: usize, extra: &str) -> ProviderItem {
    ProviderItem {
        protocol: Protocol::ChatCompletions,
        json: format!("{{\"call\":{index},\"extra_content\":{extra}}}"),
    }
}
