//! Cases from outside that concern git, by their ids.
//! Those with a trap show first that the trap fires under plain git.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{commit, diff, git, log, repository, status, try_git};
use crate::search::tests::{CANARY, Ground};

/// A command that leaves a mark, and the mark.
fn trap(ground: &Ground) -> (String, PathBuf) {
    let mark = ground.out.join("MARK");
    let script = ground.out.join("trap.sh");
    std::fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat 2>/dev/null\n", mark.display())).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    (script.display().to_string(), mark)
}

/// The trap fires under plain git; then it is set again.
fn fires(ground: &Ground, mark: &PathBuf, arguments: &[&str]) {
    try_git(ground, arguments);
    assert!(mark.exists(), "the trap is live under plain git {arguments:?}");
    std::fs::remove_file(mark).unwrap();
}

#[test]
fn p16_a_file_watcher_named_by_the_repository_never_runs() {
    let ground = repository();
    let (script, mark) = trap(&ground);
    git(&ground, &["config", "core.fsmonitor", &script]);
    ground.write("a.txt", "changed\n");
    fires(&ground, &mark, &["status"]);
    let text = ground.text(status(), json!({}));
    assert!(text.contains("  M a.txt\n"), "{text}");
    let text = ground.text(diff(), json!({}));
    assert!(text.contains("+changed"), "{text}");
    assert!(!mark.exists());
}

#[test]
fn p17_diff_programs_never_run() {
    let ground = repository();
    let (script, mark) = trap(&ground);
    git(&ground, &["config", "diff.external", &script]);
    ground.write("a.txt", "changed\n");
    fires(&ground, &mark, &["diff"]);
    git(&ground, &["config", "--unset", "diff.external"]);
    ground.write(".gitattributes", "*.txt diff=x\n");
    git(&ground, &["config", "diff.x.textconv", &script]);
    fires(&ground, &mark, &["diff"]);
    git(&ground, &["config", "diff.x.command", &script]);
    fires(&ground, &mark, &["diff"]);
    git(&ground, &["config", "diff.external", &script]);
    let text = ground.text(diff(), json!({}));
    assert!(text.contains("-one\n") && text.contains("+changed\n"), "{text}");
    git(&ground, &["add", "a.txt"]);
    git(&ground, &["commit", "-q", "-m", "Second"]);
    fires(&ground, &mark, &["log", "-p", "--ext-diff"]);
    let text = ground.text(log(), json!({"patch": true}));
    assert!(text.contains("+changed\n"), "{text}");
    assert!(!mark.exists());
}

#[test]
fn p18_a_filter_never_runs_and_the_index_is_not_rewritten() {
    let ground = repository();
    let (script, mark) = trap(&ground);
    git(&ground, &["config", "filter.y.clean", &script]);
    ground.write(".gitattributes", "*.txt filter=y\n");
    // A copy has other times, so that everything looks touched.
    let copy = Ground::new();
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .arg(format!("{}/.", ground.root.display()))
        .arg(&copy.root)
        .status()
        .unwrap();
    assert!(copied.success());
    let index = copy.root.join(".git/index");
    let before = (std::fs::read(&index).unwrap(), index.metadata().unwrap().modified().unwrap());
    let text = copy.text(status(), json!({}));
    assert!(text.contains("filtered, state unknown") && text.contains("  a.txt\n"), "{text}");
    assert!(!text.contains("M a.txt") && !text.contains("文档.md"), "{text}");
    let text = copy.text(diff(), json!({}));
    assert!(text.contains("filtered, state unknown"), "{text}");
    assert!(!mark.exists());
    let after = (std::fs::read(&index).unwrap(), index.metadata().unwrap().modified().unwrap());
    assert!(before == after, "the index stays as it is");
    fires(&copy, &mark, &["status"]);
    assert!(std::fs::read(&index).unwrap() != before.0, "plain git does rewrite it");
}

#[test]
fn p19_options_are_no_revisions() {
    let ground = repository();
    let written = ground.out.join("w");
    for option in [format!("--output={}", written.display()), "-Ofile".to_owned(), "--no-index".to_owned()] {
        for (tool, arguments) in [
            (diff(), json!({"from": option})),
            (diff(), json!({"from": "HEAD", "to": option})),
            (log(), json!({"ref": option})),
        ] {
            let text = ground.text(&tool, arguments);
            assert!(text.starts_with("REFUSED") && text.contains("is not a revision"), "{text}");
        }
    }
    assert!(!written.exists());
}

