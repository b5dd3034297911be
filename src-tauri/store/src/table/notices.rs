//! Things that people must see first, kept until they dismiss them.
//! It doesn't word them; the front-ends do.

use assent_protocol::snapshot::Notice;

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};
use crate::words::{from_json, json};
use crate::writer::Writing;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "CREATE TABLE notices (id INTEGER PRIMARY KEY, body TEXT NOT NULL UNIQUE) STRICT;",
}];

impl Store {
    /// Notices that nobody has dismissed, oldest first.
    pub fn notices(&self) -> Result<Vec<Notice>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT body FROM notices ORDER BY id")?;
            let bodies = statement.query_map([], |row| row.get::<_, String>(0))?;
            bodies.map(|body| from_json(&body?)).collect()
        })
    }

    /// Adds a notice; one that is there already stays as it is.
    pub fn add_notice(&self, notice: Notice) -> Reply<()> {
        self.write(Durability::Full, move |writing| put(writing, &notice))
    }

    /// Removes a notice that a person has seen.
    pub fn dismiss_notice(&self, notice: Notice) -> Reply<()> {
        self.write(Durability::Full, move |writing| {
            writing.execute("DELETE FROM notices WHERE body = ?1", [json(&notice)?])?;
            Ok(())
        })
    }
}

/// Adds a notice.
pub(crate) fn put(writing: &Writing<'_>, notice: &Notice) -> Result<(), StoreError> {
    writing.execute("INSERT OR IGNORE INTO notices (body) VALUES (?1)", [json(notice)?])?;
    Ok(())
}

#[cfg(test)]
mod tests;
