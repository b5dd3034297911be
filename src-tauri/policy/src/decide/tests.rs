//! The verdicts as a table: tier, mode and rules in; run, ask or refuse out.
//! What a tool says of a call is made up here; the tools' own words are tested with them.

use assent_protocol::assessment::{Assessment, Raised, Reach, Reason};
use assent_protocol::canonical;
use assent_protocol::permission::{Decider, Matcher, Mode, Rule, Tier, Verdict};
use assent_protocol::preview::Preview;
use assent_protocol::tool::FileState;
use serde_json::{Map, Value, json};

use super::{Considered, decide};

/// A call as far as a verdict depends on it.
struct Call {
    tool: &'static str,
    tier: Tier,
    arguments: Value,
    touches: &'static [&'static str],
}

fn write(tier: Tier, path: &'static [&'static str]) -> Call {
    Call { tool: "write_file", tier, arguments: json!({ "path": path.first(), "content": "x" }), touches: path }
}

fn command(command: &str) -> Call {
    Call { tool: "run_command", tier: Tier::High, arguments: json!({ "command": command }), touches: &[] }
}

fn by_path(tool: &str, glob: &str) -> Rule {
    Rule { tool: tool.to_owned(), matcher: Matcher::Path { glob: glob.to_owned() } }
}

fn by_argv(argv: &[&str]) -> Rule {
    let argv = argv.iter().map(|token| (*token).to_owned()).collect();
    Rule { tool: "run_command".to_owned(), matcher: Matcher::Command { argv } }
}

fn by_arguments(tool: &str, arguments: &Value) -> Rule {
    let digest = canonical::digest(arguments);
    Rule { tool: tool.to_owned(), matcher: Matcher::Arguments { digest } }
}

/// The verdict in one word.
fn verdict(call: &Call, mode: Mode, rules: &[Rule]) -> &'static str {
    match decided(call, mode, rules) {
        Verdict::Run { by: Decider::Tool, .. } => "run",
        Verdict::Run { by: Decider::Mode, .. } => "run by mode",
        Verdict::Run { by: Decider::Rule, .. } => "run by rule",
        Verdict::Ask => "ask",
        Verdict::Refuse { by: Decider::Mode, why } => {
            assert!(why.starts_with("It did not run: "), "{why}");
            "refuse"
        }
        other => panic!("{other:?}"),
    }
}

fn decided(call: &Call, mode: Mode, rules: &[Rule]) -> Verdict {
    let touches = call.touches.iter().map(|path| FileState { path: (*path).to_owned(), hash: None }).collect();
    let assessment = Assessment {
        tier: call.tier,
        read_only: false,
        touches,
        preview: Preview::Diff { files: Vec::new() },
        reason: Reason::Look { target: String::new() },
        reach: Reach::default(),
        argv: None,
    };
    let none = Map::new();
    let arguments = call.arguments.as_object().unwrap_or(&none);
    decide(&Considered { tool: call.tool, arguments, assessment: &assessment, mode, rules })
}

#[test]
fn tier_and_mode_without_rules() {
    let table = [
        (Tier::Low, Mode::Ask, "run"),
        (Tier::Low, Mode::Auto, "run"),
        (Tier::Low, Mode::Plan, "run"),
        (Tier::Medium, Mode::Ask, "ask"),
        (Tier::Medium, Mode::Auto, "run by mode"),
        (Tier::Medium, Mode::Plan, "refuse"),
        (Tier::High, Mode::Ask, "ask"),
        (Tier::High, Mode::Auto, "refuse"),
        (Tier::High, Mode::Plan, "refuse"),
    ];
    for (tier, mode, expected) in table {
        assert_eq!(verdict(&write(tier, &["a"]), mode, &[]), expected, "{tier:?} in {mode:?}");
    }
}

#[test]
fn a_fitting_rule_lifts_what_asks_and_never_what_is_refused() {
    let rules = [by_path("write_file", "a")];
    let table = [
        (Tier::Medium, Mode::Ask, "run by rule"),
        (Tier::Medium, Mode::Auto, "run by rule"),
        (Tier::Medium, Mode::Plan, "refuse"),
        (Tier::High, Mode::Ask, "run by rule"),
        (Tier::High, Mode::Auto, "refuse"),
        (Tier::High, Mode::Plan, "refuse"),
    ];
    for (tier, mode, expected) in table {
        assert_eq!(verdict(&write(tier, &["a"]), mode, &rules), expected, "{tier:?} in {mode:?}");
    }
}

