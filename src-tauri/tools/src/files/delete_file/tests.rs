//! Deleting files, folders and links: what goes to the trash, what stays, what is refused.
//! Emptying the trash and taking a delete back are tested with `effects`.

use assent_protocol::assessment::{Reason, Warning};
use assent_protocol::permission::Tier;
use assent_protocol::preview::FileChangeForm;
use assent_protocol::tool::{Intent, Outcome};
use serde_json::{Value, json};

use super::tool;
use crate::effects::bench::{Bench, CALL, diff, note_lines, words};

fn at(path: &str) -> Value {
    json!({ "path": path })
}

fn trashed(name: &str) -> String {
    format!(".assent/trash/{CALL}/{name}")
}

#[test]
fn a_file_goes_to_the_trash_and_the_card_shows_its_lines() {
    let bench = Bench::new();
    bench.write("a b/文.txt", "one\ntwo\n");
    let tool = tool();
    let approved = bench.approve(&*tool, at("a b/文.txt")).unwrap();
    let assessment = &approved.assessment;
    assert_eq!(assessment.tier, Tier::High);
    assert_eq!(assessment.reason, Reason::Delete { path: "a b/文.txt".into(), entries: 1 });
    assert_eq!((assessment.reach.removed, assessment.reach.revertible), (2, true));
    assert_eq!(diff(assessment).hunks[0].lines.len(), 2);

    let prepared = approved.prepare().unwrap();
    assert_eq!(prepared.intent, Intent::Delete { path: "a b/文.txt".into(), trash: trashed("文.txt") });
    assert!(bench.exists("a b/文.txt") && !bench.exists(".assent"), "preparing changes nothing");
    let output = approved.change(&prepared);
    assert_eq!(output.outcome, Outcome::Ok, "{}", words(&output));
    assert!(!bench.exists("a b/文.txt"));
    assert_eq!(bench.text(&trashed("文.txt")), "one\ntwo\n");
    assert_eq!(output.effects[0].moved_to, Some(trashed("文.txt")));
    assert_eq!(bench.text(".assent/trash/.gitignore"), "*\n");
}

#[test]
fn git_shows_nothing_of_the_trash() {
    let bench = Bench::new();
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git").current_dir(&bench.root).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    bench.write("a", "x");
    assert_eq!(git(&["status", "--porcelain"]), "?? a\n", "the test's own look at git works");
    assert_eq!(bench.run(&*tool(), at("a")).outcome, Outcome::Ok);
    assert_eq!(git(&["status", "--porcelain", "--untracked-files=all"]), "");
}

#[test]
fn p40_a_link_in_a_folder_goes_itself_and_what_it_leads_to_stays() {
    let bench = Bench::new();
    bench.write("folder/sub/file", "x");
    bench.link(&bench.out, "folder/sub/out");
    bench.link("../../out/canary.txt", "folder/canary");
    let assessment = bench.assess(&*tool(), at("folder")).unwrap();
    assert_eq!(assessment.reason, Reason::Delete { path: "folder".into(), entries: 5 });
    assert_eq!(diff(&assessment).change, FileChangeForm::Deleted { entries: 5 });
    assert_eq!(assessment.reach.files, 5);
    let output = bench.run(&*tool(), at("folder/"));
    assert_eq!(output.outcome, Outcome::Ok, "{}", words(&output));
    assert!(!bench.exists("folder"));
    assert!(bench.root.join(trashed("folder/sub/out")).symlink_metadata().unwrap().is_symlink());
    bench.out_is_untouched();
}

#[test]
fn p40_a_link_is_deleted_itself_wherever_it_leads() {
    let bench = Bench::new();
    bench.write("real/file", "x");
    bench.link("real", "inside");
    bench.link(&bench.out, "outside");
    bench.link("nowhere", "dangling");
    for (number, name) in ["inside", "outside", "dangling"].into_iter().enumerate() {
        let assessment = bench.assess(&*tool(), at(name)).unwrap();
        assert_eq!(assessment.reason, Reason::Delete { path: name.into(), entries: 1 });
        assert_eq!(bench.run_as(&format!("call-{number}"), &*tool(), at(name)).outcome, Outcome::Ok, "{name}");
        assert!(!bench.exists(name));
        let moved = format!(".assent/trash/call-{number}/{name}");
        assert!(bench.root.join(moved).symlink_metadata().unwrap().is_symlink());
    }
    assert_eq!(bench.text("real/file"), "x");
    bench.out_is_untouched();
    // Through a link the entry of the real folder is meant; through one that leaves, none.
    bench.link("real", "way");
    assert_eq!(bench.assess(&*tool(), at("way/file")).unwrap().touches[0].path, "real/file");
    bench.link(&bench.out, "exit");
    assert!(bench.refusal(&*tool(), at("exit/canary.txt")).contains("outside"));
}

