//! Tests of places, handles and reading on real folders.

#[cfg(target_os = "linux")]
mod paths;
#[cfg(target_os = "linux")]
mod races;

use std::fs;

use super::*;
use crate::fixture::{CANARY, Fixture};

#[test]
fn a_plain_file_is_read_with_its_hash() {
    let fixture = Fixture::new();
    fixture.write("src/主 要.rs", "fn main() {}\n");
    for spelling in ["src/主 要.rs", "./src//主 要.rs", "src\\主 要.rs", "src/./主 要.rs"] {
        let place = fixture.workspace.place(spelling).unwrap();
        assert_eq!((place.path.as_str(), place.form), ("src/主 要.rs", Form::File));
        assert!(!place.is_link());
        let file = fixture.workspace.read(&place, 100).unwrap();
        assert_eq!(file.hash, Sha::of(b"fn main() {}\n"));
        assert_eq!(file.links, 1);
    }
    let absolute = fixture.root.join("src/主 要.rs");
    assert_eq!(fixture.workspace.place(absolute.to_str().unwrap()).unwrap().path, "src/主 要.rs");
}

#[test]
fn p26_a_sibling_with_the_same_prefix_is_outside() {
    let fixture = Fixture::new();
    let sibling = fixture.root.with_file_name("app-old");
    fs::create_dir(&sibling).unwrap();
    fs::write(sibling.join("x"), CANARY).unwrap();
    assert!(fixture.refusal(sibling.join("x").to_str().unwrap()).contains("not in the workspace"));
    assert!(fixture.refusal("../app-old/x").contains("\"..\""));
    assert!(fixture.refusal("a/../../app-old/x").contains("\"..\""));
    fixture.link("../app-old/x", "l");
    assert!(fixture.refusal("l").contains("outside of the workspace"));
}

#[test]
fn p28_a_missing_path_below_a_link_that_leaves_is_refused() {
    let fixture = Fixture::new();
    fixture.link(&fixture.out, "d");
    fixture.link("../out", "e");
    fixture.write("real/x", "");
    fixture.link("real", "inside");
    for path in ["d/new/x", "e/new/x", "d/x", "e/x", "d", "e", "inside/new/x"] {
        assert!(fixture.workspace.place(path).is_err(), "{path}");
    }
    let place = fixture.workspace.place("inside/new").unwrap();
    assert_eq!((place.path.as_str(), place.form), ("real/new", Form::Missing));
    let place = fixture.workspace.place("far/from/here.txt").unwrap();
    assert_eq!((place.path.as_str(), place.form), ("far/from/here.txt", Form::Missing));
}

#[test]
fn links_inside_are_resolved_once_and_both_names_are_known() {
    let fixture = Fixture::new();
    fixture.write("real/deep/x.txt", "x");
    fixture.link("real/deep", "short");
    fixture.link(fixture.root.join("real"), "absolute");
    fixture.link("short/x.txt", "leaf");
    fixture.link("../short/../../leaf", "real/round");
    fixture.link("../short/../../../app/leaf", "real/away");
    for path in ["short/x.txt", "absolute/deep/x.txt", "leaf", "real/round"] {
        let place = fixture.workspace.place(path).unwrap();
        assert_eq!((place.asked.as_str(), place.path.as_str()), (path, "real/deep/x.txt"));
        assert!(place.is_link());
        assert_eq!(fixture.content(path).unwrap(), b"x");
    }
    assert_eq!(fixture.workspace.place("short").unwrap().form, Form::Folder);
    // `short/..` is the parent of the real folder, as the kernel has it. A way out and in again is a way out.
    assert!(fixture.refusal("real/away").contains("outside of the workspace"));
}

#[test]
fn links_to_nothing_and_loops_are_refused() {
    let fixture = Fixture::new();
    fixture.link("nothing", "dangling");
    fixture.link("loop2", "loop1");
    fixture.link("loop1", "loop2");
    fixture.link("self/x", "self");
    assert!(fixture.refusal("dangling").contains("can't be resolved: nothing does not exist"));
    for path in ["loop1", "loop2/x", "self"] {
        assert!(fixture.refusal(path).contains("too many links"), "{path}");
    }
}

#[test]
fn links_into_refused_places_are_refused() {
    let fixture = Fixture::new();
    fixture.write(".ssh/config", "x");
    fixture.write("end.", "x");
    fixture.link(".ssh", "harmless");
    fixture.link("end.", "dotted");
    assert!(fixture.refusal("harmless/config").contains("always refused"));
    assert!(fixture.refusal(".ssh/config").contains("always refused"));
    assert!(fixture.refusal("dotted").contains("ends in a dot"));
}

#[test]
fn a_slash_at_the_end_demands_a_folder() {
    let fixture = Fixture::new();
    fixture.write("src/f.txt", "x");
    assert_eq!(fixture.workspace.place("src/").unwrap().form, Form::Folder);
    assert_eq!(fixture.refusal("src/f.txt/"), "src/f.txt/ is not a folder");
    assert_eq!(fixture.refusal("new/"), "new/ does not exist");
    assert_eq!(fixture.refusal("src/f.txt/x"), "part of src/f.txt/x is not a folder: src/f.txt");
}

