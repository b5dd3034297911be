//! Which key goes to which address. No network, and no key of the machine's own.

use super::*;
use assent_protocol::settings::KeyPlace;

use crate::host::{HostError, Note};

/// Surroundings that are variables alone.
struct Variables(&'static [(&'static str, &'static str)]);

impl Host for Variables {
    fn label(&self) -> &'static str {
        "test"
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
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

    fn notify(&self, _note: Note) {}
}

#[test]
fn the_key_for_a_given_address_goes_to_no_address_that_was_found() {
    let host = Variables(&[(COMMAND_LINE_KEY, "for-the-given"), ("OPENAI_API_KEY", "for-openai")]);
    let key = |choice: &ModelChoice| key_for(choice, &host, &Settings::default()).unwrap();
    let base_url = "http://127.0.0.1:11434/v1".to_owned();
    let given = ModelChoice { base_url, protocol: Protocol::ChatCompletions, ..practice() };
    assert_eq!(key(&given).as_deref(), Some("for-the-given"));
    let local = ModelChoice { found: true, ..given };
    assert_eq!(key(&local), None);
    let offered = from_environment(&host);
    assert!(!offered.is_empty());
    for offered in offered {
        assert_eq!(key(&offered.choice).as_deref(), Some("for-openai"), "{}", offered.found);
        let given = ModelChoice { found: false, ..offered.choice };
        assert_eq!(key(&given).as_deref(), Some("for-the-given"));
    }
}
