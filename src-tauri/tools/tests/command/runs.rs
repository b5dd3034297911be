//! What a command gets and what comes back from it: folder, environment, input, output to the last byte.

use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use assent_protocol::tool::Outcome;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::call::Call;
use super::{TRIAL, ground};

fn text(output: assent_tools::ToolOutput) -> String {
    String::from_utf8(output.full).unwrap()
}

#[test]
fn no_output_of_a_thousand_short_commands_is_lost() {
    let ground = ground();
    std::thread::scope(|scope| {
        for part in 0..4 {
            let ground = &ground;
            scope.spawn(move || {
                for number in (0..1000).skip(part).step_by(4) {
                    let output = ground.output(&format!("echo {number}"));
                    assert_eq!(output.full, format!("{number}\n").as_bytes());
                    assert_eq!(output.outcome, Outcome::Ok);
                }
            });
        }
    });
}

#[test]
fn p02_line_feeds_and_returns_reach_the_shell_as_they_are() {
    let ground = ground();
    assert_eq!(text(ground.output("echo one\ntouch MARK\necho two")), "one\ntwo\n");
    assert!(ground.root.join("MARK").exists());
    // A return is no line end for a shell: it stays part of the word.
    assert_eq!(text(ground.output("printf '%s' a\rb")), "a\rb");
    assert_eq!(text(ground.output("printf '%s' a\r\nprintf c")), "a\rc");
}

