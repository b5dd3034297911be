//! Questions about a provider rather than to a model: does it answer, which models has it, how large is a window,
//! what runs on this machine.
//! Guesses nothing: what a server doesn't say stays unknown.

use std::sync::Arc;
use std::time::Duration;

use assent_protocol::known::ModelFacts;
use assent_protocol::view::{FailureKind, ModelView, Protocol, ToolChoice, ViewMessage};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use reqwest::{Response, Url};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::connection::Link;
use super::listing::models_of;
use super::{Provider, ProviderConfig, Speaks};
use crate::endpoint::{join, label};
use crate::item::{ModelFailure, ModelItem};
use crate::model::{Model as _, ModelCall, Timeouts};

/// How long one question may take.
const QUESTION_TIME: Duration = Duration::from_secs(15);

/// How long a server on this machine may take to be found.
const LOCAL_TIME: Duration = Duration::from_millis(400);

/// No list of models is longer, in bytes.
const MAX_DOCUMENT: usize = 8 << 20;

/// Servers that are looked for on loopback: name and usual base URL.
pub const LOCAL_SERVERS: [(&str, &str); 4] = [
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("vLLM", "http://127.0.0.1:8000/v1"),
];

/// A model as its provider lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// Its name in requests.
    pub id: String,
    /// What the list says of it.
    pub facts: ModelFacts,
}

/// What Test found.
#[derive(Debug, Clone, PartialEq)]
pub struct TestReport {
    /// Whether the provider can be used.
    pub works: bool,
    /// What was tried, in order.
    pub tried: Vec<Attempt>,
    /// The models it lists; empty when it doesn't say.
    pub models: Vec<ModelInfo>,
}

/// One thing that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// What was asked for.
    pub asked: Asked,
    /// Where, e.g. `https://api.example.com/v1/models`; without the query.
    pub address: String,
    /// Why it failed; `None`: it worked.
    pub failure: Option<ModelFailure>,
}

/// What a provider is asked for in a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Its list of models.
    List,
    /// A word of a model.
    Word,
}

/// A server that was found on this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalServer {
    /// What it probably is, by its port.
    pub name: String,
    /// Its base URL.
    pub base_url: String,
    /// Its models.
    pub models: Vec<ModelInfo>,
}

impl Provider {
    /// The models that the provider lists.
    ///
    /// # Errors
    /// The failure of the last address that was asked.
    pub async fn models(&self) -> Result<Vec<ModelInfo>, ModelFailure> {
        match &self.speaks {
            Speaks::Http { link, .. } => list(link, QUESTION_TIME, &mut Vec::new()).await,
            Speaks::Practice(_) => Ok(practice_models()),
        }
    }

    /// Asks for the list of models and, where there is none, `model` for a word. Says what was tried.
    pub async fn test(&self, model: Option<&str>) -> TestReport {
        let mut tried = Vec::new();
        let link = match &self.speaks {
            Speaks::Http { link, .. } => link,
            Speaks::Practice(_) => {
                return TestReport { works: true, tried, models: practice_models() };
            }
        };
        let listed = list(link, QUESTION_TIME, &mut tried).await;
        let (mut works, models) = match listed {
            Ok(models) => (true, models),
            Err(failure) => {
                let is_final = matches!(
                    failure.failure,
                    FailureKind::Connect | FailureKind::Unauthorized | FailureKind::FirstByteTimeout
                );
                if is_final {
                    return TestReport { works: false, tried, models: Vec::new() };
                }
                (false, Vec::new())
            }
        };
        if !works && let Some(model) = model {
            let failure = self.ask_for_a_word(model).await.err();
            works = failure.is_none();
            tried.push(Attempt { asked: Asked::Word, address: link.target(), failure });
        }
        TestReport { works, tried, models }
    }

    /// What the server says of `model`; nothing where it doesn't answer.
    pub async fn told(&self, model: &str) -> ModelFacts {
        let Speaks::Http { link, .. } = &self.speaks else {
            return ModelFacts::default();
        };
        let listed = async {
            let models = list(link, QUESTION_TIME, &mut Vec::new()).await.unwrap_or_default();
            models.into_iter().find(|listed| listed.id == model).map(|listed| listed.facts).unwrap_or_default()
        };
        // Only servers of one's own have the other two; nobody else is bothered with them.
        if !link.endpoint.is_plain() {
            return listed.await;
        }
        let (ollama, llama_cpp, listed) = tokio::join!(ollama_window(link, model), llama_cpp_facts(link), listed);
        // What a model was loaded with counts before what it could hold.
        ModelFacts {
            window: ollama.or(llama_cpp.window).or(listed.window),
            images: llama_cpp.images.or(listed.images),
            ..listed
        }
    }

