//! Tests of places, handles and reading on real folders.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;

/// A workspace `app` with a folder `out` beside it that holds a canary.
pub(crate) struct Fixture {
    _base: tempfile::TempDir,
    pub root: PathBuf,
    pub out: PathBuf,
    pub workspace: Workspace,
}

pub(crate) const CANARY: &str = "CANARY-OUT";

pub(crate) fn fixture() -> Fixture {
    let base = tempfile::tempdir().unwrap();
    let folder = dunce::canonicalize(base.path()).unwrap();
    let (root, out) = (folder.join("app"), folder.join("out"));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&out).unwrap();
    fs::write(out.join("canary.txt"), CANARY).unwrap();
    let workspace = Workspace::open(&root, &[]).unwrap();
    Fixture { _base: base, root, out, workspace }
}

impl Fixture {
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn link(&self, target: impl AsRef<Path>, at: &str) {
        symlink(target, self.root.join(at)).unwrap();
    }

    pub fn read(&self, path: &str) -> Result<Vec<u8>, Refusal> {
        let place = self.workspace.place(path)?;
        self.workspace.read(&place, 1 << 20).map(|file| file.bytes)
    }

    pub fn words(&self, path: &str) -> String {
        self.read(path).expect_err("it should be refused").words
    }
}

#[test]
fn a_plain_file_is_read_with_its_hash() {
    let fixture = fixture();
    fixture.write("src/主 要.rs", "fn main() {}\n");
    for spelling in ["src/主 要.rs", "./src//主 要.rs", "src\\主 要.rs", "src/./主 要.rs"] {
        let place = fixture.workspace.place(spelling).unwrap();
        assert_eq!((place.path.as_str(), place.form), ("src/主 要.rs", Form::File));
        assert!(!place.is_link());
        let file = fixture.workspace.read(&place, 100).unwrap();
        assert_eq!(file.hash, Sha::of(b"fn main() {}\n"));
        assert_eq!(file.links, 1);
    }
    let absolute = fixture.root.join("src/主 要.rs");
    assert_eq!(fixture.workspace.place(absolute.to_str().unwrap()).unwrap().path, "src/主 要.rs");
}

#[test]
fn p26_a_sibling_with_the_same_prefix_is_outside() {
    let fixture = fixture();
    let sibling = fixture.root.with_file_name("app-old");
    fs::create_dir(&sibling).unwrap();
    fs::write(sibling.join("x"), CANARY).unwrap();
    assert!(fixture.words(sibling.join("x").to_str().unwrap()).contains("not in the workspace"));
    assert!(fixture.words("../app-old/x").contains("\"..\""));
    assert!(fixture.words("a/../../app-old/x").contains("\"..\""));
    fixture.link("../app-old/x", "l");
    assert!(fixture.words("l").contains("outside of the workspace"));
}

#[test]
fn p28_a_missing_path_below_a_link_that_leaves_is_refused() {
    let fixture = fixture();
    fixture.link(&fixture.out, "d");
    fixture.link("../out", "e");
    fixture.write("real/x", "");
    fixture.link("real", "inside");
    for path in ["d/new/x", "e/new/x", "d/x", "e/x", "d", "e", "inside/new/x"] {
        assert!(fixture.workspace.place(path).is_err(), "{path}");
    }
    let place = fixture.workspace.place("inside/new").unwrap();
    assert_eq!((place.path.as_str(), place.form), ("real/new", Form::Missing));
    let place = fixture.workspace.place("far/from/here.txt").unwrap();
    assert_eq!((place.path.as_str(), place.form), ("far/from/here.txt", Form::Missing));
}