#[test]
fn stdout_and_stderr_come_in_the_order_of_arrival_and_live() {
    let ground = ground();
    let call = ground.call("for i in 1 2 3; do echo out $i; echo err $i >&2; done");
    let live = Mutex::new(Vec::new());
    let output = call
        .run(call.approve().unwrap(), &CancellationToken::new(), &|_, bytes| {
            live.lock().unwrap().extend_from_slice(bytes)
        })
        .unwrap();
    assert_eq!(*live.lock().unwrap(), output.full);
    assert_eq!(text(output), "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
}

#[test]
fn output_is_seen_while_the_command_still_runs() {
    let ground = ground();
    assert!(Command::new("mkfifo").arg(ground.root.join("go")).status().unwrap().success());
    let call = ground.call("echo waiting; read line < go; echo went $line");
    let output = call
        .run(call.approve().unwrap(), &CancellationToken::new(), &|_, bytes| {
            if bytes == b"waiting\n" {
                // Only this lets the command go on: without live output the test would run into the time limit.
                std::fs::write(ground.root.join("go"), "on\n").unwrap();
            }
        })
        .unwrap();
    assert_eq!(text(output), "waiting\nwent on\n");
}

#[test]
fn a_long_output_keeps_its_beginning_and_its_end() {
    let ground = ground();
    let mut output = ground.output("echo BEGIN; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo END");
    assert!(output.full.starts_with(b"BEGIN\nxxx"));
    assert!(output.full.ends_with(b"xxx\nEND\n"));
    let half = 8 * 1024 * 1024;
    let left_out = 6 + 20_000_000 + 5 - 2 * half;
    let note = format!("\n[{left_out} bytes are left out here]\n");
    assert_eq!(&output.full[half..half + note.len()], note.as_bytes());
    assert_eq!(output.full.len(), 2 * half + note.len());
    assert!(output.shown(str::to_owned).ends_with("END\n[exit code 0]"));
}

#[test]
fn of_much_output_at_once_the_newest_64_kib_are_shown_live() {
    let ground = ground();
    let call = ground.call("seq 1 760000");
    let seen = Mutex::new(Vec::new());
    let output = call
        .run(call.approve().unwrap(), &CancellationToken::new(), &|offset, bytes| {
            seen.lock().unwrap().push((offset as usize, bytes.to_vec()));
        })
        .unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(output.full.len(), 5_208_895);
    for (offset, bytes) in &seen {
        assert!(bytes.len() <= 64 * 1024);
        assert_eq!(output.full[*offset..][..bytes.len()], *bytes);
    }
    assert!(seen.windows(2).all(|pair| pair[0].0 + pair[0].1.len() <= pair[1].0));
    assert_eq!(seen.last().map(|(offset, bytes)| offset + bytes.len()), Some(output.full.len()));
}

#[test]
fn bytes_that_are_no_text_are_kept_raw_and_shown_as_text() {
    let ground = ground();
    let mut output = ground.output(r"printf 'a\377\0b\n'");
    assert_eq!(output.full, b"a\xff\0b\n");
    assert_eq!(output.shown(str::to_owned), "a\u{fffd}\0b\n[exit code 0]");
}

#[test]
fn a_command_has_no_input_no_terminal_and_a_session_of_its_own() {
    let ground = ground();
    assert_eq!(
        text(ground.output("cat; test -t 0 || echo none; (exec 3<>/dev/tty) 2>/dev/null || echo no terminal")),
        "none\nno terminal\n"
    );
    let shell_and_session = text(ground.output("echo $$; cut -d' ' -f6 /proc/$$/stat"));
    let (shell, session) = shell_and_session.trim().split_once('\n').unwrap();
    assert_eq!(shell, session);
    // Nothing else is open in it (3 is the folder that is listed), and no signal is held back or ignored.
    assert_eq!(text(ground.output("ls /proc/self/fd")), "0\n1\n2\n3\n");
    let masks = text(ground.output("grep -E 'SigBlk|SigIgn' /proc/self/status"));
    for line in masks.lines() {
        let mask = u64::from_str_radix(line.split_whitespace().last().unwrap(), 16).unwrap();
        // Numbers from 32 on belong to the C library, which ignores two of its own in what it spawns.
        assert_eq!(mask & 0x7fff_ffff, 0, "{line}");
    }
}

#[test]
fn a_text_that_begins_with_a_dash_is_a_text() {
    let ground = ground();
    let output = ground.output("-c 'touch MARK'");
    assert_eq!(output.outcome, Outcome::Error);
    assert!(!ground.root.join("MARK").exists());
}

#[test]
fn it_runs_in_its_folder_with_a_place_for_temporary_files_that_is_gone_afterwards() {
    let ground = ground();
    ground.write("a b/中文/x.txt", "x");
    let call = Call::with(
        &ground.root,
        json!({ "command": "pwd; ls; echo t > $TMPDIR/t && mkdir $TMPDIR/locked && echo t > $TMPDIR/locked/t && chmod 500 $TMPDIR/locked && echo $TMPDIR", "folder": "a b/中文" }),
    );
    let output = text(call.complete());
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[0], ground.root.join("a b/中文").to_str().unwrap());
    assert_eq!(lines[1], "x.txt");
    let temporary = std::path::Path::new(lines[2]);
    assert!(temporary.is_absolute() && !temporary.exists(), "{temporary:?}");
}

