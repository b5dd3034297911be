//! The inbox: what was added, changed, moved and withdrawn.
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
                if let Some(queued) = self.queued_mut(item) {
                    queued.text.clone_from(text);
                }
            }
            QueueEdit::Withdrawn => self.queue.retain(|queued| queued.item != *item),
            QueueEdit::Moved { before } => self.queue_moved(item, before.as_ref()),
            QueueEdit::Delivery { delivery } => {
                if let Some(queued) = self.queued_mut(item) {
                    queued.delivery = *delivery;
                }
            }
        }
    }

    fn queued_mut(&mut self, item: &ItemId) -> Option<&mut Queued> {
        self.queue.iter_mut().find(|queued| queued.item == *item)
    }

    fn queue_moved(&mut self, item: &ItemId, before: Option<&ItemId>) {
        let Some(from) = self.queue.iter().position(|queued| queued.item == *item) else { return };
        let Some(moved) = self.queue.remove(from) else { return };
        let place = before.and_then(|before| self.queue.iter().position(|queued| queued.item == *before));
        self.queue.insert(place.unwrap_or(self.queue.len()), moved);
    }
}
