//! Payloads survive the way through text, and strangers are kept.

use crate::event::{Delivery, EndReason, Event, Payload};
use crate::ids::{ConversationId, MessageId};

#[test]
fn an_event_is_one_flat_object() {
    let event = Event {
        conversation: ConversationId::new("c"),
        seq: 3,
        at: 5,
        payload: Payload::TurnEnd { reason: EndReason::MaxIterations, message: None, money: None },
    };
    let text = serde_json::to_string(&event).unwrap();
    assert_eq!(text, r#"{"conversation":"c","seq":3,"at":5,"kind":"turn/end","reason":"max-iterations"}"#);
    assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
}

#[test]
fn a_stranger_is_kept_and_a_misfit_is_an_error() {
    let stranger = Payload::decode("moon/landed", r#"{"kind":"moon/landed","crew":3}"#).unwrap();
    assert_eq!(stranger.kind(), "moon/landed");
    assert_eq!(stranger.encode(), r#"{"kind":"moon/landed","crew":3}"#);
    assert!(Payload::decode("turn/end", r#"{"kind":"turn/end","reason":"bored"}"#).is_err());
}

#[test]
fn kinds_agree_with_what_is_written() {
    let message = Payload::UserMessage {
        message: MessageId::new("m"),
        text: "你好".into(),
        delivery: Delivery::NextTurn,
        context: None,
        attachments: Vec::new(),
        skills: Vec::new(),
    };
    let body = message.encode();
    assert!(body.starts_with(&format!(r#"{{"kind":"{}""#, message.kind())), "{body}");
    assert_eq!(Payload::decode(message.kind(), &body).unwrap(), message);
}
