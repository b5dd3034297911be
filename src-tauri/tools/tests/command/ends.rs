//! How commands end: by themselves, by a stop, by their time limit, by the death of the app; and that nothing is left.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use assent_protocol::tool::{Brief, Cause, Outcome};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::call::Call;
use super::{TRIAL, ground, long_sleep, processes_with, wait_for};

/// Runs a call, stops it once `count` processes with `mark` run, and says how long the stop took.
fn stopped_when_running(call: &Call, mark: &str, count: usize) -> (assent_tools::ToolOutput, Duration) {
    let cancel = CancellationToken::new();
    let cleared = call.approve().unwrap();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| call.run(cleared, &cancel, &|_, _| {}).unwrap());
        wait_for("the command runs", || processes_with(mark) >= count);
        let began = Instant::now();
        cancel.cancel();
        let output = running.join().unwrap();
        (output, began.elapsed())
    })
}

#[test]
fn p91_a_stop_ends_both_sleeps_within_two_seconds() {
    let ground = ground();
    let sleep = long_sleep();
    let call = ground.call(&format!("echo begun; sh -c 'sleep {sleep} & sleep {sleep}'"));
    // Two sleeps, the shell that was told of them and the outer one that the text was given to.
    let (mut output, took) = stopped_when_running(&call, &sleep, 3);
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(processes_with(&sleep), 0);
    assert_eq!((output.outcome, output.cause), (Outcome::Stopped, Some(Cause::Stop)));
    assert_eq!(output.full, b"begun\n");
    assert_eq!(output.shown(str::to_owned), "begun\n[stopped by the user]");
}

#[test]
fn processes_that_ignore_the_polite_signal_are_ended_too() {
    let ground = ground();
    let sleep = long_sleep();
    // An ignored signal is inherited, so the sleeps ignore it as well.
    let call = ground.call(&format!("trap '' TERM HUP INT; sleep {sleep} & setsid sleep {sleep} & sleep {sleep}"));
    let (output, took) = stopped_when_running(&call, &sleep, 4);
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(processes_with(&sleep), 0);
    assert_eq!(output.outcome, Outcome::Stopped);
}

#[test]
fn a_stopped_process_is_ended_too() {
    let ground = ground();
    let sleep = long_sleep();
    let call = ground.call(&format!("sleep {sleep} & kill -STOP $!; wait"));
    let (output, took) = stopped_when_running(&call, &sleep, 2);
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(processes_with(&sleep), 0);
    assert_eq!(output.outcome, Outcome::Stopped);
}

#[test]
fn a_tree_that_forks_while_it_is_ended_leaves_nothing() {
    let ground = ground();
    let sleep = long_sleep();
    // Each branch starts new sleeps for ever, in sessions of their own.
    let branch = format!("while :; do setsid sleep {sleep} & sleep 0.01; done");
    let call = ground.call(&format!("trap '' TERM; for i in 1 2 3 4; do ({branch}) & done; wait"));
    let (output, took) = stopped_when_running(&call, &sleep, 40);
    assert!(took < Duration::from_secs(4), "{took:?}");
    assert_eq!(processes_with(&sleep), 0);
    assert_eq!(output.outcome, Outcome::Stopped);
}

#[test]
fn a_stop_before_the_start_still_ends_as_stopped() {
    let ground = ground();
    let call = ground.call(&format!("sleep {}", long_sleep()));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let output = call.run(call.approve().unwrap(), &cancel, &|_, _| {}).unwrap();
    assert_eq!(output.outcome, Outcome::Stopped);
}

#[test]
fn a_time_limit_keeps_the_output() {
    let ground = ground();
    let sleep = long_sleep();
    let command = format!("echo early; echo also >&2; sleep {sleep}");
    let mut output = Call::with(&ground.root, json!({ "command": command, "timeout": 1 })).complete();
    assert_eq!((output.outcome, output.cause), (Outcome::Error, Some(Cause::Timeout)));
    assert_eq!(output.full, b"early\nalso\n");
    assert_eq!(output.shown(str::to_owned), "early\nalso\n[timed out after 1 s; everything it started was ended]");
    assert_eq!(processes_with(&sleep), 0);
}

