//! Tests of trusted contents: by workspace and content, forgotten by path, bounded.
//! What is trusted is decided elsewhere.

use super::*;

fn file(path: &str, text: &str) -> ToTrust {
    ToTrust { path: path.to_owned(), hash: Sha::of(text.as_bytes()), text: text.to_owned() }
}

fn paths(store: &Store, root: &str) -> Vec<String> {
    store.trusted(root).unwrap().into_iter().map(|content| content.path).collect()
}

#[test]
fn a_content_is_trusted_in_its_workspace_alone_until_its_path_is_not() {
    let store = Store::memory().unwrap();
    store.trust("/a", vec![file("AGENTS.md", "one"), file("b", "b")], 1).wait().unwrap();
    store.trust("/a", vec![file("AGENTS.md", "two")], 2).wait().unwrap();
    let known = store.trusted("/a").unwrap();
    assert_eq!(known.len(), 3);
    assert!(known.contains(&TrustedContent { path: "AGENTS.md".to_owned(), hash: Sha::of(b"one") }));
    assert_eq!(paths(&store, "/b"), [""; 0]);
    assert_eq!(store.trusted_text("/a", "AGENTS.md").unwrap().as_deref(), Some("two"));
    // Going back is trusting anew: what changes next is told from there.
    store.trust("/a", vec![file("AGENTS.md", "one")], 3).wait().unwrap();
    assert_eq!(store.trusted_text("/a", "AGENTS.md").unwrap().as_deref(), Some("one"));
    store.trust("/A", vec![file("b", "b")], 4).wait().unwrap();
    let named = |root: &str, path: &str, at| TrustedPath { root: root.to_owned(), path: path.to_owned(), at };
    let all = [named("/A", "b", 4), named("/a", "AGENTS.md", 3), named("/a", "b", 1)];
    assert_eq!(store.trusted_paths().unwrap(), all);
    store.distrust("/a", vec!["AGENTS.md".to_owned()]).wait().unwrap();
    assert_eq!(store.trusted_paths().unwrap(), [named("/A", "b", 4), named("/a", "b", 1)]);
    assert_eq!(paths(&store, "/a"), ["b"]);
    assert_eq!(store.trusted_text("/a", "AGENTS.md").unwrap(), None);
}

#[test]
fn the_oldest_contents_of_a_file_go() {
    let store = Store::memory().unwrap();
    for number in 0..KEPT + 4 {
        store.trust("/a", vec![file("AGENTS.md", &number.to_string())], i64::from(number)).wait().unwrap();
    }
    let known = store.trusted("/a").unwrap();
    assert_eq!(known.len(), KEPT as usize);
    assert!(!known.iter().any(|content| content.hash == Sha::of(b"0")));
}
