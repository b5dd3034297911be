//! What a person sets: providers, the model of a conversation, limits.
//! Keys are never part of it; they live with the host's secrets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::ProviderId;
use crate::known::ModelFacts;
use crate::permission::Mode;
use crate::price::Price;
use crate::view::Protocol;

/// The model of one conversation: all that a request needs but the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelChoice {
    /// The configured provider; none: given on the command line, or found.
    pub provider: Option<ProviderId>,
    /// Name to show.
    pub label: String,
    /// Base URL; empty for the practice model.
    pub base_url: String,
    /// Wire format.
    pub protocol: Protocol,
    /// Model name.
    pub model: String,
    /// Context window in tokens.
    pub window: u64,
    /// Tokens a character, as learned so far (spec part 4: 0.35 where unsure).
    pub coefficient: f64,
    /// Whether the model takes tools.
    pub tools: bool,
    /// Whether reasoning has to be sent back with tool calls.
    #[serde(default)]
    pub echo_reasoning: bool,
    /// Whether a message that holds nothing but calls is sent with an empty text, because its server refuses `null`.
    #[serde(default)]
    pub empty_text: bool,
    /// Whether reasoning is not asked for in the encrypted form that can be sent back, because the model refuses that.
    #[serde(default)]
    pub without_encrypted: bool,
    /// Whether the address was found, on this machine or by a key in the environment, instead of being given: the key
    /// that is meant for a given address (`ASSENT_API_KEY`) is none of its business.
    #[serde(default)]
    pub found: bool,
    /// Tokens that one answer may have at most, where that is known.
    #[serde(default)]
    pub output_limit: Option<u64>,
    /// Whether the model takes images.
    #[serde(default)]
    pub images: bool,
    /// Whether the model takes PDF documents.
    #[serde(default)]
    pub documents: bool,
    /// What its tokens cost when it was set, so that a past request's cost follows from the log alone; none: unknown.
    #[serde(default)]
    pub price: Option<Price>,
}

/// Everything `next()` needs that a person can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Limits {
    /// Model calls between two human acts.
    pub max_iterations: u32,
    /// Seconds until a connection stands.
    pub connect_s: u32,
    /// Seconds until the first byte of an answer.
    pub first_byte_s: u32,
    /// Seconds between bytes after that.
    pub idle_s: u32,
    /// Attempts before the first byte.
    pub retries: u32,
    /// Seconds a command may run where the call names no limit.
    pub command_s: u32,
    /// Millionths of a US dollar that a turn may cost before it pauses and asks, checked before each model call; none:
    /// no limit. Only known costs count: a request of unknown cost can't be held against it.
    pub money_micros: Option<u64>,
    /// Whether a conversation that has become long is summarised by itself.
    pub compact: bool,
    /// From which share of the room for a request on, in percent.
    pub compact_at: u32,
    /// Share of the window that stays as it is at least, in percent.
    pub compact_keep: u32,
    /// Messages that stay as they are at least.
    pub compact_messages: u32,
}

impl Limits {
    /// These limits after the settings' own changed from `before` to `now`: a figure that agreed with them still does, and
    /// one that was set for itself stays.
    pub fn following(self, before: Self, now: Self) -> Self {
        fn followed<T: PartialEq>(own: T, before: T, now: T) -> T {
            if own == before { now } else { own }
        }
        Self {
            max_iterations: followed(self.max_iterations, before.max_iterations, now.max_iterations),
            connect_s: followed(self.connect_s, before.connect_s, now.connect_s),
            first_byte_s: followed(self.first_byte_s, before.first_byte_s, now.first_byte_s),
            idle_s: followed(self.idle_s, before.idle_s, now.idle_s),
            retries: followed(self.retries, before.retries, now.retries),
            command_s: followed(self.command_s, before.command_s, now.command_s),
            money_micros: followed(self.money_micros, before.money_micros, now.money_micros),
            compact: followed(self.compact, before.compact, now.compact),
            compact_at: followed(self.compact_at, before.compact_at, now.compact_at),
            compact_keep: followed(self.compact_keep, before.compact_keep, now.compact_keep),
            compact_messages: followed(self.compact_messages, before.compact_messages, now.compact_messages),
        }
    }
}

