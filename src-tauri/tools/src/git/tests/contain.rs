//! Every part of a repository must lie in the workspace, and formats that aren't read are refused by name.
//! Each foreign part is first shown to work under plain git where that is cheap to show.

use serde_json::json;

use super::{commit, diff, git, log, repository, status, try_git};
use crate::search::tests::{CANARY, Ground};

fn refused(ground: &Ground, part: &str) {
    for tool in [status(), diff(), log()] {
        let text = ground.text(&tool, json!({}));
        assert!(text.starts_with("REFUSED") && text.contains(part) && !text.contains(CANARY), "{part}: {text}");
    }
}

/// A foreign repository beside the workspace.
fn foreign() -> Ground {
    let ground = repository();
    ground.write("a.txt", format!("{CANARY}\n"));
    commit(&ground, CANARY);
    ground
}

#[test]
fn parts_that_lead_outside_are_refused_by_name() {
    let other = foreign();
    for part in ["objects", "refs", "HEAD", "index", "config", "packed-refs", "info", "logs"] {
        let ground = repository();
        git(&other, &["pack-refs", "--all"]);
        let path = ground.root.join(".git").join(part);
        if path.is_dir() {
            std::fs::remove_dir_all(&path).unwrap();
        } else {
            let _ = std::fs::remove_file(&path);
        }
        ground.link(&format!(".git/{part}"), other.root.join(".git").join(part));
        refused(&ground, &format!("the repository's {part} leads outside"));
    }
}

#[test]
fn a_single_foreign_object_or_ref_is_refused() {
    let other = foreign();
    let ground = repository();
    let id = git(&other, &["rev-parse", "HEAD"]).trim().to_owned();
    let object = format!("objects/{}/{}", &id[..2], &id[2..]);
    ground.link(&format!(".git/{object}"), other.root.join(".git").join(&object));
    refused(&ground, &object);
    let ground = repository();
    ground.link(".git/refs/heads/x", other.root.join(".git/refs/heads/main"));
    refused(&ground, "refs/heads/x");
}

#[test]
fn alternates_common_dirs_and_work_trees_are_followed() {
    let other = foreign();
    let ground = repository();
    ground.write(".git/objects/info/alternates", format!("{}\n", other.root.join(".git/objects").display()));
    let id = git(&other, &["rev-parse", "HEAD"]).trim().to_owned();
    assert!(git(&ground, &["show", &id]).contains(CANARY), "plain git follows it");
    refused(&ground, "alternate object store");

    let ground = repository();
    std::fs::create_dir_all(ground.root.join("store/info")).unwrap();
    ground.write("store/info/alternates", other.root.join(".git/objects").display().to_string());
    ground.write(".git/objects/info/alternates", "../../store\n");
    refused(&ground, "alternate object store");

    let ground = repository();
    ground.write(".git/commondir", other.root.join(".git").display().to_string());
    refused(&ground, "common dir");

    let ground = repository();
    git(&ground, &["config", "core.worktree", &other.root.display().to_string()]);
    assert!(git(&ground, &["status", "--porcelain"]).contains("a.txt"), "plain git looks there");
    refused(&ground, "work tree");
    git(&ground, &["config", "core.worktree", ".."]);
    let text = ground.text(status(), json!({}));
    assert!(text.starts_with("branch main"), "the root itself is fine: {text}");
}

#[test]
fn parts_inside_the_workspace_are_fine() {
    let ground = repository();
    ground.write("a.txt", "second\n");
    commit(&ground, "Second");
    std::fs::rename(ground.root.join(".git/objects"), ground.root.join("store")).unwrap();
    ground.link(".git/objects", "../store");
    ground.write(".git/info/exclude", "/store\n");
    let text = ground.text(log(), json!({}));
    assert!(text.contains("Second"), "{text}");
    let text = ground.text(status(), json!({}));
    assert!(text.contains("work tree clean"), "{text}");
}

#[test]
fn included_settings_are_followed_and_no_foreign_file_is_read() {
    let ground = repository();
    let other = ground.out.join("gitconfig");
    std::fs::write(&other, format!("[user]\n\tname = {CANARY}\n")).unwrap();
    let includes = [
        format!("[include]\n\tpath = {}\n", other.display()),
        "[include]\n\tpath = ~/.gitconfig\n".to_owned(),
        format!("[includeIf \"gitdir:/\"]\n\tpath = \"{}\"\n", other.display()),
        "[include]\n\tpath = /dev/zero\n".to_owned(),
    ];
    let config = std::fs::read_to_string(ground.root.join(".git/config")).unwrap();
    for include in includes {
        ground.write(".git/config", format!("{config}{include}"));
        refused(&ground, "included configuration");
    }
    ground.write("shared.gitconfig", "[core]\n\tautocrlf = input\n");
    ground.write(".git/config", format!("{config}[include]\n\tpath = ../shared.gitconfig\n"));
    let text = ground.text(status(), json!({}));
    assert!(text.starts_with("branch main"), "{text}");
}