#[test]
fn what_a_shell_leaves_in_the_background_ends_with_it() {
    let ground = ground();
    for way in ["sleep N &", "setsid sleep N &", "(setsid sleep N &) &", "nohup sleep N >/dev/null 2>&1 &"] {
        let sleep = long_sleep();
        let began = Instant::now();
        let output = ground.output(&format!("{} echo done", way.replace('N', &sleep)));
        assert_eq!(output.full, b"done\n", "{way}");
        assert_eq!(output.outcome, Outcome::Ok, "{way}");
        assert_eq!(processes_with(&sleep), 0, "{way}");
        assert!(began.elapsed() < Duration::from_secs(5), "{way}");
    }
}

#[test]
fn a_writer_in_the_background_neither_holds_the_result_nor_loses_what_comes_at_once() {
    let ground = ground();
    let began = Instant::now();
    let output = ground.output("(while :; do echo more; sleep 0.05; done) & echo first");
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(output.full.starts_with(b"first\n") || output.full.starts_with(b"more\n"), "{:?}", output.full);
    // A reader of the shell's output has a moment to finish its own.
    let output = ground.output("mkfifo p; (cat p; echo after) & echo through > p");
    assert_eq!(String::from_utf8(output.full).unwrap(), "through\nafter\n");
}

#[test]
fn a_stranger_who_holds_the_pipe_does_not_hold_the_result() {
    let ground = ground();
    let sleep = long_sleep();
    // A process of ours that isn't the command's takes the command's output through `/proc` and keeps it open.
    let call = ground.call("echo $$; read line < go; echo end");
    let made = Command::new("mkfifo").arg(ground.root.join("go")).status().unwrap();
    assert!(made.success());
    let seen = Mutex::new(Vec::new());
    let cleared = call.approve().unwrap();
    std::thread::scope(|scope| {
        let cancel = CancellationToken::new();
        let seen = &seen;
        let call = &call;
        let running = scope.spawn(move || {
            call.run(cleared, &cancel, &|_, bytes| seen.lock().unwrap().extend_from_slice(bytes)).unwrap()
        });
        wait_for("the shell says who it is", || seen.lock().unwrap().ends_with(b"\n"));
        let shell = String::from_utf8(seen.lock().unwrap().clone()).unwrap();
        let pipe = std::fs::OpenOptions::new().write(true).open(format!("/proc/{}/fd/1", shell.trim())).unwrap();
        let mut stranger = Command::new("sleep").arg(&sleep).stdout(pipe).spawn().unwrap();
        std::fs::write(ground.root.join("go"), "on\n").unwrap();
        let output = running.join().unwrap();
        assert_eq!(String::from_utf8(output.full).unwrap(), format!("{shell}end\n"));
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    });
}

#[test]
fn exit_codes_and_signals_are_told_apart() {
    let ground = ground();
    let mut output = ground.output("exit 0");
    assert_eq!((output.outcome, &output.brief), (Outcome::Ok, &Brief::Exit { code: Some(0), signal: None }));
    assert_eq!(output.shown(str::to_owned), "(no output)\n[exit code 0]");
    let mut output = ground.output("echo no; exit 3");
    assert_eq!((output.outcome, &output.brief), (Outcome::Error, &Brief::Exit { code: Some(3), signal: None }));
    assert_eq!((output.cause, output.shown(str::to_owned).as_str()), (None, "no\n[exit code 3]"));
    let mut output = ground.output("kill -SEGV $$");
    assert_eq!((output.outcome, &output.brief), (Outcome::Error, &Brief::Exit { code: None, signal: Some(11) }));
    assert_eq!(output.shown(str::to_owned), "(no output)\n[ended by signal 11 (SIGSEGV)]");
    let output = ground.output("no-such-program");
    assert_eq!(output.brief, Brief::Exit { code: Some(127), signal: None });
}

