//! Tests of the page: nothing that was said becomes markup, and what is no text is told.

use assent_protocol::attachment::MediaType;
use assent_protocol::event::Delivery;
use assent_protocol::ids::{ConversationId, MessageId};
use assent_protocol::tool::Stored;

use super::*;

fn user(text: &str, attachments: Vec<Attachment>) -> Event {
    let payload = Payload::UserMessage {
        message: MessageId::new("m"),
        text: text.into(),
        delivery: Delivery::NextTurn,
        context: None,
        attachments,
        skills: Vec::new(),
    };
    Event { conversation: ConversationId::new("c"), seq: 1, at: 1, payload }
}

fn body(text: &str) -> String {
    let page = page("t", &[user(text, Vec::new())], |_| None);
    page.split_once("<div class=\"said\">\n").unwrap().1.split_once("</div>").unwrap().0.to_owned()
}

#[test]
fn what_was_said_is_text_and_nothing_else() {
    let hostile = "<script>alert(1)</script> \"><img src=x onerror=y> & '</style>";
    let page = page(hostile, &[user(hostile, Vec::new())], |_| None);
    for markup in ["<script", "<img", "onerror=y>", "</style> &", "\">&lt;img"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert_eq!(page.matches("&lt;script&gt;alert(1)&lt;/script&gt;").count(), 3);
    assert_eq!(page.matches("</style>").count(), 1);
}

#[test]
fn code_between_fences_is_code() {
    assert_eq!(body("a\n\n```rust\nlet a = `b`;\n```\nc"), "<p>a</p>\n<pre>let a = `b`;</pre>\n<p>c</p>\n");
    assert_eq!(body("````\n```\n````\nend"), "<pre>```</pre>\n<p>end</p>\n");
    assert_eq!(body("``` a ``` b"), "<p>``` a ``` b</p>\n");
    assert_eq!(body("```\nnever closed"), "<pre>never closed</pre>\n");
}

#[test]
fn a_picture_is_in_the_page_and_what_cannot_be_had_is_named() {
    let attached = |name: &str, media_type| Attachment { name: name.to_owned(), media_type, content: Stored::of(b"x") };
    let attachments = vec![attached("红\".png", MediaType::Png), attached("b.pdf", MediaType::Pdf)];
    let page = page("t", &[user("", attachments)], |_| Some(b"x".to_vec()));
    assert!(page.contains("<img alt=\"红&quot;.png\" src=\"data:image/png;base64,eA==\">"), "{page}");
    assert!(page.contains("b.pdf (1 bytes)"), "{page}");
}
