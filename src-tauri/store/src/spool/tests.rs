//! Tests of long contents: written while they come, stored as files, gone when nobody wants them.
//! What a killed process leaves is tested here as well.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use assent_protocol::event::{Event, Payload};
use assent_protocol::tool::Outcome;

use crate::reply::Reply;
use crate::tests::{append, begin, check_whole, id, result, user};
use crate::{Content, Durability, Spool, Store};

const LONG: usize = 600_000;

fn text(seed: u32) -> Vec<u8> {
    (0..LONG as u32 / 4).flat_map(|number| (number ^ seed).to_le_bytes()).collect()
}

fn spooled(store: &Store, bytes: &[u8]) -> Spool {
    let mut spool = store.spool().unwrap().expect("there is a folder");
    bytes.chunks(65_537).for_each(|piece| spool.write_all(piece).unwrap());
    spool
}

fn keep(store: &Store, conversation: &str, content: Content, durability: Durability) -> Reply<Vec<Event>> {
    let payload = Payload::PromptSet { content: content.stored() };
    store.append(&id(conversation), 1, vec![payload], durability, vec![content])
}

/// Names in the folder of files.
fn names(home: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(home.join("contents")) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_long_content_is_a_file_that_is_read_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let before = store.size().unwrap();
    let bytes = text(1);
    let content = spooled(&store, &bytes).into_content(bytes.clone());
    assert_eq!(content.stored(), assent_protocol::tool::Stored::of(&bytes));
    let hash = content.stored().hash;
    keep(&store, "a", content, Durability::Light).wait().unwrap();
    // The same again, as a file and not: it is stored once.
    let again = spooled(&store, &bytes).into_content(bytes.clone());
    keep(&store, "a", again, Durability::Full).wait().unwrap();
    keep(&store, "a", Content::of(bytes.clone()), Durability::Full).wait().unwrap();
    assert_eq!(names(folder.path()), [hash.to_string()]);
    let size = store.size().unwrap();
    assert!((LONG as u64..LONG as u64 + 100_000).contains(&(size - before)), "{before} {size}");
    let check = |store: &Store| {
        assert_eq!(store.content(hash).unwrap().as_ref(), Some(&bytes));
        assert_eq!(store.content_len(hash).unwrap(), Some(LONG as u64));
        let part = |offset, length| store.content_part(hash, offset, length).unwrap();
        assert_eq!(part(4001, 7), Some(bytes[4001..4008].to_vec()));
        assert_eq!(part(LONG as u64 - 1, 100), Some(bytes[LONG - 1..].to_vec()));
        assert_eq!(part(LONG as u64, 100), Some(Vec::new()));
        assert_eq!(part(u64::MAX, u64::MAX), Some(Vec::new()));
        check_whole(store);
    };
    check(&store);
    drop(store);
    check(&Store::open(folder.path()).unwrap().0);
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_the_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let content = spooled(&store, &text(1)).into_content(text(1));
    let path = folder.path().join("contents").join(content.stored().hash.to_string());
    keep(&store, "a", content, Durability::Light).wait().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn what_is_not_stored_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    drop(spooled(&store, &text(1)));
    assert_eq!(names(folder.path()), [""; 0]);
    let unwanted = spooled(&store, &text(1)).into_content(text(1));
    drop(unwanted);
    assert_eq!(names(folder.path()), [""; 0]);
    // The event is refused after its content was stored.
    let content = spooled(&store, &text(2)).into_content(text(2));
    let hash = content.stored().hash;
    let refused = vec![result("nobody", Outcome::Ok, None)];
    store.append(&id("a"), 1, refused, Durability::Full, vec![content.clone()]).wait().unwrap_err();
    append(&store, "a", vec![user("a", "the writer is behind the refusal")]);
    assert_eq!((names(folder.path()), store.content(hash)), (Vec::new(), Ok(None)));
    // What was refused can still be stored: its bytes are there.
    keep(&store, "a", content, Durability::Full).wait().unwrap();
    assert_eq!(store.content(hash).unwrap(), Some(text(2)));
    check_whole(&store);
}

#[test]
fn a_file_that_cannot_take_its_place_is_stored_in_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let gone = spooled(&store, &text(1)).into_content(text(1));
    fs::remove_file(folder.path().join("contents/new-0")).unwrap();
    let barred = spooled(&store, &text(2)).into_content(text(2));
    fs::create_dir(folder.path().join("contents").join(barred.stored().hash.to_string())).unwrap();
    let cut_short = spooled(&store, &text(3)[1..]).into_content(text(3));
    for content in [gone, barred, cut_short] {
        let hash = content.stored().hash;
        let bytes = content.clone();
        keep(&store, "a", content, Durability::Light).wait().unwrap();
        assert_eq!(store.content(hash).unwrap().map(Content::of).map(|content| content.stored()), Some(bytes.stored()));
    }
    check_whole(&store);
    drop(store);
    fs::remove_dir_all(folder.path().join("contents")).unwrap();
    fs::write(folder.path().join("contents"), "in the way").unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    assert!(store.spool().is_err());
    assert!(Store::memory().unwrap().spool().unwrap().is_none());
}

