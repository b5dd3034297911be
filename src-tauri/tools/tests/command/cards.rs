//! What a card shows of a command, what its approval is bound to, and what is refused before anyone is asked.

use std::os::unix::fs::symlink;

use assent_policy::{Considered, decide};
use assent_protocol::assessment::{Assessment, Reason, Warning};
use assent_protocol::ids::Sha;
use assent_protocol::permission::{Decider, Matcher, Mode, Rule, Tier, Verdict};
use assent_protocol::preview::Preview;
use assent_protocol::tool::{Cause, FileState, Outcome};
use assent_tools::Refusal;
use assent_tools::command::sandbox_status;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::call::Call;
use super::{Ground, ground};

struct Shown {
    command: String,
    folder: String,
    program: Option<String>,
    inner: Vec<String>,
}

fn shown(assessment: &Assessment) -> Shown {
    let Preview::Command { command, folder, program, inner, sandboxed, .. } = assessment.preview.clone() else {
        panic!("a command's preview is a command");
    };
    assert_eq!(sandboxed, sandbox_status().is_on());
    assert_eq!((assessment.tier, assessment.read_only), (Tier::High, false));
    Shown { command, folder, program, inner }
}

fn verdict(call: &Call, rules: &[Rule], mode: Mode) -> Verdict {
    let assessment = call.assess().unwrap();
    decide(&Considered { tool: "run_command", arguments: &call.arguments, assessment: &assessment, mode, rules })
}

fn refused(call: &Call) -> Refusal {
    call.assess().expect_err("it is refused")
}

fn scripts(ground: &Ground, command: &str) -> Vec<String> {
    let warnings = ground.call(command).assess().unwrap().reach.warnings;
    warnings
        .into_iter()
        .filter_map(|warning| if let Warning::Script { path } = warning { Some(path) } else { None })
        .collect()
}

fn touched(ground: &Ground, command: &str) -> Vec<String> {
    ground.call(command).assess().unwrap().touches.into_iter().map(|file| file.path).collect()
}

#[test]
fn p01_a_rule_for_ls_does_not_match_more_than_ls() {
    let ground = ground();
    let rule = Rule { tool: "run_command".to_owned(), matcher: Matcher::Command { argv: vec!["ls".to_owned()] } };
    let ask = |command| verdict(&ground.call(command), std::slice::from_ref(&rule), Mode::Ask);
    assert_eq!(ask("ls"), Verdict::Run { by: Decider::Rule, rule: Some(rule.clone()) });
    assert_eq!(ask("ls && touch MARK"), Verdict::Ask);
    assert_eq!(ask("ls -la"), Verdict::Ask);
    assert!(matches!(verdict(&ground.call("ls"), &[rule], Mode::Auto), Verdict::Refuse { .. }));
}

#[test]
fn p02_the_card_holds_every_line_break() {
    let ground = ground();
    for text in ["git status\ntouch MARK", "git status\rtouch MARK", "git status\r\ntouch MARK"] {
        let assessment = ground.call(text).assess().unwrap();
        let shown = shown(&assessment);
        assert_eq!((shown.command.as_str(), shown.program), (text, None));
        assert_eq!(assessment.argv, None);
        assert!(assessment.reach.warnings.contains(&Warning::NotPlain));
        assert_eq!(assessment.reach.warnings.contains(&Warning::Invisible), text.contains('\r'));
        assert_eq!(assessment.reason, Reason::Command { line: "git status".to_owned(), characters: text.len() as u32 });
    }
}

#[test]
fn p03_p04_p05_p07_nothing_is_taken_for_its_first_word() {
    let ground = ground();
    for (text, inner) in [
        ("echo a & touch MARK", vec!["touch"]),
        ("cat <(touch MARK)", vec!["touch"]),
        ("(touch MARK)", vec!["touch"]),
        ("{ touch MARK; }", vec!["touch"]),
        ("$(echo touch MARK)", vec!["echo"]),
        ("`echo touch MARK`", vec!["echo"]),
        ("env sh -c 'touch MARK'", vec!["sh", "touch"]),
        ("PAGER=./x git log", vec!["git", "./x"]),
        ("busybox sh -c 'touch MARK'", vec!["sh", "touch"]),
        ("echo x >! OUT/f", vec![]),
        ("echo x >| OUT/f", vec![]),
    ] {
        let assessment = ground.call(text).assess().unwrap();
        let shown = shown(&assessment);
        assert_eq!(
            (assessment.argv.as_ref(), shown.program.as_ref(), shown.inner),
            (None, None, inner.iter().map(ToString::to_string).collect()),
            "{text}"
        );
        assert!(assessment.reach.warnings.contains(&Warning::NotPlain), "{text}");
        assert!(!ground.root.join("MARK").exists());
    }
}

