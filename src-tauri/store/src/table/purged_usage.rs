//! What conversations used that were purged: sums by quarter of an hour, model and purpose, without a trace of which
//! conversation it was. Money that was spent stays known; nothing else of them does. It isn't computed from any log.

use rusqlite::Connection;

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 2,
    sql: "
        CREATE TABLE purged_usage (
            -- Milliseconds since 1970, a multiple of 15 minutes: every time zone has its midnight on one.
            slot INTEGER NOT NULL,
            provider TEXT NOT NULL,
            model TEXT NOT NULL,
            purpose TEXT NOT NULL,
            requests INTEGER NOT NULL,
            uncounted INTEGER NOT NULL,
            unpriced INTEGER NOT NULL,
            input INTEGER,
            output INTEGER,
            cache_read INTEGER,
            cache_write INTEGER,
            reasoning INTEGER,
            cost_micros INTEGER,
            PRIMARY KEY (slot, provider, model, purpose)
        ) STRICT, WITHOUT ROWID;
    ",
}];

/// Adds the requests of a conversation to the sums. Called once, in the transaction that purges it.
pub(crate) fn keep(writing: &Writing<'_>, conversation: &str) -> Result<(), StoreError> {
    writing.execute(
        "INSERT INTO purged_usage
         SELECT ended_at - ended_at % 900000, provider, model, purpose, count(*),
             count(*) - count(coalesce(input, output, cache_read, cache_write, reasoning)),
             count(*) - count(cost_micros), sum(input), sum(output), sum(cache_read), sum(cache_write), sum(reasoning),
             sum(cost_micros)
         FROM requests WHERE conversation = ?1 AND ended_at IS NOT NULL GROUP BY 1, 2, 3, 4
         ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, uncounted = uncounted + excluded.uncounted,
             unpriced = unpriced + excluded.unpriced,
             input = coalesce(input + excluded.input, input, excluded.input),
             output = coalesce(output + excluded.output, output, excluded.output),
             cache_read = coalesce(cache_read + excluded.cache_read, cache_read, excluded.cache_read),
             cache_write = coalesce(cache_write + excluded.cache_write, cache_write, excluded.cache_write),
             reasoning = coalesce(reasoning + excluded.reasoning, reasoning, excluded.reasoning),
             cost_micros = coalesce(cost_micros + excluded.cost_micros, cost_micros, excluded.cost_micros)",
        [conversation],
    )?;
    Ok(())
}

/// Columns of a sum as `usage` reads them, from `from` up to and without `to`.
pub(crate) fn rows<'a>(connection: &'a Connection) -> Result<rusqlite::CachedStatement<'a>, StoreError> {
    Ok(connection.prepare_cached(
        "SELECT slot, provider, model, purpose, NULL, requests, uncounted, unpriced, input, output, cache_read,
             cache_write, reasoning, cost_micros
         FROM purged_usage WHERE slot >= ?1 AND slot < ?2",
    )?)
}
