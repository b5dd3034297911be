//! The filter between the user's environment and a command's.

use std::ffi::OsString;
use std::path::Path;

use super::{Variables, for_command, path_of};

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
}

fn value<'a>(variables: &'a Variables, name: &str) -> Option<&'a str> {
    variables.iter().find(|(own, _)| own == name).and_then(|(_, value)| value.to_str())
}

#[test]
fn secrets_go_and_the_rest_stays() {
    let user = variables(&[
        ("HOME", "/home/me"),
        ("LANG", "zh_CN.UTF-8"),
        ("OPENAI_API_KEY", "0123456789abcdef-openai"),
        ("COPY", "x0123456789abcdef-openaix"),
        ("GITHUB_TOKEN", "t"),
        ("PAGER", "less"),
        ("TERM", "xterm"),
        ("SHLVL", "2"),
        ("PWD", "/elsewhere"),
        ("DISPLAY", ":0"),
    ]);
    let command = for_command(&user, Path::new("/w"));
    for (name, wanted) in [
        ("HOME", Some("/home/me")),
        ("LANG", Some("zh_CN.UTF-8")),
        ("DISPLAY", Some(":0")),
        ("PAGER", Some("cat")),
        ("GIT_PAGER", Some("cat")),
        ("TERM", Some("dumb")),
        ("GIT_TERMINAL_PROMPT", Some("0")),
        ("OPENAI_API_KEY", None),
        ("COPY", None),
        ("GITHUB_TOKEN", None),
        ("SHLVL", None),
        ("PWD", None),
    ] {
        assert_eq!(value(&command, name), wanted, "{name}");
    }
    assert_eq!(command.iter().filter(|(name, _)| name == "PAGER").count(), 1);
}

#[test]
fn a_variable_that_a_person_named_for_a_key_goes_whatever_it_is_called() {
    let user = variables(&[
        ("WORD_FOR_THE_MODEL", "0123456789abcdef-named"),
        ("COPY_OF_THE_WORD", "x0123456789abcdef-named"),
        ("OTHER_WORD", "0123456789abcdef-other"),
    ]);
    assert!(value(&for_command(&user, Path::new("/w")), "WORD_FOR_THE_MODEL").is_some());
    crate::command::keep_from_commands(["Word_For_The_Model"]);
    let command = for_command(&user, Path::new("/w"));
    let left = ["WORD_FOR_THE_MODEL", "COPY_OF_THE_WORD", "OTHER_WORD"].map(|name| value(&command, name).is_some());
    assert_eq!(left, [false, false, true]);
}

#[cfg(unix)]
#[test]
fn p14_relative_entries_and_those_in_the_workspace_leave_the_search_path() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (root, beside) = (base.join("w"), base.join("w-old"));
    std::fs::create_dir_all(root.join("bin")).unwrap();
    std::fs::create_dir_all(&beside).unwrap();
    std::os::unix::fs::symlink(root.join("bin"), base.join("link")).unwrap();
    let path = format!(
        ".::bin:./x:/usr/bin:{root}:{root}/bin:{root}/missing/bin:{base}/link:{base}/w/../w/bin:{beside}:/bin:",
        root = root.display(),
        base = base.display(),
        beside = beside.display()
    );
    let command = for_command(&variables(&[("PATH", &path)]), &root);
    assert_eq!(path_of(&command).unwrap().to_str().unwrap(), format!("/usr/bin:{}:/bin", beside.display()));
}
