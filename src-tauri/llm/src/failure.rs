//! Tells failures apart: from a status, from an error inside of a stream, from the words of providers in English and Chinese.
//! Decides neither about retries nor about fallbacks.

use assent_protocol::view::FailureKind;
use serde_json::Value;

use crate::item::ModelFailure;
use crate::secret::Secret;

/// How much of a provider's words is kept, in characters.
const MAX_WORDS: usize = 300;

/// What a wait is cut to, in milliseconds (spec part 3).
const MAX_RETRY_AFTER: u64 = 60_000;

/// Codes and words by which providers say that the context is too long, in lower case.
const TOO_LONG: [&str; 31] = [
    "context_length_exceeded",
    "context_window_exceeded",
    "exceed_context_size",
    "string_above_max_length",
    "maximum context length",
    "context length",
    "context window",
    "context size",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "too many tokens",
    "maximum prompt length",
    "exceeded model token limit",
    "exceeds the maximum number of tokens",
    "range of input length",
    "reduce the length of the messages",
    "reduce the length of your prompt",
    "input length and `max_tokens` exceed",
    "上下文长度",
    "上下文过长",
    "上下文窗口",
    "最大上下文",
    "输入过长",
    "输入长度",
    "超长",
    "长度超过",
    "长度超出",
    "超过最大长度",
    "超出最大长度",
];

/// Words by which servers say that the model has no tools, in lower case.
const NO_TOOLS: [&str; 14] = [
    "does not support tools",
    "does not support tool",
    "doesn't support tool",
    "not support function call",
    "support tool use",
    "tool use is not supported",
    "tools are not supported",
    "tools is not supported",
    "tool calling is not supported",
    "requires --enable-auto-tool-choice",
    "requires --jinja",
    "不支持工具",
    "不支持函数",
    "不支持 function",
];

/// Words by which servers say that a content has to be a text, in lower case; "content" stands beside them.
/// llama-cpp-python, LM Studio and mistral-common say such things of `null`.
const WANTS_TEXT: [&str; 4] =
    ["should be a valid string", "must be a string", "expected a string", "none is not an allowed value"];

/// Words by which servers ask for the reasoning of earlier answers, in lower case; `reasoning_content`
/// stands beside them. DeepSeek and Moonshot say such things.
const WANTS_REASONING: [&str; 4] = ["must be passed back", "is missing in assistant", "must be provided", "missing"];

/// Words by which servers refuse it; `reasoning_content` stands beside them.
const REFUSES_REASONING: [&str; 6] =
    ["should not be included", "not allowed", "not permitted", "extra inputs", "unknown parameter", "unsupported"];

/// Words by which OpenAI says that a model has no reasoning to be encrypted, in lower case.
const NO_ENCRYPTED: [&str; 2] = ["encrypted content is not supported", "reasoning.encrypted_content"];

/// Quotes providers: without the key, without control characters, short.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quote {
    hidden: Option<Secret>,
}

impl Quote {
    /// Takes `hidden` out of all that is quoted.
    pub(crate) fn without(hidden: Option<Secret>) -> Self {
        Self { hidden }
    }

    /// The first part of `text`, in one line. The key goes before the cut, so that half of it can't stay.
    pub(crate) fn words(&self, text: &str) -> String {
        let text = match &self.hidden {
            Some(secret) => secret.scrub(text),
            None => text.to_owned(),
        };
        let mut words = String::new();
        for (count, part) in text.split_whitespace().enumerate() {
            if count > 0 {
                words.push(' ');
            }
            words.extend(part.chars().filter(|letter| !letter.is_control()));
            if words.len() > MAX_WORDS * 4 {
                break;
            }
        }
        match words.char_indices().nth(MAX_WORDS) {
            Some((end, _)) => format!("{}…", &words[..end]),
            None => words,
        }
    }
}

/// What a provider's error says.
pub(crate) struct ErrorWords {
    /// Code and type, for telling kinds apart.
    pub code: String,
    /// The message.
    pub message: String,
}