#[test]
fn rules_for_paths() {
    let table: [(&str, &str, &'static [&'static str], Tier, &str); 17] = [
        ("write_file", "a", &["a"], Tier::Medium, "run by rule"),
        ("write_file", "a", &["b"], Tier::Medium, "ask"),
        ("write_file", "a", &["A"], Tier::Medium, "ask"),
        ("write_file", "a", &["a/b"], Tier::Medium, "ask"),
        ("write_file", "a", &["b/a"], Tier::Medium, "ask"),
        ("write_file", "a", &[], Tier::Medium, "ask"),
        ("write_file", "a", &["a", "b"], Tier::Medium, "ask"),
        ("append_file", "a", &["a"], Tier::Medium, "ask"),
        ("write_file", "src/*", &["src/a"], Tier::Medium, "run by rule"),
        ("write_file", "src/*", &["src/a/b"], Tier::Medium, "ask"),
        ("write_file", "**", &["src/a/b", "中文 件"], Tier::Medium, "run by rule"),
        ("write_file", "[", &["["], Tier::Medium, "ask"),
        ("write_file", "a[*]b", &["a*b"], Tier::Medium, "run by rule"),
        ("write_file", "a[*]b", &["axb"], Tier::Medium, "ask"),
        // High: the exact path, escaped, and nothing wider.
        ("write_file", "**", &["Makefile"], Tier::High, "ask"),
        ("write_file", "Make*", &["Makefile"], Tier::High, "ask"),
        ("write_file", "Makefile", &["Makefile"], Tier::High, "run by rule"),
    ];
    for (tool, glob, touches, tier, expected) in table {
        let rules = [by_path(tool, glob)];
        assert_eq!(
            verdict(&write(tier, touches), Mode::Ask, &rules),
            expected,
            "{tool} {glob} on {touches:?}, {tier:?}"
        );
    }
}

#[test]
fn p01_p13_rules_for_commands() {
    let table: [(&[&str], &str, &str); 15] = [
        (&["ls"], "ls", "run by rule"),
        (&["ls"], "  ls ", "run by rule"),
        (&["ls"], "'ls'", "run by rule"),
        (&["ls"], "ls -a", "ask"),
        (&["ls"], "ls && touch MARK", "ask"),
        (&["ls"], "ls; touch MARK", "ask"),
        (&["ls"], "ls\ntouch MARK", "ask"),
        (&["ls"], "ls > MARK", "ask"),
        (&["ls"], "ls $(touch MARK)", "ask"),
        (&["ls", "-a"], "ls", "ask"),
        (&["git", "log"], "git log --output=x", "ask"),
        (&["git", "log"], "PAGER=./x git log", "ask"),
        (&["env", "ls"], "env ls", "ask"),
        (&["sh", "x"], "sh x", "ask"),
        (&["tool ", "x"], "'tool ' x", "run by rule"),
    ];
    for (argv, text, expected) in table {
        assert_eq!(verdict(&command(text), Mode::Ask, &[by_argv(argv)]), expected, "{argv:?} on {text:?}");
    }
}

#[test]
fn p12_p13_a_rule_for_a_command_covers_no_other_folder() {
    let there = |folder: Value| Call { arguments: json!({ "command": "./check", "folder": folder }), ..command("") };
    for root in [json!(""), json!("."), json!("./"), json!(null)] {
        assert_eq!(verdict(&there(root.clone()), Mode::Ask, &[by_argv(&["./check"])]), "run by rule", "{root}");
    }
    for other in ["vendor", "a/..", "/tmp", " "] {
        assert_eq!(verdict(&there(json!(other)), Mode::Ask, &[by_argv(&["./check"])]), "ask", "{other}");
    }
    let vendor = there(json!("vendor"));
    let rule = by_arguments("run_command", &vendor.arguments);
    assert_eq!(verdict(&vendor, Mode::Ask, std::slice::from_ref(&rule)), "run by rule");
    assert_eq!(verdict(&command("./check"), Mode::Ask, &[rule]), "ask");
}

