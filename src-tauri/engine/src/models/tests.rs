//! Which key goes to which address: to the one it was entered, given or named for, and to no other. No network, and no key
//! of the machine's own.

use assent_protocol::ids::ProviderId;
use assent_protocol::settings::KeyPlace;

use super::*;
use crate::host::{HostError, Note};

/// Surroundings that are variables alone.
pub(crate) struct Variables(pub &'static [(&'static str, &'static str)]);

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

/// Variables of two known providers and of two that a person named.
const KEYS: Variables =
    Variables(&[("OPENAI_API_KEY", "openai"), ("ANTHROPIC_API_KEY", "anthropic"), ("A_KEY", "a"), ("B_KEY", "b")]);

pub(super) fn configured(base_url: &str, key_variable: Option<&str>) -> Configured {
    Configured {
        id: ProviderId::new("p"),
        name: "P".to_owned(),
        base_url: base_url.to_owned(),
        protocol: Protocol::ChatCompletions,
        models: vec!["m".to_owned()],
        key_variable: key_variable.map(str::to_owned),
        window: None,
        echo_reasoning: false,
        words: std::collections::BTreeMap::new(),
    }
}

fn key(choice: &ModelChoice, providers: &[Configured]) -> Option<String> {
    let settings = Settings { providers: providers.to_vec(), ..Settings::default() };
    key_for(choice, &KEYS, &settings).unwrap()
}

#[test]
fn p68_a_host_that_begins_like_a_known_one_gets_no_key_of_it() {
    let at = |base_url: &str| key(&ModelChoice { base_url: base_url.to_owned(), ..practice() }, &[]);
    assert_eq!(at("https://api.openai.com/v1").as_deref(), Some("openai"));
    for other in [
        "https://api.anthropic.com.example.org",
        "https://api.anthropic.com:8443",
        "https://api.anthropic.com@example.org",
        "http://api.openai.com/v1",
        "https://example.org/https://api.openai.com/v1",
    ] {
        assert_eq!(key_for_or_none(other), None, "{other}");
    }
    fn key_for_or_none(base_url: &str) -> Option<String> {
        let choice = ModelChoice { base_url: base_url.to_owned(), ..practice() };
        key_for(&choice, &KEYS, &Settings::default()).ok().flatten()
    }
}

#[test]
fn p68_a_variable_goes_to_the_host_it_was_named_for_alone() {
    let old = configured("https://a.example/v1", Some("A_KEY"));
    let choice = from_provider(&old, "m");
    assert_eq!(key(&choice, std::slice::from_ref(&old)).as_deref(), Some("a"));

    let mut providers = vec![old];
    keep_provider(&mut providers, configured("https://b.example/v1", Some("A_KEY")));
    assert_eq!(providers[0].key_variable, None, "it has to be named for the new host");
    keep_provider(&mut providers, configured("https://b.example/v2", Some("B_KEY")));
    assert_eq!(key(&from_provider(&providers[0], "m"), &providers).as_deref(), Some("b"));
    keep_provider(&mut providers, configured("https://b.example/v3", Some("B_KEY")));
    assert_eq!(providers[0].key_variable.as_deref(), Some("B_KEY"), "another path is no other host");
    assert_eq!(key(&choice, &providers), None, "a conversation that still names the old host");
}
