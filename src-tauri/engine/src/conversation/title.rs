//! A title of a model's making, after the first exchange. It runs on the side and holds nothing up.
//! A person's own title is never replaced, and a model is asked once only.

use std::sync::Arc;

use assent_llm::{Model, ModelCall};
use assent_protocol::event::{Payload, Purpose};
use assent_protocol::ids::RequestId;
use assent_protocol::permission::Decider;
use assent_protocol::settings::ModelChoice;
use assent_store::{Durability, StoreError};
use assent_tools::effects::is_invisible;

use super::Conversation;
use super::asking::{Told, ask};
use super::commands::{Ask, Command};
use super::steps::shortened;

/// Characters of a title at most.
const LONGEST: usize = 80;

/// What came of asking for a title.
pub(crate) struct Named {
    request: RequestId,
    choice: ModelChoice,
    told: Result<Told, assent_llm::ModelFailure>,
    /// The models that were not asked yet.
    rest: Vec<ModelChoice>,
}

/// A request for a title that is still to be recorded and sent.
pub(super) struct Naming {
    request: RequestId,
    choice: ModelChoice,
    model: Arc<dyn Model>,
    call: ModelCall,
    rest: Vec<ModelChoice>,
}

impl Conversation {
    /// The request for a title, where one is wanted and none was made, with what is recorded of it. A start, which may find
    /// that a turn was over, asks no model.
    pub(super) fn wants_name(&self) -> Option<(Payload, Naming)> {
        let is_shown = self.session.parent().is_none() && self.shared.host.names_conversations();
        let is_wanted = is_shown && !self.held && self.shared.settings().asides.titles;
        let choices = (is_wanted && self.session.may_ask_for_title()).then(|| self.askable(Purpose::Title));
        self.naming(choices?)
    }

    /// A request to the first of these models that can be asked.
    fn naming(&self, choices: Vec<ModelChoice>) -> Option<(Payload, Naming)> {
        let mut rest = choices.into_iter();
        let settings = self.shared.settings();
        let (choice, model) = rest.find_map(|choice| {
            let model = self.shared.models.get(&choice, self.shared.host.as_ref(), &settings).ok()?;
            Some((choice, model))
        })?;
        let view = self.session.aside_view(Purpose::Title, &choice.model)?;
        let call = self.side_call(&choice, model.as_ref(), view);
        let sent = self.side_request(Purpose::Title, &choice, model.as_ref(), &call);
        let request = sent.request.clone();
        let naming = Naming { request, choice, model, call, rest: rest.collect() };
        Some((Payload::RequestSent(sent), naming))
    }

    /// Sends it; the answer comes back as a command.
    pub(super) fn ask_for_name(&mut self, naming: Naming) {
        let Naming { request, choice, model, call, rest } = naming;
        self.titling = Some(request.clone());
        let (slots, id, mailbox) = (Arc::clone(&self.shared.slots), self.id.clone(), self.mailbox.clone());
        tokio::spawn(async move {
            let told = ask(slots, id, model, call).await;
            if let Some(mailbox) = mailbox.upgrade() {
                // A conversation that has ended needs no title.
                let _ = mailbox.send(Command { ask: Ask::Named(Box::new(Named { request, choice, told, rest })) });
            }
        });
    }

    /// A title came, or none did: then the next model is asked.
    pub(super) async fn named(&mut self, named: Named) -> Result<(), StoreError> {
        let Named { request, choice, told, rest } = named;
        self.titling = None;
        let (payloads, next) = match told {
            Ok(Told { text, usage }) => {
                let used = self.usage(request, Purpose::Title, &choice, usage.unwrap_or_default(), 0.0);
                let title = title_of(&text).filter(|_| !self.session.is_titled_by_person());
                let titled = title.map(|title| Payload::TitleSet { title, by: Decider::Tool });
                (titled.into_iter().chain([used]).collect(), None)
            }
            Err(failed) => {
                let (failure, message) = (failed.failure, failed.message);
                let failed = Payload::RequestFailed { request, failure, message, attempt: 1, retry_in_ms: None };
                let (sent, naming) = self.naming(rest).unzip();
                ([failed].into_iter().chain(sent).collect(), naming)
            }
        };
        self.append(payloads, Durability::Light).await?;
        if let Some(naming) = next {
            self.ask_for_name(naming);
        }
        Ok(())
    }
}

/// A title out of an answer: its first line with words, without quotes, marks and a full stop around it, and without what
/// nobody sees.
fn title_of(answer: &str) -> Option<String> {
    let wrapping = |character: char| {
        character.is_whitespace()
            || matches!(character, '"' | '\'' | '“' | '”' | '‘' | '’' | '「' | '」' | '《' | '》' | '*' | '#' | '`')
    };
    let ends = |character: char| wrapping(character) || matches!(character, '.' | '。');
    answer.lines().find_map(|line| {
        let seen: String = line.chars().filter(|character| !is_invisible(*character)).collect();
        let title = seen.trim_start_matches(wrapping).trim_end_matches(ends);
        (!title.is_empty()).then(|| shortened(title, LONGEST))
    })
}

#[cfg(test)]
mod tests;
