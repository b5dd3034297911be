//! A provider is tried before it is kept: what was asked, what came of it, and what is known of the models it lists.
//! Keeps neither the provider nor the key that was tried.

use assent_llm::{Asked, Attempt, TestReport};
use assent_protocol::known::ModelFacts;
use assent_protocol::settings::{Provider as Configured, Settings};
use assent_protocol::snapshot::{ProviderTest, TestStep, Trouble};

use super::{from_provider, keep_provider, key_for, known, provider};
use crate::host::Host;

/// Tries a provider with a key that is not kept, or with the one that is.
pub(crate) async fn test(
    configured: &Configured,
    key: Option<String>,
    host: &dyn Host,
    settings: &Settings,
) -> ProviderTest {
    let model = configured.models.first().cloned();
    let choice = from_provider(configured, model.as_deref().unwrap_or_default());
    let key = match key.filter(|key| !key.is_empty()) {
        Some(key) => Some(key),
        None => match key_for(&choice, host, &with_provider(settings, configured)) {
            Ok(key) => key,
            Err(message) => return failed(TestStep::KeyUnreadable { message }),
        },
    };
    let provider = match provider(&choice, key) {
        Ok(provider) => provider,
        Err(error) => return failed(TestStep::Unusable { message: error.to_string() }),
    };
    let report = provider.test(model.as_deref()).await;
    let first = report.models.first().map(|listed| listed.id.as_str());
    let window = match model.as_deref().or(first) {
        Some(model) if report.works => provider.told(model).await.window,
        _ => None,
    };
    described(configured, report, model.as_deref(), window)
}

/// What a report says, for people.
fn described(configured: &Configured, report: TestReport, model: Option<&str>, window: Option<u64>) -> ProviderTest {
    let models = report.models.iter().map(|listed| {
        // Only the tried model was asked for by itself: a local server tells its window there and nowhere else.
        let window = window.filter(|_| model == Some(&listed.id)).or(listed.facts.window);
        known(&configured.base_url, &listed.id, &ModelFacts { window, ..listed.facts.clone() })
    });
    ProviderTest {
        works: report.works,
        models: models.collect(),
        steps: report.tried.into_iter().map(step).collect(),
        window,
    }
}

fn step(attempt: Attempt) -> TestStep {
    let Attempt { asked, address, failure } = attempt;
    let trouble =
        failure.map(|failure| Trouble { kind: failure.failure, status: failure.status, message: failure.message });
    match asked {
        Asked::List => TestStep::Listed { address, trouble },
        Asked::Word => TestStep::Asked { address, trouble },
    }
}

fn failed(step: TestStep) -> ProviderTest {
    ProviderTest { works: false, steps: vec![step], models: Vec::new(), window: None }
}

/// Settings as they would be with `provider` saved.
fn with_provider(settings: &Settings, provider: &Configured) -> Settings {
    let mut settings = settings.clone();
    keep_provider(&mut settings.providers, provider.clone());
    settings
}
