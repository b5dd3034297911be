//! Words that may not stand in the tree: names that say nothing, leftovers, places of one machine; and the one place
//! where a claim may be made.
//! What is forbidden is put together from pieces here, so that this file isn't its own first offender.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};

use super::{Source, is_test, kept, none, root, sources};

/// Ends of names that only say that something is done.
const EMPTY_NAMES: [&str; 6] = ["Manager", "Service", "Helper", "Util", "Handler", "Processor"];

/// Names that a file declares.
#[derive(Default)]
struct Declared(Vec<String>);

impl<'ast> Visit<'ast> for Declared {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let name = match item {
            syn::Item::Struct(item) => Some(&item.ident),
            syn::Item::Enum(item) => Some(&item.ident),
            syn::Item::Trait(item) => Some(&item.ident),
            syn::Item::Type(item) => Some(&item.ident),
            syn::Item::Mod(item) => Some(&item.ident),
            _ => None,
        };
        self.0.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }
}

#[test]
fn names_come_from_the_domain() {
    let mut complaints = Vec::new();
    for source in sources() {
        let mut declared = Declared::default();
        declared.visit_file(&syn::parse_file(&source.text).unwrap());
        for name in declared.0 {
            let is_empty = |word: &&str| name.contains(*word) || name.eq_ignore_ascii_case(&format!("{word}s"));
            if EMPTY_NAMES.iter().any(|word| is_empty(word) || name == word.to_lowercase()) {
                complaints.push(format!("{}: {name}", source.path));
            }
        }
    }
    none(&complaints, "Say what it is, in a word of docs/GLOSSARY.md; not that it manages, serves, helps or handles.");
}

#[test]
fn only_the_store_makes_a_claim() {
    let sources = sources();
    let makes = |source: &&Source| source.text.contains(concat!("Claimed::", "commit("));
    let mut places: BTreeSet<&str> = sources
        .iter()
        .filter(makes)
        .filter(|source| !is_test(source, &sources))
        .map(|source| source.path.as_str())
        .collect();
    assert!(places.remove("src-tauri/store/src/claim.rs"), "the store makes no claim any more");
    let complaints: Vec<String> = places.into_iter().map(str::to_owned).collect();
    none(&complaints, "A side effect has one door: store/src/claim.rs, where the claim is on disk first.");
}

#[test]
fn exceptions_have_their_reasons() {
    let mut complaints = Vec::new();
    for source in sources() {
        // An attribute may go over several lines.
        let text = source.text.replace('\n', " ");
        for attribute in ["#[allow(", "#![allow(", "#[expect(", "#![expect("] {
            let without_reason = text.split(attribute).skip(1).filter(|rest| {
                let attribute = rest.split(")]").next().unwrap_or_default();
                !attribute.contains("reason = \"")
            });
            complaints.extend(without_reason.map(|_| format!("{}: {attribute}…)]", source.path)));
        }
    }
    // This file names the attributes without using them.
    complaints.retain(|complaint| !complaint.starts_with("src-tauri/testkit/tests/tidy/"));
    none(&complaints, "Say why: `#[expect(lint, reason = \"…\")]`.");
}

#[test]
fn nothing_is_left_for_later() {
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("todo", "!("), concat!("unimple", "mented!(")];
    let mut complaints = Vec::new();
    for (path, text) in texts(&[".rs", ".ts", ".svelte", ".js", ".toml", ".css", ".html"]) {
        for (number, line) in text.lines().enumerate() {
            let comment =
                line.split_once("//").or(line.split_once('#')).or(line.split_once("<!--")).map(|(_, rest)| rest);
            let is_left = |mark: &&str| {
                let in_code = mark.ends_with('(') && line.trim_start().starts_with(*mark);
                in_code || comment.is_some_and(|comment| comment.trim_start_matches(['/', '!', ' ']).starts_with(*mark))
            };
            if marks.iter().any(is_left) {
                complaints.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none(&complaints, "Do it now, or write an issue.");
}

#[test]
fn the_tree_names_no_place_of_one_machine_and_no_registry() {
    let places = [
        concat!("/wo", "rk/main"),
        concat!("/wo", "rk/shared"),
        concat!("/tmp/", "assent/"),
        concat!("registry.", "npmjs"),
        concat!("crates", ".io"),
        concat!("pypi", ".org"),
        concat!("npm", "mirror"),
        concat!("proxy.", "golang"),
    ];
    let mut complaints = Vec::new();
    for (path, text) in texts(&[""]) {
        // Cargo writes where it found a crate, and can't be told not to.
        if path == "Cargo.lock" {
            continue;
        }
        let found = places.iter().filter(|place| text.contains(**place));
        complaints.extend(found.map(|place| format!("{path} names {place}")));
    }
    none(&complaints, "What stands here is read on other machines: say it without that place.");
}

/// Texts of the kept files whose names end so.
fn texts(ends: &[&str]) -> Vec<(String, String)> {
    let root = root();
    let kept = kept().into_iter().filter(|path| ends.iter().any(|end| path.ends_with(end)));
    kept.filter_map(|path| std::fs::read_to_string(root.join(&path)).ok().map(|text| (path, text))).collect()
}
