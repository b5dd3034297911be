//! Schema versions: forward only, one transaction for all that is missing, a copy of the database before it.
//! A database of a newer version is not touched. What the versions contain stands with the tables.

use std::path::Path;

use rusqlite::Connection;

use crate::error::StoreError;
use crate::table;

/// One step of one table. All steps of a version are applied together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    /// The schema version that the step belongs to, from 1.
    pub(crate) version: u32,
    /// What it does.
    pub(crate) sql: &'static str,
}

/// All steps of this version and before at once, for a database that is new. Taken from what the steps make, statement by
/// statement; a test compares.
const WHOLE: Migration = Migration { version: 8, sql: include_str!("migrate/whole.sql") };

/// Copies kept in `backups/`; older ones go when a new one is made.
const BACKUPS_KEPT: usize = 3;

/// All steps, oldest version first; within a version in the order of the tables, which refer only backwards.
pub(crate) fn steps() -> Vec<Migration> {
    let mut steps: Vec<Migration> = table::MIGRATIONS.iter().flat_map(|steps| steps.iter().copied()).collect();
    steps.sort_by_key(|step| step.version);
    steps
}

/// The newest version among `steps`.
pub(crate) fn newest(steps: &[Migration]) -> u32 {
    steps.iter().map(|step| step.version).max().unwrap_or(0)
}

/// The schema version of a database; 0: empty.
pub(crate) fn version(connection: &Connection) -> Result<u32, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Brings the database to the newest of `steps`. An existing database is copied into `backups` first.
pub(crate) fn migrate(
    connection: &mut Connection,
    steps: &[Migration],
    backups: Option<&Path>,
    now: impl FnOnce() -> Result<String, StoreError>,
) -> Result<(), StoreError> {
    let found = version(connection)?;
    let known = newest(steps);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    if found == known {
        return Ok(());
    }
    if let (Some(folder), true) = (backups, found > 0) {
        back_up(connection, folder, &format!("assent-v{found}-{}.db", now()?))?;
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)?;
    let mut reached = found;
    if found == 0 && known >= WHOLE.version {
        transaction.execute_batch(WHOLE.sql)?;
        reached = WHOLE.version;
    }
    for step in steps.iter().filter(|step| step.version > reached) {
        transaction.execute_batch(step.sql)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

fn back_up(connection: &Connection, folder: &Path, name: &str) -> Result<(), StoreError> {
    let wrap = |error: std::io::Error| StoreError::io("making a copy of the database before its migration", &error);
    crate::open::private_folder(folder)?;
    let target = folder.join(name);
    connection.execute("VACUUM INTO ?1", [target.to_string_lossy()])?;
    let copy = crate::open::private_file(&target)?;
    copy.sync_all().map_err(wrap)?;
    let mut copies: Vec<_> = std::fs::read_dir(folder)
        .and_then(|entries| entries.collect::<Result<Vec<_>, _>>())
        .map_err(wrap)?
        .into_iter()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("assent-v"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    copies.sort();
    let surplus = copies.len().saturating_sub(BACKUPS_KEPT);
    for (_, path) in copies.iter().take(surplus) {
        std::fs::remove_file(path).map_err(wrap)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
