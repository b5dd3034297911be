//! How each wire format carries images and PDFs, and that what has none is as it was.
//! No network.

use std::sync::Arc;

use assent_protocol::attachment::MediaType;
use assent_protocol::tool::Stored;
use assent_protocol::view::{ModelView, ViewMessage};
use serde_json::{Map, Value, json};

use super::*;
use crate::anthropic_messages::AnthropicForm;
use crate::chat_completions::BodyForm;
use crate::responses::ResponsesForm;
use crate::testing::{assistant, user, view};
use crate::wire_format::WireFormat;

fn attachment(name: &str, media_type: MediaType) -> Attachment {
    Attachment { name: name.to_owned(), media_type, content: Stored::of(name.as_bytes()) }
}

/// A person shows an image and a PDF, and says "look".
fn showing() -> ModelView {
    let attachments = vec![attachment("a.png", MediaType::Png), attachment("b \"1\".pdf", MediaType::Pdf)];
    let data = attachments.iter().zip(["UE5H", "UERG"]);
    let contents = data.map(|(attachment, data)| (attachment.content.hash, Arc::from(data))).collect();
    let message = ViewMessage::User { text: "look".to_owned(), attachments };
    ModelView { contents: Arc::new(contents), ..view(vec![Arc::new(message)]) }
}

fn forms() -> [(Box<dyn WireFormat>, &'static str); 3] {
    [
        (Box::new(BodyForm::new(false, false, true, &Map::new())), "messages"),
        (Box::new(ResponsesForm::new(true, &Map::new())), "input"),
        (Box::new(AnthropicForm::new(None, &Map::new())), "messages"),
    ]
}

#[test]
fn each_format_carries_an_image_and_a_pdf_in_its_own_parts() {
    let expected = [
        json!({ "role": "user", "content": [
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,UE5H" } },
            { "type": "file", "file": { "filename": "b \"1\".pdf", "file_data": "data:application/pdf;base64,UERG" } },
            { "type": "text", "text": "look" },
        ] }),
        json!({ "type": "message", "role": "user", "content": [
            { "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,UE5H" },
            { "type": "input_file", "filename": "b \"1\".pdf", "file_data": "data:application/pdf;base64,UERG" },
            { "type": "input_text", "text": "look" },
        ] }),
        json!({ "role": "user", "content": [
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "UE5H" } },
            { "type": "document", "title": "b \"1\".pdf",
              "source": { "type": "base64", "media_type": "application/pdf", "data": "UERG" } },
            { "type": "text", "text": "look", "cache_control": { "type": "ephemeral" } },
        ] }),
    ];
    for ((form, list), expected) in forms().into_iter().zip(expected) {
        let body: Value = serde_json::from_slice(&form.body(&showing(), None).bytes).unwrap();
        assert_eq!(body[list].as_array().unwrap().last(), Some(&expected), "{}", form.builder());
    }
}

#[test]
fn what_was_shown_is_the_beginning_of_the_next_request() {
    for (form, _) in forms() {
        let mut view = showing();
        let before = form.body(&view, None);
        let stable = before.stable;
        view.messages.extend([assistant("I see", &[]), user("and now?")]);
        let alone = form.body(&view, None);
        let body = form.body(&view, Some(before));
        assert_eq!((body.shared_prefix, &body.bytes), (stable, &alone.bytes), "{}", form.builder());
    }
}