/// Finds the message in an error document, in the forms that are about: `error` as object or text, `message`, `msg`,
/// `detail`, `errors`, `base_resp`, an array around it.
pub(crate) fn error_words(document: &Value) -> Option<ErrorWords> {
    let document = match document {
        Value::Array(list) => list.first()?,
        other => other,
    };
    let error = document.get("error").filter(|error| is_something(error)).unwrap_or(document);
    let message = match error {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => ["message", "msg", "detail", "error_msg", "status_msg", "errors", "base_resp"]
            .iter()
            .filter_map(|field| error.get(*field))
            .find_map(text_of),
        _ => None,
    };
    let code = ["code", "type", "status"]
        .iter()
        .filter_map(|field| error.get(*field))
        .filter_map(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
        .collect::<Vec<_>>()
        .join(" ");
    match message {
        Some(message) => Some(ErrorWords { code, message: with_inner_words(message, error) }),
        None if document.get("error").is_some_and(is_something) => {
            Some(ErrorWords { code, message: error.to_string() })
        }
        None => None,
    }
}

/// A go-between's words with those of the provider behind it, which say what is wrong (OpenRouter: `metadata.raw`).
fn with_inner_words(message: String, error: &Value) -> String {
    let Some(raw) = error.get("metadata").and_then(|metadata| metadata.get("raw")).and_then(Value::as_str) else {
        return message;
    };
    let inner = serde_json::from_str(raw).ok().as_ref().and_then(error_words);
    let words = inner.map_or_else(|| raw.to_owned(), |inner| inner.message);
    format!("{message}: {words}")
}

/// An error that came inside of an answer that began with 200.
pub(crate) fn in_stream(error: &ErrorWords, quote: &Quote) -> ModelFailure {
    let failure = if says_too_long(error) {
        FailureKind::ContextTooLong
    } else if says_no_tools(&error.message) {
        FailureKind::NoTools
    } else {
        FailureKind::InStream
    };
    let message = format!("the provider reports an error: {}", quote.words(&error.message));
    ModelFailure { failure, message, status: Some(200), retry_after_ms: None, opened: true }
}

/// An answer whose status isn't a success. `body` is the beginning of it.
pub(crate) fn from_status(status: u16, retry_after_ms: Option<u64>, body: &str, quote: &Quote) -> ModelFailure {
    let document: Option<Value> = serde_json::from_str(body).ok();
    let error = document
        .as_ref()
        .and_then(error_words)
        .unwrap_or_else(|| ErrorWords { code: String::new(), message: body.to_owned() });
    let words = quote.words(&error.message);
    let what = match status {
        401 => "the key is missing or wrong",
        402 => "the account's balance is used up",
        403 => "access is refused",
        404 => "there is no such endpoint or model",
        413 => "the request is too large",
        429 => "too many requests",
        300..400 => "the server redirects, which is not followed",
        400..500 => "the request was refused",
        _ => "the server has a problem",
    };
    let message = match words.is_empty() {
        true => format!("{what} (HTTP {status})"),
        false => format!("{what} (HTTP {status}): {words}"),
    };
    let failure = kind_of(status, &error);
    ModelFailure { failure, message, status: Some(status), retry_after_ms, opened: false }
}

/// What `Retry-After` asks for, in milliseconds: seconds or a date, at most a minute.
pub(crate) fn retry_after(value: &str, now: std::time::SystemTime) -> Option<u64> {
    let value = value.trim();
    let wait = match value.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => (seconds * 1000.0).ceil() as u64,
        Ok(_) => return None,
        Err(_) => {
            let date = httpdate::parse_http_date(value).ok()?;
            let wait = date.duration_since(now).unwrap_or_default();
            u64::try_from(wait.as_millis()).unwrap_or(MAX_RETRY_AFTER)
        }
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

fn kind_of(status: u16, error: &ErrorWords) -> FailureKind {
    match status {
        401 => FailureKind::Unauthorized,
        // 402: the account has nothing left; another attempt changes that as little as a missing right.
        402 | 403 => FailureKind::Forbidden,
        413 => FailureKind::ContextTooLong,
        429 => FailureKind::RateLimited,
        400 | 404 | 422 | 500 | 501 if says_no_tools(&error.message) => FailureKind::NoTools,
        400 | 422 | 500 if says_null_content(&error.message) => FailureKind::NullContent,
        400 | 422 if says_reasoning(&error.message, &REFUSES_REASONING) => FailureKind::RefusesReasoning,
        400 | 422 if says_reasoning(&error.message, &WANTS_REASONING) => FailureKind::WantsReasoning,
        400 | 422 if says_any(&error.message, &NO_ENCRYPTED) => FailureKind::NoEncryptedReasoning,
        400 | 422 | 500 if says_too_long(error) => FailureKind::ContextTooLong,
        404 => FailureKind::NotFound,
        // 520 to 524 are what one large network of proxies says instead of 502 to 504.
        408 | 500 | 502..=504 | 520..=524 | 529 => FailureKind::Server,
        _ => FailureKind::BadRequest,
    }
}

fn says_too_long(error: &ErrorWords) -> bool {
    let text = format!("{} {}", error.code, error.message).to_lowercase();
    error.code.split(' ').any(|code| code == "1261") || TOO_LONG.iter().any(|words| text.contains(words))
}

fn says_any(message: &str, words: &[&str]) -> bool {
    let text = message.to_lowercase();
    words.iter().any(|words| text.contains(words))
}

fn says_no_tools(message: &str) -> bool {
    says_any(message, &NO_TOOLS)
}

fn says_null_content(message: &str) -> bool {
    // What is said of `reasoning_content` is another thing.
    says_any(&message.to_lowercase().replace("reasoning_content", ""), &["content"]) && says_any(message, &WANTS_TEXT)
}

fn says_reasoning(message: &str, words: &[&str]) -> bool {
    says_any(message, &["reasoning_content"]) && says_any(message, words)
}

fn is_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Array(list) => list.first().and_then(text_of),
        Value::Object(_) => {
            let words = ["message", "msg", "status_msg"].iter().filter_map(|field| value.get(*field)).find_map(text_of);
            words.map(|words| with_place(words, value.get("loc")))
        }
        _ => None,
    }
}

/// Words behind the place that they are about, where a list names it and they don't.
fn with_place(words: String, place: Option<&Value>) -> String {
    let steps = place.and_then(Value::as_array).into_iter().flatten();
    let place: Vec<String> = steps.map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned)).collect();
    let place = place.join(".");
    if place.is_empty() || words.contains(&place) { words } else { format!("{place}: {words}") }
}

#[cfg(test)]
mod tests;
