//! Ctrl-C while something runs: what was started ends, whatever it is.
//! The exit codes of it are tested beside this file.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::facts::{calls, of_kind};
use crate::support::{Place, Running, text, until};

/// How long anything may live after a stop.
const SURVIVAL: Duration = Duration::from_secs(2);

/// Processes whose command line holds these words.
pub fn alive(words: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(words) && !line.contains("ASSENT_HOME") && line.starts_with("sleep"))
        .collect()
}

/// A time to sleep that no other test uses.
pub fn unique_sleep() -> String {
    format!("sleep 300.{}{}", std::process::id(), fastrand::u32(1000..9999))
}

/// Approves a command, waits until `count` of its sleepers run, and interrupts.
fn stop_command(command: &str, sleep: &str, count: usize) {
    let place = Place::new();
    place.exec(&format!("call run_command with {}", json!({ "command": command })), &[]);
    let mut running = Running::start(&mut place.approve_command(&place.only_approval()));
    until("the command runs", || {
        assert!(!running.is_over(), "it ended by itself");
        alive(sleep).len() == count
    });
    let began = Instant::now();
    running.signal(Signal::INT);
    until("nothing is left", || alive(sleep).is_empty());
    let gone = began.elapsed();
    let ran = running.end();
    assert_eq!(ran.end(), (5, "stopped".to_owned()));
    println!("{command}: gone after {} ms, ended after {} ms", gone.as_millis(), began.elapsed().as_millis());
    assert!(gone <= SURVIVAL, "{} ms", gone.as_millis());
    let log = place.log(&ran.conversation());
    let call = calls(&log).into_values().next().unwrap();
    assert_eq!(call.outcome(), Some("stopped"));
    assert!(place.server.requests().len() == 1, "nothing is sent after a stop");
    assert_eq!(place.go_on(&ran.conversation(), "say on", &[]).code, Some(0));
    place.check();
}

#[test]
#[cfg(target_os = "linux")]
fn p91_a_stop_ends_a_command_and_all_that_it_started() {
    let sleep = unique_sleep();
    stop_command(&format!(r#"sh -c "{sleep} & {sleep}""#), &sleep, 2);
}

#[test]
#[cfg(target_os = "linux")]
fn p91_a_stop_ends_what_left_its_group_and_ignores_signals() {
    let sleep = unique_sleep();
    stop_command(&format!("trap '' TERM INT HUP; setsid {sleep} & nohup {sleep} >/dev/null 2>&1 & {sleep}"), &sleep, 3);
}

#[test]
#[cfg(target_os = "linux")]
fn killing_the_program_ends_its_command() {
    let sleep = unique_sleep();
    let place = Place::new();
    place.exec(&format!("call run_command with {}", json!({ "command": format!("{sleep} & {sleep}") })), &[]);
    let mut running = Running::start(&mut place.approve_command(&place.only_approval()));
    until("the command runs", || {
        assert!(!running.is_over(), "it ended by itself");
        alive(&sleep).len() == 2
    });
    let began = Instant::now();
    running.kill(Signal::KILL);
    until("nothing is left", || alive(&sleep).is_empty());
    assert!(began.elapsed() <= SURVIVAL, "{} ms", began.elapsed().as_millis());
    place.check();
}

#[test]
fn a_stop_while_a_request_waits_sends_no_other() {
    let place = Place::new();
    let running = place.start("wait at gate", &[]);
    until("the request arrives", || place.server.requests().len() == 1);
    running.signal(Signal::INT);
    let ran = running.end();
    assert_eq!(ran.end(), (5, "stopped".to_owned()));
    assert_eq!(text(of_kind(&ran.events(), "request/failed")[0], "failure"), "stopped");
    assert_eq!(place.go_on(&ran.conversation(), "say on", &[]).code, Some(0));
    assert_eq!(place.server.requests().len(), 2);
    place.check();
}

#[test]
fn a_stop_while_it_waits_to_try_again_ends_at_once() {
    let place = Place::new();
    let slow = assent_testkit::fake_server::Reply::plain(429, &[("retry-after", "50")], "slow down");
    place.server.push(slow);
    let mut running = place.start("say hi", &[]);
    running.until_printed("request/failed");
    let began = Instant::now();
    running.signal(Signal::INT);
    assert_eq!(running.end().end(), (5, "stopped".to_owned()));
    assert!(began.elapsed() < Duration::from_secs(10));
    place.check();
}

#[test]
fn a_reader_that_leaves_stops_the_turn() {
    let place = Place::new();
    let arguments = place.server.base_url();
    let mut command = place.command(&place.exec_arguments("hang after 1 tokens", &arguments, &[]));
    let (reader, writer) = std::io::pipe().unwrap();
    command.stdout(writer);
    let mut running = Running::start(&mut command);
    drop(command);
    drop(reader);
    until("it ends by itself", || running.is_over());
    assert_eq!(place.server.violations(), Vec::<String>::new());
    place.check();
    assert_eq!(place.approvals(), Vec::<Value>::new());
}
