//! A conversation as one page for a browser: no script, nothing from elsewhere, every text escaped.
//! What it says is what the markdown form says.

use std::fmt::Write as _;

use assent_protocol::attachment::Attachment;
use assent_protocol::event::{Event, Payload};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// What a browser that opens the page may load: its own style and the pictures in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const STYLE: &str = "
:root { color-scheme: light dark; --bg: #fff; --text: #22252a; --muted: #666a72; --line: #e7e6e1; --panel: #f7f7f5; }
@media (prefers-color-scheme: dark) { :root { --bg: #18191b; --text: #e3e5e8; --muted: #9ba0a8; --line: #2d3035; --panel: #1e1f22; } }
body { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem; background: var(--bg); color: var(--text);
  font: 15px/1.6 system-ui, -apple-system, \"Segoe UI\", \"PingFang SC\", \"Microsoft YaHei\", \"Noto Sans CJK SC\", sans-serif; }
h1 { font-size: 1.35rem; } h2 { font-size: 0.8rem; color: var(--muted); margin: 1.75rem 0 0.35rem; } h3 { font: 600 0.8rem/1.6 ui-monospace, monospace; margin: 1rem 0 0.25rem; }
p { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 0.75rem; unicode-bidi: plaintext; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); border: 1px solid var(--line); border-radius: 7px; padding: 0.6rem 0.8rem; margin: 0 0 0.75rem;
  font: 13px/1.5 ui-monospace, \"SF Mono\", \"Cascadia Mono\", \"Noto Sans Mono CJK SC\", monospace; }
.said { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 0.6rem 0.9rem; } .said p:last-child, .said pre:last-child { margin: 0; }
.note { color: var(--muted); font-size: 0.85rem; } img { max-width: 100%; border-radius: 7px; }
details { margin: 0 0 0.75rem; } summary { color: var(--muted); font-size: 0.85rem; cursor: default; }
";

/// The page. `bytes` gives the content of an attachment; none: it can't be had.
pub(super) fn page(title: &str, events: &[Event], bytes: impl Fn(&Attachment) -> Option<Vec<u8>>) -> String {
    let title = escaped(title);
    let mut out = format!(
        "<!doctype html>\n<html><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    );
    for event in events {
        write_event(&event.payload, &bytes, &mut out);
    }
    out.push_str("</body></html>\n");
    out
}

fn write_event(payload: &Payload, bytes: &impl Fn(&Attachment) -> Option<Vec<u8>>, out: &mut String) {
    // Writing to a String can't fail.
    let _ = match payload {
        Payload::UserMessage { text, attachments, .. } => {
            out.push_str("<h2>User</h2>\n<div class=\"said\">\n");
            for attachment in attachments {
                write_attachment(attachment, bytes(attachment), out);
            }
            write_text(text, out);
            writeln!(out, "</div>")
        }
        Payload::AssistantMessage(message) if !message.text.is_empty() => {
            out.push_str("<h2>Assistant</h2>\n");
            write_text(&message.text, out);
            Ok(())
        }
        Payload::ToolCall(call) => {
            writeln!(out, "<h3>{}</h3>\n<pre>{}</pre>", escaped(&call.name), escaped(&call.arguments))
        }
        Payload::ApprovalDecided { answer, note, .. } => {
            let note = note.as_deref().map(|note| format!(": {}", escaped(note))).unwrap_or_default();
            writeln!(out, "<p class=\"note\">{answer:?}{note}</p>")
        }
        Payload::ToolResult(result) => {
            writeln!(
                out,
                "<details><summary>{:?}</summary><pre>{}</pre></details>",
                result.outcome,
                escaped(&result.shown)
            )
        }
        Payload::TurnEnd { reason, message, .. } => {
            let message = message.as_deref().map(|message| format!(": {}", escaped(message))).unwrap_or_default();
            writeln!(out, "<p class=\"note\">Turn ended: {reason:?}{message}</p>")
        }
        _ => Ok(()),
    };
}

fn write_attachment(attachment: &Attachment, bytes: Option<Vec<u8>>, out: &mut String) {
    let name = escaped(&attachment.name);
    let _ = match bytes.filter(|_| attachment.media_type.is_image()) {
        Some(bytes) => {
            let (kind, data) = (attachment.media_type.as_str(), STANDARD.encode(bytes));
            writeln!(out, "<p><img alt=\"{name}\" src=\"data:{kind};base64,{data}\"></p>")
        }
        None => writeln!(out, "<p class=\"note\">{name} ({} bytes)</p>", attachment.content.bytes),
    };
}

/// Paragraphs as they were written, and code between fences as such.
fn write_text(text: &str, out: &mut String) {
    let mut fence: Option<&str> = None;
    let mut block = String::new();
    let mut close = |block: &mut String, tag: &str| {
        let content = block.trim_matches('\n');
        if !content.is_empty() {
            // Writing to a String can't fail.
            let _ = writeln!(out, "<{tag}>{}</{tag}>", escaped(content));
        }
        block.clear();
    };
    for line in text.lines() {
        let ticks = &line.trim_start()[..line.trim_start().bytes().take_while(|byte| *byte == b'`').count()];
        match fence {
            Some(open) if ticks.len() >= open.len() && line.trim() == ticks => {
                close(&mut block, "pre");
                fence = None;
            }
            None if ticks.len() >= 3 && !line.trim_start()[ticks.len()..].contains('`') => {
                close(&mut block, "p");
                fence = Some(ticks);
            }
            _ => {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    close(&mut block, if fence.is_some() { "pre" } else { "p" });
}

/// Text that is nothing but text in a page and in an attribute. Control characters that no page may hold are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests;
