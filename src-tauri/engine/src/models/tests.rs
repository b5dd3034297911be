//! Which key goes to which address: to the one it was entered, given or named for, and to no other; and what a choice, a test
//! and a person's word make of a model. No network but loopback, and no key of the machine's own.

use assent_protocol::event::{Delivery, Payload};
use assent_protocol::ids::ProviderId;
use assent_protocol::permission::Mode;
use assent_protocol::request::{Request, Response};
use assent_protocol::settings::{KeyPlace, Limits};
use assent_protocol::snapshot::TestStep;
use assent_protocol::view::FailureKind;
use assent_store::Store;
use assent_testkit::fake_server::{FakeServer, Script};
use assent_tools::Registry;

use super::*;
use crate::host::{HostError, Note};
use crate::{Beginning, Clock, Engine, Parts, SecretFile};

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

pub(crate) fn configured(base_url: &str, key_variable: Option<&str>) -> Configured {
    Configured {
        id: ProviderId::new("p"),
        name: "P".to_owned(),
        base_url: base_url.to_owned(),
        protocol: Protocol::ChatCompletions,
        models: vec!["m".to_owned()],
        key_variable: key_variable.map(str::to_owned),
        window: None,
        echo_reasoning: false,
        first_byte_s: None,
        idle_s: None,
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

/// Variables, and the owner-only file.
struct Keeping(SecretFile);

impl Host for Keeping {
    fn label(&self) -> &'static str {
        "test"
    }

    fn variable(&self, name: &str) -> Option<String> {
        KEYS.variable(name)
    }

    fn secret(&self, name: &str) -> Result<Option<String>, HostError> {
        self.0.get(name)
    }

    fn keep_secret(&self, name: &str, secret: Option<&str>) -> Result<KeyPlace, HostError> {
        self.0.keep(name, secret)
    }

    fn secret_place(&self, name: &str) -> KeyPlace {
        self.0.place(name)
    }

    fn notify(&self, _note: Note) {}
}

#[tokio::test]
async fn p68_a_changed_address_asks_for_the_key_again() {
    let home = tempfile::tempdir().unwrap();
    let host = Arc::new(Keeping(SecretFile::new(home.path().to_owned())));
    let parts = Parts {
        store: Store::memory().unwrap(),
        home: None,
        host: host.clone(),
        models: ModelSource::providers(),
        registry: Registry::standard(),
        clock: Clock::system(),
    };
    let engine = Engine::with(parts).await.unwrap();
    let provider = ProviderId::new("p");
    let saved = async |base_url: &str, key_variable: Option<&str>| {
        let provider = configured(base_url, key_variable);
        engine.handle(Request::SaveProvider { provider: provider.clone() }).await.unwrap();
        match engine.handle(Request::KeyPlaceOf { provider: provider.id }).await.unwrap() {
            Response::KeyPlaceOf(place) => place,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(saved("https://a.example/v1", None).await, KeyPlace::Nowhere);
    engine.handle(Request::SetKey { provider, key: "one".to_owned() }).await.unwrap();
    assert_eq!(saved("https://a.example/other/v1", None).await, KeyPlace::File, "the same host");
    for elsewhere in ["http://a.example/v1", "https://a.example:8443/v1", "https://b.example/v1"] {
        assert_eq!(saved(elsewhere, None).await, KeyPlace::Nowhere, "{elsewhere}");
        let choice = from_provider(&engine.settings().providers[0], "m");
        assert_eq!(key_for(&choice, host.as_ref(), &engine.settings()), Ok(None), "{elsewhere}");
    }
    assert_eq!(saved("https://a.example/v1", None).await, KeyPlace::Nowhere, "nor is it there on the way back");
    assert_eq!(saved("https://a.example/v1", Some("A_KEY")).await, KeyPlace::Environment);
    assert_eq!(saved("https://b.example/v1", Some("A_KEY")).await, KeyPlace::Nowhere, "named for the other host");
    assert_eq!(saved("https://api.openai.com/v1", None).await, KeyPlace::Environment, "the usual one");
    assert_eq!(saved("http://127.0.0.1:11434/v1", None).await, KeyPlace::NotNeeded);
}

#[test]
fn any_of_a_presets_variables_gives_its_key() {
    let host = Variables(&[("GOOGLE_API_KEY", "google"), ("Z_AI_API_KEY", "zai")]);
    let offered = from_environment(&host);
    let named: Vec<&str> = offered.iter().map(|offered| offered.choice.base_url.as_str()).collect();
    assert_eq!(
        named,
        ["https://api.z.ai/api/paas/v4", "https://generativelanguage.googleapis.com/v1beta/openai"],
        "mainland hosts have their own"
    );
    let key = |choice: &ModelChoice| key_for(choice, &host, &Settings::default()).unwrap();
    assert_eq!(offered.iter().map(|offered| key(&offered.choice).unwrap()).collect::<Vec<_>>(), ["zai", "google"]);
    assert!(offered.iter().all(|offered| offered.choice.images || offered.choice.model.starts_with("glm")));
}

#[test]
fn an_address_tells_its_protocol_unless_a_person_does() {
    let of = |base_url: &str| given(base_url, None, "m").protocol;
    assert_eq!(of("https://api.anthropic.com"), Protocol::AnthropicMessages);
    assert_eq!(of("https://api.openai.com/v1"), Protocol::Responses);
    assert_eq!(of("http://127.0.0.1:8000"), Protocol::ChatCompletions);
    let said = given("https://api.anthropic.com", Some(Protocol::ChatCompletions), "m");
    assert_eq!(said.protocol, Protocol::ChatCompletions);
}

#[test]
fn another_model_takes_no_figure_of_the_first() {
    let first = given("https://api.z.ai/api/paas/v4", None, "glm-5.3");
    assert!(first.price.is_some() && first.window == 1_048_576);
    let second = other(first.clone(), "unheard-of", &Settings::default());
    assert_eq!((second.price, second.window, second.output_limit), (None, 128_000, None));
    let given = other(ModelChoice { window: 9_999, ..first }, "unheard-of", &Settings::default());
    assert_eq!(given.window, 9_999, "a person's word on what answers there");
}

#[tokio::test]
async fn a_test_says_what_was_asked_and_what_is_known() {
    let script = r#"{ "models": ["tiny", { "id": "big", "max_model_len": 65536 }],
                      "documents": { "/api/ps": { "models": [{ "model": "tiny", "context_length": 4096 }] } } }"#;
    let server = FakeServer::start(Script::parse(script).unwrap()).unwrap();
    let provider = Configured { models: vec!["tiny".to_owned()], ..configured(&server.base_url(), None) };
    let tested = test(&provider, None, &Variables(&[]), &Settings::default()).await;
    assert!(tested.works);
    let address = format!("{}/models", server.base_url());
    assert_eq!(tested.steps, [TestStep::Listed { address, trouble: None }]);
    assert_eq!(tested.window, Some(4096));
    let windows: Vec<_> = tested.models.iter().map(|model| (model.id.as_str(), model.window.value)).collect();
    assert_eq!(windows, [("tiny", 4096), ("big", 65_536)]);

    let gone = server.base_url();
    drop(server);
    let tested = test(&configured(&gone, None), None, &Variables(&[]), &Settings::default()).await;
    assert!(!tested.works);
    let [TestStep::Listed { trouble: Some(trouble), .. }] = &tested.steps[..] else { panic!("{:?}", tested.steps) };
    assert_eq!(trouble.kind, FailureKind::Connect);
}

#[tokio::test]
async fn a_persons_word_holds_from_the_next_message_on() {
    let parts = Parts {
        store: Store::memory().unwrap(),
        home: None,
        host: Arc::new(Variables(&[])),
        models: ModelSource::of(|_| Ok(Arc::new(Practice::new()))),
        registry: Registry::standard(),
        clock: Clock::system(),
    };
    let engine = Engine::with(parts).await.unwrap();
    let provider = configured("https://a.example/v1", None);
    engine.handle(Request::SaveProvider { provider: provider.clone() }).await.unwrap();
    let choice = from_provider(&provider, "m");
    let beginning = Beginning {
        project: None,
        workspace: None,
        choice,
        fallbacks: Vec::new(),
        mode: Mode::Ask,
        limits: Limits::default(),
    };
    let id = engine.begin(beginning).await.unwrap();
    let say = async |text: &str| {
        let (conversation, text) = (id.clone(), text.to_owned());
        engine
            .handle(Request::Send {
                conversation,
                text,
                delivery: Delivery::NextStep,
                reject: false,
                attachments: Vec::new(),
            })
            .await
            .unwrap();
    };
    let windows = || {
        let events = engine.log(&id).unwrap();
        let set = events.iter().filter_map(|event| match &event.payload {
            Payload::ModelSet { choice, .. } => Some(choice.window),
            _ => None,
        });
        set.collect::<Vec<u64>>()
    };
    let word = ModelFacts { window: Some(8_000), ..ModelFacts::default() };
    let with_word = Configured { words: [("m".to_owned(), word)].into(), ..provider };
    engine.handle(Request::SaveProvider { provider: with_word }).await.unwrap();
    assert_eq!(windows(), [128_000]);
    say("say one").await;
    assert_eq!(windows(), [128_000, 8_000]);
    say("say two").await;
    assert_eq!(windows(), [128_000, 8_000], "said once is enough");
}
