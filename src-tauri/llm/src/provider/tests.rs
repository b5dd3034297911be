//! What a configuration may be, and that no form of it shows a key.
//! No network: requests are in `tests/`.

use super::*;

const KEY: &str = "sk-canary-9f8e7d6c";

fn config(base_url: &str) -> ProviderConfig {
    ProviderConfig::new(Protocol::ChatCompletions, base_url)
}

#[test]
fn p68_a_key_goes_to_the_origin_it_was_entered_for_alone() {
    let key = Secret::bound(KEY.to_owned(), "https://a.example/v1").unwrap();
    for base_url in ["https://a.example", "https://A.example:443/other/chat/completions"] {
        let same = ProviderConfig { key: Some(key.clone()), ..config(base_url) };
        assert!(Provider::new(same).is_ok(), "{base_url}");
    }
    for base_url in ["https://b.example/v1", "http://a.example/v1", "https://a.example:8443/v1", "https://a.example.b"]
    {
        let other = ProviderConfig { key: Some(key.clone()), ..config(base_url) };
        let error = Provider::new(other).unwrap_err();
        assert!(matches!(error, ProviderError::KeyForOtherHost { .. }), "{base_url}: {error}");
        assert!(!format!("{error} {error:?}").contains("canary"));
    }
}

#[test]
fn p69_nothing_prints_a_key() {
    let key = Secret::bound(format!(" {KEY}\n"), "https://a.example").unwrap();
    let with_key = ProviderConfig { key: Some(key.clone()), ..config(&format!("https://a.example/v1?key={KEY}")) };
    let provider = Provider::new(with_key.clone()).unwrap();
    for shown in [format!("{key:?}"), format!("{with_key:?}"), format!("{provider:?}")] {
        assert!(!shown.contains("canary"), "{shown}");
    }
    let bad = Secret::bound(format!("{KEY}\n{KEY}"), "https://a.example").unwrap();
    let error = Provider::new(ProviderConfig { key: Some(bad), ..config("https://a.example") }).unwrap_err();
    assert_eq!(error, ProviderError::BadKey);
    let in_url = Secret::bound(KEY.to_owned(), &format!("https://{KEY}@a.example")).unwrap_err();
    assert!(!format!("{in_url} {in_url:?}").contains("canary"));
}

#[test]
fn each_protocol_refuses_its_own_fields_as_extras() {
    for (protocol, field) in [
        (Protocol::ChatCompletions, "messages"),
        (Protocol::Responses, "input"),
        (Protocol::AnthropicMessages, "system"),
    ] {
        let mut config = ProviderConfig::new(protocol, "https://a.example");
        assert!(Provider::new(config.clone()).is_ok());
        config.extra.insert(field.to_owned(), Value::Null);
        assert_eq!(Provider::new(config).unwrap_err(), ProviderError::OwnField(field.to_owned()));
    }
    assert!(Provider::new(ProviderConfig::new(Protocol::Practice, "")).is_ok());
}
