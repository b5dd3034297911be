//! 100,000 random paths on a real tree, compared with what the kernel opens under `RESOLVE_BENEATH`.

use std::cell::Cell;
use std::collections::HashSet;
use std::os::unix::fs::MetadataExt as _;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

use super::*;

/// Number of paths that are tried.
const PATHS: u32 = 100_000;

/// Names that lead somewhere, some of them links.
#[rustfmt::skip]
const THERE: &[&str] = &[
    "a", "b", "f.txt", "文", "档 案.txt", "up", "top", "abs", "abs-file", "fl", "chain0", "chain9", "dir-slash", "dot",
    "back",
];

/// Names that lead nowhere or outside, and every trap.
#[rustfmt::skip]
const TRAPS: &[&str] = &[
    "out", "out-abs", "there", "loop1", "loop2", "self", "dangle", "dangle2", "slash", "bs", "drive", "nul", "NUL",
    "con.txt", "C:", "C:f.txt", "f.txt::$DATA", "f.txt.", "f.txt ", "GIT~1", "..", "..", ".", "", "...", "a\0",
    "canary.txt", "app", "none", "x y", "~", "\u{202e}", "f\n", "pipe", ".ssh", ".git", "A", "F.TXT",
];

fn tree() -> Fixture {
    let fixture = Fixture::new();
    for file in [
        "f.txt",
        "a/f.txt",
        "a/b/f.txt",
        "文/档 案.txt",
        "a/文/f.txt",
        "nul",
        "f.txt.",
        "C:f.txt",
        ".git/b",
        ".ssh/f.txt",
    ] {
        fixture.write(file, file);
    }
    fs::write(fixture.root.join("bs\\f.txt"), "").unwrap();
    let links = [
        ("..", "up"),
        ("..", "a/up"),
        ("../..", "a/b/up"),
        ("../..", "a/b/top"),
        ("../../..", "a/b/out"),
        ("f.txt", "fl"),
        ("../f.txt", "a/fl"),
        ("b/../../fl", "a/chain0"),
        ("../out", "out"),
        ("../out/canary.txt", "a/out"),
        ("loop2", "loop1"),
        ("loop1", "loop2"),
        ("self", "self"),
        ("nothing", "dangle"),
        ("a/nothing/x", "dangle2"),
        ("f.txt/", "slash"),
        ("a/", "dir-slash"),
        ("a/b/.", "dot"),
        ("a/./b/../b", "back"),
        ("../app/f.txt", "there"),
        ("C:f.txt", "drive"),
        ("bs\\f.txt", "bs"),
        ("/proc/self/root", "a/abs"),
        ("a/up/a/b/top", "chain9"),
        (".ssh", "x y"),
    ];
    for (target, at) in links {
        fixture.link(target, at);
    }
    for number in 0..9 {
        fixture.link(format!("chain{}", number + 1), &format!("chain{number}"));
    }
    fixture.link(fixture.root.join("a/b"), "abs");
    fixture.link(fixture.root.join("a/b/../f.txt"), "abs-file");
    fixture.link(&fixture.out, "out-abs");
    fixture.link(fixture.out.join("canary.txt"), "a/b/out-abs");
    fixture.pipe("pipe");
    fixture
}

/// Every real thing in the tree, none behind a link.
fn inside(folder: &Path, found: &mut HashSet<Identity>) {
    let metadata = fs::symlink_metadata(folder).unwrap();
    found.insert(Identity { device: metadata.dev(), inode: metadata.ino() });
    if metadata.is_dir() {
        fs::read_dir(folder).unwrap().for_each(|entry| inside(&entry.unwrap().path(), found));
    }
}

/// What the kernel opens for the same path, never leaving the root: the identity, or its error. A rename anywhere on
/// the machine makes it give up on `..` for that once.
fn by_kernel(root: &fs::File, path: &str) -> Result<Identity, rustix::io::Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let path = if path.is_empty() { "." } else { path };
    let opened = loop {
        match openat2(root, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve) {
            Err(rustix::io::Errno::AGAIN) => std::thread::yield_now(),
            other => break other?,
        }
    };
    let stat = rustix::fs::fstat(&opened)?;
    Ok(Identity { device: stat.st_dev, inode: stat.st_ino })
}

