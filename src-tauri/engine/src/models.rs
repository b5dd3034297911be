//! Where models come from: a conversation's choice becomes something that answers.
//! It keeps no key: the host is asked each time a provider is made.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use assent_llm::{LocalServer, Model, PRACTICE, PRESETS, Practice, Provider, ProviderConfig, ProviderError, Secret};
use assent_protocol::settings::{ModelChoice, Provider as Configured, Settings};
use assent_protocol::snapshot::{OfferedModel, Preset, ProviderTest};
use assent_protocol::view::Protocol;

use crate::host::Host;

/// Tokens that a model holds where nobody says (spec part 3).
const UNKNOWN_WINDOW: u64 = 128_000;
/// The practice model reads its whole view; this only has to be large.
const PRACTICE_WINDOW: u64 = 128_000;
/// Tokens a character where nothing was learned yet (spec part 4).
pub(crate) const UNSURE: f64 = 0.35;
/// The key given on the command line's behalf.
const COMMAND_LINE_KEY: &str = "ASSENT_API_KEY";

type Make = dyn Fn(&ModelChoice) -> Result<Arc<dyn Model>, String> + Send + Sync;

/// Makes models.
pub struct ModelSource {
    make: Option<Box<Make>>,
    /// Providers that were made, so that their connections are kept alive.
    made: Mutex<HashMap<String, Arc<dyn Model>>>,
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

    /// The model for a choice. `fresh` reads the key anew, as after a 401.
    pub(crate) fn get(
        &self,
        choice: &ModelChoice,
        host: &dyn Host,
        settings: &Settings,
        fresh: bool,
    ) -> Result<Arc<dyn Model>, String> {
        if let Some(make) = &self.make {
            return make(choice);
        }
        let ModelChoice { provider, protocol, base_url, echo_reasoning, empty_text, found, .. } = choice;
        let name = format!("{provider:?} {protocol:?} {base_url} {echo_reasoning} {empty_text} {found}");
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = made.get(&name)
            && !fresh
        {
            return Ok(Arc::clone(model));
        }
        let model: Arc<dyn Model> = match choice.protocol {
            Protocol::Practice => Arc::new(Practice::new()),
            Protocol::ChatCompletions | Protocol::Responses | Protocol::AnthropicMessages => {
                let key = key_for(choice, host, settings)?;
                Arc::new(self::provider(choice, key).map_err(words)?)
            }
        };
        made.insert(name, Arc::clone(&model));
        Ok(model)
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

fn words(error: ProviderError) -> String {
    error.to_string()
}

fn provider(choice: &ModelChoice, key: Option<String>) -> Result<Provider, ProviderError> {
    let ModelChoice { protocol, base_url, echo_reasoning, empty_text, .. } = choice;
    let mut config = match preset_of(base_url) {
        Some(preset) => ProviderConfig { base_url: base_url.clone(), protocol: *protocol, ..preset.config() },
        None => ProviderConfig::new(*protocol, base_url),
    };
    config.echo_reasoning |= echo_reasoning;
    config.empty_text |= empty_text;
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
    let variable = configured
        .and_then(|provider| provider.key_variable.as_deref())
        .or_else(|| preset_of(&choice.base_url).and_then(|preset| preset.key_variable));
    Ok(variable.and_then(|variable| host.variable(variable)))
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
        found: false,
        output_limit: None,
        images: false,
        documents: false,
        price: None,
    }
}

/// The window of a model in tokens, from the presets, else the usual one.
pub(crate) fn known_window(base_url: &str, model: &str) -> u64 {
    preset_of(base_url).and_then(|preset| preset.window(model)).unwrap_or(UNKNOWN_WINDOW)
}

/// The preset that an address belongs to: same scheme, host and port, and a path that begins like its own. A host that
/// only begins with the same letters is another one, and gets no key of it.
fn preset_of(base_url: &str) -> Option<&'static assent_llm::Preset> {
    let origin = secret_name(base_url).ok()?;
    PRESETS.iter().find(|preset| {
        !preset.base_url.is_empty()
            && base_url.starts_with(preset.base_url)
            && secret_name(preset.base_url).as_ref() == Ok(&origin)
    })
}

/// A choice from a configured provider.
pub(crate) fn from_provider(provider: &Configured, model: &str) -> ModelChoice {
    ModelChoice {
        provider: Some(provider.id.clone()),
        label: model.to_owned(),
        base_url: provider.base_url.clone(),
        protocol: provider.protocol,
        model: model.to_owned(),
        window: provider.window.unwrap_or_else(|| known_window(&provider.base_url, model)),
        coefficient: UNSURE,
        tools: true,
        echo_reasoning: provider.echo_reasoning,
        empty_text: false,
        found: false,
        output_limit: None,
        images: false,
        documents: false,
        price: None,
    }
}

