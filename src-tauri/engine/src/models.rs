//! Where models come from: a conversation's choice becomes something that answers.
//! It keeps no key: the host is asked each time a provider is made.

mod known;
mod test;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use assent_llm::{
    LocalServer, Model, PRACTICE, PRESETS, Practice, Provider, ProviderConfig, ProviderError, Secret, preset_at,
    protocol_for,
};
use assent_protocol::ids::Sha;
use assent_protocol::known::ModelFacts;
use assent_protocol::price::Price;
use assent_protocol::settings::{ModelChoice, Provider as Configured, Settings};
use assent_protocol::snapshot::{OfferedModel, Preset};
use assent_protocol::view::Protocol;

use self::known::{UNKNOWN_WINDOW, filled};
pub(crate) use self::known::{by_word, known};
pub(crate) use self::test::test;
use crate::host::Host;

/// The practice model reads its whole view; this only has to be large.
const PRACTICE_WINDOW: u64 = 128_000;
/// Tokens a character where nothing was learned yet (spec part 4).
pub(crate) const UNSURE: f64 = 0.35;
/// The key given on the command line's behalf.
const COMMAND_LINE_KEY: &str = "ASSENT_API_KEY";

/// A provider that was made, and the digest of the key that it was given.
struct Made {
    model: Arc<dyn Model>,
    key: Option<Sha>,
}

type Make = dyn Fn(&ModelChoice) -> Result<Arc<dyn Model>, String> + Send + Sync;

/// Makes models.
pub struct ModelSource {
    make: Option<Box<Make>>,
    /// Providers that were made, so that their connections are kept alive.
    made: Mutex<HashMap<String, Made>>,
}

impl ModelSource {
    /// Providers over HTTP, and the practice model.
    pub fn providers() -> Self {
        Self { make: None, made: Mutex::default() }
    }

    /// Models of one's own, for tests.
    pub fn of(make: impl Fn(&ModelChoice) -> Result<Arc<dyn Model>, String> + Send + Sync + 'static) -> Self {
        Self { make: Some(Box::new(make)), made: Mutex::default() }
    }

    /// The model for a choice.
    pub(crate) fn get(
        &self,
        choice: &ModelChoice,
        host: &dyn Host,
        settings: &Settings,
    ) -> Result<Arc<dyn Model>, String> {
        if let Some(make) = &self.make {
            return make(choice);
        }
        let name = name_of(choice);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.get(&name) {
            return Ok(Arc::clone(&known.model));
        }
        let (model, key): (Arc<dyn Model>, _) = match choice.protocol {
            Protocol::Practice => (Arc::new(Practice::new()), None),
            Protocol::ChatCompletions | Protocol::Responses | Protocol::AnthropicMessages => {
                let key = key_for(choice, host, settings)?;
                let digest = digest_of(key.as_deref());
                (Arc::new(self::provider(choice, key).map_err(words)?), digest)
            }
        };
        made.insert(name, Made { model: Arc::clone(&model), key });
        Ok(model)
    }

    /// Reads the key of a choice anew, after a provider refused it. True: it is another one now, and the next model that
    /// is made has it.
    pub(crate) fn has_new_key(&self, choice: &ModelChoice, host: &dyn Host, settings: &Settings) -> bool {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = made.remove(&name_of(choice)) else { return false };
        // A key that can't be read is none; whoever makes the next model is told why.
        key_for(choice, host, settings).is_ok_and(|key| digest_of(key.as_deref()) != known.key)
    }

    /// The model for a choice without its key, for bodies that are computed again: nobody is asked for a secret then, and
    /// one that can't be read changes nothing.
    pub(crate) fn without_key(&self, choice: &ModelChoice) -> Result<Arc<dyn Model>, String> {
        match (&self.make, choice.protocol) {
            (Some(make), _) => make(choice),
            (None, Protocol::Practice) => Ok(Arc::new(Practice::new())),
            (None, _) => Ok(Arc::new(provider(choice, None).map_err(words)?)),
        }
    }

