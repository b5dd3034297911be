//! From a view to the body of a request. What never changes comes first and what may change last, so that one request
//! begins the next and the provider's prompt cache holds; nothing is kept on the server.
//! Repairs no history: alternation and pairing are `session`'s word.

use std::sync::Arc;

use assent_protocol::attachment::{Attachment, Contents};
use assent_protocol::view::{ModelView, Protocol, ProviderItem, ToolChoice, ViewCall, ViewMessage};
use bytes::{BufMut as _, BytesMut};
use serde_json::{Map, Value};

use super::answer::ResponsesAnswer;
use crate::answer::Machine;
use crate::attached::write_data_url;
use crate::history::{self, Layout, all_but_open_user, separate, unmarked};
use crate::json_text::{fields, write_string};
use crate::model::Body;
use crate::names::{write_call_id, write_name};
use crate::placed::{Spot, placed};
use crate::tools::{has_tools, tools};
use crate::wire_format::WireFormat;

/// Version of the code below: changes whenever the same view would give other bytes.
const BUILDER: &str = "responses/1";

/// Stands where a text would be empty.
const NO_TEXT: &str = "(no text)";

/// The settings of a provider that change its bodies.
#[derive(Debug, Clone)]
pub(crate) struct ResponsesForm {
    /// Ask for reasoning in the encrypted form in which it can be sent back.
    encrypted_reasoning: bool,
    /// Further fields, serialised, each followed by a comma.
    extra: String,
    /// All of the above as one text.
    settings: Arc<str>,
}

/// Whether a field of the body is ours to write.
pub(crate) fn is_own_field(name: &str) -> bool {
    ["model", "input", "instructions", "stream", "store", "include", "tools", "tool_choice"].contains(&name)
}

impl ResponsesForm {
    /// A form with these settings; `extra` holds none of our own fields.
    pub(crate) fn new(encrypted_reasoning: bool, extra: &Map<String, Value>) -> Self {
        let written = fields(extra);
        let settings = format!("{encrypted_reasoning} {written}").into();
        Self { encrypted_reasoning, extra: written, settings }
    }

    fn write_head(&self, view: &ModelView, out: &mut BytesMut) {
        out.put_slice(b"{\"model\":");
        write_string(out, &view.model);
        out.put_slice(b",\"stream\":true,\"store\":false,");
        if self.encrypted_reasoning {
            out.put_slice(b"\"include\":[\"reasoning.encrypted_content\"],");
        }
        out.put_slice(self.extra.as_bytes());
        write_tools(&view.tools, out);
        if !view.system.is_empty() {
            out.put_slice(b"\"instructions\":");
            write_string(out, &view.system);
            out.put_u8(b',');
        }
        out.put_slice(b"\"input\":[");
    }
}

impl WireFormat for ResponsesForm {
    fn builder(&self) -> &'static str {
        BUILDER
    }

    fn body(&self, view: &ModelView, previous: Option<Body>) -> Body {
        let layout = Layout {
            builder: BUILDER,
            settings: &self.settings,
            head: &|view, out| self.write_head(view, out),
            message: &|_, message, out| write_message(message, &view.contents, out),
            sealable: all_but_open_user,
            is_marked: unmarked,
            tail: &write_tail,
        };
        history::body(&layout, view, previous)
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(ResponsesAnswer::default())
    }

    fn path(&self) -> &'static [&'static str] {
        &["responses"]
    }
}

fn write_message(message: &ViewMessage, contents: &Contents, out: &mut BytesMut) {
    match message {
        ViewMessage::User { text, attachments } => {
            separate(out);
            out.put_slice(b"{\"type\":\"message\",\"role\":\"user\",\"content\":[");
            write_attachments(attachments, contents, out);
            out.put_slice(b"{\"type\":\"input_text\",\"text\":");
            write_text(out, text);
            out.put_slice(b"}]}");
        }
        ViewMessage::Assistant { text, calls, items, .. } => write_answer(text, calls, items, out),
        ViewMessage::ToolResult { call, text, .. } => {
            separate(out);
            out.put_slice(b"{\"type\":\"function_call_output\",\"call_id\":");
            write_call_id(out, call);
            out.put_slice(b",\"output\":");
            write_text(out, text);
            out.put_u8(b'}');
        }
    }
}

/// What stands beside a text goes before it.
fn write_attachments(attachments: &[Attachment], contents: &Contents, out: &mut BytesMut) {
    for attachment in attachments {
        if attachment.media_type.is_image() {
            out.put_slice(b"{\"type\":\"input_image\",\"detail\":\"auto\",\"image_url\":");
        } else {
            out.put_slice(b"{\"type\":\"input_file\",\"filename\":");
            write_string(out, &attachment.name);
            out.put_slice(b",\"file_data\":");
        }
        write_data_url(out, contents, attachment);
        out.put_slice(b"},");
    }
}

fn write_answer(text: &str, calls: &[ViewCall], items: &[ProviderItem], out: &mut BytesMut) {
    let kept = placed(Protocol::Responses, items);
    let write_kept = |spot: Spot, out: &mut BytesMut| {
        for (_, item) in kept.iter().filter(|(place, _)| *place == spot) {
            separate(out);
            out.put_slice(item.get().as_bytes());
        }
    };
    write_kept(Spot::First, out);
    if !text.is_empty() || calls.is_empty() {
        separate(out);
        out.put_slice(b"{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":");
        write_text(out, text);
        out.put_slice(b"}]}");
    }
    write_kept(Spot::AfterText, out);
    for (index, call) in calls.iter().enumerate() {
        if index > 0 {
            write_kept(Spot::BeforeCall(index), out);
        }
        separate(out);
        out.put_slice(b"{\"type\":\"function_call\",\"call_id\":");
        write_call_id(out, &call.call);
        out.put_slice(b",\"name\":");
        write_name(out, &call.name);
        out.put_slice(b",\"arguments\":");
        write_string(out, &call.arguments);
        out.put_u8(b'}');
    }
}

fn write_tools(view_tools: &str, out: &mut BytesMut) {
    let definitions = tools(view_tools);
    for (index, tool) in definitions.iter().enumerate() {
        out.put_slice(if index == 0 { b"\"tools\":[" } else { b"," });
        out.put_slice(b"{\"type\":\"function\",\"name\":");
        write_string(out, &tool.name);
        out.put_slice(b",\"description\":");
        write_string(out, &tool.description);
        out.put_slice(b",\"parameters\":");
        out.put_slice(tool.parameters.get().as_bytes());
        // Left out it means true here, and then every optional argument is refused.
        out.put_slice(b",\"strict\":false}");
    }
    if !definitions.is_empty() {
        out.put_slice(b"],");
    }
}

fn write_tail(view: &ModelView, out: &mut BytesMut) {
    out.put_u8(b']');
    if view.tool_choice == ToolChoice::None && has_tools(&view.tools) {
        out.put_slice(b",\"tool_choice\":\"none\"");
    }
    out.put_u8(b'}');
}

fn write_text(out: &mut BytesMut, text: &str) {
    write_string(out, if text.is_empty() { NO_TEXT } else { text });
}
