//! Tests of the writer: groups, one failing job among many, failures of the disk at every step, an orderly end.
//! They use the store's own jobs where these can show it, and bare ones elsewhere.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;

use super::*;
use crate::tests::{
    Write, append, approve, ask, begin, call, check_whole, chunk, dont_wait_for_locks, id, result, user,
};
use crate::{Content, Store};
use assent_protocol::event::Payload;
use assent_protocol::tool::Outcome;

fn on_disk() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    (folder, store)
}

/// Holds the writer inside a job until the returned end is dropped, so that what follows queues up.
fn hold(store: &Store) -> std::sync::mpsc::SyncSender<()> {
    let (release, held) = sync_channel::<()>(0);
    let held = std::sync::Mutex::new(held);
    let (entered, wait) = sync_channel::<()>(1);
    drop(store.write::<_, StoreError, _>(Durability::Light, move |_| {
        let _ = entered.send(());
        let _ = held.lock().unwrap().recv();
        Ok(())
    }));
    wait.recv().unwrap();
    release
}

fn commits(store: &Store) -> u64 {
    // Every commit moves the counter that SQLite keeps for other connections' caches.
    store.read(|connection| Ok(connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)).unwrap()
}

#[test]
fn queued_jobs_share_one_commit_and_a_failing_one_harms_none() {
    let (_folder, store) = on_disk();
    begin(&store, "a");
    // Nothing is left that the writer would do by itself.
    while store.index_more().wait().unwrap() {}
    let before = commits(&store);
    let release = hold(&store);
    let replies: Vec<_> = (0..100)
        .map(|number| {
            let payloads = if number % 10 == 3 {
                vec![user("a", "half"), result("nobody", Outcome::Ok, None)]
            } else {
                vec![chunk("r", &number.to_string())]
            };
            store.append(&id("a"), 1, payloads, Durability::Light, Vec::new())
        })
        .collect();
    drop(release);
    let answers: Vec<_> = replies.into_iter().map(Reply::wait).collect();
    let mut expected = 5;
    for (number, answer) in answers.into_iter().enumerate() {
        if number % 10 == 3 {
            assert_eq!(answer.unwrap_err(), StoreError::NoCall(call("nobody")));
        } else {
            assert_eq!(answer.unwrap()[0].seq, expected, "job {number}");
            expected += 1;
        }
    }
    assert_eq!(commits(&store), before + 1, "one commit for all of them");
    assert_eq!(store.events(&id("a"), 0, 1000).unwrap().len(), 94);
    check_whole(&store);
}

#[test]
fn a_group_with_a_durable_job_is_synced_in_full() {
    let (_folder, store) = on_disk();
    begin(&store, "a");
    let level = |durability| {
        let read = |writing: &Writing<'_>| Ok(writing.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0))?);
        store.write::<_, StoreError, _>(durability, read)
    };
    assert_eq!(level(Durability::Light).wait(), Ok(1));
    assert_eq!(level(Durability::Full).wait(), Ok(2));
    assert_eq!(level(Durability::Light).wait(), Ok(1));
    let release = hold(&store);
    let replies = [level(Durability::Light), level(Durability::Full), level(Durability::Light)];
    drop(release);
    for reply in replies {
        assert_eq!(reply.wait(), Ok(2));
    }
}

