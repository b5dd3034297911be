//! The data folder: one process at a time, never a newer history, never a damaged one as if nothing were.
//! How the store does it is tested with the store.

use std::collections::BTreeMap;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use rustix::process::Signal;

use crate::support::{Place, text, walk};

/// All files of the data folder with their bytes.
fn bytes_of(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    walk(&place.home, &mut |path, is_folder| {
        if !is_folder && !path.ends_with("lock") {
            files.insert(path.to_owned(), std::fs::read(path).unwrap());
        }
    });
    files
}

#[test]
fn p58_a_second_process_on_the_same_folder_is_refused_and_says_why() {
    let place = Place::new();
    let mut running = place.start("hang after 1 tokens", &[]);
    running.until_printed("assistant/chunk");
    let pid = running.pid().as_raw_nonzero().to_string();
    let workspace = place.workspace.to_str().unwrap();
    for arguments in [
        &["exec", "say hi", "--workspace", workspace, "--model", "practice", "--json"][..],
        &["approvals"],
        &["approve", "x", "--digest", "y", "--json"],
        &["reject", "x"],
        &["log", "x"],
        &["replay", "x", "--request", "1"],
        &["verify"],
        &["export", "x", "--format", "md"],
        &["chat"],
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, Some(1), "{arguments:?}");
        assert!(ran.err.contains("already open") && ran.err.contains(&pid), "{}", ran.err);
    }
    running.signal(Signal::INT);
    let ran = running.end();
    assert_eq!(ran.end(), (5, "stopped".to_owned()));
    assert_eq!(ran.events().len(), place.log(&ran.conversation()).len());
    place.check();
}

#[test]
fn a_folder_is_free_again_when_its_process_was_killed() {
    let place = Place::new();
    let mut running = place.start("hang after 1 tokens", &[]);
    running.until_printed("assistant/chunk");
    running.kill(Signal::KILL);
    place.check();
}

#[test]
fn a_newer_history_is_refused_and_left_as_it_is() {
    let place = Place::new();
    let conversation = place.exec("say hi", &[]).conversation();
    let database = place.home.join("assent.db");
    // The schema's version stands at byte 60 of a database file, big-endian.
    let mut file = std::fs::OpenOptions::new().write(true).open(&database).unwrap();
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&9999u32.to_be_bytes()).unwrap();
    drop(file);
    let before = bytes_of(&place);
    for arguments in [&["log", &conversation][..], &["approvals", "--json"], &["verify"]] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(ran.err.contains("newer version") && ran.err.contains("9999"), "{}", ran.err);
    }
    let after = bytes_of(&place);
    assert_eq!(before.get(&database), after.get(&database));
    let grown: Vec<_> = after.iter().filter(|(path, bytes)| !before.contains_key(*path) && !bytes.is_empty()).collect();
    assert!(grown.iter().all(|(path, _)| path.to_string_lossy().ends_with("-shm")), "{grown:?}");
}

#[test]
fn p59_a_damaged_history_is_set_aside_and_never_looks_like_an_empty_one() {
    for command in [&["approvals", "--json"][..], &["verify", "--json"], &["log", "CONVERSATION", "--json"]] {
        let place = Place::new();
        let ran = place.exec(r#"call write_file with {"path":"a.txt","content":"a"}"#, &[]);
        let conversation = ran.conversation();
        let database = place.home.join("assent.db");
        let mut random = fastrand::Rng::with_seed(59);
        let mut page = [0; 4096];
        let mut file = std::fs::OpenOptions::new().write(true).open(&database).unwrap();
        for number in [1, 2, 3, 5, 8] {
            random.fill(&mut page);
            file.seek(SeekFrom::Start(number * 4096)).unwrap();
            file.write_all(&page).unwrap();
        }
        drop(file);
        let damaged = std::fs::read(&database).unwrap();
        let arguments: Vec<&str> =
            command.iter().map(|word| if *word == "CONVERSATION" { conversation.as_str() } else { word }).collect();
        let ran = place.run(&arguments);
        assert_eq!(ran.code, Some(1), "{arguments:?}: {ran:?}");
        assert!(ran.err.contains("history is damaged"), "{}", ran.err);
        let kept: Vec<PathBuf> = bytes_of(&place)
            .into_iter()
            .filter(|(path, bytes)| *path != database && *bytes == damaged)
            .map(|(path, _)| path)
            .collect();
        assert_eq!(kept.len(), 1, "a copy is kept as it was found");
        assert!(ran.err.contains(kept[0].parent().unwrap().to_str().unwrap()), "it says where: {}", ran.err);
        // The app is usable.
        assert_eq!(place.exec("say hi", &[]).code, Some(0));
        place.check();
    }
}

#[test]
fn p59_a_turn_in_a_new_history_says_that_the_old_one_is_gone() {
    let place = Place::new();
    place.exec("say hi", &[]);
    std::fs::write(place.home.join("assent.db"), "no database at all, but long enough to be one".repeat(200)).unwrap();
    let ran = place.exec("say hi", &[]);
    assert_eq!(ran.end(), (0, "completed".to_owned()));
    assert!(ran.err.contains("history is damaged"), "{}", ran.err);
    place.check();
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_variable_the_folder_is_the_platforms() {
    let place = Place::new();
    let workspace = place.workspace.to_str().unwrap();
    let exec = ["exec", "hi", "--workspace", workspace, "--model", "practice", "--json"];
    for (variable, below) in [("XDG_DATA_HOME", "assent/assent.db"), ("HOME", ".local/share/assent/assent.db")] {
        let folder = place.beside(variable);
        let mut command = place.command(&exec);
        command.env_remove("ASSENT_HOME").env(variable, &folder);
        let ran = crate::support::Running::start(&mut command).end();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(folder.join(below).is_file(), "{variable}");
    }
    assert!(!place.home.exists());
}

#[test]
fn the_data_folder_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.exec("say hi", &[]);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o077;
    assert_eq!(mode(&place.home), 0);
    let open: Vec<PathBuf> = bytes_of(&place).into_keys().filter(|path| mode(path) != 0).collect();
    assert_eq!(open, Vec::<PathBuf>::new());
}

#[test]
fn p30_the_apps_own_folder_and_the_root_are_no_workspaces() {
    let place = Place::new();
    place.exec("say hi", &[]);
    let home = place.home.to_str().unwrap();
    for folder in ["/", home] {
        let ran = place.run(&["exec", "hi", "--workspace", folder, "--model", "practice", "--json"]);
        assert_eq!(ran.end(), (1, "error".to_owned()), "{folder}");
    }
    let user = place.beside("user");
    let ran = place.run(&["exec", "hi", "--workspace", user.to_str().unwrap(), "--model", "practice", "--json"]);
    assert_eq!(text(&ran.lines()[0], "kind"), "conversation/created");
    assert!(ran.err.contains("home folder"), "the home folder is warned of: {}", ran.err);
}
