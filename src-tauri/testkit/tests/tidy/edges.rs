//! Table.
//! Who may import whom: the edges between our crates, and outside crates that some of ours must never know.
//! A new edge is a change to this table, so that it is seen as architecture.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use super::{none, root};

/// What each crate imports of ours, apart from tests. Equal, not at most: an edge that is gone leaves the table too.
const EDGES: &[(&str, &[&str])] = &[
    ("assent-protocol", &[]),
    ("assent-session", &["assent-protocol"]),
    ("assent-policy", &["assent-protocol"]),
    ("assent-llm", &["assent-protocol"]),
    ("assent-tools", &["assent-policy", "assent-protocol"]),
    ("assent-store", &["assent-policy", "assent-protocol"]),
    (
        "assent-engine",
        &["assent-llm", "assent-policy", "assent-protocol", "assent-session", "assent-store", "assent-tools"],
    ),
    ("assent-headless", &["assent-engine", "assent-protocol"]),
    ("assent-desktop", &["assent-engine", "assent-protocol"]),
    // It measures: all it imports, it imports for its benches.
    ("assent-bench", &[]),
    (
        "assent-testkit",
        &[
            "assent-engine",
            "assent-llm",
            "assent-policy",
            "assent-protocol",
            "assent-session",
            "assent-store",
            "assent-tools",
        ],
    ),
];

/// Why an edge between ours that isn't in the table is none.
const WHY_NOT: &[(&str, &str, &str)] = &[
    ("assent-protocol", "", "protocol must not depend on any of ours: it is the words that all of them speak"),
    ("assent-session", "", "session must not depend on anything but protocol: it is the log folded, and pure"),
    ("assent-policy", "", "policy must not depend on anything but protocol: decisions are pure"),
    ("assent-llm", "assent-tools", "llm must not know tools: a model only names them"),
    ("assent-llm", "assent-policy", "llm must not know policy: a model permits nothing"),
    ("assent-llm", "assent-store", "llm must not know the database: it keeps no history"),
    ("assent-tools", "assent-llm", "tools must not know models: a call is a call, whoever made it"),
    ("assent-tools", "assent-store", "tools must not know the database: the claim comes from outside"),
    ("assent-store", "assent-session", "store must not fold: it keeps events and answers `after n`"),
    ("assent-store", "assent-tools", "store must not know tools: it claims for them and runs nothing"),
    ("", "assent-engine", "only a host may stand on the engine: what the engine is made of must not know it"),
    ("", "assent-testkit", "testkit is for tests: no program that people run may carry it"),
];

/// Outside crates that must not be imported, and why. An empty crate of ours: by all but those that are named.
const FOREIGN: &[(&[&str], &str, &str)] = &[
    (&["assent-llm"], "reqwest", "only llm speaks HTTP"),
    (&["assent-store"], "rusqlite", "only store knows SQL"),
    (&["assent-tools"], "git2", "only tools opens repositories, contained"),
    (&["assent-tools"], "cap-std", "every path is opened by tools' workspace alone"),
    (&["assent-desktop"], "tauri", "one folder knows the window: the engine runs without one"),
    (&["assent-desktop"], "webkit2gtk", "linking the web view costs 42 ms and 52 MB before main does anything"),
    (&["assent-protocol", "assent-testkit"], "ts-rs", "types are generated from protocol alone"),
];

/// Crates of ours that must stay pure, and what would make them impure.
const PURE: &[(&str, &[&str], &str)] = &[
    (
        "assent-policy",
        &["tokio", "futures-util", "rusqlite", "reqwest", "uuid"],
        "policy must not wait, look or roll dice: decisions are pure",
    ),
    (
        "assent-session",
        &["tokio", "futures-util", "rusqlite", "reqwest", "uuid", "serde_json"],
        "session must not wait, look or roll dice: the same log always folds to the same answers",
    ),
    (
        "assent-protocol",
        &["tokio", "futures-util", "rusqlite", "reqwest", "tauri"],
        "protocol must not do anything: it is words",
    ),
];

/// Packages by name, with what each depends on: name and kind (normal, dev, build).
fn packages() -> BTreeMap<String, BTreeSet<(String, String)>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap();
            let dependencies = dependencies.iter().map(|dependency| {
                let kind = dependency["kind"].as_str().unwrap_or("normal");
                (dependency["name"].as_str().unwrap().to_owned(), kind.to_owned())
            });
            (package["name"].as_str().unwrap().to_owned(), dependencies.collect())
        })
        .collect()
}

fn why_not(from: &str, to: &str) -> &'static str {
    let fits = |pattern: &str, name: &str| pattern.is_empty() || pattern == name;
    let found = WHY_NOT.iter().find(|(one, other, _)| fits(one, from) && fits(other, to));
    found.map_or("the table in tidy/edges.rs does not have it", |(_, _, why)| why)
}

#[test]
fn the_edges_are_those_of_the_table() {
    let packages = packages();
    let mut complaints = Vec::new();
    for (name, dependencies) in &packages {
        let Some((_, allowed)) = EDGES.iter().find(|(known, _)| known == name) else {
            complaints.push(format!("{name} is not in the table: which sentence `in this crate nobody can …` is its?"));
            continue;
        };
        let ours = dependencies.iter().filter(|(to, kind)| to.starts_with("assent-") && kind != "dev");
        let ours: BTreeSet<&str> = ours.map(|(to, _)| to.as_str()).collect();
        let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
        complaints.extend(ours.difference(&allowed).map(|to| format!("{name} imports {to}: {}", why_not(name, to))));
        complaints.extend(allowed.difference(&ours).map(|to| format!("{name} no longer imports {to}")));
        let in_tests = dependencies.iter().filter(|(to, kind)| to.starts_with("assent-") && kind == "dev");
        let strange = in_tests.filter(|(to, _)| to != "assent-testkit" && name != "assent-bench");
        complaints
            .extend(strange.map(|(to, _)| format!("the tests of {name} import {to}: only testkit may be imported so")));
    }
    for (name, _) in EDGES {
        if !packages.contains_key(*name) {
            complaints.push(format!("{name} is in the table and not in the tree"));
        }
    }
    none(&complaints, "A new edge is architecture: change the table in tidy/edges.rs, and say why in the commit.");
}

#[test]
fn foreign_crates_stay_where_they_belong() {
    let mut complaints = Vec::new();
    for (name, dependencies) in packages() {
        let imports = |foreign: &str| dependencies.iter().any(|(to, kind)| to == foreign && kind != "dev");
        for (homes, foreign, why) in FOREIGN {
            if imports(foreign) && !homes.contains(&name.as_str()) {
                complaints.push(format!("{name} must not depend on {foreign}: {why}"));
            }
        }
        for (_, impure, why) in PURE.iter().filter(|(pure, _, _)| *pure == name) {
            let found = impure.iter().filter(|foreign| imports(foreign));
            complaints.extend(found.map(|foreign| format!("{name} must not depend on {foreign}: {why}")));
        }
    }
    none(&complaints, "Move the code to the crate that owns this, or change the table in tidy/edges.rs.");
}

#[test]
fn no_crate_is_a_drawer() {
    let drawers = ["common", "utils", "util", "core", "shared", "types", "helpers", "misc"];
    let packages = packages();
    let found = packages.keys().filter(|name| drawers.iter().any(|drawer| name.ends_with(&format!("-{drawer}"))));
    let complaints: Vec<String> = found.map(|name| format!("{name} says nothing about what is in it")).collect();
    none(&complaints, "A crate exists because it forbids something; what can't say what is a module.");
}