#[test]
fn p21_a_bare_repository_in_a_folder_is_never_opened() {
    let ground = repository();
    let (script, mark) = trap(&ground);
    git(&ground, &["init", "-q", "--bare", "hostile"]);
    let config =
        format!("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {script}\n");
    ground.write("hostile/config", config).write("hostile/x.txt", "x");
    std::fs::write(ground.root.join("hostile/HEAD"), "ref: refs/heads/hostile\n").unwrap();
    std::fs::copy(ground.root.join(".git/index"), ground.root.join("hostile/index")).unwrap();
    try_git(&ground, &["-C", "hostile", "-c", "safe.bareRepository=all", "status"]);
    assert!(mark.exists(), "the trap is live under plain git");
    std::fs::remove_file(&mark).unwrap();
    for (tool, arguments) in [(diff(), json!({"path": "hostile"})), (log(), json!({"path": "hostile"}))] {
        let text = ground.text(&tool, arguments);
        assert!(!text.starts_with("REFUSED"), "the outer repository is asked: {text}");
    }
    let text = ground.text(status(), json!({}));
    assert!(text.starts_with("branch main at ") && text.contains("  hostile/\n"), "{text}");
    assert!(!mark.exists());
}

#[test]
fn p22_a_git_file_is_refused_wherever_it_points() {
    for target in ["elsewhere", "../out", "evil/.git", "evil/worktrees/x"] {
        let ground = repository();
        ground
            .write("evil/worktrees/x/HEAD", "ref: refs/heads/main\n")
            .write("evil/worktrees/x/commondir", "../..\n")
            .write("evil/worktrees/x/gitdir", "../../../.git\n");
        std::fs::rename(ground.root.join(".git"), ground.root.join("elsewhere")).unwrap();
        ground.write(".git", format!("gitdir: {target}\n"));
        for tool in [status(), diff(), log()] {
            let text = ground.text(&tool, json!({}));
            assert!(text.starts_with("REFUSED git tools are off here, commands work: .git is a file"), "{text}");
            assert!(text.contains(target), "{text}");
        }
    }
    // The workspace itself has the place and the parts of a worktree's git dir.
    let ground = Ground::new();
    let root = ground.root.join("worktrees/x");
    ground.write("worktrees/x/.git", "gitdir: .\n").write("worktrees/x/HEAD", "ref: refs/heads/main\n");
    ground.write("worktrees/x/commondir", "../..\n").write("worktrees/x/gitdir", ".git\n");
    let workspace = crate::workspace::Workspace::open(&root, &[]).unwrap();
    let off = crate::git::open::elsewhere(&workspace).unwrap_err();
    assert!(off.to_string().contains(".git is a file"), "{off}");
}

#[cfg(unix)]
#[test]
fn p23_a_repository_of_another_user_is_refused_and_nothing_is_edited() {
    let ground = repository();
    let own = std::os::unix::fs::MetadataExt::uid(&ground.root.metadata().unwrap());
    if own == 0 {
        std::os::unix::fs::chown(ground.root.join(".git"), Some(12_345), None).unwrap();
        let plain = try_git(&ground, &["status"]);
        assert!(String::from_utf8_lossy(&plain.stderr).contains("dubious ownership"), "plain git refuses too");
        let text = ground.text(status(), json!({}));
        assert!(text.starts_with("REFUSED") && text.contains("belongs to another user"), "{text}");
    } else {
        // Nobody but root can give files away; the rule itself is held to in any case.
        let off = crate::git::contain::check_owner_against(&ground.root, "the workspace folder", own + 1).unwrap_err();
        assert!(off.to_string().contains("belongs to another user"), "{off}");
    }
    assert!(!ground.out.join(".gitconfig").exists(), "no one's settings are edited");
}

#[test]
fn p25_settings_that_name_programs_are_read_and_nothing_runs() {
    let ground = repository();
    let (script, mark) = trap(&ground);
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.hooksPath",
        "diff.external",
        "credential.helper",
        "gpg.program",
        "alias.status",
        "filter.y.process",
        "merge.x.driver",
        "uploadpack.packObjectsHook",
    ] {
        git(&ground, &["config", key, &script]);
    }
    ground.write(".gitattributes", "*.rs filter=y merge=x diff=x\n").write("a.txt", "changed\n");
    for hook in ["post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction"] {
        std::fs::copy(&script, ground.root.join(".git/hooks").join(hook)).unwrap();
    }
    for tool in [status(), diff(), log()] {
        let text = ground.text(&tool, json!({}));
        assert!(!text.starts_with("REFUSED"), "{text}");
    }
    assert!(!mark.exists());
}

#[test]
fn p27_links_show_where_they_lead_and_nothing_of_it() {
    let ground = repository();
    ground.link("l", ground.out.join("canary.txt")).write("d/canary.txt", "own\n");
    commit(&ground, "Link");
    std::fs::remove_file(ground.root.join("l")).unwrap();
    ground.link("l", ground.out.join("other.txt"));
    std::fs::remove_dir_all(ground.root.join("d")).unwrap();
    ground.link("d", &ground.out);
    for arguments in [json!({}), json!({"from": "HEAD"}), json!({"path": "l"}), json!({"path": "d/canary.txt"})] {
        let text = ground.text(diff(), arguments.clone());
        assert!(!text.contains(CANARY), "{arguments}: {text}");
    }
    let text = ground.text(diff(), json!({}));
    assert!(text.contains("diff --git a/d/canary.txt b/d/canary.txt\ndeleted file"), "{text}");
    let text = ground.text(status(), json!({}));
    assert!(text.contains("D d/canary.txt") && text.contains("M l"), "{text}");
}