#[test]
fn a_locked_database_is_said_and_nothing_is_written() {
    let (folder, store) = on_disk();
    begin(&store, "a");
    dont_wait_for_locks(&store);
    let other = Connection::open(folder.path().join("assent.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let replies: Vec<_> =
        (0..3).map(|_| store.append(&id("a"), 1, vec![chunk("r", "x")], Durability::Full, Vec::new())).collect();
    for reply in replies {
        assert_eq!(reply.wait().unwrap_err(), StoreError::Busy);
    }
    assert_eq!(store.events(&id("a"), 4, 10).unwrap(), Vec::new(), "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(append(&store, "a", vec![chunk("r", "y")])[0].seq, 5);
    check_whole(&store);
}

#[test]
fn a_full_disk_at_any_page_leaves_nothing_half_written() {
    let (_folder, store) = on_disk();
    begin(&store, "a");
    let content = vec![7; 40_000];
    let limit = |pages: Option<u64>| {
        store
            .write::<_, StoreError, _>(Durability::Light, move |writing| {
                let count: u64 = writing.query_row("PRAGMA page_count", [], |row| row.get(0))?;
                let most = pages.map_or(4_294_967_294, |more| count + more);
                Ok(writing.query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(()))?)
            })
            .wait()
            .unwrap();
    };
    let mut failures = 0;
    for more in 0.. {
        limit(Some(more));
        let release = hold(&store);
        let big = store.append(
            &id("a"),
            1,
            vec![user("a", &"x".repeat(30_000))],
            Durability::Full,
            vec![Content::of(content.clone())],
        );
        let small = store.append(&id("a"), 1, vec![chunk("r", "small")], Durability::Light, Vec::new());
        drop(release);
        let (big, small) = (big.wait(), small.wait());
        limit(None);
        check_whole(&store);
        match big {
            Ok(_) => break,
            Err(error) => assert_eq!(error, StoreError::Full),
        }
        failures += 1;
        assert_eq!(store.size().map(|_| ()), Ok(()));
        if more > 1 {
            // Room for a small row: the big job's failure rolled all back, and the small one was done again alone.
            assert!(small.is_ok(), "{small:?}");
        }
    }
    assert!(failures > 5, "only {failures} failures were met");
}

#[test]
fn a_failure_at_any_step_of_a_write_leaves_nothing_half_written() {
    let (store, left) = interruptible();
    begin(&store, "a");
    let mut failures = 0;
    let mut step = 1;
    loop {
        let name = format!("c{step}");
        let write = Write::new("a", &name, &name);
        let before = store.row(&id("a")).unwrap();
        let payloads = vec![
            crate::tests::proposing(&name, &[&name]),
            write.judged(assent_protocol::permission::Verdict::Ask),
            write.requested(),
        ];
        left.store(step, Ordering::SeqCst);
        let answer =
            store.append(&id("a"), 1, payloads, Durability::Full, vec![Content::of(name.clone().into_bytes())]).wait();
        let met = left.swap(0, Ordering::SeqCst) == 0;
        assert_eq!(answer.is_err(), met, "step {step}: {answer:?}");
        if !met {
            break;
        }
        assert_eq!(store.row(&id("a")).unwrap(), before, "step {step}");
        assert_eq!(store.call(&call(&name)).unwrap(), None, "step {step}");
        failures += 1;
        step += 1 + step / 20;
    }
    assert!(failures > 30, "only {failures} failures were met");
    check_whole(&store);
}

/// A store whose SQLite gives up, once, at the n-th instruction after n was set.
fn interruptible() -> (Store, Arc<AtomicU64>) {
    let left = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&left);
    let mut connection = Connection::open_in_memory().unwrap();
    crate::open::prepare(&connection).unwrap();
    crate::migrate::migrate(&mut connection, &crate::migrate::steps(), None, crate::open::time_stamp).unwrap();
    connection
        .progress_handler(
            1,
            Some(move || count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) == Ok(1)),
        )
        .unwrap();
    (Store::assemble(Writer::start(connection, None, |_| Ok(false), |_| true).unwrap(), None, None, None), left)
}

#[test]
fn what_is_queued_is_written_before_the_end() {
    let (folder, store) = on_disk();
    begin(&store, "a");
    let release = hold(&store);
    for _ in 0..50 {
        drop(store.append(&id("a"), 1, vec![chunk("r", "x")], Durability::Light, Vec::new()));
    }
    drop(release);
    drop(store);
    let (store, _) = Store::open(folder.path()).unwrap();
    assert_eq!(store.row(&id("a")).unwrap().unwrap().seq, 54);
}

#[test]
fn what_was_answered_is_there_after_a_kill() {
    const CHILD: &str = "ASSENT_STORE_TEST_FOLDER";
    if let Some(folder) = std::env::var_os(CHILD) {
        write_until_killed(Path::new(&folder));
    }
    let run = |folder: &Path, kill_at: &dyn Fn(&[u64]) -> bool| -> Option<u64> {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writer::tests::what_was_answered_is_there_after_a_kill", "--nocapture"])
            .env(CHILD, folder)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        let mut told = Vec::new();
        for line in lines {
            let line = line.unwrap();
            told.extend(line.strip_prefix("answered ").map(|seq| seq.parse::<u64>().unwrap()));
            if line.starts_with("opening") || line.starts_with("answered ") {
                // SIGKILL on Unix: whatever is being written then stays as it is.
                kill_at(&told).then(|| child.kill().unwrap());
            }
        }
        child.wait().unwrap();
        told.last().copied()
    };
    // At moments of the very first opening: never taken for damage.
    for round in 0..10_u64 {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), &|_| {
            let begun = std::time::Instant::now();
            while begun.elapsed() < std::time::Duration::from_micros(700 * round) {
                std::hint::spin_loop();
            }
            true
        });
        let (store, opening) = Store::open(folder.path()).unwrap();
        assert_eq!(opening.set_aside, None);
        check_whole(&store);
    }
    let folder = tempfile::tempdir().unwrap();
    let mut answered = 0;
    for round in 0..8 {
        answered = run(folder.path(), &|told| told.len() == 40 + 13 * round).unwrap().max(answered);
        let (store, opening) = Store::open(folder.path()).unwrap();
        assert_eq!(opening.set_aside, None);
        let events = store.events(&id("a"), 0, u64::MAX).unwrap();
        let seqs: Vec<u64> = events.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>());
        assert!(events.len() as u64 >= answered, "{answered} was answered, {} are there", events.len());
        check_whole(&store);
    }
}

