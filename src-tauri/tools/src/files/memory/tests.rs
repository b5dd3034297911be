//! Facts that are kept: in the workspace and in the app's own folder, one a line, within the limit, as a person saves them.
//! Crashes and races stand with the replacing of files.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use assent_protocol::assessment::{Raised, Reason};
use assent_protocol::tool::{Intent, Outcome};
use serde_json::{Value, json};

use super::*;
use crate::effects::bench::{Bench, words};

fn call(action: &str, scope: &str, text: &str, old: Option<&str>) -> Value {
    json!({ "action": action, "scope": scope, "text": text, "old": old })
}

fn project(action: &str, text: &str) -> Value {
    call(action, "project", text, None)
}

fn with_home(home: &Path) -> Arc<dyn Tool> {
    tool(Some(Arc::new(Workspace::open(home, &[]).unwrap())))
}

#[test]
fn facts_are_added_replaced_and_removed_line_by_line() {
    let bench = Bench::new();
    let tool = tool(None);
    let assessment = bench.assess(&*tool, project("add", "Tests need  Postgres 17 ")).unwrap();
    assert_eq!((assessment.tier, assessment.reach.raised), (Tier::Medium, Some(Raised::SteersAssistant)));
    assert_eq!(assessment.reason, Reason::Create { path: PROJECT_FILE.into(), lines: 1 });
    assert_eq!(bench.listing(), [""; 0], "an assessment changes nothing");
    assert_eq!(bench.run(&*tool, project("add", "Tests need  Postgres 17 ")).outcome, Outcome::Ok);
    bench.run(&*tool, project("add", "用中文回答"));
    assert_eq!(bench.text(PROJECT_FILE), "- Tests need  Postgres 17\n- 用中文回答\n");
    let output = bench.run(&*tool, call("replace", "project", "Tests need nothing", Some("Postgres")));
    assert_eq!(words(&output), "Changed .assent/MEMORY.md: +1 -1 lines.");
    bench.run(&*tool, project("remove", "用中文"));
    assert_eq!(bench.text(PROJECT_FILE), "- Tests need nothing\n");
    assert_eq!(output.seen[0].path, PROJECT_FILE);
}

#[test]
fn what_a_person_wrote_there_needs_no_reading_and_keeps_its_form() {
    let bench = Bench::new();
    bench.write(PROJECT_FILE, "# Facts\r\n\r\n* one\r\n* two");
    bench.run(&*tool(None), project("add", "three"));
    let text = bench.text(PROJECT_FILE);
    assert!(text.starts_with("# Facts\r\n\r\n* one\r\n* two") && text.contains("- three"), "{text:?}");
}

#[test]
fn the_persons_file_lies_in_the_apps_own_folder_and_is_known_by_its_whole_name() {
    let bench = Bench::new();
    let home = tempfile::tempdir().unwrap();
    let tool = with_home(home.path());
    let name = dunce::canonicalize(home.path()).unwrap().join(USER_FILE).to_string_lossy().into_owned();
    let arguments = call("add", "user", "prefers short answers", None);
    let assessment = bench.assess(&*tool, arguments.clone()).unwrap();
    assert_eq!((assessment.tier, assessment.reach.inside), (Tier::Medium, false));
    assert_eq!(assessment.reason, Reason::Create { path: name.clone(), lines: 1 });
    assert_eq!(assessment.touches[0].path, name);
    let approved = bench.approve(&*tool, arguments).unwrap();
    let prepared = approved.prepare().unwrap();
    assert!(matches!(&prepared.intent, Intent::Write { path, before: None, .. } if *path == name));
    let output = approved.change(&prepared);
    assert_eq!((output.outcome, output.effects[0].path.as_str()), (Outcome::Ok, name.as_str()), "{}", words(&output));
    assert_eq!(fs::read_to_string(home.path().join(USER_FILE)).unwrap(), "- prefers short answers\n");
    assert_eq!(bench.listing(), [""; 0], "nothing in the workspace");
    let refusal = bench.refusal(&*super::tool(None), call("add", "user", "x", None));
    assert_eq!(refusal, "It did not run: there is no folder for it.");
}

