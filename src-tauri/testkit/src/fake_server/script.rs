//! Scripts of the fake server: made in Rust or read from JSON.
//! Only says what shall happen; `play` makes it happen.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value, json};

/// What the server does, in order.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Taken one by one.
    pub replies: VecDeque<Reply>,
    /// Words in the last user message, and the reply to them; used when no reply is left.
    pub rules: Vec<(String, Reply)>,
    /// The reply to requests for a summary; `None`: one that says how much was to be read.
    pub summary: Option<Reply>,
    /// What `GET …/models` lists; `None`: 404.
    pub models: Option<Value>,
    /// Answers to other GETs, by path.
    pub documents: BTreeMap<String, Value>,
    /// Longer bodies are violations; `None`: 8 MiB.
    pub max_body: Option<usize>,
}

/// An answer to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Gate to wait at before the status line.
    pub gate: Option<String>,
    /// Status.
    pub status: u16,
    /// Headers beside those that HTTP needs.
    pub headers: Vec<(String, String)>,
    /// A whole body; `None`: a stream of `steps`.
    pub body: Option<String>,
    /// The stream.
    pub steps: Vec<Step>,
    /// Pause after each write, in microseconds.
    pub pace_us: u64,
}

/// One thing that happens in a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Bytes in one write, the same in every protocol.
    Raw(Vec<u8>),
    /// Reasoning, a write a word; a provider that signs it signs it.
    Think(String),
    /// Text, a write a word.
    Say(String),
    /// A call, its arguments in pieces.
    Call(Call),
    /// The good end.
    End {
        /// The finish reason in the words of `chat/completions`; none: what follows from the calls.
        finish: Option<String>,
        /// What was counted, in the protocol's own form; null: nothing is said at the end; none: it is counted.
        usage: Option<Value>,
    },
    /// As many tokens, so many to a write.
    Tokens {
        /// How many.
        count: usize,
        /// How many in one write.
        per_write: usize,
    },
    /// Wait until somebody opens the gate.
    Gate(String),
    /// A pause in milliseconds.
    Pause(u64),
    /// Break the connection.
    Cut,
    /// Nothing more until the client leaves.
    Hang,
}

/// A call in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The provider's label; made up where there is none.
    pub id: Option<String>,
    /// Tool name.
    pub name: String,
    /// Argument text.
    pub arguments: String,
}

/// Why a script can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// No JSON.
    #[error("the script is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Something in it has no meaning.
    #[error("the script says something unknown: {0}")]
    Unknown(String),
}

impl Script {
    /// A script of these replies.
    pub fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { replies: replies.into_iter().collect(), ..Self::default() }
    }

    /// Reads a script; see the module's header.
    ///
    /// # Errors
    /// No JSON, or an unknown field or step.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let document: Value = serde_json::from_str(text)?;
        let mut script = Self::default();
        for (field, value) in object(&document)? {
            match field.as_str() {
                "replies" => script.replies = array(value)?.iter().map(Reply::parse).collect::<Result<_, _>>()?,
                "rules" => {
                    for rule in array(value)? {
                        let reply = Reply::parse(rule.get("reply").unwrap_or(&Value::Null))?;
                        script.rules.push((text_of(rule.get("when"))?, reply));
                    }
                }
                "summary" => script.summary = Some(Reply::parse(value)?),
                "models" => {
                    let models: Vec<Value> = array(value)?
                        .iter()
                        .map(|model| if model.is_string() { json!({ "id": model }) } else { model.clone() })
                        .collect();
                    script.models = Some(json!({ "object": "list", "data": models }));
                }
                "documents" => script.documents = object(value)?.clone().into_iter().collect(),
                "max_body" => script.max_body = Some(number(value)? as usize),
                other => return Err(ScriptError::Unknown(format!("field {other}"))),
            }
        }
        Ok(script)
    }
}

impl Reply {
    /// A stream of these steps.
    pub fn steps(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            gate: None,
            status: 200,
            headers: Vec::new(),
            body: None,
            steps: steps.into_iter().collect(),
            pace_us: 0,
        }
    }

    /// Words.
    pub fn say(text: &str) -> Self {
        Self::answer("", text, &[])
    }

    /// Calls of tools.
    pub fn call(calls: &[(&str, Value)]) -> Self {
        let calls: Vec<Call> = calls
            .iter()
            .map(|(name, arguments)| Call { id: None, name: (*name).to_owned(), arguments: arguments.to_string() })
            .collect();
        Self::answer("", "", &calls)
    }

    /// Reasoning, words and calls, in good order.
    pub fn answer(think: &str, say: &str, calls: &[Call]) -> Self {
        let mut steps = content(think, say, calls);
        steps.push(Step::end());
        Self::steps(steps)
    }

    /// As many tokens, for load.
    pub fn tokens(count: usize, per_write: usize) -> Self {
        Self::steps([Step::Tokens { count, per_write }, Step::end()])
    }

    /// A plain answer with a status and a body.
    pub fn plain(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { status, headers, body: Some(body.to_owned()), ..Self::steps([]) }
    }

    /// The same behind a gate.
    pub fn behind(self, gate: &str) -> Self {
        Self { gate: Some(gate.to_owned()), ..self }
    }

    /// The same with a pause after each write, in microseconds.
    pub fn paced(self, pace_us: u64) -> Self {
        Self { pace_us, ..self }
    }

    /// Reads a reply; see the module's header.
    pub(super) fn parse(value: &Value) -> Result<Self, ScriptError> {
        let fields = object(value)?;
        const KNOWN: [&str; 13] = [
            "say",
            "think",
            "tokens",
            "per_write",
            "calls",
            "finish",
            "usage",
            "pace_us",
            "gate",
            "status",
            "headers",
            "body",
            "steps",
        ];
        if let Some(unknown) = fields.keys().find(|field| !KNOWN.contains(&field.as_str())) {
            return Err(ScriptError::Unknown(format!("field {unknown} of a reply")));
        }
        let optional = |field: &str| fields.get(field).map_or(Ok(String::new()), |value| text_of(Some(value)));
        let mut reply = match (fields.get("steps"), fields.contains_key("status") || fields.contains_key("body")) {
            (Some(steps), _) => Self::steps(parse_steps(steps)?),
            (None, true) => Self::plain(200, &[], &optional("body")?),
            (None, false) => parse_answer(fields, &optional("think")?, &optional("say")?)?,
        };
        if let Some(status) = fields.get("status") {
            reply.status = number(status)? as u16;
        }
        if let Some(headers) = fields.get("headers") {
            for (name, value) in object(headers)? {
                reply.headers.push((name.clone(), text_of(Some(value))?));
            }
        }
        reply.gate = fields.get("gate").map(|gate| text_of(Some(gate))).transpose()?;
        reply.pace_us = fields.get("pace_us").map_or(Ok(0), number)?;
        Ok(reply)
    }
}

