//! Tokens a character, as learned for each model: seeds the estimate of new conversations.
//! What a conversation itself used stands in its log.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "CREATE TABLE coefficients (model TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID;",
}];

impl Store {
    /// All learned coefficients, by model name.
    pub fn coefficients(&self) -> Result<BTreeMap<String, f64>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT model, value FROM coefficients")?;
            let pairs = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(pairs.collect::<Result<_, _>>()?)
        })
    }

    /// Sets the coefficient of a model. A value that isn't finite and positive is ignored.
    pub fn set_coefficient(&self, model: &str, value: f64) -> Reply<()> {
        let model = model.to_owned();
        self.write(Durability::Light, move |writing| {
            if value.is_finite() && value > 0.0 {
                writing.execute(
                    "INSERT INTO coefficients (model, value) VALUES (?1, ?2)
                     ON CONFLICT (model) DO UPDATE SET value = excluded.value",
                    params![model, value],
                )?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
