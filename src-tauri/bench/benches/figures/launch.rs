//! Runs a program to its end and tells what it used. A process of its own, because a program's peak memory begins with
//! that of the process that started it. It changes nothing of the program.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a program used.
#[derive(Debug, Clone, Copy)]
pub struct Used {
    /// From its start to its end.
    pub wall: Duration,
    /// Processor time, its own and that of the children it waited for.
    pub processor: Duration,
    /// Peak of the memory that it held, in bytes.
    pub peak: u64,
}

/// Runs `command` through a launcher; its words are printed nowhere.
pub fn used(command: &Command) -> Used {
    let mut launcher = Command::new(std::env::current_exe().unwrap());
    launcher.arg("launch").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        launcher.env(name, value.expect("clients are only given variables"));
    }
    let output = launcher.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{command:?} {}", output.status);
    let told = String::from_utf8(output.stdout).unwrap();
    let figures: Vec<u64> = told.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    let [wall, processor, peak] = figures[..] else { panic!("the launcher said {told:?}") };
    Used { wall: Duration::from_micros(wall), processor: Duration::from_micros(processor), peak }
}

/// The launcher: starts the program that `words` name, and prints microseconds, microseconds, bytes.
pub fn run(words: &[String]) {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null());
    let began = Instant::now();
    let child = command.spawn().unwrap();
    let (processor, peak) = wait(child);
    println!("{} {processor} {peak}", began.elapsed().as_micros());
}

#[cfg(unix)]
fn wait(child: std::process::Child) -> (u64, u64) {
    let mut status = 0;
    // SAFETY: all zeroes is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let id = libc::pid_t::try_from(child.id()).unwrap();
    // SAFETY: both pointers are to values that outlive the call; the child is ours and nobody else waits for it.
    let waited = unsafe { libc::wait4(id, &mut status, 0, &mut usage) };
    assert!(waited == id && status == 0, "the program ended with {status}");
    let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    // Linux counts in KiB, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    (micros(usage.ru_utime) + micros(usage.ru_stime), usage.ru_maxrss as u64 * unit)
}

#[cfg(not(unix))]
fn wait(mut child: std::process::Child) -> (u64, u64) {
    assert!(child.wait().unwrap().success());
    (0, 0)
}