    /// Forgets providers that were made, because a key or an address changed.
    pub(crate) fn forget(&self) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What tells made providers apart.
fn name_of(choice: &ModelChoice) -> String {
    let ModelChoice { provider, protocol, base_url, output_limit, .. } = choice;
    let flags = [choice.echo_reasoning, choice.empty_text, choice.without_encrypted, choice.found];
    format!("{provider:?} {protocol:?} {base_url} {flags:?} {output_limit:?}")
}

fn digest_of(key: Option<&str>) -> Option<Sha> {
    key.map(|key| Sha::of(key.as_bytes()))
}

fn words(error: ProviderError) -> String {
    error.to_string()
}

fn provider(choice: &ModelChoice, key: Option<String>) -> Result<Provider, ProviderError> {
    let ModelChoice { protocol, base_url, echo_reasoning, empty_text, without_encrypted, output_limit, .. } = choice;
    let mut config = match preset_at(base_url) {
        Some(preset) => ProviderConfig { base_url: base_url.clone(), protocol: *protocol, ..preset.config() },
        None => ProviderConfig::new(*protocol, base_url),
    };
    config.echo_reasoning |= echo_reasoning;
    config.empty_text |= empty_text;
    config.encrypted_reasoning &= !without_encrypted;
    config.max_output = *output_limit;
    config.key = key.map(|key| Secret::bound(key, base_url)).transpose()?;
    Provider::new(config)
}

/// The name under which a provider's key is kept: bound to its origin, so that a changed address has none.
pub(crate) fn secret_name(base_url: &str) -> Result<String, String> {
    Secret::bound(String::new(), base_url).map(|secret| secret.origin().to_owned()).map_err(|error| error.to_string())
}

/// Names in an address's query under which providers take keys.
const KEY_NAMES: [&str; 10] =
    ["key", "api_key", "api-key", "apikey", "token", "access_token", "secret", "password", "sig", "signature"];

/// Refuses an address that can't be kept in a log: one that is no address, or that holds a key, be it before the host or
/// in its query.
pub(crate) fn check_address(choice: &ModelChoice) -> Result<(), String> {
    if choice.protocol == Protocol::Practice {
        return Ok(());
    }
    secret_name(&choice.base_url)?;
    let query = choice.base_url.split_once('?').map_or("", |(_, query)| query);
    let names = query.split('&').filter_map(|pair| pair.split(['=', '#']).next());
    match names.map(str::to_ascii_lowercase).find(|name| KEY_NAMES.contains(&name.as_str())) {
        Some(name) => {
            Err(format!("a base URL holds no key ({name}): the key has a field of its own, or ASSENT_API_KEY"))
        }
        None => Ok(()),
    }
}

/// The key for a choice: the command line's own for an address given there, else what is kept for its origin, else the
/// environment variable of the configured provider or preset.
fn key_for(choice: &ModelChoice, host: &dyn Host, settings: &Settings) -> Result<Option<String>, String> {
    if choice.provider.is_none()
        && !choice.found
        && let Some(key) = host.variable(COMMAND_LINE_KEY)
    {
        return Ok(Some(key));
    }
    let name = secret_name(&choice.base_url)?;
    if let Some(key) = host.secret(&name).map_err(|error| error.to_string())? {
        return Ok(Some(key));
    }
    // A variable is meant for the host that it was named for: a choice may be older than the provider's present address.
    let configured = settings
        .providers
        .iter()
        .find(|provider| Some(&provider.id) == choice.provider.as_ref())
        .filter(|provider| secret_name(&provider.base_url).as_ref() == Ok(&name));
    let variables = configured.map_or_else(|| usual_variables(&choice.base_url).to_vec(), variables_of);
    Ok(variables.into_iter().find_map(|variable| host.variable(variable)))
}

/// The environment variables that may hold a provider's key: the one that a person named, else those that are usual at its
/// address.
pub(crate) fn variables_of(provider: &Configured) -> Vec<&str> {
    match provider.key_variable.as_deref() {
        Some(variable) => vec![variable],
        None => usual_variables(&provider.base_url).to_vec(),
    }
}

fn usual_variables(base_url: &str) -> &'static [&'static str] {
    preset_at(base_url).map_or(&[][..], |preset| preset.key_variables)
}

/// The practice model as a choice.
pub(crate) fn practice() -> ModelChoice {
    ModelChoice {
        provider: None,
        label: PRACTICE.to_owned(),
        base_url: String::new(),
        protocol: Protocol::Practice,
        model: PRACTICE.to_owned(),
        window: PRACTICE_WINDOW,
        coefficient: UNSURE,
        tools: true,
        echo_reasoning: false,
        empty_text: false,
        without_encrypted: false,
        found: false,
        output_limit: None,
        images: false,
        documents: false,
        // It runs here and costs nothing.
        price: Some(Price { input: Some(0.0), output: Some(0.0), ..Price::default() }),
    }
}

/// A choice of a model at an address, with what is known of the model.
fn at(
    base_url: &str,
    protocol: Protocol,
    model: &str,
    provider: Option<&Configured>,
    told: &ModelFacts,
) -> ModelChoice {
    let choice = ModelChoice {
        provider: provider.map(|provider| provider.id.clone()),
        label: model.to_owned(),
        base_url: base_url.to_owned(),
        protocol,
        model: model.to_owned(),
        window: UNKNOWN_WINDOW,
        price: None,
        ..practice()
    };
    filled(choice, provider, &known(base_url, model, told))
}

/// A choice from a configured provider.
pub(crate) fn from_provider(provider: &Configured, model: &str) -> ModelChoice {
    at(&provider.base_url, provider.protocol, model, Some(provider), &ModelFacts::default())
}

/// A choice from an address that a person gave. Without a word on the protocol, the address tells it.
pub(crate) fn given(base_url: &str, protocol: Option<Protocol>, model: &str) -> ModelChoice {
    at(base_url, protocol.unwrap_or_else(|| protocol_for(base_url)), model, None, &ModelFacts::default())
}