#[test]
fn the_root_protected_names_and_the_trash_are_refused() {
    let bench = Bench::new();
    bench.write(".git/config", "[core]");
    bench.write("sub/.git/config", "[core]");
    bench.write("sub/deep/.ssh/id", "key");
    bench.write(".assent/trash/old/x", "x");
    let root = bench.root.to_str().unwrap().to_owned();
    for path in [
        "",
        ".",
        "./",
        "/",
        &root,
        ".git",
        ".GIT",
        "sub/.git/config",
        "sub",
        "sub/deep",
        ".assent",
        ".assent/trash",
        ".assent/trash/old/x",
        ".assent/trash/old",
        "..",
        "a/..",
        "missing",
        "missing/x",
        "/etc/passwd",
        "~",
    ] {
        assert!(bench.assess(&*tool(), at(path)).is_err(), "{path:?}");
    }
    assert!(bench.refusal(&*tool(), at("sub")).contains("sub/.git is never changed"));
    let absolute = format!("{root}/sub/.git");
    assert!(bench.refusal(&*tool(), at(&absolute)).contains("never changed"));
}

#[test]
fn a_file_that_changed_after_the_approval_stays() {
    let bench = Bench::new();
    bench.write("a", "old");
    bench.write("folder/x", "x");
    let tool = tool();
    let file = bench.approve_as("one", &*tool, at("a")).unwrap();
    let folder = bench.approve_as("two", &*tool, at("folder")).unwrap();
    let prepared = [file.prepare().unwrap(), folder.prepare().unwrap()];
    bench.write("a", "new");
    bench.write("folder/y", "y");
    for (approved, prepared) in [file, folder].iter().zip(&prepared) {
        assert!(approved.prepare().unwrap_err().words.contains("changed since the approval"));
        assert_eq!(approved.change(prepared).outcome, Outcome::Rejected);
    }
    assert_eq!(bench.listing(), ["a", "folder", "folder/x", "folder/y"]);
}

#[test]
fn a_trash_that_is_a_link_is_not_used() {
    let bench = Bench::new();
    bench.write("a", "x");
    bench.link(&bench.out, ".assent");
    let output = bench.run(&*tool(), at("a"));
    assert_eq!(output.outcome, Outcome::Error, "{}", words(&output));
    bench.write("real/x", "");
    std::fs::remove_file(bench.root.join(".assent")).unwrap();
    bench.link("real", ".assent");
    assert_eq!(bench.run(&*tool(), at("a")).outcome, Outcome::Error);
    assert_eq!(bench.text("a"), "x");
    bench.out_is_untouched();
}

#[test]
fn secrets_and_what_is_not_text_are_named_and_not_shown() {
    let bench = Bench::new();
    bench.write(".env", "TOKEN=hunter2\n");
    bench.write("image", [0xff, 0, 0x80]);
    bench.write("large", "x\n".repeat(600_000));
    let assessment = bench.assess(&*tool(), at(".env")).unwrap();
    assert!(!format!("{assessment:?}").contains("hunter2"));
    assert_eq!(note_lines(&assessment), ["14 bytes, not shown because they may be secret"]);
    assert_eq!(note_lines(&bench.assess(&*tool(), at("image")).unwrap()), ["a binary file, 3 bytes"]);
    assert_eq!(note_lines(&bench.assess(&*tool(), at("large")).unwrap()), ["1,200,000 bytes"]);
    std::fs::hard_link(bench.root.join("image"), bench.root.join("twin")).unwrap();
    assert_eq!(bench.assess(&*tool(), at("twin")).unwrap().reach.warnings, [Warning::HardLinks]);
}

#[test]
fn a_pipe_is_deleted_without_being_opened() {
    let bench = Bench::new();
    bench.pipe("pipe");
    assert_eq!(bench.run(&*tool(), at("pipe")).outcome, Outcome::Ok);
    assert!(!bench.exists("pipe"));
}
