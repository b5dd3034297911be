//! `git_diff`.
//! The traps stand in `cases`.

use expect_test::expect;
use serde_json::json;

use super::{check, commit, diff, git, log, repository};
use crate::search::tests::Ground;

#[test]
fn work_tree_index_and_commits() {
    let ground = repository();
    let tool = diff();
    ground.write("a.txt", "one\n2\nthree\n").write("文档.md", "第一行\n第二行");
    git(&ground, &["add", "a.txt"]);
    std::fs::remove_file(ground.root.join("src/b.rs")).unwrap();
    ground.write("untracked.txt", "x");
    check(
        &ground,
        &tool,
        json!({}),
        expect![[r#"
        2 files changed, +1 -1
        diff --git a/src/b.rs b/src/b.rs
        deleted file mode 100644
        --- a/src/b.rs
        +++ /dev/null
        @@ -1 +0,0 @@
        -fn b() {}
        diff --git a/文档.md b/文档.md
        --- a/文档.md
        +++ b/文档.md
        @@ -1 +1,2 @@
         第一行
        +第二行
        \ No newline at end of file
    "#]],
    );
    check(
        &ground,
        &tool,
        json!({"staged": true}),
        expect![[r#"
        1 file changed, +1 -1
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1,3 +1,3 @@
         one
        -two
        +2
         three
    "#]],
    );
    check(
        &ground,
        &tool,
        json!({"from": "HEAD", "path": "a.txt"}),
        expect![[r#"
        1 file changed, +1 -1
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1,3 +1,3 @@
         one
        -two
        +2
         three
    "#]],
    );
    check(
        &ground,
        &tool,
        json!({"path": "src"}),
        expect![[r#"
        1 file changed, +0 -1
        diff --git a/src/b.rs b/src/b.rs
        deleted file mode 100644
        --- a/src/b.rs
        +++ /dev/null
        @@ -1 +0,0 @@
        -fn b() {}
    "#]],
    );
    git(&ground, &["mv", "文档.md", "改名.md"]);
    git(&ground, &["checkout", "-q", "--", "src"]);
    ground.write("改名.md", "第一行\n");
    commit(&ground, "Second");
    check(
        &ground,
        &tool,
        json!({"from": "HEAD~1", "to": "main"}),
        expect![[r#"
        3 files changed, +2 -1
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1,3 +1,3 @@
         one
        -two
        +2
         three
        diff --git a/untracked.txt b/untracked.txt
        new file mode 100644
        --- /dev/null
        +++ b/untracked.txt
        @@ -0,0 +1 @@
        +x
        \ No newline at end of file
        diff --git a/文档.md b/改名.md
        rename from 文档.md
        rename to 改名.md
    "#]],
    );
    check(
        &ground,
        &tool,
        json!({}),
        expect![[r#"
        [no differences]
    "#]],
    );
}

#[test]
fn before_the_first_commit() {
    let ground = Ground::new();
    git(&ground, &["init", "-q"]);
    ground.write("a.txt", "x\n");
    git(&ground, &["add", "a.txt"]);
    check(
        &ground,
        diff(),
        json!({"staged": true}),
        expect![[r#"
        1 file changed, +1 -0
        diff --git a/a.txt b/a.txt
        new file mode 100644
        --- /dev/null
        +++ b/a.txt
        @@ -0,0 +1 @@
        +x
    "#]],
    );
    check(
        &ground,
        diff(),
        json!({"from": "HEAD"}),
        expect![[
            r#"REFUSED "HEAD" is not a revision: a branch, a tag, a commit hash, or one of these followed by ~N or ^"#
        ]],
    );
}

#[test]
fn modes_links_binary_and_long_contents() {
    let ground = repository();
    ground.write("x.sh", "x\n").write("p.png", b"\x89PNG\0\0").write("long.txt", "x\n").link("l", "a.txt");
    commit(&ground, "Kinds");
    std::fs::set_permissions(ground.root.join("x.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    ground.write("p.png", b"\x89PNG\0\x01").write("long.txt", "y\n".repeat(700_000));
    std::fs::remove_file(ground.root.join("l")).unwrap();
    ground.link("l", "src/b.rs");
    check(
        &ground,
        diff(),
        json!({}),
        expect![[r#"
        4 files changed, +1 -1
        diff --git a/l b/l
        --- a/l
        +++ b/l
        @@ -1 +1 @@
        -a.txt
        \ No newline at end of file
        +src/b.rs
        \ No newline at end of file
        diff --git a/long.txt b/long.txt
        too long to be shown
        diff --git a/p.png b/p.png
        binary content differs
        diff --git a/x.sh b/x.sh
        old mode 100644
        new mode 100755
    "#]],
    );
}

#[test]
fn secret_files_are_left_out_and_named() {
    let ground = repository();
    ground.write(".env", "KEY=old-secret\n").write("a.txt", "changed\n");
    git(&ground, &["add", "-f", ".env", "a.txt"]);
    check(
        &ground,
        diff(),
        json!({"staged": true}),
        expect![[r#"
        1 file changed, +1 -3
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1,3 +1 @@
        -one
        -two
        -three
        +changed
        [left out, may hold secrets: .env]
    "#]],
    );
    git(&ground, &["commit", "-q", "-m", "Secret"]);
    ground.write(".env", "KEY=new-secret\n");
    check(
        &ground,
        diff(),
        json!({}),
        expect![[r#"
            [left out, may hold secrets: .env]
        "#]],
    );
    check(
        &ground,
        diff(),
        json!({"from": "HEAD~1", "to": "HEAD", "path": ".env"}),
        expect![[r#"
            [left out, may hold secrets: .env]
        "#]],
    );
}

#[test]
fn a_private_key_under_any_name_is_left_out() {
    let ground = repository();
    ground.write("notes.txt", "-----BEGIN PRIVATE KEY-----\nOLD-KEY\n");
    commit(&ground, "Key");
    ground.write("notes.txt", "harmless now\n");
    check(
        &ground,
        diff(),
        json!({}),
        expect![[r#"
        [left out, may hold secrets: notes.txt]
    "#]],
    );
    let text = ground.text(log(), json!({"patch": true}));
    assert!(!text.contains("OLD-KEY") && text.contains("may hold secrets: notes.txt"), "{text}");
}

#[test]
fn line_ends_are_not_a_difference_where_git_normalises_them() {
    let ground = repository();
    ground.write(".gitattributes", "*.txt text\n");
    commit(&ground, "Attributes");
    ground.write("a.txt", "one\r\nTWO\r\nthree\r\n");
    check(
        &ground,
        diff(),
        json!({}),
        expect![[r#"
        1 file changed, +1 -1
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1,3 +1,3 @@
         one
        -two
        +TWO
         three
    "#]],
    );
}

#[test]
fn a_long_diff_is_cut_at_a_line_and_the_rest_named() {
    let ground = repository();
    for index in 0..40 {
        ground.write(&format!("f{index:02}.txt"), "a line of text\n".repeat(40));
    }
    git(&ground, &["add", "-A"]);
    let text = ground.text(diff(), json!({"staged": true}));
    assert!(text.starts_with("40 files changed, +1600 -0\n"), "{text}");
    assert!(text.lines().last().unwrap().contains("f39.txt (+40 -0); name one as `path`]"), "{text}");
    ground.write("one.txt", "a line of text\n".repeat(2_000));
    git(&ground, &["add", "one.txt"]);
    let text = ground.text(diff(), json!({"staged": true, "path": "one.txt"}));
    assert!(text.contains("[the rest of one.txt is not shown: +2000 -0 in all"), "{text}");
    let line = format!("{}\n", "宽".repeat(5_000));
    ground.write("wide.txt", line);
    git(&ground, &["add", "wide.txt"]);
    let text = ground.text(diff(), json!({"staged": true, "path": "wide.txt"}));
    assert!(text.contains("…[line clipped, 4600 more characters]"), "{text}");
}

#[test]
fn misfits_are_refused_in_words() {
    let ground = repository();
    for arguments in [
        json!({"to": "HEAD"}),
        json!({"from": "HEAD", "to": "HEAD", "staged": true}),
        json!({"from": "nowhere"}),
        json!({"from": "HEAD:a.txt"}),
        json!({"from": "HEAD..main"}),
        json!({"from": "HEAD^{tree}"}),
        json!({"from": ":/First"}),
        json!({"from": "HEAD^{/First}"}),
        json!({"from": "HEAD~99999999999"}),
        json!({"from": ""}),
        json!({"path": "../out"}),
    ] {
        let text = ground.text(diff(), arguments.clone());
        assert!(text.starts_with("REFUSED"), "{arguments}: {text}");
    }
    let bare = Ground::new();
    git(&bare, &["init", "-q", "--bare", "."]);
    check(
        &bare,
        diff(),
        json!({}),
        expect!["REFUSED this repository is bare, it has no work tree; name `from` and `to`"],
    );
}

#[test]
fn a_path_through_a_link_is_the_one_that_git_knows() {
    let ground = repository();
    ground.link("short", "src");
    ground.write("src/b.rs", "fn c() {}\n");
    let expected = expect![[r#"
        1 file changed, +1 -1
        diff --git a/src/b.rs b/src/b.rs
        --- a/src/b.rs
        +++ b/src/b.rs
        @@ -1 +1 @@
        -fn b() {}
        +fn c() {}
    "#]];
    check(&ground, diff(), json!({"path": "short/b.rs"}), expected);
    assert!(ground.text(log(), json!({"path": "short/b.rs"})).contains("First"));
}

#[test]
fn a_path_that_is_nowhere_is_said_to_be() {
    let ground = repository();
    let words = "REFUSED src/c.rs is neither in the work tree nor in the index";
    assert_eq!(ground.text(diff(), json!({"path": "src/c.rs"})), words);
    assert_eq!(ground.text(diff(), json!({"path": "src/b.rs"})), "[no differences]\n");
    std::fs::remove_dir_all(ground.root.join("src")).unwrap();
    assert_eq!(ground.text(diff(), json!({"path": "src", "staged": true})), "[no differences]\n");
}