impl Default for Limits {
    /// The spec's figures: ten iterations (2.2); 30, 300 and 120 s and three retries (part 3); 60 s for commands (part 5);
    /// summaries from 0.8 of the budget on, with a kept tail of 0.16 of the window and six messages (part 4).
    fn default() -> Self {
        Self {
            max_iterations: 10,
            connect_s: 30,
            first_byte_s: 300,
            idle_s: 120,
            retries: 3,
            command_s: 60,
            money_micros: None,
            compact: true,
            compact_at: 80,
            compact_keep: 16,
            compact_messages: 6,
        }
    }
}

/// A configured provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Provider {
    /// Its id.
    pub id: ProviderId,
    /// Name to show.
    pub name: String,
    /// Base URL.
    pub base_url: String,
    /// Wire format.
    pub protocol: Protocol,
    /// Models that a person picked or that the server listed.
    pub models: Vec<String>,
    /// Environment variable that may hold the key.
    pub key_variable: Option<String>,
    /// The user's own word on the context window; none: ask the server, then the data file.
    pub window: Option<u64>,
    /// Whether reasoning has to be sent back with tool calls.
    #[serde(default)]
    pub echo_reasoning: bool,
    /// Seconds until the first byte of an answer; none: as the conversation's limits have it.
    #[serde(default)]
    pub first_byte_s: Option<u32>,
    /// Seconds between bytes after that; none: as the conversation's limits have it.
    #[serde(default)]
    pub idle_s: Option<u32>,
    /// The user's own word on single models, by their names: it counts before all else, figure by figure.
    #[serde(default)]
    pub words: BTreeMap<String, ModelFacts>,
}

/// Where a provider's key is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum KeyPlace {
    /// None is kept.
    Nowhere,
    /// In the system's keychain.
    Keychain,
    /// In a file that only the owner can read.
    File,
    /// In the environment.
    Environment,
    /// The provider needs none.
    NotNeeded,
}

/// Settings of the whole app. Changes take effect at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Settings {
    /// Configured providers.
    pub providers: Vec<Provider>,
    /// Seeds new conversations.
    pub model: Option<ModelChoice>,
    /// Models that take over when a conversation's own fails, in order. Seeds new conversations.
    pub fallbacks: Vec<ModelChoice>,
    /// Seeds new conversations.
    pub mode: Mode,
    /// Seeds new conversations; others follow with their next model call, figure by figure, where nobody set their own.
    pub limits: Limits,
    /// Model calls at once over all conversations (spec: 3).
    pub global_slots: u32,
    /// Model calls at once in one conversation (spec: 2).
    pub conversation_slots: u32,
    /// Models for what is done on the side.
    #[serde(default)]
    pub asides: Asides,
    /// Colours.
    pub theme: Theme,
    /// Language of the window; none: the system's.
    pub language: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            model: None,
            fallbacks: Vec::new(),
            mode: Mode::default(),
            limits: Limits::default(),
            global_slots: 3,
            conversation_slots: 2,
            asides: Asides::default(),
            theme: Theme::System,
            language: None,
        }
    }
}

/// Which models do what is done for a conversation on the side, in the order in which they are asked. Empty: the
/// conversation's own, then its fallbacks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Asides {
    /// Whether a model names a new conversation after its first exchange.
    pub titles: bool,
    /// Models that name conversations.
    pub title: Vec<ModelChoice>,
    /// Models that summarise.
    pub compaction: Vec<ModelChoice>,
}

impl Default for Asides {
    fn default() -> Self {
        Self { titles: true, title: Vec::new(), compaction: Vec::new() }
    }
}

/// Colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// As the system.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}
