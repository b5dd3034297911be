//! `git_log`.
//! Commits have a fixed author and time, so that their names are fixed too.

use expect_test::expect;
use serde_json::json;

use super::{check, commit, git, log, repository};
use crate::search::tests::Ground;

fn history() -> Ground {
    let ground = repository();
    ground.write("a.txt", "one\n2\nthree\n");
    commit(&ground, "Second\n\nBecause two was wrong.\n第二段。");
    ground.write("src/b.rs", "fn b() -> u8 { 0 }\n").write(".env", "KEY=secret\n");
    git(&ground, &["add", "-f", ".env"]);
    commit(&ground, "Third");
    git(&ground, &["rm", "-q", "a.txt"]);
    git(&ground, &["commit", "-q", "-m", "Fourth"]);
    ground
}

#[test]
fn newest_first() {
    let ground = history();
    check(
        &ground,
        log(),
        json!({}),
        expect![[r#"
            eaf03066 2026-11-03 14:05 +0800 张三 A: Fourth
            02755ffb 2026-11-03 14:05 +0800 张三 A: Third
            9f9ece82 2026-11-03 14:05 +0800 张三 A: Second
            f8e7e8ce 2026-11-03 14:05 +0800 张三 A: First
        "#]],
    );
    check(
        &ground,
        log(),
        json!({"limit": 1, "ref": "HEAD~1"}),
        expect![[r#"
        02755ffb 2026-11-03 14:05 +0800 张三 A: Third
        [there are older commits]
    "#]],
    );
}

#[test]
fn commits_of_a_path() {
    let ground = history();
    check(
        &ground,
        log(),
        json!({"path": "a.txt"}),
        expect![[r#"
            eaf03066 2026-11-03 14:05 +0800 张三 A: Fourth
            9f9ece82 2026-11-03 14:05 +0800 张三 A: Second
            f8e7e8ce 2026-11-03 14:05 +0800 张三 A: First
        "#]],
    );
    check(
        &ground,
        log(),
        json!({"path": "src"}),
        expect![[r#"
            02755ffb 2026-11-03 14:05 +0800 张三 A: Third
            f8e7e8ce 2026-11-03 14:05 +0800 张三 A: First
        "#]],
    );
    check(
        &ground,
        log(),
        json!({"path": "never.txt"}),
        expect![[r#"
        [no commits]
    "#]],
    );
}

#[test]
fn patches_with_messages_in_full_and_without_secrets() {
    let ground = history();
    check(
        &ground,
        log(),
        json!({"patch": true, "limit": 3}),
        expect![[r#"
            eaf03066 2026-11-03 14:05 +0800 张三 A: Fourth
            diff --git a/a.txt b/a.txt
            deleted file mode 100644
            --- a/a.txt
            +++ /dev/null
            @@ -1,3 +0,0 @@
            -one
            -2
            -three

            02755ffb 2026-11-03 14:05 +0800 张三 A: Third
            diff --git a/src/b.rs b/src/b.rs
            --- a/src/b.rs
            +++ b/src/b.rs
            @@ -1 +1 @@
            -fn b() {}
            +fn b() -> u8 { 0 }
            [left out, may hold secrets: .env]

            9f9ece82 2026-11-03 14:05 +0800 张三 A: Second
    
                Because two was wrong.
                第二段。
            diff --git a/a.txt b/a.txt
            --- a/a.txt
            +++ b/a.txt
            @@ -1,3 +1,3 @@
             one
            -two
            +2
             three

            [there are older commits]
        "#]],
    );
}

#[test]
fn no_commits_merges_and_misfits() {
    let ground = Ground::new();
    git(&ground, &["init", "-q"]);
    check(
        &ground,
        log(),
        json!({}),
        expect![[r#"
        [no commits yet]
    "#]],
    );
    check(&ground, log(), json!({"limit": 0}), expect!["REFUSED `limit` is 1 to 200"]);
    check(
        &ground,
        log(),
        json!({"limit": 5, "ref": "-5"}),
        expect![[
            r#"REFUSED "-5" is not a revision: a branch, a tag, a commit hash, or one of these followed by ~N or ^"#
        ]],
    );
    let ground = history();
    git(&ground, &["checkout", "-q", "-b", "side", "HEAD~2"]);
    ground.write("side.txt", "x");
    commit(&ground, "Side");
    git(&ground, &["checkout", "-q", "main"]);
    git(&ground, &["merge", "-q", "--no-ff", "-m", "Join", "side"]);
    let text = ground.text(log(), json!({"path": "side.txt"}));
    assert_eq!(text.lines().count(), 1, "the merge changes nothing by itself: {text}");
    git(&ground, &["tag", "-a", "-m", "tag", "v1", "HEAD~1"]);
    let text = ground.text(log(), json!({"ref": "v1", "limit": 1}));
    assert!(text.contains("Fourth"), "{text}");
}

#[test]
fn a_bare_repository_has_a_history() {
    let ground = history();
    let bare = Ground::new();
    let url = ground.root.display().to_string();
    git(&bare, &["clone", "-q", "--bare", &url, "."]);
    let text = bare.text(log(), json!({"limit": 1, "patch": true}));
    assert!(text.contains("Fourth") && text.contains("deleted file mode"), "{text}");
}

#[test]
fn a_long_history_is_cut_and_says_so() {
    let ground = repository();
    for index in 0..30 {
        git(&ground, &["commit", "-q", "--allow-empty", "-m", &format!("Commit {index}")]);
    }
    let text = ground.text(log(), json!({}));
    assert_eq!(text.lines().count(), 21);
    assert!(text.ends_with("[there are older commits]\n"), "{text}");
}
