//! Where words stand that come at awkward moments, and who is asked after a failure.
//! Whole turns are played in the engine's scripts.

use assent_protocol::event::{
    AssistantMessage, Delivery, EndReason, Event, ForkOrigin, Mark, Payload, Purpose, RequestSent, TurnCause,
};
use assent_protocol::ids::{CallId, ConversationId, MessageId, RequestId, Sha};
use assent_protocol::settings::ModelChoice;
use assent_protocol::tool::Stored;
use assent_protocol::view::{FailureKind, FinishReason, Protocol, ToolChoice, Usage, ViewMessage};

use super::Session;
use crate::next::Next;

fn apply(session: &mut Session, payloads: impl IntoIterator<Item = Payload>) {
    for payload in payloads {
        let seq = session.seq() + 1;
        session.apply(&Event { conversation: ConversationId::new("a"), seq, at: 0, payload });
    }
}

fn said(text: &str) -> Payload {
    let (message, delivery) = (MessageId::new("m"), Delivery::NextTurn);
    Payload::UserMessage {
        message,
        text: text.into(),
        delivery,
        context: None,
        attachments: Vec::new(),
        skills: Vec::new(),
    }
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
        choice: None,
        shorter: false,
    };
    [Payload::IterationStart { since_human: 1, in_turn: 1 }, Payload::RequestSent(sent)]
}

fn created(workspace: &str, fork: Option<ForkOrigin>) -> Payload {
    Payload::ConversationCreated { project: None, workspace: Some(workspace.to_owned()), fork, parent: None }
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

fn model(name: &str) -> ModelChoice {
    ModelChoice {
        provider: None,
        label: name.to_owned(),
        base_url: format!("https://{name}.example/v1"),
        protocol: Protocol::ChatCompletions,
        model: name.to_owned(),
        window: 128_000,
        coefficient: 0.35,
        tools: true,
        echo_reasoning: false,
        empty_text: false,
        without_encrypted: false,
        found: false,
        output_limit: None,
        images: false,
        documents: false,
        price: None,
    }
}

/// A turn whose first request failed for good, with a fallback that waits.
fn failed_with_a_fallback() -> Session {
    let mut session = Session::default();
    apply(
        &mut session,
        [
            Payload::ModelSet { choice: model("one"), learned: false },
            Payload::FallbacksSet { choices: vec![model("two")] },
            said("go"),
            Payload::TurnStart { cause: TurnCause::Message },
        ],
    );
    apply(&mut session, sent("r"));
    let (request, failure, message) = (RequestId::new("r"), FailureKind::NotFound, "no such model".to_owned());
    apply(&mut session, [Payload::RequestFailed { request, failure, message, attempt: 1, retry_in_ms: None }]);
    session
}

#[test]
fn a_restart_hands_nothing_to_a_fallback() {
    let session = failed_with_a_fallback();
    let choice = Box::new(model("two"));
    assert_eq!(session.next(), Next::Switch { failure: FailureKind::NotFound, choice });
    assert!(matches!(session.next_of_start(), Next::End { reason: EndReason::Interrupted, .. }));
}

#[test]
fn what_an_answer_taught_stays_with_its_model() {
    let taught = |request: &str, coefficient: f64| Payload::UsageRecorded {
        request: RequestId::new(request),
        purpose: Purpose::Chat,
        usage: Usage::default(),
        cost_micros: None,
        coefficient,
    };
    let of = |session: &Session| session.choice().map(|choice| (choice.model.clone(), choice.coefficient));
    let ended = |session: &mut Session| {
        apply(session, [Payload::TurnEnd { reason: EndReason::Completed, message: None, money: None }]);
    };
    let mut session = failed_with_a_fallback();
    let (failure, from) = (FailureKind::NotFound, "one".to_owned());
    apply(&mut session, [Payload::ProviderSwitched { failure, attempt: 1, from, choice: model("two") }]);
    apply(&mut session, [answered("r", "done"), taught("r", 0.5)]);
    assert_eq!(of(&session), Some(("two".to_owned(), 0.5)));
    ended(&mut session);
    assert_eq!(of(&session), Some(("one".to_owned(), 0.35)), "that count says nothing of this model");

    apply(&mut session, [said("again"), Payload::TurnStart { cause: TurnCause::Message }, taught("s", 0.4)]);
    apply(&mut session, sent("t"));
    let (failure, from) = (FailureKind::NotFound, "one".to_owned());
    apply(&mut session, [Payload::ProviderSwitched { failure, attempt: 1, from, choice: model("two") }]);
    ended(&mut session);
    assert_eq!(of(&session), Some(("one".to_owned(), 0.4)), "what was learned before the switch is still there");
}

#[test]
fn a_fork_in_another_folder_or_out_of_a_file_is_told_anew_how_it_stands_there() {
    let told = |workspace: &str, imported: bool| {
        let mut session = Session::default();
        let prompt = Payload::PromptSet { content: Stored::of(b"You work in /a.") };
        apply(&mut session, [created("/a", None), prompt, said("hello")]);
        let origin = ForkOrigin { conversation: ConversationId::new("a"), seq: session.seq(), imported };
        apply(&mut session, [created(workspace, Some(origin))]);
        assert_eq!(session.history().entries().len(), 1, "what was said stays");
        session.prompt().is_some()
    };
    assert!(told("/a", false));
    assert!(!told("/b", false));
    assert!(!told("/a", true));
}
