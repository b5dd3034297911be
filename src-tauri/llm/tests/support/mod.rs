//! What the tests of providers share: a question, and what came of asking it.
//! Starts no server.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use assent_llm::{Finish, Model as _, ModelCall, ModelFailure, ModelItem, Provider, ProviderConfig, Timeouts};
use assent_protocol::view::{ModelView, Protocol, ToolChoice, ViewMessage};
use futures_util::StreamExt as _;
use tokio_util::sync::CancellationToken;

/// A key that must never be found anywhere.
pub const KEY: &str = "sk-canary-0123456789abcdef";

/// Limits that no test should reach.
pub const LONG: Timeouts =
    Timeouts { connect: Duration::from_secs(20), first_byte: Duration::from_secs(20), idle: Duration::from_secs(20) };

/// A question.
pub fn view() -> ModelView {
    ModelView {
        model: "tiny".into(),
        epoch: 0,
        system: "s".into(),
        tools: "[]".into(),
        messages: vec![Arc::new(ViewMessage::user("hi"))],
        tool_choice: ToolChoice::Auto,
        contents: Default::default(),
    }
}

/// A provider without a key.
pub fn of(protocol: Protocol, base_url: &str) -> Provider {
    Provider::new(ProviderConfig::new(protocol, base_url)).unwrap()
}

/// The question as a call.
pub fn call(provider: &Provider, timeouts: Timeouts) -> ModelCall {
    call_for(provider, view(), timeouts)
}

fn call_for(provider: &Provider, view: ModelView, timeouts: Timeouts) -> ModelCall {
    let body = provider.body(&view, None);
    ModelCall { body, view: Arc::new(view), cancel: CancellationToken::new(), timeouts }
}

/// What came of a call.
#[derive(Debug, Default)]
pub struct Got {
    pub items: Vec<ModelItem>,
    pub text: String,
    pub reasoning: String,
}

impl Got {
    pub fn finish(&self) -> &Finish {
        match self.items.last() {
            Some(ModelItem::Finished(finish)) => finish,
            other => panic!("ended with {other:?}"),
        }
    }

    pub fn failure(&self) -> &ModelFailure {
        match self.items.last() {
            Some(ModelItem::Failed(failure)) => failure,
            other => panic!("ended with {other:?}"),
        }
    }
}

/// Asks the question with these limits.
pub async fn ask_with(provider: &Provider, timeouts: Timeouts) -> Got {
    listen(provider, call(provider, timeouts)).await
}

/// Asks for what comes after these messages.
pub async fn ask_view(provider: &Provider, view: ModelView) -> Got {
    listen(provider, call_for(provider, view, LONG)).await
}

async fn listen(provider: &Provider, call: ModelCall) -> Got {
    let mut stream = provider.stream(call);
    let mut got = Got::default();
    while let Some(items) = stream.next().await {
        for item in items {
            let is_final = |item: &ModelItem| matches!(item, ModelItem::Finished(_) | ModelItem::Failed(_));
            assert!(!got.items.iter().any(is_final), "{item:?} after the final item");
            if let ModelItem::Text(text) = &item {
                got.text.push_str(text);
            }
            if let ModelItem::Reasoning(text) = &item {
                got.reasoning.push_str(text);
            }
            got.items.push(item);
        }
    }
    got
}

/// Asks the question.
pub async fn ask(provider: &Provider) -> Got {
    ask_with(provider, LONG).await
}
