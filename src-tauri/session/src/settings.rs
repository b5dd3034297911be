//! What a conversation is set to: folder, title, model, mode, limits, and what stands at the beginning of its requests.
//! What follows from it is answered elsewhere.

use assent_protocol::event::{Event, Payload};

use crate::fold::Session;

impl Session {
    /// Folds an event that sets something.
    pub(crate) fn set(&mut self, event: &Event) {
        match &event.payload {
            Payload::ConversationCreated { workspace, fork, parent, .. } => {
                match fork {
                    // What the model was told of the beginning stays told, as long as it is true here.
                    Some(origin) => {
                        self.forked(event.seq);
                        if origin.imported || self.workspace != *workspace {
                            self.moved();
                        }
                    }
                    None => self.began = event.at,
                }
                self.conversation = Some(event.conversation.clone());
                self.workspace.clone_from(workspace);
                self.parent.clone_from(parent);
            }
            Payload::TitleSet { by, .. } => self.titled = Some(*by),
            Payload::ModelSet { .. } | Payload::FallbacksSet { .. } | Payload::ProviderSwitched { .. } => {
                self.model_changed(&event.payload);
            }
            Payload::ModeSet { mode } => self.mode = *mode,
            Payload::LimitsSet { limits, defaults } => (self.limits, self.default_limits) = (*limits, *defaults),
            Payload::PromptSet { content } => {
                self.prompt = Some(*content);
                self.history.touch();
            }
            Payload::MemorySet { content, noted } => self.memory_set(*content, *noted),
            Payload::ToolsSet { content, reading, .. } => {
                self.tools = Some(*content);
                self.reading = reading.iter().cloned().collect();
                self.history.touch();
            }
            _ => {}
        }
    }
}
