//! The two ways of opening beneath a handle, side by side on one tree.

use std::fs;

use super::*;
use crate::fixture::Fixture;

#[test]
fn the_walk_by_name_and_openat2_see_the_same() {
    let fixture = Fixture::new();
    fixture.write("a/b/文.txt", "x");
    fixture.write("f.txt", "y");
    fixture.link("a", "to-folder");
    fixture.link("f.txt", "a/to-file");
    fixture.link(&fixture.out, "leaves");
    fixture.pipe("pipe");
    let root = Dir::open_ambient_dir(&fixture.root, cap_std::ambient_authority()).unwrap();
    let paths = [
        "",
        "a",
        "a/b",
        "a/b/文.txt",
        "f.txt",
        "to-folder",
        "to-folder/b",
        "to-folder/b/文.txt",
        "a/to-file",
        "leaves",
        "leaves/canary.txt",
        "pipe",
        "none",
        "a/none",
        "none/none",
        "f.txt/x",
    ];
    for path in paths {
        let shown = |look: io::Result<Look>| look.map(|look| (look.form, look.identity)).ok();
        let (one, other) = (by_name::look(&root, path), openat2::look(&root, path).unwrap());
        assert_eq!(shown(one), shown(other), "{path:?}");
        let identity = |folder: io::Result<Dir>| folder.and_then(|folder| identity_of(&folder)).ok();
        let (one, other) = (by_name::open_folder(&root, path), openat2::open_folder(&root, path).unwrap());
        assert_eq!(identity(one), identity(other), "{path:?}");
        let content = |file: io::Result<File>| file.and_then(io::read_to_string).ok();
        let (one, other) = (by_name::open_to_read(&root, path), openat2::open_to_read(&root, path).unwrap());
        assert_eq!(content(one), content(other), "{path:?}");
    }
    assert!(by_name::open_to_read(&root, "leaves/canary.txt").is_err());
    assert!(by_name::open_folder(&root, "to-folder").is_err());
}

#[test]
fn a_view_into_the_kernel_is_told_from_a_file() {
    let fixture = Fixture::new();
    fixture.write("f.txt", "y");
    let root = Dir::open_ambient_dir(&fixture.root, cap_std::ambient_authority()).unwrap();
    assert!(!is_kernel_view(&root, &fs::File::open(fixture.root.join("f.txt")).unwrap()));
    assert!(is_kernel_view(&root, &fs::File::open("/proc/self/environ").unwrap()));
}