#[test]
fn p36_pipes_block_nothing() {
    let ground = repository();
    std::fs::remove_file(ground.root.join("a.txt")).unwrap();
    ground.pipe("a.txt").pipe(".gitignore").pipe(".gitattributes").pipe("src/.gitattributes").pipe("new");
    ground.write("src/b.rs", "changed\n");
    let begin = Instant::now();
    let text = ground.text(status(), json!({}));
    assert!(text.contains("T a.txt") && text.contains("M src/b.rs"), "{text}");
    ground.text(diff(), json!({}));
    assert!(begin.elapsed() < Duration::from_secs(2));
    for part in ["config", "index", "HEAD", "packed-refs", "info/exclude", "refs/heads/x", "objects/info/alternates"] {
        let ground = repository();
        let path = format!(".git/{part}");
        let _ = std::fs::remove_file(ground.root.join(&path));
        ground.pipe(&path);
        let begin = Instant::now();
        let text = ground.text(log(), json!({}));
        assert!(text.starts_with("REFUSED") && text.contains(part), "{part}: {text}");
        assert!(begin.elapsed() < Duration::from_secs(2), "{part}");
    }
}

#[test]
fn p29_a_folder_swapped_for_a_link_shows_nothing_outside() {
    let ground = repository();
    ground.write("s/canary.txt", "harmless\n");
    commit(&ground, "Harmless");
    ground.write("s/canary.txt", "changed\n");
    let (root, out) = (ground.root.clone(), ground.out.clone());
    let ends = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let rounds = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let swaps = {
        let (ends, rounds) = (std::sync::Arc::clone(&ends), std::sync::Arc::clone(&rounds));
        std::thread::spawn(move || {
            let mut count = 0_u64;
            while !ends.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::rename(root.join("s"), root.join("aside")).unwrap();
                std::os::unix::fs::symlink(&out, root.join("s")).unwrap();
                std::fs::remove_file(root.join("s")).unwrap();
                std::fs::rename(root.join("aside"), root.join("s")).unwrap();
                count += 1;
                // Every other time the folder stays until a read has begun: else none may ever meet it.
                let round = rounds.load(std::sync::atomic::Ordering::Relaxed);
                while count.is_multiple_of(2)
                    && rounds.load(std::sync::atomic::Ordering::Relaxed) == round
                    && !ends.load(std::sync::atomic::Ordering::Relaxed)
                {
                    std::thread::yield_now();
                }
            }
            count
        })
    };
    let cleared = ground.fixture.clear(&diff(), json!({})).unwrap();
    let (mut leaks, mut hits) = (0, 0);
    for round in 0..20_000 {
        rounds.store(round, std::sync::atomic::Ordering::Relaxed);
        let text = String::from_utf8(ground.fixture.read(&diff(), &cleared).full).unwrap();
        leaks += usize::from(text.contains(CANARY));
        hits += usize::from(text.contains("+changed"));
    }
    ends.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(swaps.join().unwrap() > 100 && hits > 100, "the race was on");
    assert_eq!(leaks, 0);
}

/// A tree that holds another ten times over, `levels` deep: ten to that power of files in a few hundred bytes.
fn bomb(ground: &Ground, leaf: &str, levels: usize) -> String {
    let make = |lines: String| {
        let mut child = std::process::Command::new("git")
            .arg("mktree")
            .current_dir(&ground.root)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let mut tree = make(leaf.to_owned());
    for _ in 0..levels {
        tree = make((0..10).map(|index| format!("040000 tree {tree}\td{index}\n")).collect());
    }
    git(ground, &["commit-tree", &tree, "-m", "Bomb"]).trim().to_owned()
}

#[test]
fn trees_that_hold_themselves_many_times_over_end() {
    let ground = repository();
    let blob = git(&ground, &["hash-object", "-w", "a.txt"]).trim().to_owned();
    let full = bomb(&ground, &format!("100644 blob {blob}\tf\n"), 10);
    let begin = Instant::now();
    let text = ground.text(diff(), json!({"from": "HEAD", "to": full}));
    assert!(text.contains("too many changes"), "{text}");
    let text = ground.text(log(), json!({"ref": full, "patch": true}));
    assert!(text.contains("too many changes"), "{text}");
    println!("full bomb: {:?}", begin.elapsed());
    let empty = bomb(&ground, "", 10);
    ground.cancel.cancel();
    let begin = Instant::now();
    let output = ground.call(diff(), json!({"from": "HEAD", "to": empty})).unwrap();
    assert_eq!(output.outcome, assent_protocol::tool::Outcome::Stopped);
    assert!(begin.elapsed() < Duration::from_secs(1), "a stop is heeded");
}
