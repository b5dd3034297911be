//! Tests of projects: listed, renamed, removed, located, brought back.
//! What that means for conversations is tested with them.

use super::*;

#[test]
fn a_folder_is_one_project_even_after_it_was_removed() {
    let store = Store::memory().unwrap();
    let (one, two) = (ProjectId::new("1"), ProjectId::new("2"));
    let first = store.insert_project(&one, "zebra", "/src/项目 一", 5).wait().unwrap();
    assert_eq!(first.opened_at, 5);
    let again = store.insert_project(&two, "other name", "/src/项目 一", 6).wait().unwrap();
    assert_eq!(again, first, "an open one is returned as it is");
    store.insert_project(&two, "Apple", r"C:\Users\me\my project", 7).wait().unwrap();
    let names = || store.projects().unwrap().into_iter().map(|project| project.name).collect::<Vec<_>>();
    assert_eq!(names(), ["Apple", "zebra"]);
    assert_eq!(store.rename_project(&one, "Aardvark").wait(), Ok(true));
    assert_eq!(store.remove_project(&two).wait(), Ok(true));
    assert_eq!(names(), ["Aardvark"]);
    assert!(store.project(&two).unwrap().unwrap().removed);
    let back = store.insert_project(&ProjectId::new("3"), "new", r"C:\Users\me\my project", 9).wait().unwrap();
    assert_eq!((back.id, back.name.as_str(), back.removed), (two.clone(), "Apple", false));
    assert_eq!(names(), ["Aardvark", "Apple"]);
    assert_eq!(store.locate_project(&two, "/moved").wait(), Ok(true));
    assert_eq!(store.project(&two).unwrap().unwrap().folder, "/moved");
    let taken = store.locate_project(&one, "/moved").wait();
    assert!(matches!(taken, Err(StoreError::Sqlite { .. })), "{taken:?}");
    assert_eq!(store.rename_project(&ProjectId::new("nobody"), "x").wait(), Ok(false));
    assert_eq!(store.project(&ProjectId::new("nobody")).unwrap(), None);
}
