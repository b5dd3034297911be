//! Renames that work, and those that would replace, escape, or touch what is protected.
//! Taking a rename back is tested with `effects`.

use assent_protocol::assessment::{Raised, Reason};
use assent_protocol::permission::Tier;
use assent_protocol::preview::FileChangeForm;
use assent_protocol::tool::Outcome;
use serde_json::{Value, json};

use super::tool;
use crate::effects::bench::{Bench, diff, words};

fn path(from: &str, to: &str) -> Value {
    json!({ "from": from, "to": to })
}

#[test]
fn a_file_gets_its_new_path_and_stays_known() {
    let bench = Bench::new();
    bench.known("旧 名.txt", "x\n");
    let assessment = bench.assess(&*tool(), path("旧 名.txt", "new/新.txt")).unwrap();
    assert_eq!(assessment.tier, Tier::High);
    assert_eq!(assessment.reason, Reason::Rename { from: "旧 名.txt".into(), to: "new/新.txt".into() });
    assert_eq!(diff(&assessment).change, FileChangeForm::Renamed { to: "new/新.txt".into() });
    let output = bench.run(&*tool(), path("旧 名.txt", "new/新.txt"));
    assert_eq!(output.outcome, Outcome::Ok, "{}", words(&output));
    assert_eq!(bench.listing(), ["new", "new/新.txt"]);
    assert_eq!(
        (output.effects[0].before, output.effects[0].moved_to.as_deref()),
        (output.effects[0].after, Some("new/新.txt"))
    );
    let edit = json!({ "path": "new/新.txt", "edits": [{ "old": "x", "new": "y" }] });
    assert_eq!(bench.run(&*crate::files::patch_file::tool(), edit).outcome, Outcome::Ok);
}

#[test]
fn p39_nothing_is_ever_replaced() {
    let bench = Bench::new();
    bench.write("a", "a");
    bench.write("b", "b");
    bench.write("folder/x", "x");
    bench.link("nowhere", "dangling");
    for to in ["b", "folder", "dangling", "a", "a/x"] {
        assert!(bench.assess(&*tool(), path("a", to)).is_err(), "{to}");
    }
    // Something appears at the new path after the claim, in every form.
    let tool = tool();
    let approved = bench.approve(&*tool, path("a", "c")).unwrap();
    let prepared = approved.prepare().unwrap();
    for make in [
        |bench: &Bench| bench.write("c", "c"),
        |bench: &Bench| std::fs::create_dir(bench.root.join("c")).unwrap(),
        |bench: &Bench| bench.link(&bench.out, "c"),
    ] {
        make(&bench);
        assert_ne!(approved.change(&prepared).outcome, Outcome::Ok);
        let there = bench.root.join("c");
        if there.symlink_metadata().unwrap().is_dir() {
            std::fs::remove_dir(there)
        } else {
            std::fs::remove_file(there)
        }
        .unwrap();
    }
    assert_eq!((bench.text("a").as_str(), bench.text("b").as_str()), ("a", "b"));
    bench.out_is_untouched();
}

#[test]
fn p39_there_is_no_moment_in_which_a_racing_file_is_replaced() {
    let bench = Bench::new();
    let (mut lost, mut won) = (0, 0);
    for round in 0..300 {
        bench.write("a", "ours");
        let tool = tool();
        let approved = bench.approve(&*tool, path("a", "b")).unwrap();
        let prepared = approved.prepare().unwrap();
        let racing = bench.root.join("b");
        let made = std::thread::scope(|scope| {
            let racer = scope.spawn(|| {
                (0..round % 40).for_each(|_| std::hint::spin_loop());
                std::fs::OpenOptions::new().write(true).create_new(true).open(&racing).is_ok()
            });
            let renamed = approved.change(&prepared).outcome == Outcome::Ok;
            let made = racer.join().unwrap();
            assert!(!(made && renamed), "round {round}: a file that someone made was replaced");
            made
        });
        if made {
            lost += 1
        } else {
            won += 1
        }
        let _ = std::fs::remove_file(bench.root.join("a"));
        std::fs::remove_file(bench.root.join("b")).unwrap();
    }
    println!("renamed {won} times, came second {lost} times");
}

