//! Opening a data folder: lock, look, set aside what is damaged, migrate, start the writer.
//! It never deletes a history: what can't be used is moved, untouched, and said.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use assent_protocol::snapshot::Notice;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::files::{self, Files};
use crate::lock::{InstanceLock, Left};
use crate::migrate::{self, Migration};
use crate::readers::Readers;
use crate::store::Store;
use crate::table::{notices, search};
use crate::writer::{Chore, Writer, Writing};

/// Name of the database in its folder.
const DATABASE: &str = "assent.db";

/// Marks the file as ours: "ASNT".
const APPLICATION_ID: i32 = 0x4153_4e54;

/// How `auto_vacuum` calls "when told so".
const INCREMENTAL: i32 = 2;

/// The oldest SQLite without the bug that could damage a WAL database on a reset (fixed in 3.51.3).
const OLDEST_SQLITE: i32 = 3_051_003;

/// How connections that write are opened; none is used by two threads at once.
const WRITES: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// How long the writer waits for a lock that another program holds.
const WAIT: Duration = Duration::from_secs(5);

/// What opening found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// A damaged history that was set aside just now. It also stays as a notice until a person dismisses it.
    pub set_aside: Option<Damaged>,
    /// The schema version that was migrated from.
    pub migrated_from: Option<u32>,
}

/// A damaged database, and where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The folder with its files, as they were found.
    pub path: PathBuf,
    /// What SQLite said.
    pub message: String,
}

impl Store {
    /// Opens the history in `folder`, which is made when it is missing. Blocks; a damaged history is set aside.
    ///
    /// Fails when another process holds the folder, when a newer version wrote the database, and when the disk does.
    pub fn open(folder: &Path) -> Result<(Self, Opening), StoreError> {
        Self::open_with(folder, &migrate::steps(), false)
    }

    /// The same where a message follows at once: the write-ahead log is begun already.
    pub fn open_expecting_message(folder: &Path) -> Result<(Self, Opening), StoreError> {
        Self::open_with(folder, &migrate::steps(), true)
    }

    /// A history that lives as long as this value, on the same code.
    pub fn memory() -> Result<Self, StoreError> {
        Self::memory_with(search::advance)
    }

    pub(crate) fn memory_with(chore: Chore) -> Result<Self, StoreError> {
        check_version()?;
        let mut connection = Connection::open_in_memory()?;
        prepare(&connection)?;
        migrate::migrate(&mut connection, &migrate::steps(), None, time_stamp)?;
        Ok(Self::assemble(Writer::start(connection, None, chore, |_| true)?, None, None, None))
    }

    pub(crate) fn open_with(
        folder: &Path,
        steps: &[Migration],
        expects_message: bool,
    ) -> Result<(Self, Opening), StoreError> {
        check_version()?;
        private_folder(folder)?;
        let mut lock = InstanceLock::take(folder)?;
        let database = folder.join(DATABASE);
        let looked = look(&database, &lock.left, migrate::newest(steps));
        let readers = Readers::new(&database);
        let (connection, set_aside, found) = match looked.and_then(|looked| {
            let (connection, found) = match looked {
                Some(looked) => looked,
                None => (make(&database, steps)?, migrate::newest(steps)),
            };
            if found < migrate::newest(steps) {
                return ready(folder, steps, connection).map(|connection| (connection, found));
            }
            std::thread::scope(|scope| {
                // What is wrong for a reader is said when it reads.
                scope.spawn(|| readers.warm());
                ready(folder, steps, connection).map(|connection| (connection, found))
            })
        }) {
            Ok((connection, found)) => (connection, None, Some(found)),
            Err(StoreError::Damaged { message }) => {
                readers.close();
                let path = set_aside(folder, &time_stamp()?)?;
                let connection = ready(folder, steps, make(&database, steps)?)?;
                let notice =
                    Notice::HistoryDamaged { kept_at: path.to_string_lossy().into_owned(), message: message.clone() };
                notices::put(&Writing::alone(&connection), &notice)?;
                (connection, Some(Damaged { path, message }), None)
            }
            Err(other) => return Err(other),
        };
        if expects_message {
            begin_log(&connection, &database)?;
        }
        lock.note_history().map_err(|error| StoreError::io("writing the lock of the data folder", &error))?;
        let files = Arc::new(Files::of(folder));
        if matches!(lock.left, Left::Uncertain { .. }) {
            files.clear_unfinished();
        }
        let writer = Writer::start(connection, Some(Arc::clone(&files)), search::advance, close)?;
        let migrated_from = found.filter(|found| *found > 0 && *found < migrate::newest(steps));
        let store = Self::assemble(writer, Some(readers), Some(files), Some((lock, database)));
        Ok((store, Opening { set_aside, migrated_from }))
    }
}