#[test]
fn formats_that_are_not_read_are_refused_by_name() {
    let ground = Ground::new();
    git(&ground, &["init", "-q", "--object-format=sha256"]);
    refused(&ground, "sha256 object names");
    let ground = Ground::new();
    git(&ground, &["init", "-q", "--ref-format=reftable"]);
    refused(&ground, "the reftable ref store");
    let ground = repository();
    git(&ground, &["update-index", "--split-index"]);
    refused(&ground, "a split index");
    let ground = repository();
    git(&ground, &["sparse-checkout", "init", "--cone", "--sparse-index"]);
    refused(&ground, "a sparse index");
    let ground = repository();
    git(&ground, &["config", "remote.origin.promisor", "true"]);
    refused(&ground, "a partial clone");
    let ground = repository();
    git(&ground, &["config", "core.repositoryformatversion", "1"]);
    git(&ground, &["config", "extensions.partialClone", "origin"]);
    refused(&ground, "a partial clone");
}

#[test]
fn where_there_is_no_repository_that_is_said() {
    let plain = Ground::new();
    refused(&plain, "this workspace is not a git repository");
    let ground = repository();
    let inner = crate::workspace::Workspace::open(&ground.root.join("src"), &[]).unwrap();
    assert_eq!(crate::git::snapshot(&inner), None);
    let off = crate::git::open::with(&inner, |_| Ok(())).unwrap_err();
    assert_eq!(
        off.to_string(),
        format!(
            "this workspace is a folder inside the git repository {}; git tools work when that folder is opened as the workspace",
            ground.root.display()
        )
    );
    let ground = repository();
    let linked = Ground::new();
    let at = linked.root.join("linked");
    git(&ground, &["worktree", "add", "-q", &at.display().to_string()]);
    let workspace = crate::workspace::Workspace::open(&at, &[]).unwrap();
    let off = crate::git::open::with(&workspace, |_| Ok(())).unwrap_err();
    assert!(off.to_string().contains("as in a linked worktree"), "{off}");
    let text = ground.text(status(), json!({}));
    assert!(text.contains("work tree clean"), "the main work tree is fine: {text}");
}

#[test]
fn the_environment_of_git_is_ignored() {
    let ground = repository();
    let other = foreign();
    // In a process of its own: the environment is one for all threads.
    let probe = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "git::tests::contain::probe_under_a_foreign_environment", "--nocapture"])
        .env("PROBE_ROOT", &ground.root)
        .env("GIT_DIR", other.root.join(".git"))
        .env("GIT_WORK_TREE", &other.root)
        .env("GIT_INDEX_FILE", other.root.join(".git/index"))
        .env("GIT_OBJECT_DIRECTORY", other.root.join(".git/objects"))
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", "/bin/false")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&probe.stdout);
    assert!(said.contains("PROBE main 0") && !said.contains(CANARY), "{said}");
}

/// Speaks only when the test above starts it, which then reads what it says.
#[test]
fn probe_under_a_foreign_environment() {
    let Ok(root) = std::env::var("PROBE_ROOT") else {
        return;
    };
    let workspace = crate::workspace::Workspace::open(std::path::Path::new(&root), &[]).unwrap();
    let snapshot = crate::git::snapshot(&workspace).unwrap();
    println!("PROBE {} {}", snapshot.branch, snapshot.dirty);
}

#[test]
fn damage_is_an_answer_and_not_a_crash() {
    for (part, content) in [
        ("HEAD", "garbage\n"),
        ("config", "[core\n"),
        ("config", "core = 1\n"),
        ("index", "DIRC garbage"),
        ("refs/heads/main", "0000\n"),
        ("refs/heads/main", "1234567890123456789012345678901234567890\n"),
    ] {
        let ground = repository();
        ground.write(&format!(".git/{part}"), content);
        for tool in [status(), diff(), log()] {
            let text = ground.text(&tool, json!({}));
            assert!(!text.is_empty());
        }
        let text = ground.text(status(), json!({}));
        assert!(text.starts_with("REFUSED git tools are off here"), "{part}: {text}");
    }
    let ground = repository();
    std::fs::remove_dir_all(ground.root.join(".git/objects")).unwrap();
    assert!(!try_git(&ground, &["status"]).status.success());
    let text = ground.text(status(), json!({}));
    assert!(text.starts_with("REFUSED"), "{text}");
}
