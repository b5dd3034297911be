//! Tests of opening: fresh, again, locked, newer, damaged, and what is private.
//! The statements of the tables are tested elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use assent_protocol::snapshot::Notice;
use rusqlite::Connection;

use super::*;
use crate::tests::{append, begin, check_whole, chunk, end, id, proposing, user};

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("数据 with spaces");
    (folder, inner)
}

/// A history with some pages of content, closed in order.
fn closed_history(folder: &Path) {
    let (store, _) = Store::open(folder).unwrap();
    begin(&store, "a");
    for number in 0..200 {
        append(&store, "a", vec![user("a", &format!("{number} {}", "text ".repeat(200)))]);
    }
}

fn overwrite(path: &Path, offset: usize, length: usize) {
    let mut bytes = fs::read(path).unwrap();
    // Not random, so that a failure repeats; no page of SQLite looks like it.
    for (index, byte) in bytes[offset..offset + length].iter_mut().enumerate() {
        *byte = (index as u32).wrapping_mul(2_654_435_761).to_le_bytes()[2] | 1;
    }
    fs::write(path, bytes).unwrap();
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name() != "lock")
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_history_is_there_again_after_it_was_closed() {
    let (_keep, folder) = folder();
    let (store, opening) = Store::open(&folder).unwrap();
    assert_eq!(opening, Opening { set_aside: None, migrated_from: None });
    begin(&store, "a");
    append(&store, "a", vec![proposing("m", &[]), end()]);
    let events = store.events(&id("a"), 0, 100).unwrap();
    let rows = store.rows().unwrap();
    drop(store);
    assert_eq!(files(&folder).iter().map(|file| file.0.as_str()).collect::<Vec<_>>(), ["assent.db"]);
    let (store, opening) = Store::open(&folder).unwrap();
    assert_eq!(opening, Opening { set_aside: None, migrated_from: None });
    assert_eq!(store.events(&id("a"), 0, 100).unwrap(), events);
    assert_eq!(store.rows().unwrap(), rows);
    check_whole(&store);
}

#[test]
fn p58_a_second_opening_is_refused_and_names_the_first() {
    let (_keep, folder) = folder();
    let (store, _) = Store::open(&folder).unwrap();
    begin(&store, "a");
    let before = files(&folder);
    let Err(StoreError::InUse { holder }) = Store::open(&folder) else { panic!("opened twice") };
    assert!(holder.contains(&std::process::id().to_string()), "{holder}");
    assert_eq!(files(&folder), before);
    drop(store);
    Store::open(&folder).unwrap();
}

#[test]
fn a_newer_database_is_refused_byte_identical() {
    let (_keep, folder) = folder();
    closed_history(&folder);
    let connection = Connection::open(folder.join(DATABASE)).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    connection.execute_batch("CREATE TABLE of_tomorrow (x) STRICT").unwrap_err();
    connection.execute_batch("CREATE TABLE of_tomorrow (x TEXT) STRICT").unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    drop(connection);
    let before = files(&folder);
    assert!(before.iter().any(|(name, bytes)| name == "assent.db-wal" && !bytes.is_empty()), "the log is hot");
    for _ in 0..2 {
        assert_eq!(
            Store::open(&folder).err(),
            Some(StoreError::Newer { found: 99, known: migrate::newest(&migrate::steps()) })
        );
        let after = files(&folder);
        for file in before.iter().filter(|file| !file.0.ends_with("-shm")) {
            assert!(after.contains(file), "{} changed", file.0);
        }
    }
}

#[test]
fn p59_a_damaged_page_is_seen_set_aside_and_said() {
    for offset in [0, 4096, 8 * 4096, 40 * 4096] {
        let (_keep, folder) = folder();
        closed_history(&folder);
        overwrite(&folder.join(DATABASE), offset, 4096);
        let damaged = fs::read(folder.join(DATABASE)).unwrap();
        let (store, opening) = Store::open(&folder).unwrap();
        let aside = opening.set_aside.unwrap_or_else(|| panic!("damage at {offset} went unseen"));
        assert_eq!(fs::read(aside.path.join(DATABASE)).unwrap(), damaged, "kept as it was found");
        assert!(!aside.message.is_empty());
        let notice =
            Notice::HistoryDamaged { kept_at: aside.path.to_string_lossy().into_owned(), message: aside.message };
        assert_eq!(store.notices().unwrap(), vec![notice.clone()]);
        begin(&store, "new");
        drop(store);
        let (store, opening) = Store::open(&folder).unwrap();
        assert_eq!(opening.set_aside, None);
        assert_eq!(store.notices().unwrap(), vec![notice.clone()], "it stays until it is dismissed");
        store.dismiss_notice(notice).wait().unwrap();
        assert_eq!(store.notices().unwrap(), Vec::new());
        assert_eq!(store.rows().unwrap().len(), 1);
    }
}

