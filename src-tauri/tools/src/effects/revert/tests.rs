//! Every kind of effect taken back, and refused where someone else changed something since.
//! Who may ask for it is decided where a `Reversal` is made.

use assent_protocol::ids::Sha;
use serde_json::json;

use super::RevertRefusal;
use crate::effects::bench::{Bench, CALL};
use crate::files::{delete_file, patch_file, rename_file, write_file};

#[test]
fn a_changed_file_gets_its_old_content_and_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new();
    bench.known("a", "one\r\ntwo\r\n");
    std::fs::set_permissions(bench.root.join("a"), std::fs::Permissions::from_mode(0o640)).unwrap();
    let edit = json!({ "path": "a", "edits": [{ "old": "one", "new": "1\n1" }] });
    let output = bench.run(&*patch_file::tool(), edit);
    assert_eq!(bench.text("a"), "1\r\n1\r\ntwo\r\n");
    let done = bench.revert(&output.effects).unwrap();
    assert_eq!(bench.text("a"), "one\r\ntwo\r\n");
    assert_eq!((done[0].added, done[0].removed, done[0].after), (1, 2, output.effects[0].before));
    assert_eq!(std::fs::metadata(bench.root.join("a")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_created_file_goes_to_the_trash() {
    let bench = Bench::new();
    let output = bench.run(&*write_file::tool(), json!({ "path": "d/new", "content": "x" }));
    bench.revert(&output.effects).unwrap();
    assert!(!bench.exists("d/new"));
    assert_eq!(bench.text(&format!(".assent/trash/{CALL}-reverted/new")), "x");
}

#[test]
fn a_deleted_folder_comes_back_with_its_links_and_into_its_folder() {
    let bench = Bench::new();
    bench.write("d/folder/x", "x");
    bench.link(&bench.out, "d/folder/out");
    let output = bench.run(&*delete_file::tool(), json!({ "path": "d/folder" }));
    std::fs::remove_dir(bench.root.join("d")).unwrap();
    let done = bench.revert(&output.effects).unwrap();
    assert_eq!((done[0].before, done[0].after), (None, output.effects[0].before));
    assert_eq!(bench.text("d/folder/x"), "x");
    assert!(bench.root.join("d/folder/out").symlink_metadata().unwrap().is_symlink());
    bench.out_is_untouched();
}

#[test]
fn a_renamed_file_is_renamed_back() {
    let bench = Bench::new();
    bench.write("a", "x");
    let output = bench.run(&*rename_file::tool(), json!({ "from": "a", "to": "d/b" }));
    let done = bench.revert(&output.effects).unwrap();
    assert_eq!((bench.text("a").as_str(), bench.exists("d/b")), ("x", false));
    assert_eq!((done[0].path.as_str(), done[0].moved_to.as_deref()), ("d/b", Some("a")));
}

#[test]
fn what_someone_changed_since_is_left_alone() {
    let bench = Bench::new();
    bench.known("a", "old");
    let changed = bench.run(&*write_file::tool(), json!({ "path": "a", "content": "new" }));
    bench.write("a", "theirs");
    let refusal = bench.revert(&changed.effects).unwrap_err();
    assert!(matches!(refusal, RevertRefusal::Changed { now: Some(now), .. } if now == Sha::of(b"theirs")));
    std::fs::remove_file(bench.root.join("a")).unwrap();
    assert!(matches!(bench.revert(&changed.effects), Err(RevertRefusal::Changed { now: None, .. })));

    let created = bench.run(&*write_file::tool(), json!({ "path": "d/b", "content": "new" }));
    bench.write("d/b", "theirs");
    assert!(matches!(bench.revert(&created.effects), Err(RevertRefusal::Changed { .. })));
    std::fs::remove_dir_all(bench.root.join("d")).unwrap();
    assert!(matches!(bench.revert(&created.effects), Err(RevertRefusal::Changed { now: None, .. })));

    bench.write("c", "x");
    let deleted = bench.run(&*delete_file::tool(), json!({ "path": "c" }));
    bench.write("c", "theirs");
    assert!(matches!(bench.revert(&deleted.effects), Err(RevertRefusal::Occupied { .. })));
    std::fs::remove_file(bench.root.join("c")).unwrap();
    bench.link("nowhere", "c");
    assert!(bench.revert(&deleted.effects).is_err(), "a dangling link stands there");
    std::fs::remove_file(bench.root.join("c")).unwrap();
    bench.write(&format!(".assent/trash/{CALL}/c"), "theirs");
    assert!(matches!(bench.revert(&deleted.effects), Err(RevertRefusal::Changed { .. })));
    assert!(!bench.exists("c"));
}

#[test]
fn all_go_back_or_none() {
    let bench = Bench::new();
    bench.known("a", "old a");
    bench.known("b", "old b");
    let write = write_file::tool();
    let mut effects = bench.run(&*write, json!({ "path": "a", "content": "new a" })).effects;
    effects.extend(bench.run(&*write, json!({ "path": "b", "content": "new b" })).effects);
    bench.write("a", "theirs");
    assert!(matches!(bench.revert(&effects), Err(RevertRefusal::Changed { path, .. }) if path == "a"));
    assert_eq!((bench.text("a").as_str(), bench.text("b").as_str()), ("theirs", "new b"));
    bench.write("a", "new a");
    assert_eq!(bench.revert(&effects).unwrap().len(), 2);
    assert_eq!((bench.text("a").as_str(), bench.text("b").as_str()), ("old a", "old b"));
}

#[test]
fn what_was_not_kept_is_said() {
    let bench = Bench::new();
    bench.known("a", "old");
    let mut effects = bench.run(&*write_file::tool(), json!({ "path": "a", "content": "new" })).effects;
    effects[0].before = Some(Sha::of(b"never kept"));
    assert!(matches!(bench.revert(&effects), Err(RevertRefusal::NotKept { .. })));
    assert_eq!(bench.text("a"), "new");
}

#[test]
fn a_link_that_took_the_place_is_not_followed() {
    let bench = Bench::new();
    bench.known("d/a", "CANARY-OUT-old");
    let output = bench.run(&*write_file::tool(), json!({ "path": "d/a", "content": "CANARY-OUT" }));
    std::fs::remove_file(bench.root.join("d/a")).unwrap();
    bench.link(bench.out.join("canary.txt"), "d/a");
    assert!(bench.revert(&output.effects).is_err());
    std::fs::remove_dir_all(bench.root.join("d")).unwrap();
    std::fs::write(bench.out.join("a"), "CANARY-OUT").unwrap();
    bench.link(&bench.out, "d");
    assert!(bench.revert(&output.effects).is_err());
    assert_eq!(std::fs::read_to_string(bench.out.join("a")).unwrap(), "CANARY-OUT");
    std::fs::remove_file(bench.out.join("a")).unwrap();
    bench.out_is_untouched();
}
