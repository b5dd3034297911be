//! What requests used and what that cost: sums by day, model, purpose and conversation, for people.
//! It reads nothing: the store sums what the log says.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event::Purpose;
use crate::ids::{ConversationId, RequestId};
use crate::view::Usage;

/// A sum over requests that have ended, well or not. Figures are sums of what is known: what nobody told is counted
/// apart and never taken for zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct UsageTotals {
    /// Requests.
    pub requests: u64,
    /// Those among them whose tokens nobody told: they failed, were stopped, or the provider doesn't count.
    pub uncounted: u64,
    /// Those among them whose cost is unknown: uncounted ones, and those of models whose price isn't known.
    pub unpriced: u64,
    /// Tokens; a figure that no request told is none.
    pub usage: Usage,
    /// Millionths of a US dollar; none: no request's cost is known.
    pub cost_micros: Option<u64>,
}

impl UsageTotals {
    /// Adds what is known to what is known.
    pub fn add(&mut self, more: &Self) {
        self.requests = self.requests.saturating_add(more.requests);
        self.uncounted = self.uncounted.saturating_add(more.uncounted);
        self.unpriced = self.unpriced.saturating_add(more.unpriced);
        let pairs = [
            (&mut self.usage.input, more.usage.input),
            (&mut self.usage.output, more.usage.output),
            (&mut self.usage.cache_read, more.usage.cache_read),
            (&mut self.usage.cache_write, more.usage.cache_write),
            (&mut self.usage.reasoning, more.usage.reasoning),
            (&mut self.cost_micros, more.cost_micros),
        ];
        for (sum, more) in pairs {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0).saturating_add(more));
            }
        }
    }
}

/// What was used in a span of days.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct UsageReport {
    /// All of it.
    pub total: UsageTotals,
    /// By day and model, in the order of days; a day without requests is left out.
    pub days: Vec<UsageOfDay>,
    /// By model, the dearest first.
    pub models: Vec<UsageOfModel>,
    /// By purpose, the dearest first.
    pub purposes: Vec<UsageOfPurpose>,
    /// By conversation, the dearest first.
    pub conversations: Vec<UsageOfConversation>,
    /// What conversations used that were deleted for good; it is in the other sums too.
    pub purged: UsageTotals,
}

/// One model on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UsageOfDay {
    /// Position of the day among those that were asked for, from 0.
    pub day: u32,
    /// The model.
    pub model: UsedModel,
    /// Its sum.
    pub totals: UsageTotals,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UsageOfModel {
    /// The model.
    pub model: UsedModel,
    /// Its sum.
    pub totals: UsageTotals,
}

/// One purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UsageOfPurpose {
    /// The purpose.
    pub purpose: Purpose,
    /// Its sum.
    pub totals: UsageTotals,
}

/// One conversation that is still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UsageOfConversation {
    /// The conversation.
    pub conversation: ConversationId,
    /// Its title; empty while it has none.
    pub title: String,
    /// Whether it is deleted and can still be restored: then it can't be opened.
    pub deleted: bool,
    /// Its sum.
    pub totals: UsageTotals,
}

/// A model as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
pub struct UsedModel {
    /// The provider's name at that time; empty where only the usage is known.
    pub provider: String,
    /// Model name; empty where only the usage is known.
    pub model: String,
}

/// One request of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UsageOfRequest {
    /// The request.
    pub request: RequestId,
    /// What for.
    pub purpose: Purpose,
    /// Which model.
    pub model: UsedModel,
    /// When it ended: milliseconds since 1970.
    pub ended_at: i64,
    /// Tokens; all none: nobody told.
    pub usage: Usage,
    /// Millionths of a US dollar; none: unknown.
    pub cost_micros: Option<u64>,
}