/// Another model of the same provider. A window that isn't what is known of the first model was given by a person, for what
/// answers there: it stays.
pub(crate) fn other(choice: ModelChoice, model: &str, settings: &Settings) -> ModelChoice {
    let unasked = ModelFacts::default();
    let is_given = choice.window != known(&choice.base_url, &choice.model, &unasked).window.value;
    let other = at(&choice.base_url, choice.protocol, model, configured(&choice, settings), &unasked);
    let window = if is_given && choice.provider.is_none() { choice.window } else { other.window };
    let ModelChoice { provider, echo_reasoning, empty_text, without_encrypted, found, .. } = choice;
    ModelChoice { window, provider, echo_reasoning, empty_text, without_encrypted, found, ..other }
}

/// A choice from a server that was found on this machine.
fn from_server(server: &LocalServer, model: &assent_llm::ModelInfo) -> ModelChoice {
    let choice = at(&server.base_url, protocol_for(&server.base_url), &model.id, None, &model.facts);
    ModelChoice { found: true, ..choice }
}

/// Models on offer: configured ones, servers on this machine, keys in the environment, and always the practice model.
pub(crate) async fn offered(host: &dyn Host, settings: &Settings) -> Vec<OfferedModel> {
    let mut offered = Vec::new();
    for provider in &settings.providers {
        for model in &provider.models {
            offered.push(OfferedModel { choice: from_provider(provider, model), found: provider.name.clone() });
        }
    }
    for server in assent_llm::discover_local().await {
        for model in &server.models {
            offered.push(OfferedModel { choice: from_server(&server, model), found: server.name.clone() });
        }
    }
    offered.extend(from_environment(host));
    offered.push(OfferedModel { choice: practice(), found: PRACTICE.to_owned() });
    offered
}

/// Presets whose key stands in the environment.
pub(crate) fn from_environment(host: &dyn Host) -> Vec<OfferedModel> {
    PRESETS
        .iter()
        .filter(|preset| !preset.default_model.is_empty())
        .filter(|preset| preset.key_variables.iter().any(|variable| host.variable(variable).is_some()))
        .map(|preset| {
            let choice = at(preset.base_url, preset.protocol, preset.default_model, None, &ModelFacts::default());
            let choice = ModelChoice { found: true, echo_reasoning: preset.echo_reasoning, ..choice };
            OfferedModel { choice, found: preset.name.to_owned() }
        })
        .collect()
}

/// Known providers, for settings.
pub(crate) fn presets() -> Vec<Preset> {
    let real = PRESETS.iter().filter(|preset| preset.protocol != Protocol::Practice);
    real.map(|preset| Preset {
        name: preset.name.to_owned(),
        base_url: preset.base_url.to_owned(),
        protocol: preset.protocol,
        key_variable: preset.key_variables.first().map(|variable| (*variable).to_owned()),
        model: Some(preset.default_model.to_owned()).filter(|model| !model.is_empty()),
    })
    .collect()
}

/// Puts a provider among the others, in the place of the one with its id. Where that one stood at another host, the
/// variable that named its key goes: a key is for one host, until a person names it for the new one.
pub(crate) fn keep_provider(providers: &mut Vec<Configured>, provider: Configured) {
    let Some(known) = providers.iter_mut().find(|known| known.id == provider.id) else {
        return providers.push(provider);
    };
    let is_elsewhere = secret_name(&known.base_url) != secret_name(&provider.base_url);
    let is_old = known.key_variable == provider.key_variable;
    *known = match is_elsewhere && is_old {
        true => Configured { key_variable: None, ..provider },
        false => provider,
    };
}

/// `choice` with what its server tells of the model; figures of which it tells nothing stay, unless a person has a word on
/// them.
pub(crate) async fn told(choice: ModelChoice, host: &dyn Host, settings: &Settings) -> ModelChoice {
    let told = match choice.protocol {
        Protocol::Practice => return choice,
        Protocol::ChatCompletions | Protocol::Responses | Protocol::AnthropicMessages => {
            let key = key_for(&choice, host, settings).ok();
            match key.and_then(|key| provider(&choice, key).ok()) {
                Some(provider) => provider.told(&choice.model).await,
                None => ModelFacts::default(),
            }
        }
    };
    let known = known(&choice.base_url, &choice.model, &told);
    let configured = configured(&choice, settings);
    filled(choice, configured, &known)
}

/// Whether the model's server is on this machine, reached without TLS.
pub(crate) fn is_local(choice: &ModelChoice) -> bool {
    choice.protocol != Protocol::Practice && assent_llm::is_local(&choice.base_url)
}

/// The configured provider of a choice.
pub(crate) fn configured<'a>(choice: &ModelChoice, settings: &'a Settings) -> Option<&'a Configured> {
    settings.providers.iter().find(|provider| Some(&provider.id) == choice.provider.as_ref())
}

#[cfg(test)]
pub(crate) mod tests;