#[test]
fn too_long_files_are_refused_with_their_size() {
    let fixture = Fixture::new();
    fixture.write("f", "12345");
    let place = fixture.workspace.place("f").unwrap();
    assert_eq!(fixture.workspace.read(&place, 5).unwrap().bytes, b"12345");
    let words = fixture.workspace.read(&place, 4).unwrap_err().words;
    assert_eq!(words, "f is 5 bytes long; at most 4 bytes are read at once");
}

#[test]
fn parents_are_handles_and_are_made_one_by_one() {
    let fixture = Fixture::new();
    fixture.write("a/f.txt", "");
    let parent = |path: &str| fixture.workspace.parent(&fixture.workspace.place(path).unwrap());
    assert!(parent("").unwrap_err().words.contains("root itself"));
    let (handle, leaf) = parent("a/new.txt").unwrap();
    handle.write(&leaf, "written").unwrap();
    assert_eq!(fixture.content("a/new.txt").unwrap(), b"written");
    assert!(parent("b/c/new.txt").unwrap_err().words.contains("does not exist"));
    let (handle, leaf, made) = fixture.workspace.parent_made(&fixture.workspace.place("b/c/new.txt").unwrap()).unwrap();
    assert_eq!(made, ["b", "b/c"]);
    handle.write(&leaf, "far").unwrap();
    assert_eq!(fixture.content("b/c/new.txt").unwrap(), b"far");
    let (_, _, made) = fixture.workspace.parent_made(&fixture.workspace.place("b/d/x").unwrap()).unwrap();
    assert_eq!(made, ["b/d"]);
}

#[test]
fn p28_parents_are_not_made_through_a_link_that_came_later() {
    let fixture = Fixture::new();
    let place = fixture.workspace.place("d/new/x").unwrap();
    assert_eq!(place.form, Form::Missing);
    fixture.link(&fixture.out, "d");
    assert!(fixture.workspace.parent_made(&place).is_err());
    assert_eq!(fs::read_dir(&fixture.out).unwrap().count(), 1);
}

#[test]
fn p27_what_became_a_link_is_not_opened() {
    let fixture = Fixture::new();
    fixture.write("d/canary.txt", "inside");
    let place = fixture.workspace.place("d/canary.txt").unwrap();
    let folder = fixture.workspace.place("d").unwrap();
    fs::rename(fixture.root.join("d"), fixture.root.join("moved")).unwrap();
    fixture.link(&fixture.out, "d");
    assert!(fixture.workspace.read(&place, 100).unwrap_err().words.contains("changed while"));
    assert!(fixture.workspace.folder_handle(&folder).is_err());
    assert!(fixture.workspace.parent(&place).is_err());
}

#[test]
fn p36_p37_only_regular_files_are_opened() {
    let fixture = Fixture::new();
    fixture.pipe("pipe");
    let listener = std::os::unix::net::UnixListener::bind(fixture.root.join("sock")).unwrap();
    fixture.link("/dev/zero", "zero");
    fixture.link("/proc/self/environ", "environ");
    assert_eq!(fixture.workspace.place("pipe").unwrap().form, Form::Other("named pipe"));
    assert_eq!(fixture.workspace.place("sock").unwrap().form, Form::Other("socket"));
    assert!(fixture.refusal("pipe").contains("is a named pipe, not a regular file"));
    assert!(fixture.refusal("sock").contains("is a socket, not a regular file"));
    assert!(fixture.refusal("zero").contains("outside of the workspace"));
    assert!(fixture.refusal("environ").contains("outside of the workspace"));
    // A file that turned into a pipe after it was looked at doesn't hang either.
    fixture.write("x", "");
    let place = fixture.workspace.place("x").unwrap();
    fs::remove_file(fixture.root.join("x")).unwrap();
    fixture.pipe("x");
    assert!(fixture.workspace.read(&place, 100).unwrap_err().words.contains("named pipe"));
    drop(listener);
}

#[test]
fn a_root_that_moved_is_noticed_and_still_the_same_folder() {
    let fixture = Fixture::new();
    fixture.write("f.txt", "x");
    assert!(fixture.workspace.is_in_place());
    let moved = fixture.root.with_file_name("moved");
    fs::rename(&fixture.root, &moved).unwrap();
    assert!(!fixture.workspace.is_in_place());
    fs::create_dir(&fixture.root).unwrap();
    fs::write(fixture.root.join("f.txt"), "another").unwrap();
    assert!(!fixture.workspace.is_in_place());
    assert_eq!(fixture.content("f.txt").unwrap(), b"x");
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_may_not_be_read_is_no_workspace() {
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o311)).unwrap();
    // The system's administrator reads everything: this thread gives that up.
    let opened = std::thread::spawn(move || {
        let mut sets = capabilities(None).unwrap();
        sets.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
        set_capabilities(None, sets).unwrap();
        Workspace::open(&path, &[]).map(|_| ())
    });
    let error = opened.join().unwrap().unwrap_err();
    assert!(matches!(error, WorkspaceError::Unreadable { .. }), "{error}");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn the_apps_own_folder_may_lie_where_no_workspace_may() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    assert!(matches!(Workspace::open(folder.path(), &[]), Err(WorkspaceError::Refused { .. })));
    let own = Workspace::open_own(folder.path()).unwrap();
    std::fs::write(folder.path().join("USER.md"), "- a fact\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("out")).unwrap();
    assert_eq!(own.read(&own.place("USER.md").unwrap(), 100).unwrap().bytes, b"- a fact\n");
    assert!(own.place("out").is_err(), "it is left by no link");
}
