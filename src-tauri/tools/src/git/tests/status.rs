//! `git_status`, and the words for cards and the context line.
//! Where it can be asked, plain git's own word is the measure.

use std::time::Instant;

use assent_protocol::assessment::Tracked;
use expect_test::expect;
use serde_json::json;

use super::{check_status, commit, git, repository, snapshot, status, tracked};
use crate::search::tests::Ground;

#[test]
fn a_clean_tree() {
    check_status(
        &repository(),
        expect![[r#"
        branch main at f8e7e8ce First
        nothing to commit, work tree clean
    "#]],
    );
}

#[test]
fn every_kind_of_change() {
    let ground = repository();
    ground
        .write("gone.txt", "x\n")
        .write("mode.sh", "x\n")
        .write("typed", "x\n")
        .write("both.txt", "1\n")
        .write("old.txt", "a b c\n");
    ground.write(".gitignore", "*.log\nbuild/\n").write("empty", "");
    commit(&ground, "Second");
    std::fs::remove_file(ground.root.join("gone.txt")).unwrap();
    std::fs::set_permissions(ground.root.join("mode.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::remove_file(ground.root.join("typed")).unwrap();
    ground.link("typed", "a.txt");
    ground.write("a.txt", "one\n2\nthree\n").write("both.txt", "2\n").write("staged.txt", "new\n");
    git(&ground, &["mv", "old.txt", "renamed.txt"]);
    git(&ground, &["add", "both.txt", "staged.txt"]);
    ground.write("both.txt", "3\n").write("new folder/x.txt", "x").write("new folder/y.txt", "y");
    ground.write("debug.log", "x").write("build/out", "x").write("ignored only/a.log", "x").write("src/new.rs", "x");
    check_status(
        &ground,
        expect![[r#"
        branch main at 715c39e0 Second
        staged:
          M both.txt
          R old.txt -> renamed.txt
          A staged.txt
        changed, not staged:
          M a.txt
          M both.txt
          D gone.txt
          M mode.sh
          T typed
        not tracked:
          new folder/
          src/new.rs
    "#]],
    );
    let porcelain = git(&ground, &["-c", "core.quotePath=false", "status", "--porcelain"]);
    let workspace = &ground.fixture.workspace;
    assert_eq!(snapshot(workspace).unwrap().dirty, porcelain.lines().count(), "{porcelain}");
}

#[test]
fn no_commits_a_detached_head_and_a_bare_repository() {
    let ground = Ground::new();
    git(&ground, &["init", "-q", "-b", "主干"]);
    ground.write("a.txt", "x");
    check_status(
        &ground,
        expect![[r#"
        branch 主干, no commits yet
        not tracked:
          a.txt
    "#]],
    );
    git(&ground, &["add", "a.txt"]);
    check_status(
        &ground,
        expect![[r#"
        branch 主干, no commits yet
        staged:
          A a.txt
    "#]],
    );
    let ground = repository();
    git(&ground, &["checkout", "-q", "--detach"]);
    let text = ground.text(status(), json!({}));
    assert!(text.starts_with("branch detached at "), "{text}");
    let bare = Ground::new();
    git(&bare, &["init", "-q", "--bare", "-b", "main", "."]);
    check_status(
        &bare,
        expect![[r#"
        branch main
        this repository is bare: it has no work tree
    "#]],
    );
}

#[test]
fn conflicts_and_a_merge_in_progress() {
    let ground = repository();
    git(&ground, &["checkout", "-q", "-b", "other"]);
    ground.write("a.txt", "one\nOTHER\nthree\n");
    commit(&ground, "Other");
    git(&ground, &["checkout", "-q", "main"]);
    ground.write("a.txt", "one\nMAIN\nthree\n");
    commit(&ground, "Main");
    assert!(!super::try_git(&ground, &["merge", "other"]).status.success());
    check_status(
        &ground,
        expect![[r#"
            branch main at 36c486f7 Main
            a merge is in progress
            in conflict:
              a.txt
        "#]],
    );
}

#[test]
fn submodules_are_listed_and_not_entered() {
    let ground = repository();
    let inner = Ground::new();
    git(&inner, &["init", "-q", "-b", "main"]);
    inner.write("inner.txt", "x");
    commit(&inner, "Inner");
    let url = inner.root.display().to_string();
    git(&ground, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "vendor/inner"]);
    git(&ground, &["config", "-f", ".gitmodules", "submodule.vendor/inner.url", "../inner"]);
    commit(&ground, "Add");
    ground.write("vendor/inner/inner.txt", "changed").write("vendor/inner/new.txt", "new");
    check_status(
        &ground,
        expect![[r#"
            branch main at e86c4b51 Add
            submodules, not entered:
              vendor/inner
            nothing to commit, work tree clean
        "#]],
    );
    std::fs::create_dir_all(ground.root.join("nested")).unwrap();
    git(&ground, &["init", "-q", "nested"]);
    check_status(
        &ground,
        expect![[r#"
            branch main at e86c4b51 Add
            not tracked:
              nested/
            submodules, not entered:
              vendor/inner
        "#]],
    );
}

#[test]
fn line_ends_are_compared_as_git_stores_them() {
    let ground = repository();
    ground.write(".gitattributes", "*.txt text\n*.bin -text\n*.auto text=auto\n*.id ident\n");
    ground.write("crlf.txt", "a\nb\n").write("x.bin", "a\nb\n").write("y.auto", "a\nb\n").write("z.id", "$Id$\n");
    commit(&ground, "Ends");
    ground
        .write("crlf.txt", "a\r\nb\r\n")
        .write("x.bin", "a\r\nb\r\n")
        .write("y.auto", "a\r\nb\r\n")
        .write("z.id", "$Id: 123 $\n");
    check_status(
        &ground,
        expect![[r#"
        branch main at fe5bb139 Ends
        changed, not staged:
          M x.bin
    "#]],
    );
    // Plain `git status` calls a file of another length changed without a look; its diff knows better.
    assert_eq!(git(&ground, &["diff", "--name-only"]), "x.bin\n", "as git sees it");
    git(&ground, &["config", "core.autocrlf", "true"]);
    ground.write("a.txt", "one\r\ntwo\r\nthree\r\n").write("src/b.rs", "fn b() {}\r\n");
    check_status(
        &ground,
        expect![[r#"
        branch main at fe5bb139 Ends
        changed, not staged:
          M x.bin
    "#]],
    );
}

#[test]
fn a_change_within_the_index_second_is_seen() {
    for round in 0..20 {
        let ground = repository();
        ground.write("a.txt", "one\ntwo\nthree\n");
        git(&ground, &["add", "a.txt"]);
        ground.write("a.txt", "one\ntwo\nTHREE\n");
        let text = ground.text(status(), json!({}));
        assert!(text.contains("M a.txt"), "round {round}: {text}");
    }
}

#[test]
fn how_git_sees_one_path() {
    let ground = repository();
    ground.write(".gitignore", "*.log\n/build/\n").write("src/.gitignore", "!keep.log\n");
    commit(&ground, "Ignores");
    ground
        .write("a.txt", "changed\n")
        .write("new.txt", "x")
        .write("debug.log", "x")
        .write("build/deep/x", "x")
        .write("src/keep.log", "x");
    git(&ground, &["mv", "src/b.rs", "src/c.rs"]);
    let seen = |path: &str| tracked(&ground, path);
    assert_eq!(seen("文档.md"), Some(Tracked::Clean));
    assert_eq!(seen("a.txt"), Some(Tracked::Dirty));
    assert_eq!(seen("src/c.rs"), Some(Tracked::Dirty), "staged");
    assert_eq!(seen("new.txt"), Some(Tracked::Untracked));
    assert_eq!(seen("not/there/yet.txt"), Some(Tracked::Untracked));
    assert_eq!(seen("debug.log"), Some(Tracked::Ignored));
    assert_eq!(seen("build/deep/x"), Some(Tracked::Ignored));
    assert_eq!(seen("src/keep.log"), Some(Tracked::Untracked));
    let plain = Ground::new();
    assert_eq!(tracked(&plain, "a.txt"), None);
    assert_eq!(snapshot(&plain.fixture.workspace), None);
}

#[test]
fn the_state_on_disk_is_what_is_told_each_time() {
    let ground = repository();
    let workspace = &ground.fixture.workspace;
    assert_eq!(snapshot(workspace).unwrap().dirty, 0);
    ground.write("a.txt", "other\n");
    assert_eq!(snapshot(workspace).unwrap().dirty, 1);
    commit(&ground, "Other");
    assert_eq!(snapshot(workspace).unwrap().dirty, 0);
    git(&ground, &["checkout", "-q", "-b", "next"]);
    assert_eq!(snapshot(workspace).unwrap().branch, "next");
    std::fs::remove_dir_all(ground.root.join(".git")).unwrap();
    assert_eq!(snapshot(workspace), None);
}

#[test]
fn speed_is_printed_once() {
    let ground = repository();
    let workspace = &ground.fixture.workspace;
    snapshot(workspace);
    let begin = Instant::now();
    for _ in 0..20 {
        snapshot(workspace);
    }
    println!("status of a small repository: {:?}", begin.elapsed() / 20);
    let begin = Instant::now();
    for _ in 0..20 {
        tracked(&ground, "src/b.rs");
    }
    println!("one path of a small repository: {:?}", begin.elapsed() / 20);
    for index in 0..5_000 {
        ground.write(&format!("many/{}/{index}.txt", index % 100), format!("{index}\n"));
    }
    commit(&ground, "Many");
    snapshot(workspace);
    let begin = Instant::now();
    let seen = snapshot(workspace);
    println!("status of 5,000 files: {:?} {seen:?}", begin.elapsed());
}