#[test]
fn p08_a_long_command_is_kept_and_digested_whole() {
    let ground = ground();
    let text = format!("echo {}; touch MARK", "x".repeat(59_983));
    let assessment = ground.call(&text).assess().unwrap();
    assert_eq!(text.chars().count(), 60_000);
    assert_eq!(shown(&assessment).command, text);
    assert!(assessment.preview.text().contains("; touch MARK"));
    let Reason::Command { line, characters } = &assessment.reason else { panic!() };
    assert_eq!((line.chars().count(), *characters), (120, 60_000));
    // One character at its end makes another card.
    let digest = |text: &str| {
        let call = ground.call(text);
        call.approve().unwrap().card_digest
    };
    assert_ne!(digest(&text), digest(&text.replace("MARK", "MARL")));
    // One more than 64 KiB is too many.
    let too_long = refused(&ground.call(&"x".repeat(65_537)));
    assert!(too_long.words.contains("65537") && too_long.cause == Cause::BadArguments, "{too_long}");
    ground.call(&"x".repeat(65_536)).assess().unwrap();
}

#[test]
fn p09_a_trailing_space_in_a_program_is_part_of_it() {
    let ground = ground();
    ground.program("tool ", "#!/bin/sh\necho x\n");
    let assessment = ground.call("'./tool ' x").assess().unwrap();
    assert_eq!(shown(&assessment).program.unwrap(), format!("{}/tool ", ground.root.display()));
    assert_eq!(assessment.argv.unwrap(), ["./tool ", "x"]);
    assert_eq!(
        assessment.touches,
        [FileState { path: "tool ".to_owned(), hash: Some(Sha::of(b"#!/bin/sh\necho x\n")) }]
    );
}

#[test]
fn p10_a_script_that_changed_after_the_approval_does_not_run() {
    let ground = ground();
    for command in [
        "sh build.sh",
        "bash -x build.sh",
        "env A=1 sh build.sh",
        "cat build.sh",
        "cd sub && sh ../build.sh",
        "sh < build.sh",
    ] {
        std::fs::create_dir_all(ground.root.join("sub")).unwrap();
        ground.write("build.sh", "echo good");
        let call = ground.call(command);
        let cleared = call.approve().unwrap();
        assert_eq!(
            cleared.touches,
            [FileState { path: "build.sh".to_owned(), hash: Some(Sha::of(b"echo good")) }],
            "{command}"
        );
        ground.write("build.sh", "touch MARK");
        let refusal = call.run(cleared, &CancellationToken::new(), &|_, _| {}).expect_err("it is refused");
        assert!(refusal.words.contains("build.sh changed since the approval"), "{refusal}");
        assert!(!ground.root.join("MARK").exists());
    }
}

#[test]
fn p10_a_script_that_changes_after_the_last_check_of_the_claim_does_not_run() {
    let ground = ground();
    ground.write("build.sh", "echo good");
    let call = ground.call("sh build.sh");
    let cleared = call.approve().unwrap();
    let prepared = call.tool.prepare(&cleared, &call.looking()).unwrap();
    assert_eq!(prepared.before, cleared.touches);
    ground.write("build.sh", "touch MARK");
    let output = call.change(cleared, &prepared, &CancellationToken::new(), &|_, _| {});
    assert_eq!((output.outcome, output.cause), (Outcome::Rejected, Some(Cause::Refused)));
    assert!(!ground.root.join("MARK").exists());
}

#[test]
fn p10_a_script_that_appears_or_vanishes_voids_the_approval() {
    let ground = ground();
    let call = ground.call("sh build.sh; true");
    let cleared = call.approve().unwrap();
    ground.write("build.sh", "touch MARK");
    call.run(cleared, &CancellationToken::new(), &|_, _| {}).expect_err("it appeared");
    let again = Call { id: assent_protocol::ids::CallId::new("again"), ..ground.call("sh build.sh; true") };
    let cleared = again.approve().unwrap();
    std::fs::remove_file(ground.root.join("build.sh")).unwrap();
    again.run(cleared, &CancellationToken::new(), &|_, _| {}).expect_err("it vanished");
}

