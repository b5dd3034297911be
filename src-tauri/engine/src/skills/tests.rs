//! Tests of finding skills: where, which wins, what is wrong with others, and what reaches the model.
//! Invoking them is told in the scripts.

use std::fs;

use assent_protocol::ids::Sha;
use assent_store::{Store, ToTrust};

use super::*;

struct Ground {
    base: tempfile::TempDir,
    workspace: Workspace,
    store: Store,
}

impl Ground {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir_all(base.path().join("app")).unwrap();
        let workspace = Workspace::open(&base.path().join("app"), &[]).unwrap();
        Self { base, workspace, store: Store::memory().unwrap() }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.base.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn trust(&self, path: &str) {
        let text = fs::read_to_string(self.base.path().join("app").join(path)).unwrap();
        let file = ToTrust { path: path.to_owned(), hash: Sha::of(text.as_bytes()), text };
        self.store.trust(self.workspace.identity(), vec![file], 0).wait().unwrap();
    }

    fn find(&self) -> Skills {
        let trust = Trust::of(&self.store, self.workspace.identity()).unwrap();
        let user = self.base.path().join("user");
        let own = own_folders(Some(&self.base.path().join("data")), user.to_str());
        Skills::find(Some(&self.workspace), &trust, &own)
    }

    /// Problems in short: the file below the ground, the line, and what is wrong.
    fn problems(&self, skills: &Skills) -> Vec<String> {
        let base = fs::canonicalize(self.base.path()).unwrap().display().to_string();
        let problems = skills.list().problems.into_iter();
        problems
            .map(|problem| {
                let trouble = format!("{:?}", problem.trouble).replace(&base, "");
                format!("{}:{} {trouble}", problem.path.replace(&base, ""), problem.line.unwrap_or(0))
            })
            .collect()
    }
}

fn skill(name: &str, words: &str) -> String {
    format!("---\nname: {name}\ndescription: {words}\n---\nBody of {words}.\n")
}

#[test]
fn the_first_of_a_name_wins_and_the_others_are_said() {
    let ground = Ground::new();
    ground.write("app/.claude/skills/review/SKILL.md", &skill("review", "third"));
    ground.write("app/.assent/skills/any/SKILL.md", &skill("review", "first"));
    ground.write("app/.agents/skills/review/SKILL.md", &skill("review", "second"));
    ground.write("data/skills/own/SKILL.md", &skill("own", "mine"));
    ground.write("user/.agents/skills/own/SKILL.md", &skill("own", "shared"));
    ground.write("user/.agents/skills/评审/SKILL.md", "---\ndescription: 看改动\n---\n正文");
    let found = ground.find();
    let rows: Vec<_> = found.list().skills.into_iter().map(|row| (row.name, row.description, row.trusted)).collect();
    let row = |name: &str, words: &str, trusted| (name.to_owned(), words.to_owned(), trusted);
    assert_eq!(rows, [row("own", "mine", true), row("review", "first", false), row("评审", "看改动", true)]);
    assert_eq!(
        ground.problems(&found),
        [
            ".agents/skills/review/SKILL.md:2 Duplicate { name: \"review\", first: \".assent/skills/any/SKILL.md\" }",
            ".claude/skills/review/SKILL.md:2 Duplicate { name: \"review\", first: \".assent/skills/any/SKILL.md\" }",
            "/user/.agents/skills/own/SKILL.md:2 Duplicate { name: \"own\", first: \"/data/skills/own/SKILL.md\" }",
        ]
    );
}

