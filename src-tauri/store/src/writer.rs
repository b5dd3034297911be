//! The one thread that writes: it owns the write connection and commits queued jobs in groups.
//! It knows nothing of what the jobs write.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::hooks::Wal;
use tokio::sync::oneshot;

use crate::error::StoreError;
use crate::files::Files;
use crate::reply::Reply;
use crate::store::Durability;
use crate::table::contents;

/// Jobs that share one transaction at most. Bounds how long the first of them waits for the last.
const BATCH: usize = 256;

/// Pages of the write-ahead log from which on it is moved into the database as soon as nobody writes. SQLite's own
/// figure for doing so within a commit.
const WORTH_MOVING: i32 = 1000;

/// Pages from which on that waits no longer: 32 MB.
const TOO_LONG: i32 = 8192;

/// How long nobody must have written. Longer than a turn takes from one append to the next while it has work to do.
const IDLE: Duration = Duration::from_millis(100);

/// Proof that a transaction of the writer is open. Only functions that take it may change tables.
pub(crate) struct Writing<'c> {
    connection: &'c Connection,
    files: Option<&'c Files>,
}

impl<'c> Writing<'c> {
    /// Wraps a connection that no other thread can reach, such as a database in memory under construction.
    pub(crate) fn alone(connection: &'c Connection) -> Self {
        Self { connection, files: None }
    }

    /// Where contents may live as files of their own.
    pub(crate) fn files(&self) -> Option<&'c Files> {
        self.files
    }
}

impl Deref for Writing<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

/// Work for when nobody writes. Does a piece of it in a transaction, and says whether there is more.
pub(crate) type Chore = fn(&Writing<'_>) -> Result<bool, StoreError>;

/// An error that a job may end with.
pub(crate) trait WriteError: From<StoreError> + Send + 'static {
    /// Whether it says that the database is damaged.
    fn is_damage(&self) -> bool;
}

impl WriteError for StoreError {
    fn is_damage(&self) -> bool {
        matches!(self, StoreError::Damaged { .. })
    }
}

/// The queue's sending end and the thread behind it.
pub(crate) struct Writer {
    /// Taken when the writer is told to end.
    queue: Option<Sender<Box<dyn Job>>>,
    /// Joined on drop, so that the last commit is done when the store is gone.
    thread: Option<JoinHandle<bool>>,
}

