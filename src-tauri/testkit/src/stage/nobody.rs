//! An engine's surroundings with nobody in them: no keys, no variables, no notices.
//! It decides nothing.

use assent_engine::{Host, HostError, Note};
use assent_protocol::settings::KeyPlace;

/// Surroundings with nobody in them.
#[derive(Debug, Default)]
pub struct Nobody {
    /// Whether models name conversations.
    pub is_named: bool,
}

impl Host for Nobody {
    fn label(&self) -> &'static str {
        "stage"
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

    fn names_conversations(&self) -> bool {
        self.is_named
    }

    fn notify(&self, _note: Note) {}
}
