//! Git tools on real repositories, made by plain `git`.
//! A trap is first shown to fire under plain `git`; then it must not under ours.

mod cases;
mod contain;
mod diff;
mod history;
mod parts;
mod status;

use std::borrow::Borrow;
use std::process::{Command, Output};
use std::sync::Arc;

use assent_protocol::assessment::Tracked;
use expect_test::Expect;
use serde_json::{Value, json};

use super::Snapshot;
use crate::search::tests::Ground;
use crate::tool::Tool;
use crate::workspace::Workspace;

/// Runs plain git in the project folder, without anybody's settings and at a fixed time.
fn git(ground: &Ground, arguments: &[&str]) -> String {
    let output = try_git(ground, arguments);
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn try_git(ground: &Ground, arguments: &[&str]) -> Output {
    Command::new("git")
        .args(arguments)
        .current_dir(&ground.root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "张三 A")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "张三 A")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .env("GIT_AUTHOR_DATE", "2026-11-03T14:05:00+0800")
        .env("GIT_COMMITTER_DATE", "2026-11-03T14:05:00+0800")
        .env("HOME", &ground.out)
        .env_remove("GIT_DIR")
        .output()
        .unwrap()
}

/// A repository with one commit.
fn repository() -> Ground {
    let ground = Ground::new();
    git(&ground, &["init", "-q", "-b", "main"]);
    ground.write("a.txt", "one\ntwo\nthree\n").write("src/b.rs", "fn b() {}\n").write("文档.md", "第一行\n");
    commit(&ground, "First");
    ground
}

fn commit(ground: &Ground, message: &str) {
    git(ground, &["add", "-A"]);
    git(ground, &["commit", "-q", "-m", message]);
}

fn status() -> Arc<dyn Tool> {
    crate::git::git_status::tool()
}

fn diff() -> Arc<dyn Tool> {
    crate::git::git_diff::tool()
}

fn log() -> Arc<dyn Tool> {
    crate::git::git_log::tool()
}

/// The state that is told where nobody allowed a repository elsewhere.
fn snapshot(workspace: &Workspace) -> Option<Snapshot> {
    super::snapshot(workspace, &|_| false)
}

fn tracked(ground: &Ground, path: &str) -> Option<Tracked> {
    ground.fixture.looking(|looking| super::tracked(looking, path))
}

fn check(ground: &Ground, tool: impl Borrow<Arc<dyn Tool>>, arguments: Value, expected: Expect) {
    expected.assert_eq(&ground.text(tool, arguments));
}

fn check_status(ground: &Ground, expected: Expect) {
    check(ground, status(), json!({}), expected);
}