#[test]
fn p92_files_moved_into_a_folder_that_was_never_made_do_not_swallow_each_other() {
    let bench = Bench::new();
    // The command that should have made `archive` failed; the model goes on as if it were there.
    for (name, content) in [("one.txt", "1"), ("two.txt", "2"), ("three.txt", "3")] {
        bench.write(name, content);
    }
    let outcomes = ["one.txt", "two.txt", "three.txt"].map(|name| bench.run(&*tool(), path(name, "archive")));
    assert_eq!(outcomes.each_ref().map(|output| output.outcome), [Outcome::Ok, Outcome::Rejected, Outcome::Rejected]);
    assert!(words(&outcomes[1]).contains("never replaced"), "{}", words(&outcomes[1]));
    assert_eq!(["archive", "two.txt", "three.txt"].map(|name| bench.text(name)), ["1", "2", "3"]);
    // Deleting them one by one keeps every one of them, even under one name.
    for (number, name) in ["archive", "two.txt", "three.txt"].into_iter().enumerate() {
        let call = format!("call-{number}");
        let delete = crate::files::delete_file::tool();
        assert_eq!(bench.run_as(&call, &*delete, json!({ "path": name })).outcome, Outcome::Ok);
        bench.write("two.txt", if number == 0 { "2" } else { "again" });
        assert!(bench.exists(&format!(".assent/trash/{call}/{name}")));
    }
}

#[test]
fn a_folder_is_not_moved_into_itself_nor_out_of_the_workspace() {
    let bench = Bench::new();
    bench.write("folder/sub/x", "x");
    bench.link(&bench.out, "exit");
    assert!(bench.refusal(&*tool(), path("folder", "folder/sub/y")).contains("into itself"));
    assert!(bench.refusal(&*tool(), path("folder", "folder/new/y")).contains("into itself"));
    for to in ["exit/x", "../x", "/tmp/x", ""] {
        assert!(bench.assess(&*tool(), path("folder", to)).is_err(), "{to}");
    }
    assert!(bench.assess(&*tool(), path("exit/canary.txt", "x")).is_err());
    assert_eq!(bench.run(&*tool(), path("folder", "folder2/sub")).outcome, Outcome::Ok);
    assert_eq!(bench.text("folder2/sub/sub/x"), "x");
    bench.out_is_untouched();
}

#[test]
fn p34_p35_both_ends_are_guarded_with_all_they_hold() {
    let bench = Bench::new();
    bench.write(".git/config", "[core]");
    bench.write("evil/config", "[core]");
    bench.write("nested/.git/config", "[core]");
    bench.write("docker/config.json", "{}");
    bench.write("x", "x");
    for (from, to) in [
        ("evil", ".git"),
        ("evil", "sub/.GIT"),
        ("x", ".git/hooks/pre-push"),
        (".git", "g"),
        (".git/config", "c"),
        ("nested", "n"),
        ("docker", ".docker"),
        ("x", ".assent/trash/x"),
        (".assent", "y"),
        ("x", ".ssh/config"),
    ] {
        assert!(bench.assess(&*tool(), path(from, to)).is_err(), "{from} to {to}");
    }
    for (from, to, raised) in [
        ("x", ".github/workflows/x.yml", Raised::RunsLater),
        ("x", "AGENTS.md", Raised::SteersAssistant),
        ("evil", ".husky", Raised::RunsLater),
    ] {
        let assessment = bench.assess(&*tool(), path(from, to)).unwrap();
        assert_eq!((assessment.tier, assessment.reach.raised), (Tier::High, Some(raised)), "{to}");
    }
}

#[test]
fn a_link_is_renamed_itself() {
    let bench = Bench::new();
    bench.link(&bench.out, "l");
    assert_eq!(bench.run(&*tool(), path("l", "m")).outcome, Outcome::Ok);
    assert!(bench.root.join("m").symlink_metadata().unwrap().is_symlink());
    bench.out_is_untouched();
}
