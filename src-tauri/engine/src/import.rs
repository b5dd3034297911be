//! Importing: the log in a file is taken in as it is, and a fork of it is what a person goes on with. So nothing that waited, was
//! allowed or was set there reaches here: neither a card nor a rule, neither a mode nor an address.

use assent_protocol::event::{Event, ForkOrigin, Payload};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ConversationId, ProjectId};
use assent_protocol::snapshot::ConversationRow;
use assent_store::{Content, StoreError};

use crate::engine::{Engine, storage};
use crate::portable::{self, Portable};

impl Engine {
    /// Takes in a conversation from the text of a file that [`Engine::export`] wrote as JSON. It goes on in `project`, set up as a
    /// new one is. Imported twice, it is there twice, with one log in common. Fails, leaving nothing, where the file isn't whole.
    pub async fn import(&self, project: Option<ProjectId>, text: &str) -> Result<ConversationRow, Failure> {
        let Portable { conversation, seq, events, contents } =
            portable::read(text).map_err(|words| Failure::new(Code::Invalid, words))?;
        let beginning = self.usual(project).await?;
        if !events.iter().any(|event| event.conversation == conversation && event.seq == seq) {
            return Err(Failure::new(Code::Invalid, "the file ends before its conversation does"));
        }
        if events.iter().any(|event| event.conversation == conversation && is_of_agent(event)) {
            return Err(Failure::new(Code::Invalid, "the file holds a sub-agent alone; nothing goes on from one"));
        }
        let title = title(&events, &conversation);
        let contents = contents.into_iter().map(Content::of).collect();
        let store = &self.shared.store;
        store.import(self.shared.clock.now(), events, contents).await.map_err(|error| refused(&error))?;
        let imported = store.is_imported(&conversation).map_err(|error| storage(&error))?;
        let id = self.begin_from(beginning, Some(ForkOrigin { conversation, seq, imported }), title).await?;
        self.row(&id)
    }
}

fn is_of_agent(event: &Event) -> bool {
    matches!(event.payload, Payload::ConversationCreated { parent: Some(_), .. })
}

/// The last title that it was given.
fn title(events: &[Event], of: &ConversationId) -> Option<Payload> {
    let own = events.iter().rev().filter(|event| event.conversation == *of);
    own.map(|event| &event.payload).find(|payload| matches!(payload, Payload::TitleSet { .. })).cloned()
}

fn refused(error: &StoreError) -> Failure {
    match error {
        StoreError::WentOn(_) | StoreError::NotALog { .. } => Failure::new(Code::Invalid, error.to_string()),
        other => storage(other),
    }
}
