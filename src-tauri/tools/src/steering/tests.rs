//! Tests of where steering files are found.
//! What they say doesn't matter here.

use super::*;
use crate::fixture::Fixture;

#[test]
fn rules_are_found_at_the_root_and_below_it_where_nothing_ignores_them() {
    let ground = Fixture::new();
    for path in [
        "CLAUDE.md",
        "AGENTS.md",
        ".assent/rules.md",
        ".assent/trash/call/AGENTS.md",
        "docs/CLAUDE.md",
        "src/AGENTS.md",
        "src/CLAUDE.md",
        "src/深/CLAUDE.md",
        "node_modules/x/AGENTS.md",
        ".git/AGENTS.md",
        "agents.md.txt",
    ] {
        ground.write(path, "x");
    }
    ground.write(".gitignore", "node_modules/\n");
    let found = rule_files(&ground.workspace);
    assert_eq!(
        found.paths,
        ["AGENTS.md", ".assent/rules.md", "docs/CLAUDE.md", "src/AGENTS.md", "src/深/CLAUDE.md"],
        "in each folder the first of the pair"
    );
    assert!(!found.is_partial);
}

#[test]
fn more_rules_than_are_looked_at_are_said_to_be_more() {
    let ground = Fixture::new();
    (0..MOST_RULES + 5).for_each(|number| ground.write(&format!("f{number:03}/AGENTS.md"), "x"));
    let found = rule_files(&ground.workspace);
    assert_eq!((found.paths.len(), found.is_partial), (MOST_RULES, true));
}

#[test]
fn a_skill_is_a_folder_with_its_file_and_a_link_out_is_one_that_is_refused() {
    let ground = Fixture::new();
    ground.write(".agents/skills/review/SKILL.md", "x");
    ground.write(".agents/skills/empty/README.md", "x");
    ground.write(".agents/skills/SKILL.md", "no folder of its own");
    ground.write("out-skill/SKILL.md", "x");
    std::fs::write(ground.out.join("SKILL.md"), "outside").unwrap();
    ground.link(&ground.out, ".agents/skills/stolen");
    ground.link("../../out-skill", ".agents/skills/within");
    let found = skill_files(&ground.workspace, ".agents/skills");
    let paths = ["review", "stolen", "within"].map(|name| format!(".agents/skills/{name}/SKILL.md"));
    assert_eq!(found.paths, paths);
    assert!(ground.refusal(".agents/skills/stolen/SKILL.md").contains("outside"));
    assert_eq!(skill_files(&ground.workspace, ".claude/skills"), FoundPaths::default());
}

#[test]
fn what_a_path_would_do_is_told_by_its_place() {
    for (path, what) in [
        ("AGENTS.md", Some(Steers::Rules)),
        ("a/b/CLAUDE.md", Some(Steers::Rules)),
        (".assent/context.md", Some(Steers::Context)),
        (".claude/skills/x/SKILL.md", Some(Steers::Skill)),
        (".claude/skills/x/y/SKILL.md", None),
        ("a/.claude/skills/x/SKILL.md", None),
        ("SKILL.md", None),
        ("README.md", None),
    ] {
        assert_eq!(steers(path), what, "{path}");
    }
}