/// Length and time of change of a database file: as long as they are the same, nobody wrote to it.
pub(crate) fn mark(database: &Path) -> Option<String> {
    let metadata = std::fs::metadata(database).ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {}", metadata.len(), changed.as_nanos()))
}

/// Makes a folder that only its owner can enter; one that exists stays as it is.
pub(crate) fn private_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::io(format!("making the folder {}", folder.display()), &error))
}

/// Opens a file, made when it is missing, that only its owner can read.
pub(crate) fn private_file(path: &Path) -> Result<File, StoreError> {
    let wrap = |error| StoreError::io(format!("opening {}", path.display()), &error);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(wrap)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(wrap)?;
    Ok(file)
}

/// Lets only its owner read a file that is there.
fn owner_only(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .map_err(|error| StoreError::io(format!("changing the permissions of {}", path.display()), &error))?;
    Ok(())
}

fn check_version() -> Result<(), StoreError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        let message = format!("SQLite {} is too old: 3.51.3 or newer is needed", rusqlite::version());
        return Err(StoreError::Sqlite { message });
    }
    Ok(())
}

/// Looks at the database without changing its files. Returns its version with the connection that saw it; none: there
/// is none. All of it is read when it isn't certain that it is as we left it.
fn look(database: &Path, left: &Left, known: u32) -> Result<Option<(Connection, u32)>, StoreError> {
    let length = std::fs::metadata(database).map(|metadata| metadata.len()).unwrap_or(0);
    if length == 0 {
        let orphan = std::fs::metadata(beside(database, "-wal")).is_ok_and(|wal| wal.len() > 0);
        return match left {
            _ if orphan => Err(StoreError::damaged("the database file is missing, its write-ahead log is there")),
            Left::Clean(_) | Left::Uncertain { history: true } if database.exists() => {
                Err(StoreError::damaged("the database file is empty"))
            }
            _ => Ok(None),
        };
    }
    let connection = connect(database)?;
    let found = migrate::version(&connection)?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    let untouched = matches!(left, Left::Clean(before) if mark(database).as_ref() == Some(before));
    if !untouched {
        let answer: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if answer != "ok" {
            return Err(StoreError::damaged(answer));
        }
    }
    Ok(Some((connection, found)))
}

/// A connection that leaves the files as they are when it closes: the database may not be ours to change, and one that
/// proves damaged is set aside as it is.
fn connect(database: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(database, WRITES)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.busy_timeout(WAIT)?;
    Ok(connection)
}

/// Makes a new database beside its place and moves it there whole: nobody ever finds a part of one.
fn make(database: &Path, steps: &[Migration]) -> Result<Connection, StoreError> {
    let unfinished = beside(database, "-new");
    let wrap = |error| StoreError::io(format!("making {}", database.display()), &error);
    // What a crash left of another one.
    match std::fs::remove_file(&unfinished) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(wrap(error)),
        _ => {}
    }
    let made = fill(&unfinished, steps).and_then(|()| std::fs::rename(&unfinished, database).map_err(wrap));
    if let Err(error) = made {
        // What stays is removed by the next try. Why this one failed is what matters.
        let _ = std::fs::remove_file(&unfinished);
        return Err(error);
    }
    files::sync_folder(database.parent().unwrap_or(database)).map_err(wrap)?;
    connect(database)
}

/// Fills a file with an empty history, on the disk when this returns.
fn fill(path: &Path, steps: &[Migration]) -> Result<(), StoreError> {
    let file = private_file(path)?;
    let mut connection = Connection::open_with_flags(path, WRITES)?;
    // It is synced as a whole, and nobody knows it before.
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.query_row("PRAGMA journal_mode = OFF", [], |_| Ok(()))?;
    in_header(&connection, "auto_vacuum", INCREMENTAL)?;
    in_header(&connection, "application_id", APPLICATION_ID)?;
    migrate::migrate(&mut connection, steps, None, time_stamp)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error)?;
    file.sync_all().map_err(|error| StoreError::io(format!("syncing {}", path.display()), &error))
}

