//! What requests used, summed for people: over a span of days, and of one conversation.
//! It takes days as they are given, and adds nothing that nobody told.

use std::collections::BTreeMap;

use assent_protocol::event::Purpose;
use assent_protocol::ids::{ConversationId, RequestId};
use assent_protocol::usage::{
    UsageOfConversation, UsageOfDay, UsageOfModel, UsageOfPurpose, UsageOfRequest, UsageReport, UsageTotals, UsedModel,
};
use assent_protocol::view::Usage;
use rusqlite::{Connection, Row, params};

use crate::error::StoreError;
use crate::store::Store;
use crate::table::purged_usage;
use crate::words::from_word;

/// One request as a row of sums, as [`read`] takes it. A sub-agent's counts under the conversation that it works for.
const ONE: &str = "ended_at, provider, model, purpose,
    coalesce((SELECT parent FROM conversations WHERE id = requests.conversation), conversation), 1,
    coalesce(input, output, cache_read, cache_write, reasoning) IS NULL, cost_micros IS NULL,
    input, output, cache_read, cache_write, reasoning, cost_micros";

impl Store {
    /// What was used from the first of `bounds` to before the last. Each bound begins a day, in milliseconds since 1970;
    /// they ascend. Deleted conversations count, purged ones as far as their sums go; what came from a file doesn't. Looks at
    /// every request of the span.
    pub fn usage(&self, bounds: &[i64]) -> Result<UsageReport, StoreError> {
        let bounds = bounds.to_vec();
        self.read(move |connection| {
            let (Some(from), Some(to)) = (bounds.first(), bounds.last()) else { return Ok(UsageReport::default()) };
            let mut sums = Sums::default();
            let sql = format!(
                "SELECT {ONE} FROM requests WHERE ended_at >= ?1 AND ended_at < ?2
                     AND NOT EXISTS (SELECT 1 FROM imported i WHERE i.conversation = requests.conversation)"
            );
            for mut statement in [connection.prepare_cached(&sql)?, purged_usage::rows(connection)?] {
                let mut rows = statement.query(params![from, to])?;
                while let Some(row) = rows.next()? {
                    sums.add(&bounds, &read(row)?);
                }
            }
            sums.report(connection)
        })
    }

    /// What a conversation used so far, with its sub-agents.
    pub fn usage_of(&self, conversation: &ConversationId) -> Result<UsageTotals, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            let sql = format!(
                "SELECT {ONE} FROM requests WHERE ended_at IS NOT NULL
                     AND (conversation = ?1 OR conversation IN (SELECT id FROM conversations WHERE parent = ?1))"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([conversation.as_str()])?;
            let mut totals = UsageTotals::default();
            while let Some(row) = rows.next()? {
                totals.add(&read(row)?.totals);
            }
            Ok(totals)
        })
    }

    /// The newest `limit` requests of a conversation that have ended, newest first.
    pub fn usage_requests(&self, conversation: &ConversationId, limit: u32) -> Result<Vec<UsageOfRequest>, StoreError> {
        let conversation = conversation.clone();
        self.read(move |connection| {
            let sql = format!(
                "SELECT {ONE}, request FROM requests WHERE conversation = ?1 AND ended_at IS NOT NULL
                 ORDER BY ended_at DESC, seq DESC LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![conversation.as_str(), limit])?;
            let mut out = Vec::new();
            while let Some(row) = rows.next()? {
                let Used { at, model, purpose, totals, .. } = read(row)?;
                let request = RequestId::new(row.get::<_, String>(14)?);
                let UsageTotals { usage, cost_micros, .. } = totals;
                out.push(UsageOfRequest { request, purpose, model, ended_at: at, usage, cost_micros });
            }
            Ok(out)
        })
    }
}

/// A row: one request, or a sum of purged ones.
struct Used {
    at: i64,
    model: UsedModel,
    purpose: Purpose,
    /// None: it is purged.
    conversation: Option<String>,
    totals: UsageTotals,
}

fn read(row: &Row<'_>) -> Result<Used, StoreError> {
    Ok(Used {
        at: row.get(0)?,
        model: UsedModel { provider: row.get(1)?, model: row.get(2)? },
        purpose: from_word(&row.get::<_, String>(3)?)?,
        conversation: row.get(4)?,
        totals: UsageTotals {
            requests: row.get(5)?,
            uncounted: row.get(6)?,
            unpriced: row.get(7)?,
            usage: Usage {
                input: row.get(8)?,
                output: row.get(9)?,
                cache_read: row.get(10)?,
                cache_write: row.get(11)?,
                reasoning: row.get(12)?,
            },
            cost_micros: row.get(13)?,
        },
    })
}

/// Everything that is summed at once.
#[derive(Default)]
struct Sums {
    total: UsageTotals,
    days: BTreeMap<(u32, UsedModel), UsageTotals>,
    models: BTreeMap<UsedModel, UsageTotals>,
    /// By the purpose's position, which has no order of its own.
    purposes: Vec<UsageOfPurpose>,
    conversations: BTreeMap<String, UsageTotals>,
    purged: UsageTotals,
}

impl Sums {
    fn add(&mut self, bounds: &[i64], used: &Used) {
        let after = bounds.partition_point(|bound| *bound <= used.at);
        let day = u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX);
        self.total.add(&used.totals);
        self.days.entry((day, used.model.clone())).or_default().add(&used.totals);
        self.models.entry(used.model.clone()).or_default().add(&used.totals);
        match self.purposes.iter_mut().find(|known| known.purpose == used.purpose) {
            Some(known) => known.totals.add(&used.totals),
            None => self.purposes.push(UsageOfPurpose { purpose: used.purpose, totals: used.totals }),
        }
        match &used.conversation {
            Some(conversation) => self.conversations.entry(conversation.clone()).or_default().add(&used.totals),
            None => self.purged.add(&used.totals),
        }
    }

    fn report(self, connection: &Connection) -> Result<UsageReport, StoreError> {
        let Self { total, days, models, mut purposes, conversations, purged } = self;
        let days = days.into_iter().map(|((day, model), totals)| UsageOfDay { day, model, totals }).collect();
        let mut models: Vec<_> = models.into_iter().map(|(model, totals)| UsageOfModel { model, totals }).collect();
        models.sort_by_key(|one| dearest(&one.totals));
        purposes.sort_by_key(|one| dearest(&one.totals));
        let mut named = Vec::with_capacity(conversations.len());
        for (id, totals) in conversations {
            let (title, deleted) = title(connection, &id)?;
            named.push(UsageOfConversation { conversation: ConversationId::new(id), title, deleted, totals });
        }
        named.sort_by_key(|one| dearest(&one.totals));
        Ok(UsageReport { total, days, models, purposes, conversations: named, purged })
    }
}

fn title(connection: &Connection, conversation: &str) -> Result<(String, bool), StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT title, EXISTS (SELECT 1 FROM deletions d WHERE d.conversation = c.id) FROM conversations c WHERE id = ?1",
    )?;
    Ok(statement.query_row([conversation], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Orders by known cost, then by tokens, the largest first.
fn dearest(totals: &UsageTotals) -> std::cmp::Reverse<(Option<u64>, u64)> {
    let Usage { input, output, cache_read, cache_write, .. } = totals.usage;
    let tokens = [input, output, cache_read, cache_write].into_iter().flatten().fold(0, u64::saturating_add);
    std::cmp::Reverse((totals.cost_micros, tokens))
}

#[cfg(test)]
mod tests;
