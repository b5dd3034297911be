//! Says which environment variables hold secrets and so never reach a child process.
//! It judges names and values alone; of the settings it knows the names that it was told, of the keychain nothing.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// Parts of a name, in any case, that make a variable a secret wherever they stand in it.
const SECRET_PARTS: &[&str] = &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY"];

/// Whole words of a name (between underscores, dashes or dots) that do the same: too short to be looked for inside words.
const SECRET_WORDS: &[&str] = &["KEY", "KEYS", "PASS", "PWD", "CREDS", "AUTH", "PAT"];

/// Names with such a word that hold no secret, or that programs can't do without.
const NOT_SECRET: &[&str] = &["PWD", "OLDPWD", "INIT_CWD", "SSH_AUTH_SOCK"];

/// Variables that the presets of model providers read their key from. Their values are looked for in all others.
const PROVIDER_KEYS: &[&str] = &[
    "ASSENT_API_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "DEEPSEEK_API_KEY",
    "MOONSHOT_API_KEY",
    "KIMI_API_KEY",
    "ZHIPUAI_API_KEY",
    "ZAI_API_KEY",
    "GLM_API_KEY",
    "DASHSCOPE_API_KEY",
    "QWEN_API_KEY",
    "MINIMAX_API_KEY",
    "SILICONFLOW_API_KEY",
    "ARK_API_KEY",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "XAI_API_KEY",
    "TOGETHER_API_KEY",
    "FIREWORKS_API_KEY",
    "CEREBRAS_API_KEY",
    "PERPLEXITY_API_KEY",
    "COHERE_API_KEY",
    "HF_TOKEN",
    "HUGGINGFACE_API_KEY",
    "OLLAMA_API_KEY",
    "LMSTUDIO_API_KEY",
];

/// What keys and tokens of well-known issuers begin with.
const KEY_BEGINNINGS: &[&str] = &[
    "sk-",
    "sk_live_",
    "rk_live_",
    "xai-",
    "gsk_",
    "hf_",
    "AIza",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "ASIA",
    "npm_",
    "pypi-",
    "dop_v1_",
    "ya29.",
];

/// Shortest value that can be a key; shorter ones would match by chance.
const SHORTEST_KEY: usize = 16;

/// Names of variables that people named for their providers' keys, whatever they are called.
static NAMED: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// From now on no command of this process sees these variables, nor any other with the value of one of them.
pub fn keep_from_commands<'a>(names: impl IntoIterator<Item = &'a str>) {
    let mut named = NAMED.write().unwrap_or_else(PoisonError::into_inner);
    named.extend(names.into_iter().map(str::to_owned));
}

/// Whether a variable holds a provider's key: by a preset's word, or by a person's.
pub(super) fn is_provider_key(name: &str) -> bool {
    let named = NAMED.read().unwrap_or_else(PoisonError::into_inner);
    PROVIDER_KEYS.iter().copied().chain(named.iter().map(String::as_str)).any(|key| key.eq_ignore_ascii_case(name))
}

/// Whether a variable of this name is kept from children: it says that it holds a secret, or it is ours.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if NOT_SECRET.contains(&name.as_str()) {
        return false;
    }
    name.starts_with("ASSENT_")
        || is_provider_key(&name)
        || SECRET_PARTS.iter().any(|part| name.contains(part))
        || name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| SECRET_WORDS.contains(&word))
}

/// Whether a variable's value is an address with a password in it (`postgres://user:word@host/db`). Addresses of proxies
/// are kept: without them no program reaches the network, and it would not say why.
pub(super) fn is_secret_address(name: &str, value: &str) -> bool {
    let is_proxy = name.len() >= 6 && name[name.floor_char_boundary(name.len() - 6)..].eq_ignore_ascii_case("_proxy");
    let holds_password = |(_, rest): (&str, &str)| {
        let authority = rest.split(['/', '?', '#', ' ', ',']).next().unwrap_or_default();
        let password = authority.rsplit_once('@').and_then(|(person, _)| person.split_once(':'));
        password.is_some_and(|(_, password)| !password.is_empty())
    };
    !is_proxy && value.split_once("://").is_some_and(holds_password)
}

/// Whether a value is, or holds, a key: one of `known`, or one that looks like a well-known issuer's.
pub(super) fn is_secret_value(value: &str, known: &[&str]) -> bool {
    known.iter().any(|key| key.len() >= SHORTEST_KEY && value.contains(key))
        || KEY_BEGINNINGS.iter().any(|beginning| {
            value.strip_prefix(beginning).is_some_and(|rest| {
                value.len() >= SHORTEST_KEY && rest.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
            })
        })
}

#[cfg(test)]
mod tests;
