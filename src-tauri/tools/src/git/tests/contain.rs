//! Every part of a repository must lie in the workspace, and formats that aren't read are refused by name.
//! Each foreign part is first shown to work under plain git where that is cheap to show.

use assent_protocol::assessment::{Raised, Reason, Tracked, Warning};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::tool::{FileState, Outcome};
use serde_json::json;

use super::{commit, diff, git, log, repository, snapshot, status, tracked, try_git};
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
    assert_eq!(snapshot(&inner), None);
    let off = crate::git::open::with(&inner, &|_| true, |_| Ok(())).unwrap_err();
    assert_eq!(
        off.to_string(),
        format!(
            "this workspace is a folder inside the git repository {}; git tools work when that folder is opened as the workspace",
            ground.root.display()
        )
    );
}

/// A workspace that is a linked worktree of a repository, on the branch `side`.
fn linked(repository: &Ground) -> Ground {
    let ground = Ground::new();
    git(repository, &["worktree", "add", "-q", "-b", "side", &ground.root.display().to_string()]);
    ground
}

/// The repository's own folder, and the git dir in it that `linked` made.
fn folders(repository: &Ground) -> (String, std::path::PathBuf) {
    let own = repository.root.join(".git");
    (own.display().to_string(), own.join("worktrees/app"))
}

#[test]
fn a_linked_worktree_of_a_repository_elsewhere_is_read_once_that_is_allowed() {
    let elsewhere = repository();
    elsewhere.write(".git/info/exclude", "*.log\n").write(".git/info/attributes", "*.md filter=y\n");
    let (folder, _) = folders(&elsewhere);
    let mut ground = linked(&elsewhere);
    ground.write("a.txt", "changed\n").write("文档.md", "改\n").write("new.txt", "x").write("new.log", "x");
    for tool in [status(), diff(), log()] {
        let assessment = ground.fixture.assess(&tool, json!({})).unwrap();
        assert!(assessment.tier == Tier::Medium && assessment.read_only && !assessment.reach.inside);
        assert_eq!(assessment.touches, [FileState { path: folder.clone(), hash: None }]);
        assert_eq!(assessment.reason, Reason::ReadRepository { folder: folder.clone() });
        assert_eq!(assessment.preview, Preview::Repository { path: folder.clone() });
        assert_eq!(assessment.reach.raised, Some(Raised::Elsewhere));
        assert_eq!(assessment.reach.warnings, [Warning::LinkedWorktree { folder: folder.clone() }]);
    }
    assert_eq!((snapshot(&ground.fixture.workspace), tracked(&ground, "a.txt")), (None, None));

    let text = ground.text(status(), json!({}));
    assert!(text.starts_with("branch side at ") && text.contains("First\nchanged, not staged:\n  M a.txt\n"), "{text}");
    assert!(text.contains("not run):\n  文档.md\nnot tracked:\n  new.txt\n"), "{text}");
    assert!(ground.text(diff(), json!({"path": "a.txt"})).contains("+changed\n"));
    assert!(ground.text(log(), json!({"ref": "main"})).contains(": First\n"));

    let state = crate::git::snapshot(&ground.fixture.workspace, &|allowed| allowed == folder).unwrap();
    assert_eq!((state.branch.as_str(), state.dirty), ("side", 3));
    ground.fixture.allowed.push(folder);
    assert_eq!(tracked(&ground, "a.txt"), Some(Tracked::Dirty));
    assert_eq!(tracked(&ground, "new.log"), Some(Tracked::Ignored));
    assert_eq!(elsewhere.fixture.assess(&status(), json!({})).unwrap().tier, Tier::Low, "its own work tree");
}

#[test]
fn what_was_allowed_of_one_repository_reads_no_other() {
    let (first, second) = (repository(), foreign());
    let ground = linked(&first);
    let cleared = ground.fixture.clear(&log(), json!({})).unwrap();
    let own = ground.root.join(".git").display().to_string();
    let there = linked(&second);
    let (folder, git_dir) = folders(&second);
    std::fs::write(git_dir.join("gitdir"), format!("{own}\n")).unwrap();
    ground.write(".git", std::fs::read(there.root.join(".git")).unwrap());
    let output = ground.fixture.read(&log(), &cleared);
    let text = String::from_utf8(output.full).unwrap();
    assert!(output.outcome == Outcome::Rejected && text.contains("did not allow") && !text.contains(CANARY), "{text}");
    let assessment = ground.fixture.assess(&log(), json!({})).unwrap();
    assert_eq!(assessment.reason, Reason::ReadRepository { folder });
    assert!(ground.text(log(), json!({})).contains(CANARY), "asked anew, it is read");
}

