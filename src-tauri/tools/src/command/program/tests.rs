//! Where a program is found, and that what a shell does itself is not.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::find;

fn program(path: &Path, mode: u32) {
    std::fs::write(path, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_first_executable_file_on_the_search_path_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two 二"));
    for part in [&one, &two] {
        std::fs::create_dir(part).unwrap();
    }
    program(&one.join("tool"), 0o644);
    program(&two.join("tool"), 0o755);
    std::fs::create_dir(one.join("folder")).unwrap();
    let path: OsString = std::env::join_paths([&one, &two]).unwrap();
    assert_eq!(find("tool", Some(&path), folder.path()), Some(two.join("tool")));
    assert_eq!(find("folder", Some(&path), folder.path()), None);
    assert_eq!(find("absent", Some(&path), folder.path()), None);
    assert_eq!(find("tool", None, folder.path()), None);
    for builtin in ["echo", "cd", "["] {
        assert_eq!(find(builtin, Some("/usr/bin:/bin".as_ref()), folder.path()), None, "{builtin}");
    }
}

#[test]
fn p09_a_path_is_taken_byte_for_byte_from_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    program(&folder.path().join("tool "), 0o755);
    assert_eq!(find("./tool ", None, folder.path()), Some(folder.path().join("tool ")));
    assert_eq!(find("./tool", None, folder.path()), None);
    assert_eq!(find("tool ", None, folder.path()), None);
    assert_eq!(find("/bin/sh", None, folder.path()), Some("/bin/sh".into()));
}