/// A choice from a server that was found on this machine.
fn from_server(server: &LocalServer, model: &assent_llm::ModelInfo) -> ModelChoice {
    ModelChoice {
        provider: None,
        label: model.id.clone(),
        base_url: server.base_url.clone(),
        protocol: Protocol::ChatCompletions,
        model: model.id.clone(),
        window: model.window.unwrap_or(UNKNOWN_WINDOW),
        coefficient: UNSURE,
        tools: true,
        echo_reasoning: false,
        empty_text: false,
        found: true,
        output_limit: None,
        images: false,
        documents: false,
        price: None,
    }
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

/// Presets whose key stands in the environment and whose protocol this version speaks.
pub(crate) fn from_environment(host: &dyn Host) -> Vec<OfferedModel> {
    let spoken = PRESETS.iter().filter(|preset| preset.protocol == Protocol::ChatCompletions);
    spoken
        .filter(|preset| !preset.default_model.is_empty())
        .filter(|preset| preset.key_variable.is_some_and(|variable| host.variable(variable).is_some()))
        .map(|preset| OfferedModel {
            choice: ModelChoice {
                provider: None,
                label: preset.default_model.to_owned(),
                base_url: preset.base_url.to_owned(),
                protocol: preset.protocol,
                model: preset.default_model.to_owned(),
                window: preset.window(preset.default_model).unwrap_or(UNKNOWN_WINDOW),
                coefficient: UNSURE,
                tools: true,
                echo_reasoning: preset.echo_reasoning,
                empty_text: false,
                found: true,
                output_limit: None,
                images: false,
                documents: false,
                price: None,
            },
            found: preset.name.to_owned(),
        })
        .collect()
}

/// Known providers, for settings.
pub(crate) fn presets() -> Vec<Preset> {
    let spoken = PRESETS.iter().filter(|preset| preset.protocol == Protocol::ChatCompletions);
    spoken
        .map(|preset| Preset {
            name: preset.name.to_owned(),
            base_url: preset.base_url.to_owned(),
            protocol: preset.protocol,
            key_variable: preset.key_variable.map(str::to_owned),
            model: Some(preset.default_model.to_owned()).filter(|model| !model.is_empty()),
        })
        .collect()
}

/// Tries a provider with a key that is not kept, or with the one that is.
pub(crate) async fn test(
    configured: &Configured,
    key: Option<String>,
    host: &dyn Host,
    settings: &Settings,
) -> ProviderTest {
    let failed =
        |message: String| ProviderTest { works: false, steps: vec![message], models: Vec::new(), window: None };
    let model = configured.models.first().cloned();
    let choice = from_provider(configured, model.as_deref().unwrap_or_default());
    let key = match key.filter(|key| !key.is_empty()) {
        Some(key) => Some(key),
        None => match key_for(&choice, host, &with_provider(settings, configured)) {
            Ok(key) => key,
            Err(message) => return failed(message),
        },
    };
    let provider = match provider(&choice, key) {
        Ok(provider) => provider,
        Err(error) => return failed(error.to_string()),
    };
    let report = provider.test(model.as_deref()).await;
    let steps = report.tried.iter().map(|attempt| match &attempt.failure {
        None => format!("{}: works", attempt.what),
        Some(failure) => format!("{}: {failure}", attempt.what),
    });
    let steps = steps.collect();
    let window = match model.as_deref().or(report.models.first().map(|model| model.id.as_str())) {
        Some(model) if report.works => provider.context_window(model).await.map(|window| window.tokens),
        _ => None,
    };
    ProviderTest {
        works: report.works,
        steps,
        models: report.models.into_iter().map(|model| model.id).collect(),
        window,
    }
}

/// Settings as they would be with `provider` saved.
fn with_provider(settings: &Settings, provider: &Configured) -> Settings {
    let mut settings = settings.clone();
    keep_provider(&mut settings.providers, provider.clone());
    settings
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

/// The window that a server tells for a model; the choice's own where it tells none.
pub(crate) async fn told_window(choice: &ModelChoice, host: &dyn Host, settings: &Settings) -> Option<u64> {
    if choice.protocol != Protocol::ChatCompletions {
        return None;
    }
    let key = key_for(choice, host, settings).ok()?;
    let provider = provider(choice, key).ok()?;
    provider.context_window(&choice.model).await.map(|window| window.tokens)
}

#[cfg(test)]
pub(crate) mod tests;
