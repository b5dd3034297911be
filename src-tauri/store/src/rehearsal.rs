//! The first writes of a conversation, played once at the start and taken back, while the program prepares other things:
//! SQLite compiles their statements then, and a person's first message doesn't wait for that.
//! It leaves nothing behind, and what fails in it fails again, and is said, where it matters.

use std::sync::Arc;

use assent_protocol::event::{Delivery, Payload, Purpose, RequestSent, TurnCause};
use assent_protocol::ids::{ConversationId, MessageId, RequestId, Sha};
use assent_protocol::permission::{Decider, Mode};
use assent_protocol::view::{Protocol, ToolChoice};

use crate::append::append;
use crate::error::StoreError;
use crate::store::{Durability, Store};
use crate::table::contents::{self, Content};
use crate::table::events;
use crate::writer::Writing;

/// The conversation that never is.
const NAME: &str = "rehearsal";

impl Store {
    /// Begins the rehearsal on the writer's thread and doesn't wait for it.
    pub(crate) fn rehearse(&self) {
        drop(self.write::<(), _, _>(Durability::Light, |writing| {
            play(writing)?;
            // Whatever a job wrote that ends with an error is taken back.
            Err(StoreError::Closed)
        }));
    }
}

fn play(writing: &Writing<'_>) -> Result<(), StoreError> {
    let conversation = ConversationId::new(NAME);
    let content = Content::of(NAME.into());
    let stored = content.stored();
    contents::keep(writing, &[content])?;
    let last = events::last_seq(writing, &conversation)?;
    append(writing, &conversation, last, 0, &payloads(stored)).map(|_| ())
}

fn payloads(stored: assent_protocol::tool::Stored) -> Vec<Payload> {
    let request = RequestSent {
        request: RequestId::new(NAME),
        attempt: 1,
        purpose: Purpose::Chat,
        provider: String::new(),
        model: String::new(),
        protocol: Protocol::ChatCompletions,
        builder: String::new(),
        tool_choice: ToolChoice::Auto,
        digest: Sha::of(&[]),
        bytes: 0,
        prefix: 0,
        stable: 0,
        characters: 0,
        estimate: 0,
        choice: None,
        shorter: false,
    };
    vec![
        Payload::ConversationCreated { project: None, workspace: None, fork: None, parent: None },
        Payload::ModeSet { mode: Mode::Ask },
        Payload::PromptSet { content: stored },
        Payload::TitleSet { title: NAME.to_owned(), by: Decider::Tool },
        Payload::UserMessage {
            message: MessageId::new(NAME),
            text: Arc::from(NAME),
            delivery: Delivery::NextTurn,
            context: None,
            attachments: Vec::new(),
            skills: Vec::new(),
        },
        Payload::TurnStart { cause: TurnCause::Message },
        Payload::IterationStart { since_human: 1, in_turn: 1 },
        Payload::RequestSent(request),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{begin, check_whole, id};

    #[test]
    fn it_goes_through_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path()).unwrap();
        let played = store.write::<(), _, _>(Durability::Light, |writing| {
            play(writing)?;
            Err(StoreError::Busy)
        });
        assert_eq!(played.wait(), Err(StoreError::Busy), "all of it went through");
        let tables = |store: &Store| -> Vec<i64> {
            store
                .read(|connection| {
                    let names = ["events", "conversations", "requests", "contents", "search_waiting"];
                    names
                        .iter()
                        .map(|name| {
                            Ok(connection.query_row(&format!("SELECT count(*) FROM {name}"), [], |row| row.get(0))?)
                        })
                        .collect()
                })
                .unwrap()
        };
        assert_eq!(tables(&store), [0; 5]);
        store.rehearse();
        begin(&store, "a");
        assert!(store.row(&id(NAME)).unwrap().is_none());
        assert_eq!(store.rows().unwrap().len(), 1);
        check_whole(&store);
    }
}