/// The same connection, ready to write to a database that it brought to the newest version.
fn ready(folder: &Path, steps: &[Migration], mut connection: Connection) -> Result<Connection, StoreError> {
    // Opening the file beside the connection, and closing it, would drop the connection's locks.
    owner_only(&folder.join(DATABASE))?;
    prepare(&connection)?;
    let before = migrate::version(&connection)?;
    migrate::migrate(&mut connection, steps, Some(&folder.join("backups")), time_stamp)?;
    if before < migrate::newest(steps) {
        // Until then the database file itself may be empty.
        checkpoint(&connection)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(connection)
}

/// Settings of every connection that writes.
pub(crate) fn prepare(connection: &Connection) -> Result<(), StoreError> {
    // Takes effect on an empty database alone, and has to come before WAL.
    in_header(connection, "auto_vacuum", INCREMENTAL)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    in_header(connection, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.query_row("PRAGMA journal_size_limit = 67108864", [], |_| Ok(()))?;
    // On macOS only this reaches the disk itself; elsewhere it changes nothing.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    stable_plans(connection)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(())
}

/// Plans don't depend on bound values. They do by default, and then statements on a table with a partial index are
/// compiled anew each time a value is bound.
pub(crate) fn stable_plans(connection: &Connection) -> Result<(), StoreError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Sets a number in the database's header. One that is set already isn't set again: that alone would cost each start a
/// write with a full sync.
fn in_header(connection: &Connection, pragma: &str, value: i32) -> Result<(), StoreError> {
    let found: i32 = connection.pragma_query_value(None, pragma, |row| row.get(0))?;
    if found != value {
        connection.pragma_update(None, pragma, value)?;
    }
    Ok(())
}

/// Begins the write-ahead log, where there is none, without waiting for the disk. SQLite waits for its header by itself, and
/// for its name in the folder, before the first commit; that only matters for a log whose older pages lie under new ones.
/// What is then committed durably syncs the whole file, and its name.
fn begin_log(connection: &Connection, database: &Path) -> Result<(), StoreError> {
    if std::fs::metadata(beside(database, "-wal")).is_ok_and(|log| log.len() > 0) {
        return Ok(());
    }
    connection.pragma_update(None, "synchronous", "OFF")?;
    // The number that stands there: a write that changes nothing. What fails here fails at the first message, and is said
    // there.
    let _ = migrate::version(connection).map(|version| connection.pragma_update(None, "user_version", version));
    Ok(connection.pragma_update(None, "synchronous", "FULL")?)
}

/// Moves the whole write-ahead log into the database.
fn checkpoint(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
}

/// Runs last on the writer's thread; true when the files are in order.
fn close(connection: Connection) -> bool {
    checkpoint(&connection).is_ok() && connection.close().is_ok()
}

/// Moves the database, its companions and its contents into a folder of their own.
fn set_aside(folder: &Path, now: &str) -> Result<PathBuf, StoreError> {
    let mut target = folder.join(format!("damaged-{now}"));
    let mut number = 2;
    while target.exists() {
        target = folder.join(format!("damaged-{now}-{number}"));
        number += 1;
    }
    private_folder(&target)?;
    let database = ["", "-wal", "-shm"].map(|ending| beside(Path::new(DATABASE), ending));
    for name in database.iter().map(PathBuf::as_path).chain([Path::new(files::FOLDER)]) {
        let from = folder.join(name);
        if from.exists() {
            let what = format!("moving the damaged {} aside", from.display());
            std::fs::rename(&from, target.join(name)).map_err(|error| StoreError::io(what, &error))?;
        }
    }
    Ok(target)
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Now in UTC, fit for a file name.
pub(crate) fn time_stamp() -> Result<String, StoreError> {
    let connection = Connection::open_in_memory()?;
    Ok(connection.query_row("SELECT strftime('%Y%m%dT%H%M%SZ', 'now')", [], |row| row.get(0))?)
}

#[cfg(test)]
mod tests;
