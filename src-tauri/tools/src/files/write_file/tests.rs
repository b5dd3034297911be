//! Whole files written: new, over what was read, through links, to places that are refused or raised.
//! Crashes, races and faults stand with the replacing of files.

use assent_protocol::assessment::{Raised, Reason, Tracked, Warning};
use assent_protocol::permission::Tier;
use assent_protocol::preview::FileChangeForm;
use assent_protocol::tool::{Brief, Cause, Outcome};
use serde_json::{Value, json};

use super::tool;
use crate::effects::bench::{Bench, diff, note_lines, words};

fn to(path: &str, content: &str) -> Value {
    json!({ "path": path, "content": content })
}

#[test]
fn a_new_file_is_created_with_its_folders() {
    let bench = Bench::new();
    let assessment = bench.assess(&*tool(), to("文 件/a b/new.txt", "one\ntwo\n")).unwrap();
    assert_eq!(assessment.tier, Tier::Medium);
    assert_eq!(assessment.reason, Reason::Create { path: "文 件/a b/new.txt".into(), lines: 2 });
    assert_eq!(diff(&assessment).change, FileChangeForm::Created);
    assert_eq!((assessment.reach.files, assessment.reach.added, assessment.reach.revertible), (1, 2, true));
    assert_eq!(bench.listing(), [""; 0], "an assessment changes nothing");

    let output = bench.run(&*tool(), to("文 件/a b/new.txt", "one\ntwo\n"));
    assert_eq!((output.outcome, &output.brief), (Outcome::Ok, &Brief::Changed { added: 2, removed: 0 }));
    assert_eq!(bench.text("文 件/a b/new.txt"), "one\ntwo\n");
    assert_eq!(bench.listing(), ["文 件", "文 件/a b", "文 件/a b/new.txt"]);
    assert_eq!(output.effects[0].before, None);
    assert_eq!(output.seen[0].hash, output.effects[0].after);
}

#[test]
fn what_was_written_may_be_written_again() {
    let bench = Bench::new();
    assert_eq!(bench.run(&*tool(), to("a", "1\n")).outcome, Outcome::Ok);
    let output = bench.run(&*tool(), to("a", "1\n2\n"));
    assert_eq!((output.outcome, words(&output).as_str()), (Outcome::Ok, "Changed a: +1 line."));
    assert!(bench.refusal(&*tool(), to("a", "1\n2\n")).starts_with("Nothing to do"));
}

#[test]
fn a_file_that_was_not_read_is_not_overwritten() {
    let bench = Bench::new();
    bench.write("a", "theirs");
    let refusal = bench.refusal(&*tool(), to("a", "ours"));
    assert!(refusal.contains("was not read") && refusal.contains("Read it first"), "{refusal}");
    assert!(refusal.contains(&assent_protocol::ids::Sha::of(b"theirs").to_string()));
}

#[test]
fn p44_a_file_that_changed_since_it_was_read_is_refused_with_its_hash() {
    let bench = Bench::new();
    bench.known("a.txt", "as read\n");
    bench.write("a.txt", "edited by a person\n");
    let now = assent_protocol::ids::Sha::of(b"edited by a person\n").to_string();
    let refusal = bench.refusal(&*tool(), to("a.txt", "new\n"));
    assert!(refusal.contains("changed since it was read") && refusal.contains(&now), "{refusal}");

    // Edited after the approval, before the claim.
    bench.known("a.txt", "as read\n");
    let tool = tool();
    let approved = bench.approve(&*tool, to("a.txt", "new\n")).unwrap();
    bench.write("a.txt", "edited by a person\n");
    let refusal = approved.prepare().unwrap_err();
    assert!(refusal.words.contains("changed since") && refusal.words.contains(&now), "{}", refusal.words);

    // Read anew by another call after the approval: the old approval is void all the same.
    bench.see("a.txt");
    let refusal = approved.prepare().unwrap_err();
    assert!(refusal.words.contains("changed since the approval") && refusal.words.contains(&now));

    // Edited after the claim.
    bench.known("a.txt", "as read\n");
    let prepared = approved.prepare().unwrap();
    bench.write("a.txt", "edited by a person\n");
    let output = approved.change(&prepared);
    assert_eq!((output.outcome, output.cause), (Outcome::Rejected, Some(Cause::Refused)));
    assert!(output.effects.is_empty() && words(&output).contains(&now));
    assert_eq!(bench.text("a.txt"), "edited by a person\n");
}

#[test]
fn a_file_that_appears_after_the_approval_is_not_overwritten() {
    let bench = Bench::new();
    let tool = tool();
    let approved = bench.approve(&*tool, to("new", "ours")).unwrap();
    let prepared = approved.prepare().unwrap();
    bench.write("new", "theirs");
    assert_eq!(approved.change(&prepared).outcome, Outcome::Rejected);
    bench.known("new", "theirs");
    assert_eq!(approved.change(&prepared).outcome, Outcome::Rejected);
    assert_eq!(bench.text("new"), "theirs");
    bench.no_temporary_is_left();
}

