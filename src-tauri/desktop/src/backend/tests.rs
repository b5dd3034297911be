//! The real engine on its thread: requests in order, signals, a folder that can't be opened, and the end.
//! No window is needed for it.

use std::sync::{Arc, mpsc};

use assent_engine::{Host, HostError, Note, OpenError};
use assent_protocol::failure::Code;
use assent_protocol::request::{Request, Response};
use assent_protocol::settings::KeyPlace;
use assent_protocol::signal::Signal;

use super::Backend;

struct Nobody;

impl Host for Nobody {
    fn label(&self) -> &'static str {
        "test"
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn secret(&self, _name: &str) -> Result<Option<String>, HostError> {
        Ok(None)
    }

    fn keep_secret(&self, _name: &str, _secret: Option<&str>) -> Result<KeyPlace, HostError> {
        Ok(KeyPlace::Nowhere)
    }

    fn secret_place(&self, _name: &str) -> KeyPlace {
        KeyPlace::Nowhere
    }

    fn notify(&self, _note: Note) {}
}

fn start(home: &std::path::Path) -> (Backend, mpsc::Receiver<OpenError>) {
    let (failed, failures) = mpsc::channel();
    let backend = Backend::start(home.to_owned(), Arc::new(Nobody), move |error| failed.send(error).unwrap()).unwrap();
    (backend, failures)
}

#[tokio::test]
async fn requests_are_carried_out_in_the_order_in_which_they_are_made() {
    let home = tempfile::tempdir().unwrap();
    let (backend, _failures) = start(home.path());
    let Ok(Response::CreateConversation(row)) = backend.ask(Request::CreateConversation { project: None }).await else {
        panic!("no conversation");
    };
    // Not one of them is waited for before the next is made.
    let drafts: Vec<_> = (0..200)
        .map(|n| backend.ask(Request::SaveDraft { conversation: row.id.clone(), text: n.to_string() }))
        .collect();
    for draft in drafts {
        draft.await.unwrap();
    }
    let Ok(Response::Open(opened)) = backend.ask(Request::Open { conversation: row.id }).await else {
        panic!("not opened")
    };
    assert_eq!(opened.draft, "199");
    backend.end();
}

#[tokio::test]
async fn a_listener_hears_what_comes_after_it_and_nothing_once_dropped() {
    let home = tempfile::tempdir().unwrap();
    let (backend, _failures) = start(home.path());
    let (heard, mut hearing) = tokio::sync::mpsc::unbounded_channel();
    let listening = backend.listen(move |_, mut signals| async move {
        loop {
            for signal in signals.next().await {
                // The receiver is gone when the test has ended.
                let _ = heard.send(signal);
            }
        }
    });
    let Ok(Response::CreateConversation(row)) = backend.ask(Request::CreateConversation { project: None }).await else {
        panic!("no conversation");
    };
    let first = hearing.recv().await.unwrap();
    assert!(matches!(first, Signal::Recorded { event } if event.conversation == row.id && event.seq == 1));
    drop(listening);
    // The sender goes with the task.
    while hearing.recv().await.is_some() {}
    backend.end();
}

#[tokio::test]
async fn a_folder_in_use_is_told_of_and_every_request_fails() {
    let home = tempfile::tempdir().unwrap();
    let (first, _failures) = start(home.path());
    first.ask(Request::Overview {}).await.unwrap();
    let (second, failures) = start(home.path());
    let failure = second.ask(Request::Overview {}).await.unwrap_err();
    assert_eq!(failure.code, Code::Other);
    assert!(matches!(failures.recv().unwrap(), OpenError::InUse(_)));
    second.end();

    first.end();
    assert_eq!(first.ask(Request::Overview {}).await.unwrap_err().code, Code::Other);
    // The folder is free once `end` returns.
    let (third, _failures) = start(home.path());
    third.ask(Request::Overview {}).await.unwrap();
    third.end();
    third.end();
}
