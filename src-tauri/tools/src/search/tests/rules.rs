//! Ignore rules, held against git's own word on the same files.
//! Plain `git` runs here alone, to be asked.

use std::process::Command;

use serde_json::json;

use super::Ground;

#[test]
fn what_is_found_is_what_git_does_not_ignore() {
    let ground = Ground::new();
    ground
        .write(".gitignore", "*.log\n!keep.log\n/only-root\nbuild/\ndoc/**/draft.md\n# comment\n\\#odd\nspace name\n")
        .write("sub/.gitignore", "!again.log\nlocal.txt\n/anchored\n")
        .write(".git/info/exclude", "excluded.txt\n");
    for path in [
        "a.log",
        "keep.log",
        "only-root",
        "sub/only-root",
        "build/x",
        "sub/build/y",
        "doc/draft.md",
        "doc/a/b/draft.md",
        "#odd",
        "space name",
        "sub/again.log",
        "sub/other.log",
        "sub/local.txt",
        "local.txt",
        "sub/anchored",
        "sub/deep/anchored",
        "excluded.txt",
        "sub/excluded.txt",
        "sub/deep/keep.log",
    ] {
        ground.write(path, "x");
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(&ground.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    ground.write(".git/info/exclude", "excluded.txt\n");
    let mut expected: Vec<String> = git(&["-c", "core.quotePath=false", "ls-files", "-o", "--exclude-standard"])
        .lines()
        .map(str::to_owned)
        .collect();
    expected.sort();
    let text = ground.text(crate::search::search_files::tool(), json!({"pattern": "**"}));
    let mut found: Vec<String> = text.lines().map(str::to_owned).collect();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_pipe_or_a_device_in_place_of_an_ignore_file_is_passed_over() {
    let ground = Ground::new();
    ground.pipe(".gitignore").write("a.txt", "x").link("sub/.gitignore", "/dev/zero").write("sub/b.txt", "x");
    let text = ground.text(crate::search::search_files::tool(), json!({"pattern": "*.txt"}));
    assert_eq!(text, "a.txt\nsub/b.txt\n");
}