#[test]
fn p70_no_key_and_nothing_of_ours_reaches_a_child() {
    let ground = ground();
    let secrets = [
        ("ASSENT_API_KEY", "canary-own-0123456789abcdef"),
        ("ASSENT_HOME", "/canary-home"),
        ("OPENAI_API_KEY", "canary-openai-0123456789"),
        ("ANTHROPIC_API_KEY", "canary-anthropic-0123456789"),
        ("MY_SERVICE_TOKEN", "canary-token"),
        ("DB_PASSWORD", "canary-password"),
        ("aws_secret_access", "canary-secret"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/canary-credentials"),
        ("HARMLESS_NAME", "x canary-own-0123456789abcdef y"),
        ("OTHER_NAME", "sk-canary0123456789abcdef"),
    ];
    // What the command can see of itself, of its supervisor and of the app.
    let look =
        "env; printenv; for p in $PPID $(cut -d' ' -f4 /proc/$PPID/stat); do tr '\\0' '\\n' < /proc/$p/environ; done";
    let output = Command::new(TRIAL)
        .arg(&ground.root)
        .arg(look)
        .env("SHLVL", "1")
        .env("KEPT", "kept-value")
        .envs(secrets)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen = String::from_utf8(output.stdout).unwrap();
    assert!(seen.contains("KEPT=kept-value"), "{seen}");
    if assent_tools::command::sandbox_status().is_on() {
        assert!(!seen.contains("canary"), "{seen}");
    } else {
        eprintln!("skipped: without Landlock a command may read the app's own environment");
    }
    for line in ["GIT_TERMINAL_PROMPT=0", "PAGER=cat", "GIT_PAGER=cat", "TERM=dumb"] {
        assert!(seen.lines().any(|seen| seen == line), "{line}");
    }
}

/// Runs the stand-in as a desktop would start it, with a login shell whose profile is `profile`.
fn from_desktop(ground: &super::Ground, profile: &str, command: &str) -> Option<String> {
    if !std::path::Path::new("/bin/bash").exists() {
        eprintln!("skipped: there is no /bin/bash");
        return None;
    }
    let home = ground.root.parent().unwrap().join("HOME");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join(".bash_profile"), profile).unwrap();
    let output = Command::new(TRIAL)
        .arg(&ground.root)
        .arg(command)
        .env_remove("SHLVL")
        .env("SHELL", "/bin/bash")
        .env("HOME", home)
        .env("OWN", "own")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "[exit code 0]\n");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn started_from_a_desktop_commands_get_the_login_shells_environment() {
    let ground = ground();
    let profile =
        "echo noise; export FROM_PROFILE='a\nb' MY_TOKEN=canary PATH=/from/profile:$PATH; echo more noise >&2";
    let Some(seen) = from_desktop(&ground, profile, "echo \"$FROM_PROFILE\"; echo $OWN; echo $PATH; env") else {
        return;
    };
    assert!(seen.starts_with("a\nb\nown\n/from/profile:"), "{seen}");
    assert!(!seen.contains("canary") && !seen.contains("noise"), "{seen}");
}

#[test]
fn a_login_shell_that_hangs_is_given_up_and_ended() {
    let ground = ground();
    let sleep = super::long_sleep();
    let began = Instant::now();
    let profile = format!("export FROM_PROFILE=yes; sleep {sleep}");
    let Some(seen) = from_desktop(&ground, &profile, "echo \"<$FROM_PROFILE>\" $OWN") else { return };
    assert_eq!(seen, "<> own\n");
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    assert_eq!(super::processes_with(&sleep), 0);
}

#[test]
fn p14_a_planted_program_never_runs_by_its_bare_name() {
    let ground = ground();
    ground.program("git", "#!/bin/sh\ntouch MARK\n");
    ground.program("git.exe", "#!/bin/sh\ntouch MARK\n");
    ground.program("bin/git", "#!/bin/sh\ntouch MARK\n");
    let path = std::env::var("PATH").unwrap();
    let root = ground.root.display();
    let output = Command::new(TRIAL)
        .arg(&ground.root)
        .arg("git --version; echo $PATH")
        .env("SHLVL", "1")
        .env("PATH", format!(".::{root}:{root}/bin:bin:{path}:"))
        .output()
        .unwrap();
    let seen = String::from_utf8(output.stdout).unwrap();
    assert!(seen.starts_with("git version"), "{seen}");
    assert_eq!(seen.lines().last().unwrap(), path);
    assert!(!ground.root.join("MARK").exists());
}

#[test]
fn p09_a_program_with_a_space_at_its_end_runs_byte_for_byte() {
    let ground = ground();
    ground.program("tool ", "#!/bin/sh\necho the one with a space\n");
    ground.program("tool", "#!/bin/sh\necho the other\n");
    assert_eq!(text(ground.output("'./tool ' x")), "the one with a space\n");
}

#[test]
fn a_missing_supervisor_is_an_error_in_words() {
    // Each test is a process of its own under nextest; in one process another test has appointed it already.
    let ground = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let output = Call::of(ground.path(), "echo x").complete();
    if output.outcome == Outcome::Error {
        assert!(String::from_utf8_lossy(&output.full).contains("no supervisor"));
        assert!(began.elapsed().as_secs() < 5);
    }
}
