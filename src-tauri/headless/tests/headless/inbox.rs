//! The inbox across a kill (complaint 63): what waits is taken once, whether the program dies before or after.
//! What the inbox is otherwise is told in the engine's scripts.

use rustix::process::Signal;
use serde_json::Value;

use crate::facts::of_kind;
use crate::pause::Pause;
use crate::support::{Place, Ran, Running, text};

/// How often a message with these words stands in the log.
fn said(log: &[Value], words: &str) -> usize {
    of_kind(log, "user/message").into_iter().filter(|message| text(message, "text") == words).count()
}

/// A turn that waits for a person, with a message behind it that waits for the turn; killed at `point` when it is taken.
fn killed_at(point: &str) -> (Place, String) {
    let place = Place::in_memory();
    let ran = place.exec(r#"call write_file with {"path":"a.txt","content":"a"} then say written"#, &[]);
    let conversation = ran.conversation();
    assert_eq!(place.go_on(&conversation, "say later", &[]).end(), (3, "waiting".to_owned()));
    let mut command = place.approve_command(&place.only_approval());
    let mut pause = Pause::at(point, &place, &mut command);
    let mut running = Running::start(&mut command);
    pause.until_reached(&mut running);
    running.kill(Signal::KILL);
    (place, conversation)
}

fn check(place: &Place, conversation: &str, next: &Ran) {
    assert_eq!(next.end(), (0, "completed".to_owned()));
    let log = place.log(conversation);
    assert_eq!((said(&log, "say later"), said(&log, "say last")), (1, 1));
    assert_eq!(of_kind(&log, "queue/taken").len(), of_kind(&log, "queue/edited").len(), "nothing waits any more");
    let bodies: String = place.server.requests().into_iter().map(|request| request.body).collect();
    assert!(bodies.contains("say later"), "it reached the model");
    place.check();
}

#[test]
fn killed_before_it_is_taken_a_message_waits_on_and_is_sent_once() {
    let (place, conversation) = killed_at("before-take");
    let log = place.log(&conversation);
    assert_eq!((said(&log, "say later"), of_kind(&log, "queue/taken").len()), (0, 0), "a restart takes nothing");
    check(&place, &conversation, &place.go_on(&conversation, "say last", &[]));
}

#[test]
fn killed_after_it_is_taken_a_message_stands_in_the_log_and_is_not_sent_again() {
    let (place, conversation) = killed_at("after-take");
    let log = place.log(&conversation);
    assert_eq!((said(&log, "say later"), of_kind(&log, "queue/taken").len()), (1, 1));
    assert_eq!(of_kind(&log, "turn/end").last().map(|end| text(end, "reason")), Some("interrupted"));
    check(&place, &conversation, &place.go_on(&conversation, "say last", &[]));
}