#[test]
fn a_group_that_is_written_again_one_by_one_keeps_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let limit = |pages: &'static str| {
        store
            .write::<_, crate::StoreError, _>(Durability::Light, move |writing| {
                let count: u64 = writing.query_row("PRAGMA page_count", [], |row| row.get(0))?;
                let most = if pages == "none" { 4_294_967_294 } else { count + 4 };
                Ok(writing.query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(()))?)
            })
            .wait()
            .unwrap();
    };
    limit("few");
    let (release, held) = std::sync::mpsc::channel::<()>();
    drop(store.write::<_, crate::StoreError, _>(Durability::Light, move |_| {
        let _ = held.recv();
        Ok(())
    }));
    let content = spooled(&store, &text(1)).into_content(text(1));
    let hash = content.stored().hash;
    let kept = keep(&store, "a", content, Durability::Light);
    let too_long = keep(&store, "a", Content::of(text(2)), Durability::Light);
    drop(release);
    assert_eq!((kept.wait().map(|_| ()), too_long.wait()), (Ok(()), Err(crate::StoreError::Full)));
    limit("none");
    assert_eq!(names(folder.path()), [hash.to_string()]);
    assert_eq!(store.content(hash).unwrap(), Some(text(1)));
    check_whole(&store);
}

#[test]
fn a_purge_takes_the_files_that_nobody_else_needs() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    begin(&store, "b");
    for (conversation, seed) in [("a", 1), ("a", 2), ("b", 2)] {
        let content = spooled(&store, &text(seed)).into_content(text(seed));
        keep(&store, conversation, content, Durability::Light).wait().unwrap();
    }
    store.delete(&id("a"), 1).wait().unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    store.purge(2).wait().unwrap();
    append(&store, "b", vec![user("b", "the writer is behind the purge")]);
    assert_eq!(names(folder.path()), [Content::of(text(2)).stored().hash.to_string()]);
    check_whole(&store);
}

#[test]
fn what_stands_in_the_place_of_an_unfinished_file_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    fs::create_dir(folder.path().join("contents")).unwrap();
    fs::write(folder.path().join("contents/new-0"), vec![b'x'; 2 * LONG]).unwrap();
    let content = spooled(&store, &text(1)).into_content(text(1));
    let hash = content.stored().hash;
    keep(&store, "a", content, Durability::Light).wait().unwrap();
    assert_eq!((names(folder.path()), store.content(hash)), (vec![hash.to_string()], Ok(Some(text(1)))));
    check_whole(&store);
}

#[test]
fn a_damaged_or_missing_file_is_said_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let hashes = [1, 2, 3].map(|seed| {
        let content = spooled(&store, &text(seed)).into_content(text(seed));
        let hash = content.stored().hash;
        keep(&store, "a", content, Durability::Light).wait().unwrap();
        hash
    });
    let path = |at: usize| folder.path().join("contents").join(hashes[at].to_string());
    let mut damaged = text(1);
    damaged[1000] ^= 1;
    fs::write(path(0), damaged).unwrap();
    fs::remove_file(path(1)).unwrap();
    let mut found: Vec<String> = store.verify().unwrap().into_iter().map(|difference| difference.message).collect();
    found.sort();
    found.iter_mut().for_each(|message| *message = message.split(':').next().unwrap().to_owned());
    let mut expected = [
        format!("content {} doesn't fit its hash", hashes[0]),
        format!("content {} can't be read from its file", hashes[1]),
    ];
    expected.sort();
    assert_eq!(found, expected);
    assert!(matches!(store.content(hashes[1]), Err(crate::StoreError::Io { .. })));
    assert_eq!(store.content(hashes[2]).unwrap(), Some(text(3)));
    append(&store, "a", vec![user("a", "on")]);
}

#[test]
fn a_damaged_history_is_set_aside_with_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let content = spooled(&store, &text(1)).into_content(text(1));
    let hash = content.stored().hash;
    keep(&store, "a", content, Durability::Light).wait().unwrap();
    drop(store);
    fs::write(folder.path().join("assent.db"), "no database, but longer than its header would have to be: ".repeat(9))
        .unwrap();
    let (store, opening) = Store::open(folder.path()).unwrap();
    let aside = opening.set_aside.expect("it is damaged").path;
    assert_eq!(fs::read(aside.join("contents").join(hash.to_string())).unwrap(), text(1));
    assert_eq!((names(folder.path()), store.content(hash)), (Vec::new(), Ok(None)));
}

#[test]
fn what_a_killed_process_left_unfinished_goes_and_what_it_stored_stays() {
    const CHILD: &str = "ASSENT_STORE_TEST_SPOOL";
    if let Some(folder) = std::env::var_os(CHILD) {
        let (store, _) = Store::open(Path::new(&folder)).unwrap();
        begin(&store, "a");
        let content = spooled(&store, &text(1)).into_content(text(1));
        keep(&store, "a", content, Durability::Light).wait().unwrap();
        let _unfinished = spooled(&store, &text(2));
        std::process::abort();
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "spool::tests::what_a_killed_process_left_unfinished_goes_and_what_it_stored_stays";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name]).env(CHILD, folder.path()).stderr(std::process::Stdio::null());
    assert!(!child.stdout(std::process::Stdio::null()).status().unwrap().success());
    assert_eq!(names(folder.path()).len(), 2, "it died too early");
    let (store, opening) = Store::open(folder.path()).unwrap();
    assert_eq!(opening.set_aside, None);
    let hash = Content::of(text(1)).stored().hash;
    assert_eq!(names(folder.path()), [hash.to_string()]);
    assert_eq!(store.content(hash).unwrap(), Some(text(1)));
    check_whole(&store);
}
