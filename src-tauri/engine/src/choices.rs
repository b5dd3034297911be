//! Which model a conversation gets: what a front-end may say, and what is chosen where it says nothing.
//! What is known of a model stands in `models`.

use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ConversationId;
use assent_protocol::settings::ModelChoice;
use assent_protocol::view::Protocol;

use crate::conversation::Ask;
use crate::engine::Engine;
use crate::models;

impl Engine {
    /// The model of a conversation for which nobody chose one: a local server, a key in the environment, else practice.
    pub async fn usual_model(&self) -> ModelChoice {
        let settings = self.shared.settings();
        match settings.model.clone() {
            Some(choice) => choice,
            None => {
                let offered = models::offered(self.shared.host.as_ref(), &settings).await;
                let choice = offered.into_iter().next().map_or_else(models::practice, |offered| offered.choice);
                self.told_if_local(choice).await
            }
        }
    }

    /// The model at an address that a person gave, with what is known of it. Without a word of theirs on the window, a server
    /// on this machine is asked, because what it holds depends on how it was started; others only when the model is chosen
    /// in a window.
    pub async fn given_model(
        &self,
        base_url: &str,
        protocol: Option<Protocol>,
        model: &str,
        window: Option<u64>,
    ) -> ModelChoice {
        let choice = models::given(base_url, protocol, model);
        match window {
            Some(window) => ModelChoice { window, ..choice },
            None => self.told_if_local(choice).await,
        }
    }

    /// Another model of the same provider, with what is known of that one.
    pub async fn other_model(&self, choice: ModelChoice, model: &str) -> ModelChoice {
        self.told_if_local(models::other(choice, model, &self.shared.settings())).await
    }

    pub(crate) async fn told_if_local(&self, choice: ModelChoice) -> ModelChoice {
        match models::is_local(&choice) {
            true => models::told(choice, self.shared.host.as_ref(), &self.shared.settings()).await,
            false => choice,
        }
    }

    /// The practice model.
    pub fn practice_model() -> ModelChoice {
        models::practice()
    }

    /// Sets the models that take over when a conversation's own fails, in order.
    pub(crate) async fn set_fallbacks(
        &self,
        conversation: &ConversationId,
        choices: Vec<ModelChoice>,
    ) -> Result<(), Failure> {
        for choice in &choices {
            models::check_address(choice).map_err(|words| Failure::new(Code::Provider, words))?;
        }
        self.ask(conversation, |reply| Ask::SetFallbacks { choices, reply }).await
    }

    /// Gives a conversation a model exactly as it is said here, its window included; no server is asked.
    pub async fn set_model(&self, conversation: &ConversationId, choice: ModelChoice) -> Result<(), Failure> {
        models::check_address(&choice).map_err(|words| Failure::new(Code::Provider, words))?;
        let choice = Box::new(choice);
        self.ask(conversation, |reply| Ask::SetModel { choice, reply }).await
    }
}
