//! What a supervised command costs beside the bare process: prints milliseconds and ratios, and judges nothing.
//! `cargo bench -p assent-tools --bench command`
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a figure that can't be taken is no figure"
)]

#[path = "../tests/command/call.rs"]
mod call;

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Bytes that the loud command prints.
const LOUD: usize = 5 * 1024 * 1024;

fn main() {
    assent_tools::command::supervise_if_asked();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let line = "a line of output, as builds and tests print them by the thousand, with a number at its end: 1\n";
    std::fs::write(root.join("loud.txt"), &line.repeat(LOUD / line.len() + 1).as_bytes()[..LOUD]).unwrap();
    let rows = [
        ("echo", "echo 1", 200),
        ("5 MB from a file", "cat loud.txt", 40),
        ("5 MB made as it goes", "seq 1 760000", 40),
        ("20,000 short writes", "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done", 10),
    ];
    for (name, command, times) in rows {
        let (mut bare_times, mut own_times) = (Vec::new(), Vec::new());
        // In turn, so that whatever else the machine does hits both.
        for _ in 0..times {
            bare_times.push(timed(|| bare(root, command)));
            own_times.push(timed(|| own(root, command)));
        }
        let (bare, own) = (median(bare_times), median(own_times));
        let ratio = own.as_secs_f64() / bare.as_secs_f64();
        let text = format!("{name:30} bare {bare:>10.2?}   supervised {own:>10.2?}   {ratio:.2} x\n");
        std::io::stdout().write_all(text.as_bytes()).unwrap();
    }
}

/// The same shell without us: its output read to the end and kept.
fn bare(root: &Path, command: &str) -> usize {
    let mut shell = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = Vec::new();
    shell.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    shell.wait().unwrap();
    output.len()
}

/// Assessed, approved, claimed and run, as for a person.
fn own(root: &Path, command: &str) -> usize {
    call::Call::of(root, command).complete().full.len()
}

fn timed(run: impl Fn() -> usize) -> Duration {
    let began = Instant::now();
    assert!(run() > 0);
    began.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
