//! Which caches are opened to commands, and which would open too much.

use std::os::unix::fs::symlink;

use super::safe;

#[test]
fn a_cache_that_a_command_could_replace_or_that_holds_the_home_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (home, workspace) = (base.join("home"), base.join("home/w"));
    for path in ["home/w/.cargo/registry", "home/.cache/pip", "home/.npm", "other"] {
        std::fs::create_dir_all(base.join(path)).unwrap();
    }
    symlink(&home, home.join("link-to-home")).unwrap();
    symlink("/", home.join("link-to-root")).unwrap();
    symlink(base.join("other"), home.join("link")).unwrap();
    symlink(&home, workspace.join("planted")).unwrap();
    symlink(base.join("other"), home.join(".cache/planted")).unwrap();
    let listed = [
        home.join(".cache"),
        home.join(".cache/pip"),
        home.join(".cache/planted"),
        home.join(".npm"),
        home.join("missing"),
        home.join("link"),
        home.join("link-to-home"),
        home.join("link-to-root"),
        workspace.join(".cargo/registry"),
        workspace.join("planted"),
        base.clone(),
    ];
    assert_eq!(safe(&listed, &workspace, &home), [home.join(".cache"), home.join(".npm"), base.join("other")]);
}