    async fn ask_for_a_word(&self, model: &str) -> Result<(), ModelFailure> {
        let view = ModelView {
            model: model.into(),
            epoch: 0,
            system: "".into(),
            tools: "[]".into(),
            messages: vec![Arc::new(ViewMessage::user("Say: yes"))],
            tool_choice: ToolChoice::Auto,
            contents: Default::default(),
        };
        let timeouts = Timeouts { connect: QUESTION_TIME, first_byte: QUESTION_TIME * 4, idle: QUESTION_TIME };
        let body = self.body(&view, None);
        let cancel = CancellationToken::new();
        let mut stream = self.stream(ModelCall { body, view: Arc::new(view), cancel, timeouts });
        while let Some(items) = stream.next().await {
            for item in items {
                match item {
                    ModelItem::Failed(failure) => return Err(failure),
                    ModelItem::Opened | ModelItem::Alive => {}
                    // One piece is proof enough; dropping the stream ends the rest.
                    _ => return Ok(()),
                }
            }
        }
        Ok(())
    }
}

/// Looks for the usual servers on this machine, all at once.
pub async fn discover_local() -> Vec<LocalServer> {
    discover_at(&LOCAL_SERVERS).await
}

/// Looks for servers at these places (name, base URL), all at once; those that don't list models in time are left out.
pub async fn discover_at(places: &[(&str, &str)]) -> Vec<LocalServer> {
    let found = join_all(places.iter().map(|(name, base_url)| async move {
        let provider = Provider::new(ProviderConfig::new(Protocol::ChatCompletions, *base_url)).ok()?;
        let Speaks::Http { link, .. } = &provider.speaks else {
            return None;
        };
        let asked = list(link, LOCAL_TIME, &mut Vec::new()).await;
        let models = asked.ok()?;
        Some(LocalServer { name: (*name).to_owned(), base_url: (*base_url).to_owned(), models })
    }));
    found.await.into_iter().flatten().collect()
}

fn practice_models() -> Vec<ModelInfo> {
    vec![ModelInfo { id: crate::practice::NAME.to_owned(), facts: ModelFacts::default() }]
}

/// Asks the addresses of a provider for its models, the likelier one first.
async fn list(link: &Link, limit: Duration, tried: &mut Vec<Attempt>) -> Result<Vec<ModelInfo>, ModelFailure> {
    let mut outcome = Err(not_a_list("nothing was asked"));
    for base in link.endpoint.bases() {
        let url = join(base, &["models"]);
        let address = label(&url);
        outcome = document(link, url, limit)
            .await
            .and_then(|document| models_of(&document).ok_or_else(|| not_a_list("the server sent no list of models")));
        tried.push(Attempt { asked: Asked::List, address, failure: outcome.as_ref().err().cloned() });
        let may_be_elsewhere = matches!(
            &outcome,
            Err(failure) if matches!(failure.failure, FailureKind::NotFound | FailureKind::NotAStream | FailureKind::BadRequest)
        );
        if !may_be_elsewhere {
            break;
        }
    }
    outcome
}

async fn document(link: &Link, url: Url, limit: Duration) -> Result<Value, ModelFailure> {
    let asked = async {
        let response = link.get(url, limit).await?;
        let bytes = read_document(response).await?;
        serde_json::from_slice(&bytes).map_err(|_| {
            let words = link.quote.words(&String::from_utf8_lossy(&bytes));
            not_a_list(&format!("the server sent no JSON: {words}"))
        })
    };
    match tokio::time::timeout(limit, asked).await {
        Ok(outcome) => outcome,
        Err(_) => Err(ModelFailure {
            failure: FailureKind::FirstByteTimeout,
            message: format!("no answer within {} s", limit.as_secs_f32()),
            status: None,
            retry_after_ms: None,
            opened: false,
        }),
    }
}

async fn read_document(mut response: Response) -> Result<Vec<u8>, ModelFailure> {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(more)) => bytes.extend_from_slice(&more),
            Ok(None) => return Ok(bytes),
            Err(error) => return Err(not_a_list(&super::connection::reason(error))),
        }
        if bytes.len() > MAX_DOCUMENT {
            return Err(not_a_list("the list of models is too long"));
        }
    }
}

fn not_a_list(message: &str) -> ModelFailure {
    ModelFailure {
        failure: FailureKind::NotAStream,
        message: message.to_owned(),
        status: Some(200),
        retry_after_ms: None,
        opened: false,
    }
}

async fn ollama_window(link: &Link, model: &str) -> Option<u64> {
    let document = document(link, link.endpoint.root(&["api", "ps"]), QUESTION_TIME).await.ok()?;
    let loaded = document.get("models")?.as_array()?;
    let is_it = |entry: &&Value| {
        ["model", "name"]
            .iter()
            .filter_map(|field| entry.get(*field)?.as_str())
            .any(|name| name == model || name.strip_suffix(":latest") == Some(model))
    };
    loaded.iter().find(is_it)?.get("context_length")?.as_u64()
}

async fn llama_cpp_facts(link: &Link) -> ModelFacts {
    let Ok(document) = document(link, link.endpoint.root(&["props"]), QUESTION_TIME).await else {
        return ModelFacts::default();
    };
    let settings = document.get("default_generation_settings");
    let window = settings.and_then(|settings| settings.get("n_ctx")).or_else(|| document.get("n_ctx"));
    let images = document.get("modalities").and_then(|kinds| kinds.get("vision"));
    ModelFacts {
        window: window.and_then(Value::as_u64),
        images: images.and_then(Value::as_bool),
        ..ModelFacts::default()
    }
}
