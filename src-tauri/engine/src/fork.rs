//! Forks: a conversation that goes on from a place in another one, whose log up to there is its own beginning.
//! Where that can be, and what goes along, `session` says.

use assent_protocol::attachment::Attachment;
use assent_protocol::event::{Delivery, Event, ForkOrigin, Payload};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ConversationId, MessageId};
use assent_protocol::snapshot::ConversationRow;
use assent_session::{fork_point, inherited, user_message};

use crate::conversation::Ask;
use crate::engine::{Engine, storage};

impl Engine {
    /// A fork from behind the answer at `seq` with what came of its calls, or from before a person's message there.
    pub async fn fork(&self, conversation: &ConversationId, seq: u64) -> Result<ConversationRow, Failure> {
        let events = self.shared.store.fold_events(conversation).map_err(|error| storage(&error))?;
        self.fork_of(conversation, &events, seq).await
    }

    /// A fork from before a person's message, in which it is said with other words.
    pub async fn resend(
        &self,
        conversation: &ConversationId,
        message: &MessageId,
        text: String,
        attachments: Vec<Attachment>,
    ) -> Result<ConversationRow, Failure> {
        if text.trim().is_empty() && attachments.is_empty() {
            return Err(Failure::new(Code::Invalid, "the message is empty"));
        }
        let events = self.shared.store.fold_events(conversation).map_err(|error| storage(&error))?;
        let missing = || Failure::new(Code::NotFound, "there is no such message in this conversation");
        let (seq, _) = user_message(&events, message).ok_or_else(missing)?;
        let row = self.fork_of(conversation, &events, seq).await?;
        let sent = |reply| Ask::Send { text, delivery: Delivery::NextTurn, reject: false, attachments, reply };
        self.ask(&row.id, sent).await?;
        self.row(&row.id)
    }

    async fn fork_of(
        &self,
        conversation: &ConversationId,
        events: &[Event],
        seq: u64,
    ) -> Result<ConversationRow, Failure> {
        // It goes with its conversation, whatever would go on from it.
        self.check_no_agent(conversation)?;
        let none = || Failure::new(Code::Invalid, "a conversation is forked at an answer or at a message of a person");
        let last = fork_point(events, seq).ok_or_else(none)?;
        let common = &events[..events.partition_point(|event| event.seq <= last)];
        let origin = self.origin(conversation, last)?;
        let of = self.row(conversation)?;
        // How a log from a file was set up counts for nothing: there this conversation's own settings go along.
        let set = inherited(if origin.imported { events } else { common });
        let (project, workspace) = (of.project, of.workspace);
        let created = Payload::ConversationCreated { project, workspace, fork: Some(origin), parent: None };
        let payloads = [created].into_iter().chain(set).collect();
        let id = ConversationId::new(self.shared.clock.id());
        self.shared.create(&id, payloads).await.map_err(|error| storage(&error))?;
        self.row(&id)
    }

    /// The conversation in whose own log an event of this one stands: itself, or what it is a fork of.
    fn origin(&self, conversation: &ConversationId, seq: u64) -> Result<ForkOrigin, Failure> {
        let mut conversation = conversation.clone();
        while let Some(further) = self.row(&conversation)?.fork.filter(|fork| seq <= fork.seq) {
            conversation = further.conversation;
        }
        let imported = self.shared.store.is_imported(&conversation).map_err(|error| storage(&error))?;
        Ok(ForkOrigin { conversation, seq, imported })
    }
}
