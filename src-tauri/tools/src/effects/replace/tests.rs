//! A file replaced, and left whole when the process is killed in the middle.
//! Faults of the system and races are in the modules below; what the tools make of it is tested with them.

#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod races;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use assent_protocol::ids::Sha;
use assent_protocol::tool::Intent;
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::{Trouble, is_temporary, replace, temporary_name};
use crate::effects::bench::Bench;
use crate::effects::{Probe, Swept, probe, sweep};

const CHILD: &str = "ASSENT_TEST_CHILD_FOLDER";
const FILE: &str = "large.bin";

fn open(folder: &Path) -> Dir {
    Dir::open_ambient_dir(folder, ambient_authority()).unwrap()
}

#[test]
fn only_what_is_expected_is_replaced() {
    let bench = Bench::new();
    let folder = open(&bench.root);
    replace(&folder, "f", None, b"one").unwrap();
    assert!(matches!(replace(&folder, "f", None, b"x"), Err(Trouble::Changed { now: Some(_) })));
    assert!(matches!(replace(&folder, "f", Some(Sha::of(b"other")), b"x"), Err(Trouble::Changed { now: Some(_) })));
    assert!(matches!(replace(&folder, "g", Some(Sha::of(b"one")), b"x"), Err(Trouble::Changed { now: None })));
    replace(&folder, "f", Some(Sha::of(b"one")), b"two").unwrap();
    assert_eq!(bench.listing(), ["f"]);
    bench.link("f", "l");
    fs::create_dir(bench.root.join("d")).unwrap();
    for name in ["l", "d"] {
        assert!(matches!(replace(&folder, name, Some(Sha::of(b"two")), b"x"), Err(Trouble::Irregular)), "{name}");
        assert!(replace(&folder, name, None, b"x").is_err(), "{name}");
    }
    assert_eq!(bench.text("f"), "two");
    bench.no_temporary_is_left();
}

#[test]
fn names_of_temporary_files_are_told_from_others() {
    assert!((0..100).all(|_| is_temporary(&temporary_name())));
    assert_ne!(temporary_name(), temporary_name());
    for name in
        [".assent-.tmp", ".assent-0123456789abcde.tmp", "assent-0123456789abcdef.tmp", ".assent-0123456789abcdeg.tmp"]
    {
        assert!(!is_temporary(name), "{name}");
    }
}

#[test]
fn special_bits_of_the_mode_are_kept_and_a_new_file_has_the_usual_one() {
    let bench = Bench::new();
    let folder = open(&bench.root);
    bench.write("f", "old");
    for mode in [0o400, 0o600, 0o644, 0o755, 0o2755, 0o4711] {
        fs::set_permissions(bench.root.join("f"), fs::Permissions::from_mode(mode)).unwrap();
        let before = Sha::of(&bench.read("f"));
        replace(&folder, "f", Some(before), format!("{mode:o}").as_bytes()).unwrap();
        assert_eq!(fs::metadata(bench.root.join("f")).unwrap().permissions().mode() & 0o7777, mode);
    }
    replace(&folder, "new", None, b"").unwrap();
    bench.write("reference", "");
    let mode = |name: &str| fs::metadata(bench.root.join(name)).unwrap().permissions().mode();
    assert_eq!(mode("new"), mode("reference"));
}

/// Content of 50 MB that no part of the other could pass for.
fn content(letter: u8) -> Vec<u8> {
    let line: Vec<u8> = (0..63u8).map(|at| letter + at % 8).chain([b'\n']).collect();
    line.repeat(50 * 1024 * 1024 / line.len())
}

/// The child's part of `p45_…`: does nothing unless it is started by it.
#[test]
fn child_that_is_killed_in_the_middle_of_a_write() {
    let Some(folder) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let (old, new) = (Sha::of(&fs::read(folder.join(FILE)).unwrap()), content(b'n'));
    let folder = open(&folder);
    println!("child begins");
    replace(&folder, FILE, Some(old), &new).unwrap();
    println!("child ended");
}

fn start_child(folder: &Path) -> (Child, impl Iterator<Item = String> + use<>) {
    let name = "effects::replace::tests::child_that_is_killed_in_the_middle_of_a_write";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(CHILD, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("child begins")));
    (child, lines)
}

#[test]
fn p45_a_kill_in_the_middle_leaves_the_old_content_or_the_new_one() {
    let bench = Bench::new();
    let (old, new) = (content(b'a'), content(b'n'));
    let (old_hash, new_hash) = (Sha::of(&old), Sha::of(&new));
    let set_up = || {
        bench.write(FILE, &old);
        fs::set_permissions(bench.root.join(FILE), fs::Permissions::from_mode(0o640)).unwrap();
    };
    set_up();
    let (mut child, mut lines) = start_child(&bench.root);
    assert!(lines.any(|line| line.contains("child ended")) && child.wait().unwrap().success());
    assert!(bench.read(FILE) == new, "without a kill the new content is there");

    let (mut leftovers, mut finished) = (0, 0);
    const ROUNDS: u64 = 12;
    for round in 0..ROUNDS {
        set_up();
        let (mut child, _lines) = start_child(&bench.root);
        if round > 0 {
            wait_until_written(&bench, &mut child, new.len() as u64 * (round - 1) / (ROUNDS - 3));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let intent = Intent::Write { path: FILE.into(), before: Some(old_hash), after: new_hash };
        let content = bench.read(FILE);
        match probe(&bench.workspace, &intent) {
            Probe::Done(_) => assert!(content == new),
            Probe::NotDone => assert!(content == old),
            Probe::Unknown => panic!("round {round}: a mix of {} bytes", content.len()),
        }
        finished += u32::from(content == new);
        assert_eq!(fs::metadata(bench.root.join(FILE)).unwrap().permissions().mode() & 0o7777, 0o640);
        let left = bench.listing().len() as u32 - 1;
        assert_eq!(sweep(&bench.workspace).unwrap(), Swept { removed: left, skipped: 0 });
        assert_eq!(bench.listing(), [FILE]);
        leftovers += left;
    }
    println!("{ROUNDS} kills: {finished} had finished, {leftovers} left a temporary file");
    assert!(leftovers > 0, "no kill came in the middle of a write");
}

/// Looks on until the child's temporary file has so many bytes, or the child has ended. More bytes than there are mean
/// the end.
fn wait_until_written(bench: &Bench, child: &mut Child, bytes: u64) {
    while child.try_wait().unwrap().is_none() {
        let written = fs::read_dir(&bench.root).unwrap().flatten().find_map(|entry| {
            let is_it = entry.file_name().to_str().is_some_and(is_temporary);
            is_it.then(|| entry.metadata().ok()).flatten().map(|metadata| metadata.len())
        });
        if written.is_some_and(|written| written >= bytes) {
            return;
        }
        std::thread::yield_now();
    }
}
