//! Tests of migrations: in order, all or nothing, after a copy, never backwards.
//! The real steps are applied by every other test.

use super::*;
use crate::Store;
use crate::tests::{begin, check_whole, id};

fn with_next(sql: &'static str) -> Vec<Migration> {
    let mut steps = steps();
    steps.push(Migration { version: newest(&steps) + 1, sql });
    steps
}

fn copies(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder.join("backups"));
    let mut paths: Vec<_> =
        entries.map(|entries| entries.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default();
    paths.sort();
    paths
}

#[test]
fn a_migration_keeps_a_copy_of_what_was_before() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let events = store.events(&id("a"), 0, 10).unwrap();
    drop(store);
    assert_eq!(copies(folder.path()), Vec::<std::path::PathBuf>::new(), "a new database needs none");
    let steps = with_next("ALTER TABLE drafts ADD COLUMN mood TEXT");
    let (store, opening) = Store::open_with(folder.path(), &steps, false).unwrap();
    let before = newest(&crate::migrate::steps());
    assert_eq!(opening.migrated_from, Some(before));
    assert_eq!(store.events(&id("a"), 0, 10).unwrap(), events);
    store.save_draft(&id("a"), "x").wait().unwrap();
    let [copy] = &copies(folder.path())[..] else { panic!("one copy") };
    let copy = Connection::open(copy).unwrap();
    assert_eq!(version(&copy), Ok(before));
    let kept: i64 = copy.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap();
    assert_eq!(kept as usize, events.len());
    drop(store);
    let newer = StoreError::Newer { found: before + 1, known: before };
    assert_eq!(Store::open(folder.path()).err(), Some(newer), "it went back");
    assert_eq!(copies(folder.path()).len(), 1);
}

#[test]
fn a_failing_migration_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    drop(store);
    let steps = with_next("CREATE TABLE half (x TEXT) STRICT; CREATE TABLE half (x TEXT) STRICT");
    let error = Store::open_with(folder.path(), &steps, false).err().unwrap();
    assert!(matches!(&error, StoreError::Sqlite { message } if message.contains("half")), "{error:?}");
    let (store, opening) = Store::open(folder.path()).unwrap();
    assert_eq!((opening.set_aside, opening.migrated_from), (None, None));
    let half = "SELECT count(*) FROM sqlite_schema WHERE name = 'half'";
    assert_eq!(store.read(move |connection| Ok(connection.query_row(half, [], |row| row.get::<_, i64>(0))?)), Ok(0));
    check_whole(&store);
}

#[test]
fn only_the_newest_copies_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let backups = folder.path().join("backups");
    let connection = Connection::open(folder.path().join("x.db")).unwrap();
    for number in 0..6 {
        back_up(&connection, &backups, &format!("assent-v1-{number}.db")).unwrap();
    }
    std::fs::write(backups.join("mine.db"), b"not ours").unwrap();
    back_up(&connection, &backups, "assent-v1-6.db").unwrap();
    let names: Vec<_> = copies(folder.path()).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["assent-v1-4.db", "assent-v1-5.db", "assent-v1-6.db", "mine.db"]);
}

#[test]
fn versions_begin_at_one_and_leave_none_out() {
    let versions: std::collections::BTreeSet<u32> = steps().iter().map(|step| step.version).collect();
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), (1..=newest(&steps())).collect::<Vec<_>>());
}

/// What a database holds: its schema, and the rows of its tables.
fn all_of(connection: &Connection) -> Vec<(String, String, Option<String>, i64)> {
    let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name, type").unwrap();
    let parts = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    parts
        .map(|part| {
            let (kind, name, sql): (String, String, Option<String>) = part.unwrap();
            let count = format!("SELECT count(*) FROM {name}");
            let rows = if kind == "table" { connection.query_row(&count, [], |row| row.get(0)).unwrap() } else { 0 };
            (kind, name, sql, rows)
        })
        .collect()
}

#[test]
fn a_new_database_is_what_all_steps_make_of_an_empty_one() {
    let stepwise = Connection::open_in_memory().unwrap();
    for step in steps() {
        stepwise.execute_batch(step.sql).unwrap();
    }
    // What belongs to the index itself is made with it, and automatic indexes with their tables.
    let mut statement = stepwise
        .prepare(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'search_index_*' ORDER BY rowid",
        )
        .unwrap();
    let statements = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let whole: String = statements.map(|sql| format!("{};\n", sql.unwrap())).collect();
    expect_test::expect_file!["whole.sql"].assert_eq(&whole);
    assert_eq!(WHOLE.version, newest(&steps()), "the text is of the newest version");
    let at_once = Connection::open_in_memory().unwrap();
    at_once.execute_batch(WHOLE.sql).unwrap();
    assert_eq!(all_of(&at_once), all_of(&stepwise));
}
