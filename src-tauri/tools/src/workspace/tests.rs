//! Tests of places, handles and reading on real folders.

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
