//! `search_files`.
//! Contents don't matter here.

use expect_test::{Expect, expect};
use serde_json::json;

use super::Ground;
use crate::search::search_files::tool;

fn check(ground: &Ground, arguments: serde_json::Value, expected: Expect) {
    expected.assert_eq(&ground.text(tool(), arguments));
}

fn project() -> Ground {
    let ground = Ground::new();
    for path in [
        "src/main.rs",
        "src/a/mod.rs",
        "src/a/深/名字 一.rs",
        "tests/main_test.py",
        "target/debug/x.rs",
        "README.md",
        ".github/ci.yml",
        ".git/config",
        ".assent/trash/call/old.rs",
        "sub/.git/hooks/x.rs",
    ] {
        ground.write(path, "x");
    }
    ground.write(".gitignore", "/target\n");
    ground
}

#[test]
fn a_glob_without_a_slash_is_about_names_at_any_depth() {
    check(
        &project(),
        json!({"pattern": "*.rs"}),
        expect![[r#"
        src/a/mod.rs
        src/a/深/名字 一.rs
        src/main.rs
    "#]],
    );
}

#[test]
fn a_glob_with_a_slash_begins_at_the_searched_folder() {
    let ground = project();
    check(
        &ground,
        json!({"pattern": "src/*.rs"}),
        expect![[r#"
        src/main.rs
    "#]],
    );
    check(
        &ground,
        json!({"pattern": "./a/**/*.rs", "path": "src"}),
        expect![[r#"
        src/a/mod.rs
        src/a/深/名字 一.rs
    "#]],
    );
    check(
        &ground,
        json!({"pattern": "src\\a\\mod.rs"}),
        expect![[r#"
        src/a/mod.rs
    "#]],
    );
    check(
        &ground,
        json!({"pattern": "src/a/"}),
        expect![[r#"
        src/a/mod.rs
        src/a/深/名字 一.rs
    "#]],
    );
    check(
        &ground,
        json!({"pattern": "{README,LICENSE}*"}),
        expect![[r#"
        README.md
    "#]],
    );
}

#[test]
fn ignored_files_are_found_on_demand_but_never_git_or_the_trash() {
    check(
        &project(),
        json!({"pattern": "**", "include_ignored": true}),
        expect![[r#"
        .github/ci.yml
        .gitignore
        README.md
        src/a/mod.rs
        src/a/深/名字 一.rs
        src/main.rs
        target/debug/x.rs
        tests/main_test.py
    "#]],
    );
}

#[test]
fn an_ignored_folder_that_is_named_is_searched() {
    check(
        &project(),
        json!({"pattern": "*.rs", "path": "target"}),
        expect![[r#"
        target/debug/x.rs
    "#]],
    );
}

#[test]
fn secret_files_are_left_out_and_named() {
    let ground = project();
    ground.write(".env.local", "KEY=1").write("src/id_rsa", "x");
    check(
        &ground,
        json!({"pattern": "{.env*,id_*}"}),
        expect![[r#"
        [left out, may hold secrets: .env.local, src/id_rsa]
    "#]],
    );
}

#[test]
fn nothing_found_is_said() {
    check(
        &project(),
        json!({"pattern": "*.zig"}),
        expect![[r#"
        [no file matches *.zig]
    "#]],
    );
}

#[test]
fn misfits_are_refused_in_words() {
    let ground = project();
    check(
        &ground,
        json!({"pattern": "a[", "path": "src"}),
        expect!["REFUSED `pattern` is not a glob: unclosed character class; missing ']'"],
    );
    check(&ground, json!({"pattern": "*", "path": "nowhere"}), expect!["REFUSED nowhere does not exist"]);
    check(&ground, json!({"pattern": "*", "path": "README.md"}), expect!["REFUSED README.md is not a folder"]);
    let text = ground.text(tool(), json!({"pattern": "*", "path": "../out"}));
    assert!(text.starts_with("REFUSED"), "{text}");
    let text = ground.text(tool(), json!({"pattern": "{a,b}".repeat(13)}));
    assert!(text.contains("too many alternatives"), "{text}");
}

#[test]
fn a_long_list_is_cut_and_the_rest_counted() {
    let ground = Ground::new();
    for index in 0..900 {
        ground.write(&format!("folder/file-number-{index:04}.txt"), "");
    }
    let text = ground.text(tool(), json!({"pattern": "*.txt"}));
    let listed = text.lines().filter(|line| line.ends_with(".txt")).count();
    assert!(text.contains(&format!("[{} more files match", 900 - listed)), "{text}");
}