/// Says each number on standard output once the store has said it.
fn write_until_killed(folder: &Path) -> ! {
    println!("opening");
    let (store, _) = Store::open(folder).unwrap();
    if store.row(&id("a")).unwrap().is_none() {
        begin(&store, "a");
    }
    loop {
        for _ in 0..5 {
            drop(store.append(
                &id("a"),
                1,
                vec![chunk("r", "light")],
                Durability::Light,
                vec![Content::of(b"content".to_vec())],
            ));
        }
        let events =
            store.append(&id("a"), 1, vec![user("a", "durable")], Durability::Full, Vec::new()).wait().unwrap();
        println!("answered {}", events[0].seq);
    }
}

#[test]
fn chores_are_done_when_nobody_writes_and_again_after_the_next_write() {
    static DONE: AtomicU64 = AtomicU64::new(0);
    let store = Store::memory_with(|writing| {
        // Before there is a conversation nothing counts: the first chore may come as early as that.
        if writing.execute("UPDATE conversations SET title = title || '+'", [])? == 0 {
            return Ok(false);
        }
        let done = DONE.fetch_add(1, Ordering::SeqCst) + 1;
        Ok(!done.is_multiple_of(4))
    })
    .unwrap();
    begin(&store, "a");
    // In memory a look is a job as well, and after each there may be something to do again.
    for pieces in [4, 8] {
        wait_until(|| DONE.load(Ordering::SeqCst) == pieces);
        let title = store.row(&id("a")).unwrap().unwrap().title;
        assert_eq!(title.matches('+').count() as u64, pieces);
    }
}

#[test]
fn a_chore_that_fails_harms_nothing_and_is_tried_again_after_the_next_write() {
    static TRIED: AtomicU64 = AtomicU64::new(0);
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    drop(store);
    let connection = Connection::open(folder.path().join("assent.db")).unwrap();
    let failing: Chore = |writing| {
        if writing.execute("DELETE FROM conversations", [])? == 0 {
            return Ok(false);
        }
        TRIED.fetch_add(1, Ordering::SeqCst);
        Err(StoreError::Busy)
    };
    let writer = Writer::start(connection, None, failing, |_| true).unwrap();
    let store =
        Store::assemble(writer, Some(crate::readers::Readers::new(&folder.path().join("assent.db"))), None, None);
    begin(&store, "a");
    wait_until(|| TRIED.load(Ordering::SeqCst) == 1);
    append(&store, "a", vec![chunk("r", "x")]);
    wait_until(|| TRIED.load(Ordering::SeqCst) == 2);
    assert_eq!(store.row(&id("a")).unwrap().unwrap().seq, 5, "nothing of it was kept");
}

/// Looks until it is so; the test's own time limit ends what never comes.
fn wait_until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        std::thread::yield_now();
    }
}

#[test]
fn a_closed_store_answers_that_it_is_closed() {
    let connection = Connection::open_in_memory().unwrap();
    let mut writer = Writer::start(connection, None, |_| Ok(false), |_| true).unwrap();
    assert!(writer.end());
    let reply: Reply<(), StoreError> = writer.submit(Durability::Light, |_| Ok(()));
    assert_eq!(reply.wait(), Err(StoreError::Closed));
}

#[test]
fn an_end_after_damage_is_not_clean() {
    let connection = Connection::open_in_memory().unwrap();
    let mut writer = Writer::start(connection, None, |_| Ok(false), |_| true).unwrap();
    let reply: Reply<(), StoreError> = writer.submit(Durability::Light, |_| Err(StoreError::damaged("a page")));
    assert_eq!(reply.wait(), Err(StoreError::damaged("a page")));
    assert!(!writer.end());
}

#[test]
fn approvals_survive_the_failure_of_their_neighbours() {
    let (_folder, store) = on_disk();
    begin(&store, "a");
    let writes = [Write::new("a", "c", "one"), Write::new("a", "d", "two")];
    writes.iter().for_each(|write| ask(&store, write));
    let release = hold(&store);
    let decided = store.decide(writes[0].decision(assent_protocol::permission::Answer::Approved));
    let wrong = store.append(
        &id("a"),
        1,
        vec![Payload::TurnStop {}, result("x", Outcome::Ok, None)],
        Durability::Light,
        Vec::new(),
    );
    let second = store.decide(writes[1].decision(assent_protocol::permission::Answer::Rejected));
    drop(release);
    assert!(decided.wait().is_ok() && wrong.wait().is_err() && second.wait().is_ok());
    approve(&store, &Write::new("a", "e", "three"));
    check_whole(&store);
}

#[test]
fn a_long_log_is_moved_into_the_database_once_nobody_writes() {
    let (folder, store) = on_disk();
    begin(&store, "a");
    let length = || std::fs::metadata(folder.path().join("assent.db")).unwrap().len();
    let before = length();
    let body: Vec<u8> = (0..8u32 << 20).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let payloads = vec![chunk("r", "text")];
    store.append(&id("a"), 1, payloads, Durability::Light, vec![Content::of(body)]).wait().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while length() < before + (8 << 20) {
        assert!(std::time::Instant::now() < deadline, "the database is still {} bytes long", length());
        std::thread::yield_now();
    }
    check_whole(&store);
}