/// What we open, through the very functions that tools use; a named pipe or socket is looked at only.
fn by_us(workspace: &Workspace, place: &Place) -> Result<Option<Identity>, Refusal> {
    Ok(match place.form {
        Form::Missing => None,
        Form::Other(_) => workspace.identity_of(place),
        Form::Folder => Some(beneath::identity_of(&workspace.folder_handle(place)?).unwrap()),
        Form::File => {
            let metadata = workspace.open_file(place)?.metadata().unwrap();
            Some(Identity { device: metadata.dev(), inode: metadata.ino() })
        }
    })
}

fn paths() -> impl Strategy<Value = String> {
    let separator = prop_oneof![12 => Just("/"), 1 => Just("\\"), 1 => Just("//"), 1 => Just("/./")];
    let name = prop_oneof![4 => prop::sample::select(THERE), 1 => prop::sample::select(TRAPS)];
    let parts = prop::collection::vec((name, separator), 1..7);
    let beginning = prop_oneof![20 => Just(""), 1 => Just("/"), 1 => Just("//"), 1 => Just("\\\\"), 1 => Just("./")];
    (beginning, parts, prop::bool::weighted(0.1)).prop_map(|(beginning, parts, ends_in_separator)| {
        let mut path = beginning.to_owned();
        for (index, (name, separator)) in parts.iter().enumerate() {
            path.push_str(name);
            if index + 1 < parts.len() || ends_in_separator {
                path.push_str(separator);
            }
        }
        path
    })
}

#[derive(Default)]
struct Tally {
    opened: Cell<u32>,
    through_links: Cell<u32>,
    missing: Cell<u32>,
    refused: Cell<u32>,
    refused_but_there: Cell<u32>,
}

fn count(cell: &Cell<u32>) {
    cell.set(cell.get() + 1);
}

#[test]
fn random_paths_never_leave_and_agree_with_the_kernel() {
    let fixture = tree();
    let mut real = HashSet::new();
    inside(&fixture.root, &mut real);
    let root = fs::File::open(&fixture.root).unwrap();
    let tally = Tally::default();
    let config = Config { cases: PATHS, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner
        .run(&paths(), |path| {
            let kernel = by_kernel(&root, &path.replace('\\', "/"));
            match fixture.workspace.place(&path) {
                Ok(place) => {
                    let ours = by_us(&fixture.workspace, &place).unwrap();
                    prop_assert!(ours.is_none_or(|ours| real.contains(&ours)), "{place:?} leads outside");
                    prop_assert!(!place.path.split('/').any(|name| matches!(name, ".." | ".")));
                    match kernel {
                        Ok(kernel) => prop_assert_eq!(ours, Some(kernel), "{:?}", place),
                        Err(rustix::io::Errno::NOENT) => prop_assert_eq!(ours, None, "{:?}", place),
                        // The kernel refuses every absolute link beneath; ours may lead back into the workspace.
                        Err(rustix::io::Errno::XDEV) => {
                            let found = fs::metadata(fixture.root.join(path.replace('\\', "/")));
                            let found = found.ok().map(|found| Identity { device: found.dev(), inode: found.ino() });
                            prop_assert_eq!(ours, found, "{:?}", place);
                        }
                        Err(other) => prop_assert!(false, "{place:?} where the kernel says {other}"),
                    }
                    count(if ours.is_some() { &tally.opened } else { &tally.missing });
                    if ours.is_some() && place.is_link() {
                        count(&tally.through_links);
                    }
                }
                Err(refusal) => {
                    count(&tally.refused);
                    // What the kernel opens beneath is refused for a spelling or a name, and not for leading outside.
                    if kernel.is_ok() {
                        count(&tally.refused_but_there);
                        let is_outside = refusal.words.contains("outside of the workspace");
                        prop_assert!(!is_outside && !refusal.words.contains("too many links"), "{path:?}: {refusal}");
                    }
                }
            }
            Ok(())
        })
        .unwrap();
    println!(
        "{PATHS} paths: {} opened ({} through links), {} missing, {} refused ({} of them for their spelling alone)",
        tally.opened.get(),
        tally.through_links.get(),
        tally.missing.get(),
        tally.refused.get(),
        tally.refused_but_there.get()
    );
    for cell in [&tally.opened, &tally.through_links, &tally.missing, &tally.refused, &tally.refused_but_there] {
        assert!(cell.get() > 500, "the paths don't try enough");
    }
}