impl Step {
    /// One `data:` event.
    pub fn event(data: &Value) -> Self {
        Self::data(&data.to_string())
    }

    /// One `data:` event with this very text.
    pub fn data(data: &str) -> Self {
        Self::Raw(format!("data: {data}\n\n").into_bytes())
    }

    /// The good end that follows from what was said.
    pub fn end() -> Self {
        Self::End { finish: None, usage: None }
    }

    /// A chunk of `chat/completions` with this delta.
    pub fn delta(delta: &Value) -> Self {
        Self::event(
            &json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }),
        )
    }
}

/// Reasoning, words and calls; what is empty is left out.
fn content(think: &str, say: &str, calls: &[Call]) -> Vec<Step> {
    let think = Some(think).filter(|text| !text.is_empty()).map(|text| Step::Think(text.to_owned()));
    let say = Some(say).filter(|text| !text.is_empty()).map(|text| Step::Say(text.to_owned()));
    think.into_iter().chain(say).chain(calls.iter().cloned().map(Step::Call)).collect()
}

fn parse_answer(fields: &Map<String, Value>, think: &str, say: &str) -> Result<Reply, ScriptError> {
    let mut calls = Vec::new();
    for call in fields.get("calls").map_or(Ok(&[][..]), |calls| array(calls).map(Vec::as_slice))? {
        let arguments = match call.get("arguments") {
            None => "{}".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let id = call.get("id").map(|id| text_of(Some(id))).transpose()?;
        calls.push(Call { id, name: text_of(call.get("name"))?, arguments });
    }
    let mut steps = content(think, say, &calls);
    if let Some(tokens) = fields.get("tokens") {
        let (count, per_write) = (number(tokens)? as usize, fields.get("per_write").map_or(Ok(1), number)? as usize);
        steps.push(Step::Tokens { count, per_write });
    }
    let finish = fields.get("finish").map(|reason| text_of(Some(reason))).transpose()?;
    steps.push(Step::End { finish, usage: fields.get("usage").cloned() });
    Ok(Reply::steps(steps))
}

fn parse_steps(steps: &Value) -> Result<Vec<Step>, ScriptError> {
    let mut parsed = Vec::new();
    for step in array(steps)? {
        match step {
            Value::String(word) => match word.as_str() {
                "cut" => parsed.push(Step::Cut),
                "hang" => parsed.push(Step::Hang),
                "end" => return Ok(parsed),
                other => return Err(ScriptError::Unknown(format!("step {other}"))),
            },
            Value::Object(fields) => parsed.push(parse_step(fields)?),
            other => return Err(ScriptError::Unknown(format!("step {other}"))),
        }
    }
    Ok(parsed)
}

fn parse_step(fields: &Map<String, Value>) -> Result<Step, ScriptError> {
    let Some((name, value)) = fields.iter().next().filter(|_| fields.len() == 1) else {
        return Err(ScriptError::Unknown("a step has one field".to_owned()));
    };
    match name.as_str() {
        "event" => Ok(Step::event(value)),
        "raw" => Ok(Step::Raw(text_of(Some(value))?.into_bytes())),
        "hex" => Ok(Step::Raw(bytes_of(&text_of(Some(value))?)?)),
        "gate" => Ok(Step::Gate(text_of(Some(value))?)),
        "pause_ms" => Ok(Step::Pause(number(value)?)),
        other => Err(ScriptError::Unknown(format!("step {other}"))),
    }
}

fn bytes_of(hex: &str) -> Result<Vec<u8>, ScriptError> {
    let unknown = || ScriptError::Unknown(format!("hex {hex}"));
    let digits: Option<Vec<u8>> = hex.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0).ok_or_else(unknown)?;
    Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn object(value: &Value) -> Result<&Map<String, Value>, ScriptError> {
    value.as_object().ok_or_else(|| ScriptError::Unknown(format!("{value} where an object belongs")))
}

fn array(value: &Value) -> Result<&Vec<Value>, ScriptError> {
    value.as_array().ok_or_else(|| ScriptError::Unknown(format!("{value} where an array belongs")))
}

fn number(value: &Value) -> Result<u64, ScriptError> {
    value.as_u64().ok_or_else(|| ScriptError::Unknown(format!("{value} where a number belongs")))
}

fn text_of(value: Option<&Value>) -> Result<String, ScriptError> {
    let text = value.and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| ScriptError::Unknown(format!("{value:?} where a text belongs")))
}