#[test]
fn scripts_and_build_files_are_named_and_bound() {
    let ground = ground();
    for path in ["build.sh", "a/b.sh", "x", "a.py", "x.js", "Makefile", "package.json", "sub/Makefile", "notes.md"] {
        ground.program(path, "content");
    }
    for (command, wanted) in [
        ("sh build.sh", vec!["build.sh"]),
        ("./x", vec!["x"]),
        ("bash -x a/b.sh", vec!["a/b.sh"]),
        ("python3 a.py", vec!["a.py"]),
        ("node x.js", vec!["x.js"]),
        ("make", vec!["Makefile"]),
        ("make -C sub", vec!["Makefile", "sub/Makefile"]),
        ("npm test", vec!["package.json"]),
        ("npm run build", vec!["package.json"]),
        ("cargo test", vec![]),
        ("cat notes.md", vec![]),
    ] {
        assert_eq!(scripts(&ground, command), wanted, "{command}");
    }
    assert_eq!(touched(&ground, "cat notes.md --in=a.py ../OUT/canary.txt /etc/passwd missing"), ["notes.md", "a.py"]);
    // What is only named is bound while it is small; what is run is bound whatever its size.
    std::fs::write(ground.root.join("large"), vec![b' '; (1 << 20) + 1]).unwrap();
    assert_eq!(touched(&ground, "cat large"), Vec::<String>::new());
    assert_eq!(touched(&ground, "sh large"), ["large"]);
    let absolute = format!("sh {}/build.sh", ground.root.display()).replace("ROOT 文件夹", "'ROOT 文件夹'");
    assert_eq!(scripts(&ground, &absolute), ["build.sh"]);
    let inner = Call::with(&ground.root, json!({ "command": "sh b.sh", "folder": "a" })).assess().unwrap();
    assert_eq!(inner.touches[0].path, "a/b.sh");
}

#[test]
fn p11_a_folder_that_became_a_link_is_not_entered() {
    let ground = ground();
    ground.write("a/b/x", "");
    std::fs::create_dir(ground.out.join("b")).unwrap();
    let call = Call::with(&ground.root, json!({ "command": "touch MARK", "folder": "a/b" }));
    let cleared = call.approve().unwrap();
    std::fs::rename(ground.root.join("a"), ground.root.join("old")).unwrap();
    symlink(&ground.out, ground.root.join("a")).unwrap();
    call.run(cleared, &CancellationToken::new(), &|_, _| {}).expect_err("the folder leads outside now");
    assert!(!ground.out.join("b/MARK").exists() && !ground.root.join("old/b/MARK").exists());
}

#[test]
fn p11_another_folder_of_the_same_name_is_not_entered() {
    let ground = ground();
    for swap_by_link in [false, true] {
        ground.write("a/x", "");
        ground.write("other/x", "");
        let call = Call::with(&ground.root, json!({ "command": "touch MARK", "folder": "a" }));
        let cleared = call.approve().unwrap();
        std::fs::rename(ground.root.join("a"), ground.root.join("old")).unwrap();
        if swap_by_link {
            symlink("other", ground.root.join("a")).unwrap();
        } else {
            std::fs::rename(ground.root.join("other"), ground.root.join("a")).unwrap();
        }
        let refusal = call.run(cleared, &CancellationToken::new(), &|_, _| {}).expect_err("it is another folder");
        assert!(refusal.words.contains("the folder a changed since the approval"), "{refusal}");
        // Assessed anew, the same call is still refused: what was shown is gone.
        refused(&call);
        std::fs::remove_dir_all(ground.root.join("old")).unwrap();
        if swap_by_link {
            std::fs::remove_file(ground.root.join("a")).unwrap();
        } else {
            assert!(!ground.root.join("a/MARK").exists());
            std::fs::remove_dir_all(ground.root.join("a")).unwrap();
        }
    }
}