#[test]
fn parts_of_a_repository_elsewhere_lie_in_its_own_folder_and_it_knows_the_worktree() {
    let other = foreign();
    let others = other.root.join(".git");
    let broken = |part: &str, breaks: &dyn Fn(&std::path::Path, &std::path::Path)| {
        let elsewhere = repository();
        let ground = linked(&elsewhere);
        let (own, git_dir) = folders(&elsewhere);
        assert!(ground.text(log(), json!({})).contains("First"), "it is fine before");
        breaks(std::path::Path::new(&own), &git_dir);
        refused(&ground, part);
        assert!(ground.fixture.assess(&log(), json!({})).is_err(), "nobody is asked for {part}");
    };
    let relink = |path: &std::path::Path, target: &std::path::Path| {
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    let outside = "leads outside of its own folder";
    broken("the repository's back-link (gitdir) leads outside of the workspace", &|_, git_dir| {
        std::fs::write(git_dir.join("gitdir"), others.display().to_string()).unwrap();
    });
    broken("the repository's back-link (gitdir) is missing", &|_, git_dir| {
        std::fs::remove_file(git_dir.join("gitdir")).unwrap();
    });
    broken(&format!("common dir {outside}"), &|_, git_dir| {
        std::fs::write(git_dir.join("commondir"), others.display().to_string()).unwrap();
    });
    broken(&format!("worktrees/app/HEAD {outside}"), &|_, git_dir| relink(&git_dir.join("HEAD"), &others.join("HEAD")));
    broken(&format!("worktrees/app/index {outside}"), &|_, git_dir| {
        relink(&git_dir.join("index"), &others.join("index"));
    });
    broken(&format!("objects {outside}"), &|own, _| relink(&own.join("objects"), &others.join("objects")));
    broken(&format!("alternate object store {outside}"), &|own, _| {
        std::fs::write(own.join("objects/info/alternates"), others.join("objects").display().to_string()).unwrap();
    });
    broken(&format!("included configuration {outside}"), &|own, _| {
        std::fs::write(own.join("config"), format!("[include]\n\tpath = {}\n", others.join("config").display()))
            .unwrap();
    });
    broken("the repository's work tree (core.worktree) leads outside of the workspace", &|own, _| {
        std::fs::write(own.join("config"), format!("[core]\n\tworktree = {}\n", other.root.display())).unwrap();
    });
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
    let snapshot = snapshot(&workspace).unwrap();
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

/// Where the object that a revision names lies in the git dir, as a file of its own.
fn loose(ground: &Ground, revision: &str) -> String {
    let id = git(ground, &["rev-parse", revision]);
    format!(".git/objects/{}/{}", &id[..2], id[2..].trim())
}

#[cfg(unix)]
#[test]
fn the_look_ahead_of_a_message_reads_no_object_that_is_elsewhere_or_no_file() {
    for revision in ["HEAD", "HEAD^{tree}", "HEAD:src"] {
        let ground = repository();
        let object = loose(&ground, revision);
        let (path, outside) = (ground.root.join(&object), ground.out.join("object"));
        std::fs::rename(&path, &outside).unwrap();
        ground.link(&object, &outside);
        assert_eq!(git(&ground, &["status", "--porcelain"]), "", "plain git follows it");
        assert_eq!(snapshot(&ground.fixture.workspace), None, "{revision}");
        std::fs::remove_file(&path).unwrap();
        ground.pipe(&object);
        assert_eq!(snapshot(&ground.fixture.workspace), None, "{revision}");
        refused(&ground, object.strip_prefix(".git/").unwrap());
    }
}

#[cfg(unix)]
#[test]
fn the_look_ahead_follows_no_branch_that_names_a_tag() {
    let ground = repository();
    git(&ground, &["tag", "-a", "-m", "a tag", "t"]);
    let (tag, commit) = (git(&ground, &["rev-parse", "t"]), loose(&ground, "t^{commit}"));
    std::fs::remove_file(ground.root.join(&commit)).unwrap();
    ground.pipe(&commit).write(".git/refs/heads/main", tag);
    assert_eq!(snapshot(&ground.fixture.workspace), None);
}

#[cfg(unix)]
#[test]
fn an_object_that_the_look_does_not_need_is_the_tools_business() {
    let ground = repository();
    ground.write("a.txt", "second\n");
    commit(&ground, "Second");
    let object = loose(&ground, "HEAD~1:a.txt");
    std::fs::remove_file(ground.root.join(&object)).unwrap();
    ground.pipe(&object);
    let seen = snapshot(&ground.fixture.workspace).unwrap();
    assert_eq!((seen.branch.as_str(), seen.dirty), ("main", 0));
    refused(&ground, object.strip_prefix(".git/").unwrap());
}
