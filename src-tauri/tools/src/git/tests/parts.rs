//! The small parts: configuration text, attributes, revisions.
//! Where plain git can be asked, it is.

use super::{git, repository};
use crate::git::attributes::{AttributeFiles, State};
use crate::git::config;
use crate::search::folder::Folder;

#[test]
fn configuration_is_read_as_git_reads_it() {
    let ground = repository();
    let text = "; comment\n[core]\n\tbare = false # why\n[a \"B \\\"x\\\\\"]\n\tkey = \"  spaced \\\" \\\\ \\t\" tail  ; no\n\tOther-Key\n\
                [x.Sub] y = a\\\n  b\n[include] path=../z\n[empty]\nlist = 1\n\tlist = \n";
    ground.write(".git/extra", text);
    let listed = git(&ground, &["config", "--file", ".git/extra", "--list", "--null", "--no-includes"]);
    let ours: String = config::parse(text)
        .unwrap()
        .into_iter()
        .map(|setting| {
            let inner = setting.subsection.map(|name| format!(".{name}")).unwrap_or_default();
            let value = setting.value.map(|value| format!("\n{value}")).unwrap_or_default();
            format!("{}{inner}.{}{value}\0", setting.section, setting.key)
        })
        .collect();
    // Git folds the old form of a subsection to lower case.
    assert_eq!(ours.replace("x.Sub.y", "x.sub.y"), listed);
    for broken in ["[core", "[core]\nkey = \"open\n", "key = 1\n", "[a]\n= 1\n", "[a]\nkey = \\x\n", "[a \"b\"\n"] {
        assert_eq!(config::parse(broken), None, "{broken:?}");
    }
}

#[test]
fn attributes_are_those_that_git_tells() {
    let ground = repository();
    ground
        .write(".gitattributes", "[attr]mine -text filter=lfs\n*.txt text eol=lf\n*.bin binary\n\"with space.md\" ident\n/top.* mine\n*.x filter=y\nsub/** diff=z\n")
        .write("sub/.gitattributes", "*.txt -text !eol\n*.x !filter\n")
        .write(".git/info/attributes", "last.txt text=auto\n");
    let names = ["text", "eol", "filter", "ident", "diff", "merge"];
    let workspace = &ground.fixture.workspace;
    let git_dir = Folder::outside(&ground.root.join(".git")).unwrap();
    let mut files = AttributeFiles::new(workspace, &git_dir);
    for path in [
        "a.txt",
        "b.bin",
        "with space.md",
        "top.c",
        "sub/top.c",
        "sub/a.txt",
        "sub/deep/b.x",
        "c.x",
        "sub/last.txt",
        "last.txt",
    ] {
        let mut arguments = vec!["check-attr"];
        arguments.extend(names);
        arguments.extend(["--", path]);
        let told = git(&ground, &arguments);
        let ours = files.of(path);
        for line in told.lines() {
            let (name, state) =
                line.rsplit_once(": ").and_then(|(left, state)| Some((left.rsplit_once(": ")?.1, state))).unwrap();
            let mine = match ours.get(name) {
                None => "unspecified",
                Some(State::Set) => "set",
                Some(State::Unset) => "unset",
                Some(State::Value(value)) => value,
            };
            assert_eq!(mine, state, "{name} of {path}");
        }
    }
}
