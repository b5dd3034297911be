//! Tests of folding and of spelling names as on disk.

use super::*;
use crate::fixture::Fixture;

#[test]
fn names_that_some_file_system_takes_for_one_fold_alike() {
    let pairs = [
        ("README.md", "readme.MD"),
        ("café", "cafe\u{301}"),
        (".git", ".g\u{200d}it"),
        (".kube", ".\u{212a}UBE"),
        (".ssh", ".\u{17f}sh"),
        ("Ångström", "a\u{30a}ngstro\u{308}m"),
    ];
    for (one, other) in pairs {
        assert_eq!(folded(one), folded(other), "{one:?} {other:?}");
    }
    assert_ne!(folded("源码"), folded("源碼"));
    assert_ne!(folded("a-b"), folded("a_b"));
}

#[test]
fn a_name_is_spelled_as_its_folder_lists_it() {
    let listed = || ["Readme.md", "SRC", "cafe\u{301}", "src2"].into_iter().map(str::to_owned);
    assert_eq!(spelled(listed(), "readme.md").as_deref(), Some("Readme.md"));
    assert_eq!(spelled(listed(), "café").as_deref(), Some("cafe\u{301}"));
    assert_eq!(spelled(listed(), "src2").as_deref(), Some("src2"));
    assert_eq!(spelled(listed(), "none"), None);
    // An exact name wins over one that folds to it, whatever comes first.
    let both = ["A.txt", "a.txt"].into_iter().map(str::to_owned);
    assert_eq!(spelled(both, "a.txt").as_deref(), Some("a.txt"));
}

#[test]
fn a_path_is_respelled_name_by_name_until_nothing_is_there() {
    let fixture = Fixture::new();
    fixture.write("Src/Main.rs", "");
    let root = Dir::open_ambient_dir(&fixture.root, cap_std::ambient_authority()).unwrap();
    let mut names = ["src", "main.RS"].map(str::to_owned);
    respell(&root, &mut names);
    assert_eq!(names, ["Src", "Main.rs"]);
    let mut names = ["SRC", "New", "file"].map(str::to_owned);
    respell(&root, &mut names);
    assert_eq!(names, ["Src", "New", "file"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_temporary_folder_of_linux_does_not_fold() {
    let fixture = Fixture::new();
    let root = Dir::open_ambient_dir(&fixture.root, cap_std::ambient_authority()).unwrap();
    assert!(!folds(&root, &fixture.root));
    fixture.write("Name.txt", "");
    assert!(!folds(&root, &fixture.root));
    fixture.write("nAME.TXT", "");
    assert!(!folds(&root, &fixture.root));
}
