//! Trees surveyed, told apart and removed, with links and depth.
//! What the tools make of a survey is tested with them.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::{Halt, Kind, MAX_DEPTH, remove, state_of, survey};

fn folder() -> (tempfile::TempDir, Dir) {
    let base = tempfile::tempdir().unwrap();
    let dir = Dir::open_ambient_dir(base.path(), ambient_authority()).unwrap();
    (base, dir)
}

#[test]
fn a_state_is_the_same_after_a_move_and_another_after_a_change() {
    let (base, dir) = folder();
    fs::create_dir_all(base.path().join("a/b")).unwrap();
    fs::write(base.path().join("a/b/c"), "x").unwrap();
    std::os::unix::fs::symlink("nowhere", base.path().join("a/l")).unwrap();
    let before = state_of(&dir, "a").unwrap();
    fs::create_dir(base.path().join("deep")).unwrap();
    fs::rename(base.path().join("a"), base.path().join("deep/z")).unwrap();
    let deep = dir.open_dir("deep").unwrap();
    assert_eq!(state_of(&deep, "z").unwrap(), before);
    assert_eq!(state_of(&dir, "a").unwrap(), None);
    let moved = base.path().join("deep/z");
    let changes: [fn(&Path); 4] = [
        |at| fs::write(at.join("b/c"), "longer").unwrap(),
        |at| fs::write(at.join("b/d"), "").unwrap(),
        |at| fs::rename(at.join("l"), at.join("m")).unwrap(),
        |at| fs::create_dir(at.join("empty")).unwrap(),
    ];
    for change in changes {
        let before = state_of(&deep, "z").unwrap();
        change(&moved);
        assert_ne!(state_of(&deep, "z").unwrap(), before);
    }
}

#[test]
fn entries_and_bytes_are_counted_and_links_not_followed() {
    let (base, dir) = folder();
    fs::create_dir_all(base.path().join("a/b")).unwrap();
    fs::write(base.path().join("a/b/c"), "12345").unwrap();
    std::os::unix::fs::symlink("/", base.path().join("a/root")).unwrap();
    std::os::unix::fs::symlink("..", base.path().join("a/b/loop")).unwrap();
    let mut visited = Vec::new();
    let found = survey(&dir, "a", |path| {
        visited.push(path.to_owned());
        Ok::<(), Infallible>(())
    });
    let found = found.unwrap().unwrap();
    assert_eq!((found.kind, found.entries, found.bytes), (Kind::Folder, 5, 5));
    assert_eq!(visited, ["b", "b/c", "b/loop", "root"]);
}

#[test]
fn a_deep_tree_ends_with_a_reason_and_a_shallow_one_is_removed() {
    let (base, dir) = folder();
    let mut path = base.path().join("deep");
    for _ in 0..MAX_DEPTH + 20 {
        path.push("d");
    }
    fs::create_dir_all(&path).unwrap();
    assert!(matches!(survey(&dir, "deep", |_| Ok::<(), Infallible>(())), Err(Halt::TooDeep)));
    assert!(remove(&dir, OsStr::new("deep")).unwrap_err().to_string().contains("nested"));

    let mut path = base.path().join("shallow");
    for _ in 0..MAX_DEPTH - 2 {
        path.push("d");
    }
    fs::create_dir_all(&path).unwrap();
    let canary = base.path().join("canary");
    fs::create_dir(&canary).unwrap();
    fs::write(canary.join("x"), "x").unwrap();
    std::os::unix::fs::symlink(&canary, path.join("l")).unwrap();
    assert!(survey(&dir, "shallow", |_| Ok::<(), Infallible>(())).unwrap().is_some());
    remove(&dir, OsStr::new("shallow")).unwrap();
    assert!(!base.path().join("shallow").exists());
    assert_eq!(fs::read_to_string(canary.join("x")).unwrap(), "x");
}
