//! Evidence of what happened before a crash, for every intent and state.
//! Real kills stand with `replace`.

use assent_protocol::ids::Sha;
use assent_protocol::tool::{FileEffect, Intent};

use super::{Probe, probe};
use crate::effects::bench::Bench;

fn write(before: Option<&str>, after: &str) -> Intent {
    let hash = |text: &str| Sha::of(text.as_bytes());
    Intent::Write { path: "d/f".into(), before: before.map(hash), after: hash(after) }
}

fn is_done(found: &Probe) -> bool {
    matches!(found, Probe::Done(_))
}

#[test]
fn a_write_is_told_by_its_hash() {
    let bench = Bench::new();
    assert_eq!(probe(&bench.workspace, &write(None, "new")), Probe::NotDone);
    assert_eq!(probe(&bench.workspace, &write(Some("old"), "new")), Probe::Unknown);
    bench.write("d/f", "old");
    assert_eq!(probe(&bench.workspace, &write(Some("old"), "new")), Probe::NotDone);
    assert_eq!(probe(&bench.workspace, &write(None, "new")), Probe::Unknown);
    bench.write("d/f", "new");
    let found = probe(&bench.workspace, &write(Some("old"), "new"));
    let Probe::Done(effects) = &found else { panic!("{found:?}") };
    assert_eq!((effects[0].before, effects[0].after), (Some(Sha::of(b"old")), Some(Sha::of(b"new"))));
    assert!(is_done(&probe(&bench.workspace, &write(None, "new"))));
    bench.write("d/f", "someone else's");
    assert_eq!(probe(&bench.workspace, &write(Some("old"), "new")), Probe::Unknown);
    // What stands behind a link is no evidence.
    std::fs::remove_file(bench.root.join("d/f")).unwrap();
    bench.write("g", "new");
    bench.link("../g", "d/f");
    assert_eq!(probe(&bench.workspace, &write(Some("old"), "new")), Probe::Unknown);
}

#[test]
fn a_delete_is_told_by_what_is_in_the_trash() {
    let bench = Bench::new();
    let intent = Intent::Delete { path: "d/f".into(), trash: ".assent/trash/c/f".into() };
    assert_eq!(probe(&bench.workspace, &intent), Probe::Unknown);
    bench.write("d/f", "x");
    assert_eq!(probe(&bench.workspace, &intent), Probe::NotDone);
    bench.write(".assent/trash/c/f", "x");
    assert!(is_done(&probe(&bench.workspace, &intent)), "the name was taken again");
    std::fs::remove_file(bench.root.join("d/f")).unwrap();
    let effect = FileEffect {
        path: "d/f".into(),
        before: Some(Sha::of(b"x")),
        after: None,
        moved_to: Some(".assent/trash/c/f".into()),
        added: 0,
        removed: 0,
    };
    assert_eq!(probe(&bench.workspace, &intent), Probe::Done(vec![effect]));
}

#[test]
fn a_rename_is_told_by_both_names() {
    let bench = Bench::new();
    let intent = Intent::Rename { from: "a".into(), to: "d/b".into() };
    assert_eq!(probe(&bench.workspace, &intent), Probe::Unknown);
    bench.write("a", "x");
    assert_eq!(probe(&bench.workspace, &intent), Probe::NotDone);
    bench.write("d/b", "y");
    assert_eq!(probe(&bench.workspace, &intent), Probe::Unknown);
    std::fs::remove_file(bench.root.join("a")).unwrap();
    assert!(is_done(&probe(&bench.workspace, &intent)));
    // A link that was renamed, wherever it leads.
    bench.link(&bench.out, "l2");
    assert!(is_done(&probe(&bench.workspace, &Intent::Rename { from: "l".into(), to: "l2".into() })));
}

#[test]
fn a_command_leaves_no_evidence() {
    assert_eq!(probe(&Bench::new().workspace, &Intent::Command), Probe::Unknown);
}