#[test]
fn p28_nothing_is_created_below_a_link_that_leaves() {
    let bench = Bench::new();
    bench.link(&bench.out, "d");
    bench.link("../out", "e");
    for path in ["d/new/x", "d/x", "e/new/x", "e/canary.txt", "d"] {
        assert!(bench.assess(&*tool(), to(path, "x")).is_err(), "{path}");
    }
    bench.out_is_untouched();
}

#[test]
fn p28_a_folder_that_becomes_a_link_after_the_approval_gains_nothing() {
    let bench = Bench::new();
    bench.write("d/x", "");
    let tool = tool();
    let approved = bench.approve(&*tool, to("d/new/y", "y")).unwrap();
    let prepared = approved.prepare().unwrap();
    std::fs::rename(bench.root.join("d"), bench.root.join("was-d")).unwrap();
    bench.link(&bench.out, "d");
    assert_eq!(approved.change(&prepared).outcome, Outcome::Rejected);
    bench.out_is_untouched();
}

#[test]
fn a_link_that_stays_inside_is_resolved_and_the_card_names_both() {
    let bench = Bench::new();
    bench.known("real/file.txt", "old\n");
    bench.link("real/file.txt", "link.txt");
    let assessment = bench.assess(&*tool(), to("link.txt", "new\n")).unwrap();
    assert_eq!(diff(&assessment).path, "link.txt");
    assert_eq!(diff(&assessment).resolved.as_deref(), Some("real/file.txt"));
    assert_eq!(assessment.touches[0].path, "real/file.txt");
    assert_eq!(bench.run(&*tool(), to("link.txt", "new\n")).outcome, Outcome::Ok);
    assert_eq!(bench.text("real/file.txt"), "new\n");
    assert!(bench.root.join("link.txt").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn p31_p32_p33_other_spellings_of_protected_and_foreign_places_are_refused() {
    let bench = Bench::new();
    for path in [
        ".GIT/config",
        ".Git\\hooks\\x",
        "GIT~1/config",
        ".git./x",
        ".git /x",
        ".git::$INDEX_ALLOCATION/x",
        "a.txt::$DATA",
        "a.txt.",
        "a.txt ",
        "NUL",
        "con.txt",
        "aux.tar.gz",
        "\\\\server\\share\\x",
        "\\??\\C:\\x",
        "D:\\x",
        "../x",
        "/etc/passwd",
        ".ssh/config",
        "a\0b",
        "",
    ] {
        assert!(bench.assess(&*tool(), to(path, "x")).is_err(), "{path:?}");
    }
    let assessment = bench.assess(&*tool(), to(".Vscode/settings.json", "{}")).unwrap();
    assert_eq!((assessment.tier, assessment.reach.raised), (Tier::High, Some(Raised::RunsLater)));
    assert_eq!(bench.listing(), [""; 0]);
}

#[test]
fn p34_git_folders_are_refused_at_any_depth_and_after_approval() {
    let bench = Bench::new();
    for path in [".git/hooks/pre-push", "sub/.git/config", ".git", "a/b/.git/x/y"] {
        assert!(bench.refusal(&*tool(), to(path, "x")).contains("not even with approval"), "{path}");
    }
    // Approved while the name was harmless, then turned into a way to the repository.
    bench.write("sub/.git/config", "[core]");
    bench.write("d/x", "");
    let tool = tool();
    let approved = bench.approve(&*tool, to("d/config2", "x")).unwrap();
    let prepared = approved.prepare().unwrap();
    std::fs::remove_dir_all(bench.root.join("d")).unwrap();
    bench.link("sub/.git", "d");
    assert!(approved.prepare().unwrap_err().words.contains("not even with approval"));
    let output = approved.change(&prepared);
    assert!(words(&output).contains("not even with approval"), "{}", words(&output));
    assert!(!bench.exists("sub/.git/config2"));
}

#[test]
fn p35_files_that_run_or_steer_later_are_raised_to_high() {
    let bench = Bench::new();
    for (path, raised) in [
        (".vscode/settings.json", Raised::RunsLater),
        ("my.code-workspace", Raised::RunsLater),
        (".github/hooks/x.json", Raised::RunsLater),
        ("sub/package.json", Raised::RunsLater),
        ("AGENTS.md", Raised::SteersAssistant),
        (".mcp.json", Raised::SteersAssistant),
        (".assent/skills/x.md", Raised::SteersAssistant),
    ] {
        let assessment = bench.assess(&*tool(), to(path, "x")).unwrap();
        assert_eq!((assessment.tier, assessment.reach.raised), (Tier::High, Some(raised)), "{path}");
        let arguments = to(path, "x");
        let considered = assent_policy::Considered {
            tool: "write_file",
            arguments: arguments.as_object().unwrap(),
            assessment: &assessment,
            mode: assent_protocol::permission::Mode::Auto,
            rules: &[],
        };
        let verdict = assent_policy::decide(&considered);
        assert!(matches!(verdict, assent_protocol::permission::Verdict::Refuse { .. }), "{path}: {verdict:?}");
    }
    // A link with a harmless name counts as what it leads to, and a raised name as itself.
    bench.known("Makefile", "all:\n");
    bench.link("Makefile", "notes.txt");
    assert_eq!(bench.assess(&*tool(), to("notes.txt", "x")).unwrap().tier, Tier::High);
    bench.known("plain.txt", "x\n");
    bench.link("plain.txt", "CLAUDE.md");
    assert_eq!(bench.assess(&*tool(), to("CLAUDE.md", "y")).unwrap().tier, Tier::High);
}

#[test]
fn the_trash_is_not_written_to() {
    let bench = Bench::new();
    for path in [".assent/trash/x", ".Assent/Trash/c/x", ".assent/trash/.gitignore"] {
        assert!(bench.refusal(&*tool(), to(path, "x")).contains("trash"), "{path}");
    }
}

#[test]
fn p43_byte_order_mark_encoding_and_line_ends_survive_a_full_write() {
    let bench = Bench::new();
    bench.known("bom.txt", "\u{feff}old\r\n");
    let assessment = bench.assess(&*tool(), to("bom.txt", "new\nlines\n")).unwrap();
    assert_eq!(note_lines(&assessment), ["kept: UTF-8 with BOM, CRLF line ends"]);
    bench.run(&*tool(), to("bom.txt", "new\nlines\n"));
    assert_eq!(bench.text("bom.txt"), "\u{feff}new\r\nlines\r\n");
    bench.run(&*tool(), to("bom.txt", "\u{feff}newer\n"));
    assert_eq!(bench.text("bom.txt"), "\u{feff}newer\r\n");

    let wide: Vec<u8> = "\u{feff}中文\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bench.known("wide.txt", wide);
    bench.run(&*tool(), to("wide.txt", "中🙂\n"));
    let wide: Vec<u8> = "\u{feff}中🙂\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(bench.read("wide.txt"), wide);

    bench.known("mixed.txt", "a\r\nb\nc\r\n");
    bench.run(&*tool(), to("mixed.txt", "a\nB\nc\n"));
    assert_eq!(bench.text("mixed.txt"), "a\r\nB\nc\r\n");

    let (gbk, _, _) = encoding_rs::GBK.encode("第一行：你好，世界。\n第二行\n");
    bench.known("gbk.txt", &gbk);
    let assessment = bench.assess(&*tool(), to("gbk.txt", "第一行：你好。\n")).unwrap();
    assert_eq!(note_lines(&assessment), ["kept: GBK"]);
    bench.run(&*tool(), to("gbk.txt", "第一行：你好。\n"));
    assert_eq!(bench.read("gbk.txt"), encoding_rs::GBK.encode("第一行：你好。\n").0.as_ref());
    assert!(bench.refusal(&*tool(), to("gbk.txt", "你好 🙂\n")).contains("can't be written in GBK"));

    bench.known("old-mac.txt", "a\rb\r");
    bench.run(&*tool(), to("old-mac.txt", "a\nB\n"));
    assert_eq!(bench.text("old-mac.txt"), "a\rB\r");

    bench.known("feeds.txt", "a\nb\n");
    let assessment = bench.assess(&*tool(), to("feeds.txt", "a\r\nb\r\n")).unwrap();
    assert_eq!(note_lines(&assessment), ["line ends change: LF to CRLF"]);
}

#[cfg(unix)]
#[test]
fn the_card_says_when_the_line_end_after_the_last_line_comes_or_goes() {
    let bench = Bench::new();
    bench.known("with", "a\n");
    bench.known("without", "a");
    bench.known("empty", "");
    let notes = |path, content| note_lines(&bench.assess(&*tool(), to(path, content)).unwrap());
    assert_eq!(notes("with", "a"), ["the last line has no line end any more"]);
    assert_eq!(notes("with", "b"), ["the last line has no line end any more"]);
    assert_eq!(notes("without", "a\n"), ["the last line gets a line end"]);
    for (path, content) in [("with", "b\n"), ("with", ""), ("without", "b"), ("empty", "a\n"), ("new", "a")] {
        assert!(notes(path, content).is_empty(), "{path} {content:?}");
    }
}

#[test]
fn mode_is_kept_and_other_names_of_the_file_keep_the_old_content() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let bench = Bench::new();
    bench.known("run.sh", "old\n");
    let path = bench.root.join("run.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    std::fs::hard_link(&path, bench.out.join("twin")).unwrap();
    let assessment = bench.assess(&*tool(), to("run.sh", "new\n")).unwrap();
    assert!(assessment.reach.warnings.contains(&Warning::HardLinks));
    assert_eq!(bench.run(&*tool(), to("run.sh", "new\n")).outcome, Outcome::Ok);
    let metadata = std::fs::metadata(&path).unwrap();
    assert_eq!((metadata.mode() & 0o7777, metadata.nlink()), (0o750, 1));
    assert_eq!(std::fs::read_to_string(bench.out.join("twin")).unwrap(), "old\n");
    std::fs::remove_file(bench.out.join("twin")).unwrap();
    bench.out_is_untouched();
}

#[test]
fn a_card_counts_the_removed_lines_that_it_does_not_show() {
    let bench = Bench::new();
    bench.known("a", "0123456789abcde\n".repeat(70_000));
    let assessment = bench.assess(&*tool(), to("a", "new\n")).unwrap();
    assert_eq!((assessment.reach.added, assessment.reach.removed), (1, 70_000));
    assert_eq!(diff(&assessment).hunks[0].lines.len(), 65_536 + 1);
    assert_eq!(note_lines(&assessment), ["4,464 more removed lines, not shown"]);
}

#[cfg(unix)]
#[test]
fn a_file_marked_read_only_is_named_so() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new();
    bench.known("a", "x");
    std::fs::set_permissions(bench.root.join("a"), std::fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(note_lines(&bench.assess(&*tool(), to("a", "y")).unwrap()), ["the file is marked read-only"]);
}

#[test]
fn invisible_characters_are_warned_of() {
    let bench = Bench::new();
    let assessment = bench.assess(&*tool(), to("a", "x\u{202e}y")).unwrap();
    assert_eq!(assessment.reach.warnings, [Warning::Invisible]);
    let assessment = bench.assess(&*tool(), to("a\u{200b}", "x")).unwrap();
    assert_eq!(assessment.reach.warnings, [Warning::Invisible]);
    assert_eq!(bench.assess(&*tool(), to("a", "x\ty\n")).unwrap().reach.warnings, []);
}

#[test]
fn what_is_not_a_file_is_not_written_to() {
    let bench = Bench::new();
    bench.write("folder/x", "");
    assert!(bench.refusal(&*tool(), to("folder", "x")).contains("is a folder"));
    bench.pipe("pipe");
    assert!(bench.refusal(&*tool(), to("pipe", "x")).contains("named pipe"));
    bench.known("image.png", [0x89, b'P', 0xff, 0xfe, 0]);
    assert!(bench.refusal(&*tool(), to("image.png", "x")).contains("can't be edited as text"));
}

#[test]
fn the_card_says_how_git_sees_the_file() {
    let bench = Bench::new();
    assert_eq!(bench.assess(&*tool(), to("a", "x")).unwrap().reach.tracked, None);
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        let output =
            std::process::Command::new("git").current_dir(&bench.root).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    bench.write(".gitignore", "*.log\n");
    bench.known("clean", "1\n");
    bench.known("dirty", "1\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    bench.known("dirty", "2\n");
    for (path, expected) in [
        ("clean", Tracked::Clean),
        ("dirty", Tracked::Dirty),
        ("new", Tracked::Untracked),
        ("new.log", Tracked::Ignored),
    ] {
        assert_eq!(bench.assess(&*tool(), to(path, "x")).unwrap().reach.tracked, Some(expected), "{path}");
    }
}

#[test]
fn folders_made_for_a_write_that_fails_are_taken_back() {
    let bench = Bench::new();
    let tool = tool();
    let approved = bench.approve(&*tool, to("a/b/c", "x")).unwrap();
    let prepared = approved.prepare().unwrap();
    bench.write("a/mine", "");
    bench.link("nowhere", "a/b");
    assert_ne!(approved.change(&prepared).outcome, Outcome::Ok);
    assert_eq!(bench.listing(), ["a", "a/b", "a/mine"]);
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let bench = Bench::new();
    assert!(bench.refusal(&*tool(), json!({ "path": "a" })).contains("`content`"));
    assert!(bench.refusal(&*tool(), json!({ "path": 1, "content": "" })).contains("`path`"));
    assert!(bench.refusal(&*tool(), json!({ "path": "a", "content": "", "mode": 1 })).contains("`mode`"));
}

#[test]
fn a_stop_before_the_write_changes_nothing() {
    let bench = Bench::new();
    let tool = tool();
    let approved = bench.approve(&*tool, to("a", "x")).unwrap();
    let cancel = tokio_util::sync::CancellationToken::new();
    cancel.cancel();
    assert_eq!(approved.change_unless(&approved.prepare().unwrap(), &cancel).outcome, Outcome::Stopped);
    assert!(!bench.exists("a"));
}