#[test]
fn a_rule_for_a_command_covers_no_other_tool() {
    let call = Call { tool: "write_file", tier: Tier::High, arguments: json!({ "command": "ls" }), touches: &[] };
    assert_eq!(verdict(&call, Mode::Ask, &[by_argv(&["ls"])]), "ask");
}

#[test]
fn p54_a_rule_for_empty_arguments_covers_only_those() {
    let with = |arguments| Call { tool: "sync", tier: Tier::Medium, arguments, touches: &[] };
    let rules = [by_arguments("sync", &json!({}))];
    assert_eq!(verdict(&with(json!({})), Mode::Ask, &rules), "run by rule");
    for arguments in [json!({ "all": true }), json!({ "a": null }), json!({ "a": {} })] {
        assert_eq!(verdict(&with(arguments.clone()), Mode::Ask, &rules), "ask", "{arguments}");
    }
}

#[test]
fn a_rule_for_a_repository_covers_whatever_only_reads_it() {
    let reads = |tool, folder: &str, raised, read_only, mode| {
        let assessment = Assessment {
            tier: Tier::Medium,
            read_only,
            touches: vec![FileState { path: folder.to_owned(), hash: None }],
            preview: Preview::Repository { path: folder.to_owned() },
            reason: Reason::ReadRepository { folder: folder.to_owned() },
            reach: Reach { raised, ..Reach::default() },
            argv: None,
        };
        let matcher = Matcher::Repository { folder: "/r/.git".to_owned() };
        let rules = [Rule { tool: "git".to_owned(), matcher }];
        decide(&Considered { tool, arguments: &Map::new(), assessment: &assessment, mode, rules: &rules })
    };
    let elsewhere = Some(Raised::Elsewhere);
    for tool in ["git_status", "git_log"] {
        let verdict = reads(tool, "/r/.git", elsewhere, true, Mode::Ask);
        assert!(matches!(verdict, Verdict::Run { by: Decider::Rule, .. }), "{tool}: {verdict:?}");
    }
    for verdict in [
        reads("git_status", "/other/.git", elsewhere, true, Mode::Ask),
        reads("git_status", "/r/.git", elsewhere, false, Mode::Ask),
        reads("git_status", "/r/.git", None, true, Mode::Ask),
    ] {
        assert_eq!(verdict, Verdict::Ask);
    }
    assert!(matches!(reads("git_log", "/r/.git", elsewhere, true, Mode::Plan), Verdict::Refuse { .. }));
}

#[test]
fn the_order_of_arguments_is_no_difference() {
    let call = Call { tool: "sync", tier: Tier::High, arguments: json!({ "b": 1.0, "a": "x" }), touches: &[] };
    assert_eq!(verdict(&call, Mode::Ask, &[by_arguments("sync", &json!({ "a": "x", "b": 1 }))]), "run by rule");
    assert_eq!(verdict(&call, Mode::Ask, &[by_arguments("sync", &json!({ "a": "x", "b": 2 }))]), "ask");
}

#[test]
fn among_many_rules_one_that_fits_is_enough_and_is_named() {
    let rules = [by_argv(&["ls"]), by_path("append_file", "**"), by_path("write_file", "a")];
    let run = Verdict::Run { by: Decider::Rule, rule: Some(rules[2].clone()) };
    assert_eq!(decided(&write(Tier::Medium, &["a"]), Mode::Ask, &rules), run);
}

#[test]
fn no_rule_covers_a_command_without_the_sandbox() {
    let arguments = json!({ "command": "ls", "unsandboxed": true });
    let call = |arguments| Call { tool: "run_command", tier: Tier::High, arguments, touches: &[] };
    let rules = [by_argv(&["ls"]), by_arguments("run_command", &arguments)];
    assert_eq!(verdict(&call(arguments), Mode::Ask, &rules), "ask");
    let inside = json!({ "command": "ls", "unsandboxed": false });
    assert_eq!(verdict(&call(inside), Mode::Ask, &rules), "run by rule");
}