#[test]
fn when_the_app_is_killed_nothing_of_its_command_goes_on() {
    let ground = ground();
    for way in ["sleep N & sleep N", "(setsid sleep N &) & trap '' TERM HUP; sleep N; sleep N"] {
        let sleep = long_sleep();
        let mut app = Command::new(TRIAL)
            .arg(&ground.root)
            .arg(way.replace('N', &sleep))
            .env("SHLVL", "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for("the sleeps run", || processes_with(&format!("sleep\0{sleep}")) == 2);
        // `Child::kill` is SIGKILL: no handler of the app runs.
        app.kill().unwrap();
        app.wait().unwrap();
        wait_for("everything has ended", || processes_with(&sleep) == 0);
        // The supervisor held the app's standard error and nothing else of it.
        let mut rest = String::new();
        app.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
    }
}

#[test]
fn without_its_supervisor_nobody_claims_to_know_how_a_command_ended() {
    let ground = ground();
    let sleep = long_sleep();
    let call = ground.call(&format!("echo begun; exec sleep {sleep}"));
    let cleared = call.approve().unwrap();
    let mut output = std::thread::scope(|scope| {
        let running = scope.spawn(|| call.run(cleared, &CancellationToken::new(), &|_, _| {}).unwrap());
        wait_for("the sleep runs", || processes_with(&format!("sleep\0{sleep}")) == 1);
        let children = std::process::id().to_string();
        let supervisor = Command::new("pgrep").args(["-P", &children, "-x", "assent-command"]).output().unwrap();
        let supervisor = String::from_utf8(supervisor.stdout).unwrap();
        assert!(Command::new("kill").args(["-KILL", supervisor.trim()]).status().unwrap().success());
        running.join().unwrap()
    });
    assert_eq!((output.outcome, output.cause), (Outcome::Unknown, None));
    assert!(output.shown(str::to_owned).starts_with("begun\n[nobody knows"));
    // The shell's own process goes with the supervisor.
    wait_for("the sleep has ended", || processes_with(&sleep) == 0);
}

#[test]
fn a_supervisor_waits_for_its_command_and_one_that_was_killed_is_replaced() {
    let ground = ground();
    let own = std::process::id().to_string();
    let supervisors = || {
        let found = Command::new("pgrep").args(["-P", &own, "-x", "assent-command"]).output().unwrap();
        String::from_utf8(found.stdout).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let call = ground.call("echo one");
    let cleared = call.approve().unwrap();
    wait_for("a supervisor waits", || supervisors().len() == 1);
    let waiting = supervisors();
    call.approve().unwrap();
    assert_eq!(supervisors(), waiting, "a second look starts no second one");
    let output = call.run(cleared, &CancellationToken::new(), &|_, _| {}).unwrap();
    assert_eq!((output.outcome, supervisors()), (Outcome::Ok, Vec::new()));

    let call = ground.call("echo two");
    let cleared = call.approve().unwrap();
    wait_for("the next one waits", || supervisors().len() == 1);
    let killed = &supervisors()[0];
    assert!(Command::new("kill").args(["-KILL", killed]).status().unwrap().success());
    // A signal that is sent has not yet ended anything; one that still reads would take the order with it. Its first thread
    // may be gone while another holds what it reads from.
    wait_for("it has died", || {
        let stat = std::fs::read_to_string(format!("/proc/{killed}/stat")).unwrap();
        let is_over = stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('Z'));
        is_over && std::fs::read_dir(format!("/proc/{killed}/task")).unwrap().count() == 1
    });
    let output = call.run(cleared, &CancellationToken::new(), &|_, _| {}).unwrap();
    assert_eq!((output.outcome, output.full.as_slice()), (Outcome::Ok, b"two\n".as_slice()));
    assert_eq!(supervisors(), Vec::<String>::new());
}

#[test]
fn the_helper_mode_without_an_order_says_what_it_is_for() {
    let output = Command::new(TRIAL).arg("__supervise").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("for Assent itself"));
}