impl Writer {
    /// Starts the thread on `connection` and on `files`, which it syncs with the database. `chore` is done when nobody writes;
    /// `close` runs at the end, and says whether the end was clean.
    pub(crate) fn start(
        connection: Connection,
        files: Option<Arc<Files>>,
        chore: Chore,
        close: impl FnOnce(Connection) -> bool + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (queue, jobs) = channel();
        let mut connection = connection;
        let log = Arc::new(AtomicI32::new(0));
        let pages = Arc::clone(&log);
        // This takes the place of SQLite's own checkpoints, which would make the commit that met one wait for two syncs.
        connection.wal_hook(Some(move |_: &mut Wal, length| {
            log.store(length, Ordering::Relaxed);
            Ok(())
        }))?;
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || {
                let files = files.as_deref();
                let writer = Loop {
                    connection: &connection,
                    files,
                    chore,
                    may_have_chores: true,
                    full: None,
                    sound: true,
                    pages,
                };
                let sound = writer.run(&jobs);
                let synced = files.is_none_or(|files| files.sync().is_ok());
                close(connection) && sound && synced
            })
            .map_err(|error| StoreError::io("starting the writer", &error))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Queues `work`. It runs inside a transaction, perhaps more than once, but only one run is committed.
    pub(crate) fn submit<T, E, F>(&self, durability: Durability, work: F) -> Reply<T, E>
    where
        T: Send + 'static,
        E: WriteError,
        F: FnMut(&Writing<'_>) -> Result<T, E> + Send + 'static,
    {
        let (sender, reply) = Reply::channel();
        let task = Task { durability, work, result: None, sender };
        if let Some(queue) = &self.queue {
            // When the thread is gone the job is dropped with its sender, and the reply says `Closed`.
            let _ = queue.send(Box::new(task));
        }
        reply
    }

    /// Ends the thread after the jobs that are queued; true when the end was clean.
    pub(crate) fn end(&mut self) -> bool {
        self.queue = None;
        self.thread.take().is_some_and(|thread| thread.join().unwrap_or(false))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.end();
    }
}

/// A queued job: run inside a transaction, then told how that ended.
trait Job: Send {
    fn durability(&self) -> Durability;
    /// Runs the work and keeps its result; false when it must not be committed.
    fn run(&mut self, writing: &Writing<'_>) -> bool;
    /// Whether the run met damage.
    fn met_damage(&self) -> bool;
    /// Sends the result, which a failed commit replaces.
    fn finish(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Task<T, E, F> {
    durability: Durability,
    work: F,
    result: Option<Result<T, E>>,
    sender: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Job for Task<T, E, F>
where
    T: Send,
    E: WriteError,
    F: FnMut(&Writing<'_>) -> Result<T, E> + Send,
{
    fn durability(&self) -> Durability {
        self.durability
    }

    fn run(&mut self, writing: &Writing<'_>) -> bool {
        let result = (self.work)(writing);
        let fine = result.is_ok();
        self.result = Some(result);
        fine
    }

    fn met_damage(&self) -> bool {
        matches!(&self.result, Some(Err(error)) if error.is_damage())
    }

    fn finish(self: Box<Self>, committed: Result<(), StoreError>) {
        let answer = match (self.result, committed) {
            (Some(Err(own)), _) => Err(own),
            (_, Err(error)) => Err(E::from(error)),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(E::from(StoreError::Closed)),
        };
        // Nobody may be waiting any more: the write stands all the same.
        let _ = self.sender.send(answer);
    }
}

struct Loop<'c> {
    connection: &'c Connection,
    /// Contents that are files: on the disk whenever the events that name them are.
    files: Option<&'c Files>,
    chore: Chore,
    /// Whether the last chore said that there is more, or something was written since.
    may_have_chores: bool,
    /// What `synchronous` is set to; none: not known.
    full: Option<bool>,
    /// Whether nothing looked damaged so far.
    sound: bool,
    /// Pages in the write-ahead log after the last commit.
    pages: Arc<AtomicI32>,
}

impl Loop<'_> {
    fn run(mut self, jobs: &Receiver<Box<dyn Job>>) -> bool {
        while let Some(first) = self.next(jobs) {
            let mut batch = vec![first];
            batch.extend(jobs.try_iter().take(BATCH - 1));
            self.commit(batch);
            self.may_have_chores = true;
            if let Some(files) = self.files {
                contents::settle_files(self.connection, files);
            }
        }
        self.sound
    }

    /// Waits for a job; meanwhile chores are done, files are synced, and a long write-ahead log is moved into the database.
    /// `None`: there will be no more.
    fn next(&mut self, jobs: &Receiver<Box<dyn Job>>) -> Option<Box<dyn Job>> {
        if self.pages() >= TOO_LONG {
            self.checkpoint();
        } else if self.has_idle_work() {
            match jobs.recv_timeout(IDLE) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            while self.work_while_idle() {
                match jobs.try_recv() {
                    Ok(job) => return Some(job),
                    Err(TryRecvError::Disconnected) => return None,
                    Err(TryRecvError::Empty) => {}
                }
            }
        }
        jobs.recv().ok()
    }

    fn has_idle_work(&self) -> bool {
        self.may_have_chores || self.pages() >= WORTH_MOVING || self.files.is_some_and(Files::is_unsynced)
    }

    /// Does one piece of what was left for such times; false: there was nothing, or no more can be done now.
    fn work_while_idle(&mut self) -> bool {
        if self.may_have_chores {
            self.may_have_chores = self.do_chore();
        } else if self.pages() >= WORTH_MOVING {
            self.checkpoint();
        } else {
            // What fails here is tried again, and said, at the next commit that has to be on the disk.
            let _ = self.sync_files();
            return false;
        }
        true
    }

    /// Whether there is more. What can't be written is left until something else was.
    fn do_chore(&mut self) -> bool {
        let mut has_more = false;
        let done = self.begin(false).and_then(|()| {
            has_more = (self.chore)(&self.writing())?;
            self.end(false)
        });
        self.settle(&done);
        if let Err(error) = &done {
            tracing::warn!(%error, "what is left to quiet moments could not be done");
        }
        done.is_ok() && has_more
    }

    fn pages(&self) -> i32 {
        self.pages.load(Ordering::Relaxed)
    }

    /// Moves what no reader needs any more; the rest stays for the next time. Not before the files are on the disk, as
    /// the rows that name them would be.
    fn checkpoint(&mut self) {
        self.pages.store(0, Ordering::Relaxed);
        if self.sync_files().is_err() {
            return;
        }
        let moved = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        // A full disk leaves the log as it is, and the next commit says so to whoever waits for it.
        if moved.is_err_and(|error| StoreError::from(error).is_damage()) {
            self.sound = false;
        }
    }

    fn sync_files(&self) -> Result<(), StoreError> {
        self.files.map_or(Ok(()), Files::sync)
    }

    /// One transaction for all. Where that is impossible, each job gets its own, so that none suffers from another.
    fn commit(&mut self, mut batch: Vec<Box<dyn Job>>) {
        if batch.len() > 1 && self.together(&mut batch) {
            for job in batch {
                self.sound &= !job.met_damage();
                job.finish(Ok(()));
            }
            return;
        }
        for mut job in batch {
            let committed = self.alone(job.as_mut());
            self.sound &= !job.met_damage();
            job.finish(committed);
        }
    }

    /// True when all that succeeded is committed. Otherwise nothing is.
    fn together(&mut self, batch: &mut [Box<dyn Job>]) -> bool {
        let full = batch.iter().any(|job| job.durability() == Durability::Full);
        let done = self.begin(full).and_then(|()| {
            for job in batch.iter_mut() {
                self.execute("SAVEPOINT job")?;
                if !job.run(&self.writing()) {
                    // A full disk and its like have rolled back everything already: this fails then.
                    self.execute("ROLLBACK TO job")?;
                }
                self.execute("RELEASE job")?;
            }
            self.end(full)
        });
        self.settle(&done);
        done.is_ok()
    }

    fn alone(&mut self, job: &mut dyn Job) -> Result<(), StoreError> {
        let full = job.durability() == Durability::Full;
        let done = self.begin(full).and_then(|()| if job.run(&self.writing()) { self.end(full) } else { Ok(()) });
        self.settle(&done);
        done
    }

    fn begin(&mut self, full: bool) -> Result<(), StoreError> {
        if self.full != Some(full) {
            // Not from the statement cache: this pragma takes effect when it is prepared.
            self.connection.pragma_update(None, "synchronous", if full { "FULL" } else { "NORMAL" })?;
            self.full = Some(full);
        }
        self.execute("BEGIN IMMEDIATE")
    }

    fn writing(&self) -> Writing<'_> {
        Writing { connection: self.connection, files: self.files }
    }

    fn end(&self, full: bool) -> Result<(), StoreError> {
        if full {
            self.sync_files()?;
        }
        self.execute("COMMIT")
    }

    /// Leaves no transaction open, and remembers damage.
    fn settle(&mut self, done: &Result<(), StoreError>) {
        if !self.connection.is_autocommit() && self.execute("ROLLBACK").is_err() {
            self.sound = false;
        }
        if matches!(done, Err(StoreError::Damaged { .. })) {
            self.sound = false;
        }
    }

    fn execute(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.raw_execute()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
