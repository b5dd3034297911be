//! Where words stand that come at awkward moments.
//! Whole turns are played in the engine's scripts.

use assent_protocol::event::{AssistantMessage, Delivery, Event, Mark, Payload, Purpose, RequestSent, TurnCause};
use assent_protocol::ids::{CallId, ConversationId, MessageId, RequestId, Sha};
use assent_protocol::view::{FailureKind, FinishReason, Protocol, ToolChoice, ViewMessage};

use super::Session;

fn apply(session: &mut Session, payloads: impl IntoIterator<Item = Payload>) {
    for payload in payloads {
        let seq = session.seq() + 1;
        session.apply(&Event { conversation: ConversationId::new("a"), seq, at: 0, payload });
    }
}

fn said(text: &str) -> Payload {
    let (message, delivery) = (MessageId::new("m"), Delivery::NextTurn);
    Payload::UserMessage { message, text: text.into(), delivery, context: None, attachments: Vec::new() }
}

fn sent(request: &str) -> [Payload; 2] {
    let sent = RequestSent {
        request: RequestId::new(request),
        attempt: 1,
        purpose: Purpose::Chat,
        provider: String::new(),
        model: String::new(),
        protocol: Protocol::Practice,
        builder: String::new(),
        tool_choice: ToolChoice::Auto,
        digest: Sha::of(b""),
        bytes: 0,
        prefix: 0,
        stable: 0,
        characters: 0,
        estimate: 0,
    };
    [Payload::IterationStart { since_human: 1, in_turn: 1 }, Payload::RequestSent(sent)]
}

fn answered(request: &str, text: &str) -> Payload {
    Payload::AssistantMessage(AssistantMessage {
        message: MessageId::new("n"),
        request: RequestId::new(request),
        text: text.into(),
        reasoning: "".into(),
        calls: Vec::new(),
        finish: Some(FinishReason::Stop),
        partial: false,
        items: Vec::new(),
    })
}

/// The messages in short: who, and what.
fn shown(session: &Session) -> Vec<String> {
    let words = |message: &ViewMessage| match message {
        ViewMessage::User { text, .. } => format!("user: {text}"),
        ViewMessage::Assistant { text, .. } => format!("model: {text}"),
        ViewMessage::ToolResult { text, .. } => format!("result: {text}"),
    };
    session.history().shown().iter().map(|message| words(message)).collect()
}

fn marked() -> Payload {
    Payload::ToolResolved { call: CallId::new("c"), mark: Mark::Done }
}

#[test]
fn words_that_come_while_the_model_answers_stand_behind_its_answer() {
    let mut session = Session::default();
    apply(&mut session, [said("go"), Payload::TurnStart { cause: TurnCause::Message }]);
    apply(&mut session, sent("r"));
    let before = shown(&session);
    apply(&mut session, [marked()]);
    assert_eq!(shown(&session), before, "what was sent never changes");
    apply(&mut session, [answered("r", "done")]);
    let note = "user: [The user looked: the tool call with unknown outcome did happen.]";
    assert_eq!(shown(&session), ["user: go", "model: done", note]);
}

#[test]
fn words_that_come_while_a_request_fails_go_with_the_next() {
    let mut session = Session::default();
    apply(&mut session, [said("go"), Payload::TurnStart { cause: TurnCause::Message }]);
    apply(&mut session, sent("r"));
    let failed = Payload::RequestFailed {
        request: RequestId::new("r"),
        failure: FailureKind::Server,
        message: "busy".to_owned(),
        attempt: 1,
        retry_in_ms: Some(1),
    };
    apply(&mut session, [marked(), failed]);
    let note = "[The user looked: the tool call with unknown outcome did happen.]";
    assert_eq!(shown(&session), [format!("user: go\n\n{note}")]);
}
