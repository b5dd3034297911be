//! Which argument counts as the folder.
//! No process is started here; the window tests start two.

use std::path::{Path, PathBuf};

use super::named_in;

fn named(arguments: &[&str]) -> Option<PathBuf> {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    named_in(&arguments, Path::new("/home/lin/项目 一"))
}

#[test]
fn a_relative_folder_is_seen_from_the_caller() {
    assert_eq!(named(&["assent-desktop", "子 目录"]), Some(PathBuf::from("/home/lin/项目 一/子 目录")));
    assert_eq!(named(&["assent-desktop", "."]), Some(PathBuf::from("/home/lin/项目 一/.")));
}

#[test]
fn an_absolute_folder_stays_as_it_is() {
    assert_eq!(named(&["assent-desktop", "/srv/atlas"]), Some(PathBuf::from("/srv/atlas")));
}

#[test]
fn options_and_the_program_are_no_folder() {
    assert_eq!(named(&["/usr/bin/assent-desktop"]), None);
    assert_eq!(named(&["assent-desktop", "--hidden", ""]), None);
    assert_eq!(named(&["assent-desktop", "--hidden", "/srv"]), Some(PathBuf::from("/srv")));
}
