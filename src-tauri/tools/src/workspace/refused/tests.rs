//! Tests of refused places, on made-up surroundings and on this machine.

use super::super::{Workspace, WorkspaceError};
use super::*;

#[cfg(unix)]
#[test]
fn p30_roots_that_hold_everything_or_the_apps_own_data_are_refused() {
    let own = PathBuf::from("/home/li/.local/share/assent");
    let around = Surroundings::new(Some(PathBuf::from("/home/li")), &[own], std::iter::empty());
    let refused = [
        "/",
        "/home/li/.local/share/assent",
        "/home/li/.local/share/assent/blobs",
        "/home/li/.LOCAL/share/Assent",
        "/proc",
        "/proc/self",
        "/sys",
        "/dev/shm",
        "/home/li/.mozilla/firefox",
        "/home/li/.ssh",
        "/w/app/.git",
        "/w/app/.git/hooks",
        "/w/.aws/x",
    ];
    for root in refused {
        assert!(around.refuses_root(Path::new(root)).is_some(), "{root}");
    }
    for root in
        ["/projects", "/home/li", "/home/li/.local/share/assent-notes", "/home/li/app", "/w/src/windows", "/process"]
    {
        assert_eq!(around.refuses_root(Path::new(root)), None, "{root}");
    }
}

#[cfg(unix)]
#[test]
fn refused_places_beneath_a_root_are_refused_by_place_and_not_by_name() {
    let own = PathBuf::from("/home/li/.local/share/assent");
    let around = Surroundings::new(Some(PathBuf::from("/home/li")), &[own], std::iter::empty());
    let covers = |root: &str, path: &str| around.beneath(Path::new(root)).iter().any(|place| place.covers(path));
    assert!(covers("/home/li", ".local/share/assent/log.db"));
    assert!(covers("/home/li", ".local/share/Assent"));
    assert!(covers("/home", "li/.mozilla/firefox/x/logins.json"));
    assert!(covers("/home/li", ".config/google-chrome/Default"));
    assert!(!covers("/home/li", ".local/share/assent-notes/x"));
    assert!(!covers("/home/li", ".local/share"));
    assert!(!covers("/w/app", ".local/share/assent/log.db"));
    assert!(!covers("/home/li/app", "src/.mozilla/x"));
}

#[test]
fn p30_real_folders_are_opened_or_refused() {
    let base = tempfile::tempdir().unwrap();
    let data = base.path().join("data");
    std::fs::create_dir_all(data.join("blobs")).unwrap();
    std::fs::create_dir(base.path().join("app")).unwrap();
    let forbidden = [data.clone()];
    let refusal = |root: &Path| match Workspace::open(root, &forbidden) {
        Err(WorkspaceError::Refused { why, .. }) => why,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{} was opened", root.display()),
    };
    assert!(refusal(&data).contains("own data"));
    assert!(refusal(&data.join("blobs")).contains("own data"));
    let root_of_all = base.path().ancestors().last().unwrap();
    assert!(refusal(root_of_all).contains("root of a whole file system"));
    let missing = Workspace::open(&base.path().join("none"), &forbidden);
    assert!(matches!(missing, Err(WorkspaceError::Unreadable { .. })));
    std::fs::write(base.path().join("file"), "").unwrap();
    let file = Workspace::open(&base.path().join("file"), &forbidden);
    assert!(matches!(file, Err(WorkspaceError::NotAFolder(_))));

    let workspace = Workspace::open(&base.path().join("app"), &forbidden).unwrap();
    assert!(!workspace.is_home());
    // The folder around the app's data may be a workspace; the data in it may not be touched.
    let around = Workspace::open(base.path(), &forbidden).unwrap();
    assert!(around.place("data/log.db").unwrap_err().words.contains("own data"));
    assert!(around.place("app").is_ok());
}

#[test]
fn p30_the_home_folder_is_told_from_its_children() {
    let Some(home) = std::env::home_dir().filter(|home| home.is_dir()) else {
        return;
    };
    assert!(Workspace::open(&home, &[]).unwrap().is_home());
}
