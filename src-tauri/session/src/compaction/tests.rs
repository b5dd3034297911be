//! Pieces, levels, and what a summary has to be. Whole compactions are played in the engine's scripts.

use assent_protocol::event::{Delivery, Event, Payload};
use assent_protocol::ids::{ConversationId, MessageId};

use super::*;

fn said(text: &str, delivery: Delivery) -> Payload {
    let message = MessageId::new("m");
    Payload::UserMessage {
        message,
        text: text.into(),
        delivery,
        context: None,
        attachments: Vec::new(),
        skills: Vec::new(),
    }
}

fn session(texts: &[&str]) -> Session {
    let mut session = Session::default();
    for text in texts {
        let (conversation, seq) = (ConversationId::new("a"), session.seq() + 1);
        session.apply(&Event { conversation, seq, at: 0, payload: said(text, Delivery::NextTurn) });
    }
    session
}

fn begin(session: &Session, piece: f64) -> Compacting {
    let compaction = CompactionId::new("k");
    let (cause, until) = (CompactionCause::Person, session.seq() + 1);
    let start = Start { compaction: &compaction, cause, until, piece, tokens_before: 0, instructions: None };
    Compacting::begin(session, start)
}

#[test]
fn pieces_are_the_whole_text_and_none_is_too_heavy() {
    let text = "一行中文。\nA line in English.\n".repeat(50) + &"x".repeat(3_000);
    for most in [1.0, 40.0, 333.3, 1e9] {
        let pieces = pieces(&text, most);
        let joined: String = pieces.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(joined, text);
        for range in &pieces {
            let piece = &text[range.clone()];
            assert!(weigh(piece) <= most + 1e-6 || piece.chars().count() == 1, "{piece:?} weighs {}", weigh(piece));
        }
    }
    assert!(matches!(pieces("", 10.0).as_slice(), [only] if only.is_empty()));
}

#[test]
fn a_long_span_is_read_in_pieces_and_then_together() {
    let long = "word ".repeat(400);
    let session = session(&[&long]);
    let mut compacting = begin(&session, 300.0);
    let mut parts = 0;
    while compacting.question().starts_with("Summarise part") {
        parts += 1;
        compacting.part(&format!("part {parts}").into());
    }
    assert_eq!(parts, 4);
    let question = compacting.question();
    assert!(question.starts_with("These are summaries of the parts"), "{question}");
    assert!(question.contains("part 1\n\npart 2\n\npart 3\n\npart 4"), "{question}");
    compacting.part(&"All of it.".into());
    assert_eq!(compacting.next(), Next::EndCompaction);
    assert_eq!(compacting.summary().map(|summary| summary.as_ref()), Some("All of it."));
}

#[test]
fn what_is_no_shorter_is_asked_for_once_more_and_then_given_up() {
    let session = session(&[&"word ".repeat(60)]);
    let mut compacting = begin(&session, 1e9);
    let long: Arc<str> = "longer ".repeat(80).into();
    compacting.part(&long);
    assert!(compacting.is_shorter());
    assert_eq!(compacting.next(), Next::Summarise);
    assert!(compacting.question().contains("no shorter than the conversation"));
    compacting.part(&long);
    assert!(matches!(compacting.next(), Next::FailCompaction { cause: CompactionFailure::Useless, .. }));
}

#[test]
fn summaries_of_pieces_that_do_not_shrink_end_it() {
    let session = session(&[&"word ".repeat(400)]);
    let mut compacting = begin(&session, 500.0);
    let mut asked = 0;
    while compacting.next() == Next::Summarise {
        asked += 1;
        assert!(asked < 100, "it goes on for ever");
        let same: Arc<str> = compacting.question().into();
        compacting.part(&same);
    }
    assert!(matches!(compacting.next(), Next::FailCompaction { cause: CompactionFailure::Useless, .. }));
}

#[test]
fn a_models_failures_lead_to_the_next_one() {
    let session = session(&["hello"]);
    let mut compacting = begin(&session, 1e9);
    compacting.failed(Some(500), "busy");
    assert_eq!((compacting.next(), compacting.attempts), (Next::Retry { after_ms: 500 }, 1));
    compacting.failed(None, "gone");
    assert_eq!((compacting.next(), compacting.attempts, compacting.fallen), (Next::Summarise, 0, 1));
}

#[test]
fn of_very_many_changed_files_some_are_named_and_the_rest_counted() {
    let mut session = session(&["go"]);
    assert_eq!(session.kept_facts(), None);
    session.changed.extend((0..MOST_FILES + 7).map(|number| (format!("file {number:03}"), (1, 0))));
    let facts = session.kept_facts().unwrap();
    assert_eq!(facts.lines().count(), MOST_FILES + 1);
    assert!(facts.ends_with("- 7 more files were changed in this conversation."), "{facts}");
}