#[test]
fn p11_the_folder_that_is_held_is_the_one_that_is_entered() {
    let ground = ground();
    ground.write("a/x", "");
    ground.write("real/x", "");
    symlink("real", ground.root.join("link")).unwrap();
    let call = Call::with(&ground.root, json!({ "command": "touch MARK", "folder": "link" }));
    assert_eq!(shown(&call.assess().unwrap()).folder, "real");
    assert_eq!(call.complete().outcome, Outcome::Ok);
    assert!(ground.root.join("real/MARK").exists());
}

#[test]
fn p12_a_folder_must_lie_in_the_workspace() {
    let ground = ground();
    symlink(&ground.out, ground.root.join("link-out")).unwrap();
    ground.write("file", "");
    let out = ground.out.display().to_string();
    for folder in ["/", "..", "../OUT", &out, "link-out", "~", "file", "missing", "a/../..", "/etc"] {
        let call = Call::with(&ground.root, json!({ "command": "touch MARK", "folder": folder }));
        refused(&call);
    }
    for folder in ["", "."] {
        let call = Call::with(&ground.root, json!({ "command": "pwd", "folder": folder }));
        assert_eq!(String::from_utf8(call.complete().full).unwrap().trim(), ground.root.display().to_string());
    }
}

#[test]
fn p14_a_program_in_the_workspace_is_shown_with_a_warning() {
    let ground = ground();
    ground.program("git", "#!/bin/sh\ntouch MARK\n");
    symlink("/bin/ls", ground.root.join("ls-link")).unwrap();
    let of = |command: &str| ground.call(command).assess().unwrap();
    let inside = |path: &str| Warning::ProgramInWorkspace { program: ground.root.join(path).display().to_string() };

    let bare = of("git status");
    let program = shown(&bare).program.unwrap();
    assert!(program.ends_with("/git") && !program.starts_with(ground.root.to_str().unwrap()), "{program}");
    assert!(!bare.reach.warnings.iter().any(|warning| matches!(warning, Warning::ProgramInWorkspace { .. })));

    let by_path = of("./git status");
    assert_eq!(shown(&by_path).program.unwrap(), ground.root.join("git").display().to_string());
    assert!(by_path.reach.warnings.contains(&inside("git")));
    for command in ["true && ./git status", "env ./git", "sh -c './git x'", "cd . && $(./git)"] {
        assert!(of(command).reach.warnings.contains(&inside("git")), "{command}");
    }
    assert!(of("./ls-link").reach.warnings.contains(&inside("ls-link")));
}

#[test]
fn p60_what_cannot_be_seen_is_warned_of() {
    let ground = ground();
    for hidden in ["ls\u{202e}x", "ls\u{200b}", "ls \u{1b}[2K", "ls\t-l", "ls \u{e0041}"] {
        let assessment = ground.call(hidden).assess().unwrap();
        assert!(assessment.reach.warnings.contains(&Warning::Invisible), "{hidden:?}");
        assert_eq!(shown(&assessment).command, hidden);
    }
}

#[test]
fn bad_arguments_and_the_last_net_refuse_in_words() {
    let ground = ground();
    for (arguments, words) in [
        (json!({}), "`command`"),
        (json!({ "command": 1 }), "`command`"),
        (json!({ "command": "  \n" }), "empty"),
        (json!({ "command": "a\0b" }), "NUL"),
        (json!({ "command": "ls", "timeout": 0 }), "timeout"),
        (json!({ "command": "ls", "timeout": 3601 }), "3600"),
        (json!({ "command": "ls", "timeout": "5" }), "`timeout`"),
        (json!({ "command": "ls", "cwd": "/" }), "`cwd`"),
    ] {
        let refusal = refused(&Call::with(&ground.root, arguments.clone()));
        assert!(refusal.words.contains(words), "{arguments}: {refusal}");
        assert_eq!(refusal.cause, Cause::BadArguments, "{arguments}");
    }
    let refusal = refused(&ground.call("sudo rm -rf /"));
    assert_eq!(refusal.cause, Cause::Refused);
    assert!(refusal.words.contains("refused whoever approves it"), "{refusal}");
}

#[test]
fn the_time_limit_is_the_callers_or_the_one_that_is_set() {
    let ground = ground();
    let limit = |arguments| match Call::with(&ground.root, arguments).assess().unwrap().preview {
        Preview::Command { timeout_s, .. } => timeout_s,
        _ => 0,
    };
    assert_eq!(limit(json!({ "command": "ls" })), 60);
    assert_eq!(limit(json!({ "command": "ls", "timeout": 3600 })), 3600);
}
