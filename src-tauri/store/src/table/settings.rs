//! What a person set for the whole app: one row of JSON a name.
//! Keys and other secrets are never among them.

use rusqlite::OptionalExtension as _;

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::words::{from_json, json};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "CREATE TABLE settings (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;",
}];

impl Store {
    /// A setting, read as `T`; none: never set. A body that doesn't fit is an error, not a default.
    pub fn setting<T>(&self, name: &str) -> Result<Option<T>, StoreError>
    where
        T: serde::de::DeserializeOwned + Send + 'static,
    {
        let name = name.to_owned();
        self.read(move |connection| {
            let body: Option<String> = connection
                .prepare_cached("SELECT body FROM settings WHERE name = ?1")?
                .query_row([&name], |row| row.get(0))
                .optional()?;
            body.as_deref().map(from_json).transpose()
        })
    }

    /// Sets a setting.
    pub fn set_setting<T: serde::Serialize>(&self, name: &str, value: &T) -> Reply<()> {
        let (name, body) = (name.to_owned(), json(value));
        self.write(Durability::Full, move |writing| {
            writing.execute(
                "INSERT INTO settings (name, body) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
                [&name, body.as_ref().map_err(Clone::clone)?],
            )?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
