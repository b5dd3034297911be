//! Rules of the tree that a compiler doesn't check: who may import whom, sizes, headers, names, and one door to effects.
//! It reads sources as text and as syntax; it builds and runs nothing but `cargo metadata`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "tidy/edges.rs"]
mod edges;
#[path = "tidy/sizes.rs"]
mod sizes;
#[path = "tidy/words.rs"]
mod words;

use std::path::{Path, PathBuf};
use std::process::Command;

/// A source file below `src-tauri`, by its path from the root of the tree.
struct Source {
    path: String,
    text: String,
}

/// The root of the tree.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All Rust files of the tree.
fn sources() -> Vec<Source> {
    let root = root();
    let mut sources = Vec::new();
    collect(&root, &root.join("src-tauri"), &mut sources);
    assert!(sources.len() > 100, "only {} Rust files were found", sources.len());
    sources
}

fn collect(root: &Path, folder: &Path, sources: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            collect(root, &path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            sources.push(Source { path: name, text: std::fs::read_to_string(&path).unwrap() });
        }
    }
}

/// Every file that is kept in git, by its path; nothing when this is no git work tree (an unpacked archive).
fn kept() -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else { return Vec::new() };
    String::from_utf8_lossy(&output.stdout).split_terminator('\0').map(str::to_owned).collect()
}

/// Whether a file is compiled for tests alone: it lies among tests, or its module is declared so.
fn is_test(source: &Source, sources: &[Source]) -> bool {
    let path = Path::new(&source.path);
    if source.path.split('/').any(|part| part == "tests" || part == "tests.rs" || part == "examples") {
        return true;
    }
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let folder = path.parent().unwrap().to_string_lossy().replace('\\', "/");
    let parents = [format!("{folder}.rs"), format!("{folder}/lib.rs"), format!("{folder}/mod.rs")];
    let parent = sources.iter().find(|parent| parents.contains(&parent.path));
    parent.is_some_and(|parent| {
        let mut lines = parent.text.lines().map(str::trim);
        while let Some(line) = lines.next() {
            let is_declared = |line: &str| line.ends_with(&format!("mod {name};"));
            if line == "#[cfg(test)]" && lines.next().is_some_and(is_declared) {
                return true;
            }
        }
        false
    })
}

/// Fails with all complaints at once.
fn none(complaints: &[String], advice: &str) {
    assert!(complaints.is_empty(), "{}\n\n{advice}", complaints.join("\n"));
}
