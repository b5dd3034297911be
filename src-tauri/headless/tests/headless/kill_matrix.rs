//! The kill matrix: each side-effecting tool killed at five exact points in two ways, and what the next start makes of it.
//! Random moments are tried beside this file.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::facts::{calls, check_pairs, of_kind};
use crate::pause::Pause;
use crate::support::{Place, Running, text, until};

/// One tool's call, what its effect looks like, and where its effect can be stopped halfway.
struct Tool {
    name: &'static str,
    arguments: Value,
    /// What the model has to read before.
    reads: Option<&'static str>,
    /// The point inside the effect; none: the command itself waits there.
    during: Option<&'static str>,
    /// How often the effect is there.
    count: fn(&Place) -> usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Point {
    BeforeClaim,
    AfterClaim,
    DuringEffect,
    AfterEffect,
    AfterResult,
}

const POINTS: [Point; 5] =
    [Point::BeforeClaim, Point::AfterClaim, Point::DuringEffect, Point::AfterEffect, Point::AfterResult];
const SIGNALS: [Signal; 2] = [Signal::KILL, Signal::ABORT];

/// Runs all ten rows of a tool.
fn run(tool: &Tool) {
    for signal in SIGNALS {
        for point in POINTS {
            println!("{} · {point:?} · {signal:?}", tool.name);
            kill_at(tool, point, signal);
        }
    }
    println!("{}: {} rows", tool.name, POINTS.len() * SIGNALS.len());
}

fn kill_at(tool: &Tool, point: Point, signal: Signal) {
    let place = Place::in_memory();
    place.write("kept.txt", "one\ntwo\n");
    let read = tool.reads.map(|path| format!("call read_file with {} then ", json!({ "path": path })));
    // The command of the point "during the effect" has its effect and then waits.
    let mut arguments = tool.arguments.clone();
    if tool.during.is_none() && point == Point::DuringEffect {
        arguments["command"] = json!(format!("{}; sleep 300", text(&arguments, "command")));
    }
    let prompt = format!("{}call {} with {arguments} then say done", read.unwrap_or_default(), tool.name);
    let ran = place.exec(&prompt, &[]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let conversation = ran.conversation();

    let pending = place.only_approval();
    let mut command = place.approve_command(&pending);
    let mut pause = match (point, tool.during) {
        (Point::BeforeClaim, _) => Some(Pause::at("before-claim", &place, &mut command)),
        (Point::AfterClaim, _) => Some(Pause::at("after-claim", &place, &mut command)),
        (Point::DuringEffect, during) => during.map(|during| Pause::at(during, &place, &mut command)),
        (Point::AfterEffect, _) => Some(Pause::at("after-effect", &place, &mut command)),
        (Point::AfterResult, _) => Some(Pause::at("after-result", &place, &mut command)),
    };
    let mut running = Running::start(&mut command);
    match &mut pause {
        Some(pause) => pause.until_reached(&mut running),
        None => until("the command has had its effect", || (tool.count)(&place) == 1),
    }
    running.kill(signal);

    check_restart(&place, tool, point, &conversation, &pending);
    // P57: the history is one that a provider takes, and the model goes on.
    assert_eq!(place.go_on(&conversation, "say go on", &[]).end(), (0, "completed".to_owned()));
    check_pairs(&place.log(&conversation), &[]);
    assert!((tool.count)(&place) <= 1, "nothing happens twice");
    place.check();
}

/// What the first start after the kill has to make of it.
fn check_restart(place: &Place, tool: &Tool, point: Point, conversation: &str, before: &Value) {
    let pending = place.approvals();
    let log = place.log(conversation);
    check_pairs(&log, &pending);
    let call = calls(&log).into_values().find(|call| call.name == tool.name).unwrap();
    let is_command = tool.during.is_none();
    let end = of_kind(&log, "turn/end").last().map(|end| text(end, "reason").to_owned());
    let happened = (tool.count)(place);
    let leftovers: Vec<String> = place.tree().into_iter().filter(|name| name.ends_with(".tmp")).collect();
    assert_eq!(leftovers, Vec::<String>::new());

    if point == Point::BeforeClaim {
        assert_eq!((call.started.len(), call.results.len(), happened), (0, 0, 0));
        assert_eq!(call.requested.last().unwrap()["again"], "approved-before-restart");
        assert_eq!((pending.len(), &pending[0]["digest"]), (1, &before["digest"]), "unchanged files, same digest");
        assert_eq!(end, None, "the turn is open");
        assert_eq!(place.approve(&pending[0]).end(), (0, "completed".to_owned()));
        assert_eq!((tool.count)(place), 1);
        return;
    }
    assert_eq!((pending.len(), call.started.len(), call.results.len()), (0, 1, 1));
    let result = &call.results[0];
    let outcome = (text(result, "outcome"), result["recovered"].as_bool().unwrap_or(false));
    let (expected, times) = match (point, is_command) {
        (Point::AfterResult, _) => (("ok", false), 1),
        (Point::AfterEffect, false) => (("ok", true), 1),
        (Point::AfterClaim | Point::DuringEffect, false) => (("error", true), 0),
        (Point::AfterClaim, true) => (("unknown", false), 0),
        (_, true) => (("unknown", false), 1),
        (Point::BeforeClaim, _) => (("", false), 0),
    };
    assert_eq!((outcome, happened), (expected, times), "{result}");
    let words = text(result, "shown");
    match expected.0 {
        "unknown" => assert!(words.contains("may or may not") && words.contains("Look"), "{words}"),
        "error" => assert!(words.contains("did not run") && words.contains("nothing changed"), "{words}"),
        _ => {}
    }
    assert_eq!(end.as_deref(), Some("interrupted"));
}

/// How often a line stands in a file.
fn lines(place: &Place, path: &str, line: &str) -> usize {
    place.read(path).map_or(0, |text| text.lines().filter(|found| *found == line).count())
}

#[test]
fn p56_write_file_new() {
    run(&Tool {
        name: "write_file",
        arguments: json!({ "path": "new/a.txt", "content": "made\n" }),
        reads: None,
        during: Some("during-write"),
        count: |place| lines(place, "new/a.txt", "made"),
    });
}

#[test]
fn p56_write_file_over() {
    run(&Tool {
        name: "write_file",
        arguments: json!({ "path": "kept.txt", "content": "made\n" }),
        reads: Some("kept.txt"),
        during: Some("during-write"),
        count: |place| {
            let whole = place.read("kept.txt").unwrap();
            assert!(["one\ntwo\n", "made\n"].contains(&whole.as_str()), "old or new, never a mix: {whole}");
            lines(place, "kept.txt", "made")
        },
    });
}

#[test]
fn p56_patch_file() {
    run(&Tool {
        name: "patch_file",
        arguments: json!({ "path": "kept.txt", "edits": [{ "old": "two", "new": "made\ntwo" }] }),
        reads: Some("kept.txt"),
        during: Some("during-write"),
        count: |place| lines(place, "kept.txt", "made"),
    });
}

#[test]
fn p56_append_file() {
    run(&Tool {
        name: "append_file",
        arguments: json!({ "path": "kept.txt", "content": "made\n" }),
        reads: Some("kept.txt"),
        during: Some("during-write"),
        count: |place| lines(place, "kept.txt", "made"),
    });
}

#[test]
fn p56_delete_file() {
    run(&Tool {
        name: "delete_file",
        arguments: json!({ "path": "kept.txt" }),
        reads: None,
        during: Some("during-move"),
        count: |place| {
            let trashed = place
                .tree()
                .iter()
                .filter(|name| name.starts_with(".assent/trash/") && name.ends_with("/kept.txt"))
                .count();
            let is_there = usize::from(place.read("kept.txt").is_some());
            assert_eq!(trashed + is_there, 1, "in one place, never in two or none");
            trashed
        },
    });
}

#[test]
fn p56_rename_file() {
    run(&Tool {
        name: "rename_file",
        arguments: json!({ "from": "kept.txt", "to": "new/other.txt" }),
        reads: None,
        during: Some("during-move"),
        count: |place| {
            let moved = usize::from(place.read("new/other.txt").is_some());
            assert_eq!(moved + usize::from(place.read("kept.txt").is_some()), 1, "in one place, never in two or none");
            moved
        },
    });
}

#[test]
fn p56_run_command() {
    run(&Tool {
        name: "run_command",
        arguments: json!({ "command": "echo made >> count.txt" }),
        reads: None,
        during: None,
        count: |place| lines(place, "count.txt", "made"),
    });
}

#[test]
fn p56_memory_of_the_project() {
    run(&Tool {
        name: "memory",
        arguments: json!({ "action": "add", "scope": "project", "text": "made" }),
        reads: None,
        during: Some("during-write"),
        count: |place| lines(place, ".assent/MEMORY.md", "- made"),
    });
}

#[test]
fn p56_memory_of_the_person() {
    run(&Tool {
        name: "memory",
        arguments: json!({ "action": "add", "scope": "user", "text": "made" }),
        reads: None,
        during: Some("during-write"),
        count: |place| {
            let text = std::fs::read_to_string(place.home.join("USER.md")).unwrap_or_default();
            text.lines().filter(|line| *line == "- made").count()
        },
    });
}
