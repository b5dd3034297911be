//! The inbox as people change it: new words, another place, another time, taken back; each until the item is taken.
//! When something is taken is the fold's answer, and `steps` does it.

use assent_protocol::event::{Delivery, Payload, QueueEdit};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ItemId;
use assent_session::Queued;

use super::Conversation;

impl Conversation {
    /// Records a change to a queued item. What was taken meanwhile is not changed, and whoever wanted that is told.
    pub(super) async fn edit_queued(&mut self, item: ItemId, edit: QueueEdit) -> Result<(), Failure> {
        let queued = self.queued(&item)?;
        match &edit {
            QueueEdit::Added { .. } => return Err(Failure::new(Code::Invalid, "it is in the inbox already")),
            QueueEdit::Changed { text } if text.trim().is_empty() && queued.attachments.is_empty() => {
                return Err(Failure::new(Code::Invalid, "the message is empty"));
            }
            QueueEdit::Moved { before: Some(before) } if *before == item => return Ok(()),
            QueueEdit::Moved { before: Some(before) } => {
                self.queued(before)?;
            }
            QueueEdit::Delivery { delivery } if *delivery == queued.delivery => return Ok(()),
            QueueEdit::Delivery { delivery } if [*delivery, queued.delivery].contains(&Delivery::Inject) => {
                return Err(Failure::new(
                    Code::Invalid,
                    "context that wakes nothing stays that, and nothing becomes it",
                ));
            }
            QueueEdit::Changed { .. }
            | QueueEdit::Withdrawn
            | QueueEdit::Moved { before: None }
            | QueueEdit::Delivery { .. } => {}
        }
        self.record(Payload::QueueEdited { item, edit }).await
    }

    fn queued(&self, item: &ItemId) -> Result<&Queued, Failure> {
        let taken = || Failure::new(Code::NotFound, "that message was already taken");
        self.session.queue().iter().find(|queued| queued.item == *item).ok_or_else(taken)
    }
}
