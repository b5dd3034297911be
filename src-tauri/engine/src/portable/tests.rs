//! Tests of the form: what is written is read again, and what is no such file is refused in words.

use assent_protocol::event::{Event, Payload};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ConversationId, Sha};

use super::{Portable, read, write};

fn event(conversation: &str, seq: u64, title: &str) -> Event {
    let payload = Payload::TitleSet { title: title.to_owned(), by: assent_protocol::permission::Decider::User };
    Event { conversation: ConversationId::new(conversation), seq, at: 7, payload }
}

fn file() -> String {
    let events = [event("a", 1, "一\n\"二\""), event("b", 2, "of the fork"), event("agent", 9, "of a sub-agent")];
    let contents = [Sha::of(b"\0\xff"), Sha::of(b"")];
    let content = |hash| Ok(if hash == contents[0] { b"\0\xff".to_vec() } else { Vec::new() });
    write(&ConversationId::new("b"), &events, &contents, content).unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    let text = file();
    assert_eq!(text.lines().count(), 8, "an element a line, and the brackets: {text}");
    let read = read(&text).unwrap();
    let events = vec![event("a", 1, "一\n\"二\""), event("b", 2, "of the fork"), event("agent", 9, "of a sub-agent")];
    let contents = vec![b"\0\xff".to_vec(), Vec::new()];
    assert_eq!(read, Portable { conversation: ConversationId::new("b"), seq: 2, events, contents });
    assert_eq!(super::read(&format!("\u{feff}{}", text.replace('\n', "\r\n"))), Ok(read), "as Windows writes it");
}

#[test]
fn what_cannot_be_fetched_is_no_file() {
    let gone = Failure::new(Code::Storage, "gone");
    let written = write(&ConversationId::new("a"), &[], &[Sha::of(b"x")], |_| Err(gone.clone()));
    assert_eq!(written, Err(gone));
}

#[test]
fn what_is_no_such_file_is_refused_in_words() {
    let text = file();
    let cut: String = text.chars().take(text.chars().count() / 2).collect();
    let endless = text.lines().filter(|line| !line.contains("\"export\"")).collect::<Vec<_>>().join("\n");
    let endless = endless.replace("},\n]", "}\n]");
    for (file, words) in [
        ("", "the file is no exported conversation"),
        ("# A conversation\n", "the file is no exported conversation"),
        ("{\"kind\":\"export\"}", "the file is no exported conversation"),
        ("[]", "it doesn't say whose events these are"),
        (cut.as_str(), "the file is no exported conversation"),
        (endless.as_str(), "it doesn't say whose events these are"),
        ("[1]", "element 1 of the file can't be read"),
        (&text.replace("\"at\":7", "\"at\":\"now\""), "element 1 of the file can't be read"),
        (&text.replace("AP8=", "AP4="), "doesn't fit its hash"),
        (&text.replace("AP8=", "%"), "the file is no exported conversation"),
        (&text.replace("\"version\":1", "\"version\":2"), "the file was written by a newer version (form 2, not 1)"),
    ] {
        let error = read(file).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}
