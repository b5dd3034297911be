//! Tests of `list_directory` on real folders.

use std::fs;

use assent_protocol::tool::Outcome;
use serde_json::json;

use super::*;
use crate::fixture::Fixture;

#[test]
fn folders_come_first_and_files_have_sizes() {
    let fixture = Fixture::new();
    fixture.write("b.txt", "12345");
    fixture.write("a.txt", "x".repeat(2048));
    fixture.write("中文/inner.txt", "");
    fixture.write("src/main.rs", "");
    fixture.write(".env", "TOKEN=1");
    let text = fixture.text(&tool(), json!({}));
    assert_eq!(text, ".: 2 folders, 3 other entries\nsrc/\n中文/\n.env  7 B\na.txt  2.0 KB\nb.txt  5 B\n");
    for root in ["", ".", "./", fixture.root.to_str().unwrap()] {
        assert_eq!(fixture.text(&tool(), json!({"path": root})), text);
    }
    assert_eq!(fixture.text(&tool(), json!({"path": "src/"})), "src: 0 folders, 1 other entry\nmain.rs  0 B\n");
    let empty = fixture.root.join("empty");
    fs::create_dir(empty).unwrap();
    assert_eq!(fixture.text(&tool(), json!({"path": "empty"})), "empty: 0 folders, 0 other entries\n");
}

#[test]
fn what_is_no_folder_is_named() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "");
    assert_eq!(fixture.run(&tool(), json!({"path": "a.txt"})).unwrap_err(), "a.txt is a file, not a folder");
    assert_eq!(fixture.run(&tool(), json!({"path": "none"})).unwrap_err(), "none does not exist");
}

#[test]
fn many_entries_are_bounded_and_counted() {
    let fixture = Fixture::new();
    for number in 0..3_000 {
        fixture.write(&format!("many/file-{number:05}-with-a-name.txt"), "");
    }
    let output = fixture.run(&tool(), json!({"path": "many"})).unwrap();
    let text = String::from_utf8(output.full).unwrap();
    assert!(text.chars().count() <= MAX_CHARACTERS);
    assert!(text.starts_with("many: 0 folders, 3,000 other entries\nfile-00000"));
    let Brief::Entries { count, more: true } = output.brief else { panic!("{:?}", output.brief) };
    assert_eq!(text.lines().count(), count as usize + 2);
    let left = words::grouped(3_000 - u64::from(count));
    assert!(text.ends_with(&format!("({left} more entries not shown; find files by name with search_files)\n")));
}

#[cfg(unix)]
#[test]
fn links_pipes_and_odd_names_are_marked() {
    let fixture = Fixture::new();
    fixture.write("real/x.txt", "");
    fixture.link("real/x.txt", "in");
    fixture.link("../out/canary.txt", "out");
    fixture.link("nowhere", "dangling");
    fixture.pipe("pipe");
    fixture.write("line\nfeed", "");
    fixture.write("real/NUL", "");
    let text = fixture.text(&tool(), json!({}));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines,
        [
            ".: 1 folder, 5 other entries",
            "real/",
            "dangling -> (a link that can't be used)",
            "in -> real/x.txt",
            "line\\u{a}feed  0 B",
            "out -> (a link that can't be used)",
            "pipe  (not a regular file)",
        ]
    );
}

#[cfg(unix)]
#[test]
fn p27_a_folder_behind_a_link_that_leaves_is_not_listed() {
    let fixture = Fixture::new();
    fixture.link(&fixture.out, "d");
    assert!(fixture.run(&tool(), json!({"path": "d"})).unwrap_err().contains("outside of the workspace"));
    fs::create_dir(fixture.root.join("x")).unwrap();
    let cleared = fixture.clear(&tool(), json!({"path": "x"})).unwrap();
    fs::remove_dir(fixture.root.join("x")).unwrap();
    fixture.link(&fixture.out, "x");
    let output = fixture.read(&tool(), &cleared);
    assert_eq!(output.outcome, Outcome::Rejected);
    assert!(!String::from_utf8(output.full).unwrap().contains("canary"));
}
