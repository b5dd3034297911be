//! Repositories that would run something under plain git: each trap is first shown to fire there, then never here.
//! The git tools' own tests know many more of them.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use assent_testkit::fake_server::Reply;
use serde_json::json;

use crate::facts::results;
use crate::support::{Place, text};

/// A trap: git's settings and attributes for it, and the command of plain git that it fires under.
struct Trap {
    settings: &'static [(&'static str, &'static str)],
    attributes: &'static str,
    fires: &'static [&'static str],
}

/// Stands for the program that must never run.
const PROGRAM: &str = "PROGRAM";

/// A repository with the trap set, and the file that tells whether it fired.
fn set(trap: &Trap) -> Place {
    let place = Place::with_git();
    let (program, mark) = (place.beside("trap.sh"), place.beside("MARK"));
    std::fs::write(&program, format!("#!/bin/sh\ntouch '{}'\ncat 2>/dev/null\n", mark.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = format!("'{}'", program.display());
    for (name, value) in trap.settings {
        place.git(&["config", name, &value.replace(PROGRAM, &program)]);
    }
    std::fs::create_dir_all(place.workspace.join(".git/info")).unwrap();
    std::fs::write(place.workspace.join(".git/info/attributes"), trap.attributes).unwrap();
    place
}

/// Makes git doubt what it knows of the file.
fn touch(place: &Place) {
    let file = std::fs::File::options().append(true).open(place.workspace.join("kept.txt")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
}

fn check(trap: &Trap) {
    let place = set(trap);
    let mark = place.beside("MARK");
    touch(&place);
    place.git(trap.fires);
    assert!(mark.exists(), "the trap is live under git {:?}", trap.fires);
    std::fs::remove_file(&mark).unwrap();

    let place = set(trap);
    let mark = place.beside("MARK");
    touch(&place);
    place.write("new.txt", "new\n");
    place.server.push(Reply::call(&[
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_log", json!({})),
        ("grep", json!({ "pattern": "one" })),
    ]));
    let ran = place.exec("say done", &[]);
    assert_eq!(ran.end(), (0, "completed".to_owned()));
    assert!(!mark.exists(), "it fired under git {:?}", trap.fires);
    let results = results(&ran.events());
    assert!(text(&results[0], "shown").contains("new.txt"), "{}", results[0]);
    assert!(text(&results[2], "shown").contains("first"), "{}", results[2]);
    place.check();
}

#[test]
fn p16_a_file_system_monitor_is_not_started() {
    check(&Trap { settings: &[("core.fsmonitor", PROGRAM)], attributes: "", fires: &["status"] });
}

#[test]
fn p17_no_program_shows_differences() {
    let trap = Trap { settings: &[("diff.external", PROGRAM)], attributes: "", fires: &["diff", "HEAD"] };
    let place = set(&trap);
    place.write("kept.txt", "one\nthree\n");
    place.git(trap.fires);
    assert!(place.beside("MARK").exists(), "the trap is live");
    std::fs::remove_file(place.beside("MARK")).unwrap();
    for settings in [&[("diff.external", PROGRAM)][..], &[("diff.x.command", PROGRAM), ("diff.x.textconv", PROGRAM)]] {
        let place = set(&Trap { settings, attributes: "*.txt diff=x\n", ..trap });
        place.write("kept.txt", "one\nthree\n");
        place.server.push(Reply::call(&[("git_diff", json!({})), ("git_log", json!({ "patch": true }))]));
        let ran = place.exec("say done", &[]);
        assert_eq!(ran.code, Some(0));
        assert!(!place.beside("MARK").exists(), "{settings:?}");
        let shown = text(&results(&ran.events())[0], "shown").to_owned();
        assert!(shown.contains("-two") && shown.contains("+three"), "{shown}");
    }
}

#[test]
fn p18_no_filter_runs_and_the_index_stays_as_it_is() {
    let trap = Trap {
        settings: &[("filter.y.clean", PROGRAM), ("filter.y.smudge", PROGRAM)],
        attributes: "*.txt filter=y\n",
        fires: &["status"],
    };
    check(&trap);
    let place = set(&trap);
    touch(&place);
    let index = || std::fs::read(place.workspace.join(".git/index")).unwrap();
    let before = index();
    place.exec("call git_status with {} and git_diff with {} then say done", &[]);
    assert_eq!(index(), before);
}

#[test]
fn p19_a_revision_is_no_option() {
    let place = Place::with_git();
    let out = place.beside("w");
    let option = format!("--output={}", out.display());
    place.server.push(Reply::call(&[
        ("git_diff", json!({ "from": option })),
        ("git_log", json!({ "ref": option })),
        ("git_diff", json!({ "to": "-Ofile" })),
    ]));
    let ran = place.exec("say done", &[]);
    assert_eq!(ran.code, Some(0));
    assert!(results(&ran.events()).iter().all(|result| result["outcome"] != "ok"), "{ran:?}");
    assert!(!out.exists());
    assert_eq!(place.tree(), ["kept.txt"]);
    place.check();
}