#[test]
fn a_change_meanwhile_is_not_overwritten() {
    let bench = Bench::new();
    let tool = tool(None);
    bench.write(PROJECT_FILE, "- one\n");
    let approved = bench.approve(&*tool, project("add", "two")).unwrap();
    bench.write(PROJECT_FILE, "- another\n");
    let refusal = approved.prepare().expect_err("it changed").words;
    assert!(refusal.contains("changed since the approval"), "{refusal}");
    assert_eq!(bench.text(PROJECT_FILE), "- another\n");
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let bench = Bench::new();
    let tool = tool(None);
    let refused = |arguments: Value| bench.refusal(&*tool, arguments);
    assert_eq!(refused(project("add", "a\nb")), "It did not run: a fact is one line, and not an empty one.");
    assert_eq!(refused(project("add", &"字".repeat(501))), "It did not run: a fact has 500 characters at most.");
    let replaced = refused(project("replace", "a"));
    assert_eq!(replaced, "It did not run: `old` has to name the line that is replaced.");
    assert_eq!(refused(call("add", "project", "a", Some("b"))), "It did not run: `old` is for replace alone.");
    bench.write(PROJECT_FILE, "- red fox\n- red hen\n");
    assert!(refused(project("remove", "red")).starts_with("It did not run: 2 lines have \"red\""));
    assert!(refused(project("remove", "blue")).starts_with("It did not run: no line has \"blue\". Lines:\n- red fox"));
    bench.write(PROJECT_FILE, format!("{}\n", "x".repeat(LIMIT - 10)));
    let full = refused(project("add", "one more fact"));
    assert!(full.contains("8192 are the most") && full.contains("Remove or shorten"), "{full}");
    assert_eq!(bench.run(&*tool, call("replace", "project", "short", Some("xxx"))).outcome, Outcome::Ok);
}

#[test]
fn a_person_saves_what_was_edited_and_nothing_over_another_change() {
    let bench = Bench::new();
    assert_eq!(read(&bench.workspace, PROJECT_FILE).unwrap(), None);
    save(&bench.workspace, PROJECT_FILE, "one\n", None).unwrap();
    let (text, hash) = read(&bench.workspace, PROJECT_FILE).unwrap().unwrap();
    assert_eq!(text, "one\n");
    let again = save(&bench.workspace, PROJECT_FILE, "two\n", None);
    assert!(matches!(again, Err(SaveRefusal::Changed)), "{again:?}");
    save(&bench.workspace, PROJECT_FILE, "", Some(hash)).unwrap();
    assert_eq!(bench.text(PROJECT_FILE), "");
    let long = save(&bench.workspace, PROJECT_FILE, &"x".repeat(LIMIT + 1), Some(Sha::of(b"")));
    assert_eq!(long.unwrap_err().to_string(), "it has 8193 bytes; 8192 are the most");
}

#[test]
#[cfg(unix)]
fn a_link_is_no_place_for_a_fact() {
    for (target, at) in [("../Makefile", PROJECT_FILE), ("elsewhere", ".assent")] {
        let bench = Bench::new();
        bench.write("Makefile", "all:\n");
        bench.write("elsewhere/MEMORY.md", "- one\n");
        let link = bench.root.join(at);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, link).unwrap();
        let refusal = bench.refusal(&*tool(None), project("add", "$(touch MARK)"));
        assert!(refusal.contains("is a link to"), "{refusal}");
        assert!(read(&bench.workspace, PROJECT_FILE).is_err());
        assert!(matches!(save(&bench.workspace, PROJECT_FILE, "x", None), Err(SaveRefusal::Refused(_))));
        assert_eq!((bench.text("Makefile"), bench.text("elsewhere/MEMORY.md")), ("all:\n".into(), "- one\n".into()));
    }
}

#[test]
fn a_refusal_tells_no_more_of_a_long_file_than_is_useful() {
    let bench = Bench::new();
    let line = "- 三个字\n";
    bench.write(PROJECT_FILE, line.repeat(40_000));
    for words in ["nowhere", "字"] {
        let refusal = bench.refusal(&*tool(None), project("remove", words));
        assert!(refusal.len() < MOST_TOLD + 200 && refusal.ends_with("bytes are left out]"), "{refusal}");
    }
    bench.write(PROJECT_FILE, "三".repeat(MOST_TOLD));
    let refusal = bench.refusal(&*tool(None), project("remove", "nowhere"));
    assert!(refusal.len() < MOST_TOLD + 200, "{} bytes", refusal.len());
}