#[test]
fn p59_a_truncated_or_foreign_file_is_damage_too() {
    for content in
        [&b""[..], b"SQLite format 3\0", b"this is a letter, not a database; it is longer than a header ........"]
    {
        let (_keep, folder) = folder();
        closed_history(&folder);
        fs::write(folder.join(DATABASE), content).unwrap();
        let (store, opening) = Store::open(&folder).unwrap();
        let aside = opening.set_aside.unwrap();
        assert_eq!(fs::read(aside.path.join(DATABASE)).unwrap(), content);
        assert_eq!(store.notices().unwrap().len(), 1);
    }
}

#[test]
fn damage_that_is_met_while_running_is_looked_for_at_the_next_start() {
    let (_keep, folder) = folder();
    closed_history(&folder);
    let (store, opening) = Store::open(&folder).unwrap();
    assert_eq!(opening.set_aside, None);
    // Behind the store's back, so that neither length nor time of the file tell of it afterwards.
    let length = fs::metadata(folder.join(DATABASE)).unwrap().len() as usize;
    overwrite(&folder.join(DATABASE), 4096, length - 4096);
    let error = store.fold_events(&id("a")).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    drop(store);
    let (_store, opening) = Store::open(&folder).unwrap();
    assert!(opening.set_aside.is_some());
}

#[test]
fn a_log_without_its_database_is_kept() {
    let (_keep, folder) = folder();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("assent.db-wal"), b"some pages").unwrap();
    let (_store, opening) = Store::open(&folder).unwrap();
    let aside = opening.set_aside.unwrap();
    assert_eq!(fs::read(aside.path.join("assent.db-wal")).unwrap(), b"some pages");
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_the_history() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_keep, folder) = folder();
    let (store, _) = Store::open(&folder).unwrap();
    begin(&store, "a");
    append(&store, "a", vec![chunk("r", "x")]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn the_bundled_sqlite_is_new_enough() {
    assert!(rusqlite::version_number() >= OLDEST_SQLITE);
    assert_eq!(check_version(), Ok(()));
}

#[test]
fn the_files_are_set_up_as_promised() {
    let (_keep, folder) = folder();
    let (store, _) = Store::open(&folder).unwrap();
    let settings = store
        .write::<_, StoreError, _>(crate::Durability::Full, |writing| {
            let pragma = |name: &str| writing.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, String>(0));
            let number = |name: &str| writing.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
            Ok((
                pragma("journal_mode")?,
                number("foreign_keys")?,
                number("synchronous")?,
                number("busy_timeout")?,
                number("auto_vacuum")?,
                number("application_id")?,
            ))
        })
        .wait()
        .unwrap();
    assert_eq!(settings, ("wal".to_owned(), 1, 2, 5000, 2, i64::from(APPLICATION_ID)));
    let strict: Vec<(String, bool)> = store
        .read(|connection| {
            let mut statement = connection.prepare(
                "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            )?;
            let tables = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(tables.collect::<Result<_, _>>()?)
        })
        .unwrap();
    assert!(strict.len() >= 15 && strict.iter().all(|(_, strict)| *strict), "{strict:?}");
    let refused = store.read(|connection| Ok(connection.execute("DELETE FROM settings", [])?));
    assert_eq!(refused, Err(StoreError::ReadOnly));
}

#[test]
fn a_new_history_takes_its_place_whole() {
    let (_keep, folder) = folder();
    fs::create_dir(&folder).unwrap();
    // What a kill in the midst of making one leaves.
    fs::write(folder.join("assent.db-new"), b"SQLite format 3\0 and no more").unwrap();
    let (store, opening) = Store::open(&folder).unwrap();
    assert_eq!(opening, Opening { set_aside: None, migrated_from: None });
    begin(&store, "a");
    check_whole(&store);
    drop(store);
    assert_eq!(files(&folder).iter().map(|file| file.0.as_str()).collect::<Vec<_>>(), ["assent.db"]);
}

#[test]
fn a_history_that_cannot_be_made_leaves_no_part_of_one() {
    let (_keep, folder) = folder();
    let steps = [Migration { version: 1, sql: "CREATE TABLE half (x TEXT) STRICT; CREATE TABLE half (x TEXT) STRICT" }];
    let error = Store::open_with(&folder, &steps, false).err().unwrap();
    assert!(matches!(&error, StoreError::Sqlite { message } if message.contains("half")), "{error:?}");
    assert_eq!(files(&folder), Vec::new());
    let (store, opening) = Store::open(&folder).unwrap();
    assert_eq!(opening, Opening { set_aside: None, migrated_from: None });
    check_whole(&store);
}

#[test]
fn a_message_that_is_expected_and_never_comes_changes_nothing() {
    let (_keep, folder) = folder();
    closed_history(&folder);
    let (store, _) = Store::open_expecting_message(&folder).unwrap();
    let events = store.events(&id("a"), 0, 1000).unwrap();
    assert!(fs::metadata(folder.join("assent.db-wal")).unwrap().len() > 0, "the log is begun");
    drop(store);
    let (store, opening) = Store::open(&folder).unwrap();
    assert_eq!(opening, Opening { set_aside: None, migrated_from: None });
    assert_eq!(store.events(&id("a"), 0, 1000).unwrap(), events);
    check_whole(&store);
}
