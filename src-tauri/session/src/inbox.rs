//! The inbox: what was added, changed and withdrawn.
//! When something is taken from it is answered in `next`.

use assent_protocol::event::QueueEdit;
use assent_protocol::ids::ItemId;

use crate::fold::{Queued, Session};

impl Session {
    pub(crate) fn queue_edited(&mut self, item: &ItemId, edit: &QueueEdit) {
        match edit {
            QueueEdit::Added { text, delivery, attachments } => {
                let (item, text, attachments) = (item.clone(), text.clone(), attachments.clone());
                self.queue.push_back(Queued { item, text, delivery: *delivery, attachments });
            }
            QueueEdit::Changed { text } => {
                if let Some(queued) = self.queue.iter_mut().find(|queued| queued.item == *item) {
                    queued.text.clone_from(text);
                }
            }
            QueueEdit::Withdrawn => self.queue.retain(|queued| queued.item != *item),
        }
    }
}