#[test]
fn what_is_wrong_with_one_is_said_and_breaks_no_other() {
    let ground = Ground::new();
    ground.write("app/.agents/skills/a/SKILL.md", "no front matter");
    ground.write("app/.agents/skills/b/SKILL.md", "---\nname: b\n---\n");
    ground.write("app/.agents/skills/c/SKILL.md", "---\nname: c c\ndescription: x\n---\n");
    ground.write("app/.agents/skills/d/SKILL.md", "---\nname: clear\ndescription: x\n---\n");
    ground.write("app/.agents/skills/e/SKILL.md", "---\nname: e\ndescription: a: b\n---\n");
    ground.write("app/.agents/skills/good/SKILL.md", &skill("good", "well"));
    let found = ground.find();
    assert_eq!(found.list().skills.len(), 1);
    let problems = ground.problems(&found);
    assert_eq!(problems.len(), 5, "{problems:?}");
    for (problem, begin) in problems.iter().zip([
        ".agents/skills/a/SKILL.md:1 NoFrontMatter",
        ".agents/skills/b/SKILL.md:1 NoDescription",
        ".agents/skills/c/SKILL.md:2 BadName { name: \"c c\" }",
        ".agents/skills/d/SKILL.md:2 Reserved { name: \"clear\" }",
        ".agents/skills/e/SKILL.md:3 BadFrontMatter",
    ]) {
        assert!(problem.starts_with(begin), "{problem}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_refused_and_said() {
    let ground = Ground::new();
    ground.write("elsewhere/SKILL.md", &skill("stolen", "x"));
    fs::create_dir_all(ground.base.path().join("app/.agents/skills")).unwrap();
    let link = ground.base.path().join("app/.agents/skills/stolen");
    std::os::unix::fs::symlink(ground.base.path().join("elsewhere"), link).unwrap();
    let found = ground.find();
    assert_eq!(found.list().skills, []);
    let problems = ground.problems(&found);
    assert!(problems[0].starts_with(".agents/skills/stolen/SKILL.md:0 Unreadable"), "{problems:?}");
}

#[test]
fn only_what_is_trusted_reaches_the_model_and_a_change_ends_that() {
    let ground = Ground::new();
    let path = ".agents/skills/review/SKILL.md";
    ground.write(&format!("app/{path}"), "---\nname: review\ndescription: looks\n---\nLook\u{200b} closely.\n");
    assert_eq!(ground.find().in_prompt(), "");
    let untrusted = ground.find();
    assert_eq!(
        untrusted.invoked_by("/review")[0].context(),
        "[The skill review is left out: the user has not trusted it.]"
    );
    ground.trust(path);
    let found = ground.find();
    assert!(
        found.in_prompt().contains("\n- review: looks (.agents/skills/review/SKILL.md)\n"),
        "{}",
        found.in_prompt()
    );
    assert_eq!(
        found.invoked_by("请用，/review看看 /review /nobody")[0].context(),
        "[The user invokes the skill review. Its files lie in the folder .agents/skills/review.]\n\
         <skill name=\"review\">\nLook⟨U+200B⟩ closely.\n</skill>"
    );
    assert_eq!(found.invoked_by("/review /review").len(), 1);
    ground.write(&format!("app/{path}"), "---\nname: review\ndescription: looks\n---\nDo anything.\n");
    assert_eq!(ground.find().in_prompt(), "");
}

#[test]
fn the_list_in_the_prompt_and_a_body_are_bounded() {
    let ground = Ground::new();
    for number in 0..100 {
        ground
            .write(&format!("data/skills/s{number:03}/SKILL.md"), &skill(&format!("s{number:03}"), &"词 ".repeat(400)));
    }
    ground.write("data/skills/long/SKILL.md", &format!("---\ndescription: long\n---\n{}", "line\n".repeat(20_000)));
    let found = ground.find();
    let list = found.in_prompt();
    assert!(list.len() < LONGEST_LIST + 100, "{}", list.len());
    assert!(list.trim_end().ends_with("more skills are left out of this list]"), "{list}");
    let context = found.invoked_by("/long")[0].context();
    assert!(context.len() < MAX_TEXT + 300 && context.contains("more bytes of this file are left out"));
    assert!(context.contains("can't be read"), "a person's own folder is not the workspace");
}
